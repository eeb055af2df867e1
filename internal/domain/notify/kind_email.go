package notify

import (
	"net/mail"
	"regexp"
	"strings"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// KindEmail is the kind of mails.
const KindEmail ChannelKind = "email"

const addressMax = 254 // bytes, RFC 5321

var addressShape = regexp.MustCompile(`^[^\s@<>,;"]+@[^\s@<>,;".]+(\.[^\s@<>,;".]+)+$`)

var email = Kind{
	Name: KindEmail, Label: "mail",
	Field: "emails", MaxRecipients: 20,
	Normalize: normalizeEmail,
	Refuse: func(typed string) *errs.Error {
		if tenant.HasNumericMailHost(typed) {
			return errs.New(errs.Refused, "invalid.mailHost", "value", quoted(typed)).WithField("emails")
		}
		return nil
	},
	// Two addresses are the same mailbox as far as can be known: the case of ASCII letters does not
	// count.
	Same: lowerASCII,
	// The domain.
	Destination: func(address string) string {
		return strings.ToLower(address[strings.LastIndexByte(address, '@')+1:])
	},
	Texts: KindTexts{
		Empty: "channel.emailEmpty", Format: "channel.emailFormat", Twice: "channel.emailTwice",
		NotSetUp: "channel.noMailServer", Refused: "channel.mailRefused", Down: "channel.mailDown",
	},
	// The more mails are in flight, the less they wait for each other.
	MaxInFlight: 16,
	OwnLimit:    func(owner *tenant.Tenant) *int { return owner.MailsPerDay },
}

// normalizeEmail gives an address that mail can be sent to as it is; empty: it is none.
func normalizeEmail(typed string) string {
	a, err := mail.ParseAddress(typed)
	if err != nil || a.Address != typed || len(typed) > addressMax || !addressShape.MatchString(typed) ||
		strings.ContainsFunc(typed, tenant.BreaksLayout) {
		return ""
	}
	return typed
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
