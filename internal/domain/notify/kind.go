package notify

import (
	"cmp"
	"slices"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// ChannelKind is a kind of channel, by its name in the contract and in the database.
type ChannelKind string

// kinds are all kinds, in the order in which forms show them and Step runs their workers. What
// differs between kinds stands here and in their entries, apart from their settings
// (internal/settings) and what the console shows of them (web/src/lib/channel/kinds.ts).
var kinds = []*Kind{&email, &sms, &telegram, &webhooks}

// Kind is what distinguishes a kind of channel.
type Kind struct {
	Name ChannelKind
	// Label is its name in metrics: letters and _.
	Label string
	// Title is its name as people read it in every language; empty: its texts have keys of their
	// own.
	Title string
	// Other: it came after mail and SMS. The contract has its recipients in the list others, and a
	// channel begins to use it only where it is set up.
	Other bool
	// Programs: it reaches programs, not people. Its recipients are not those of channels.
	Programs bool

	// Field is the form's field, others for those of that list, and MaxRecipients how many
	// recipients a channel may have.
	Field         string
	MaxRecipients int
	// Normalize gives the stored form of what a user typed; empty: it is no recipient. Refuse gives
	// the error of something that Normalize need not see; nil: there is none.
	Normalize func(typed string) (address string)
	Refuse    func(typed string) *errs.Error
	// Same gives a text that is equal for addresses of the same recipient; nil: the address.
	Same func(address string) string
	// Destination is the part of an address that a remote server may refuse as a whole.
	Destination func(address string) string
	// Texts are its own texts; none: otherTexts.
	Texts KindTexts

	// MaxText is the longest text that its server takes, in UTF-16 code units, for a Messenger.
	MaxText int

	// MaxInFlight limits the notifications in flight at once, including those whose outcome is not
	// stored yet; MaxPerTenant those of a tenant, and MaxPerDestination those of a destination. 0:
	// no limit of its own.
	MaxInFlight, MaxPerTenant, MaxPerDestination int
	// Pace limits how often notifications leave; nil: as often as the remote server takes them.
	Pace *Pace
	// OwnLimit gives a tenant's own limit of notifications per day, nil if it has none; nil: the
	// kind has no budget.
	OwnLimit func(owner *tenant.Tenant) *int
}

// KindTexts are the keys of a kind's errors: of a form without a recipient, with a wrong one, with
// one twice; of a kind that is not set up; of a remote server that refuses a recipient, and one
// that accepts nothing now.
type KindTexts struct{ Empty, Format, Twice, NotSetUp, Refused, Down string }

// otherTexts are the texts of kinds that have no others; they name the Title as {kind}.
var otherTexts = KindTexts{
	Empty: "channel.otherEmpty", Format: "channel.otherFormat", Twice: "channel.otherTwice",
	NotSetUp: "channel.otherNotSetUp", Refused: "channel.otherRefused", Down: "channel.otherDown",
}

// Pace says how many notifications may leave within a time, as a remote server allows it.
type Pace struct {
	All  Rate
	Each []DestinationRate
}

// Rate is a number of notifications within a time.
type Rate struct {
	Most   int
	Within time.Duration
}

// DestinationRate is the rate of each destination for which Of is true; nil: of each.
type DestinationRate struct {
	Rate
	Of func(destination string) bool
}

// Kinds gives the kinds of channels, in the order in which forms show them.
func Kinds() []*Kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k *Kind) bool { return k.Programs })
}

// AllKinds gives the kinds of channels, and webhooks.
func AllKinds() []*Kind { return slices.Clone(kinds) }

// FindKind gives a kind of channel by its name; nil: there is none.
func FindKind(name ChannelKind) *Kind {
	if k := kindOf(name); k != nil && !k.Programs {
		return k
	}
	return nil
}

// kindOf gives a kind by its name; nil: there is none.
func kindOf(name ChannelKind) *Kind {
	i := slices.IndexFunc(kinds, func(k *Kind) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return kinds[i]
}

// error makes an error about the kind.
func (k *Kind) error(kind errs.Kind, key string, args ...string) *errs.Error {
	if k.Title != "" {
		args = append(args, "kind", k.Title)
	}
	return errs.New(kind, key, args...)
}

func (k *Kind) texts() KindTexts { return cmp.Or(k.Texts, otherTexts) }

// NotSetUp is the error of a kind that is not set up.
func (k *Kind) NotSetUp() *errs.Error { return k.error(errs.NotConfigured, k.texts().NotSetUp) }

// same tells whether two addresses are the same recipient.
func (k *Kind) same(a, b string) bool {
	if k.Same != nil {
		a, b = k.Same(a), k.Same(b)
	}
	return a == b
}
