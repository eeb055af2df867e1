package notify

import (
	"context"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// ChannelKind is a way of telling people, by its name in the contract.
type ChannelKind string

// The ways of telling people.
const (
	KindEmail ChannelKind = "email"
	KindSMS   ChannelKind = "phoneMessage"
)

// channelKinds are all of them, in the order in which Step goes through them.
var channelKinds = []ChannelKind{KindEmail, KindSMS, KindWebhook}

// Notification is what one recipient is told at once.
type Notification struct {
	// ID is the same whenever the same news is brought to the same recipient:
	// letters, digits and -.
	ID        string
	Tenant    tenant.ID
	Owner     *tenant.Tenant // that tenant, where it was read already; nil: the carrier reads it
	Kind      ChannelKind
	Recipient string // an address, a number in E.164, or a webhook's id
	Language  text.Language
	Channel   string // its name
	Hourly    bool   // it comes once an hour, since the tenant's budget is used up
	// Alarms is what it tells: one; those of a digest, oldest first; none in a
	// test of the channel.
	Alarms []alertmsg.Alarm

	refresh func(ctx context.Context) // nil: nothing more becomes known
}

// Refresh takes in what has become known of the alarms since the letter was made; a
// carrier that needs a while before it writes calls it then.
func (l *Notification) Refresh(ctx context.Context) {
	if l.refresh != nil {
		l.refresh(ctx)
	}
}

// Sender brings letters of one mode to their far end: a mail server, an SMS
// gateway, programs. The answer is the far end's own, as short as it said it. An error is
// a *Failure. The same letter may be carried again.
type Sender interface {
	Send(ctx context.Context, l *Notification) (answer string, err error)
}

// LogOnlySender is a Carrier whose letters may end in the server's log: they reach
// nobody, and nothing may call them sent.
type LogOnlySender interface{ LogsOnly() bool }

func logsOnly(c Sender) bool {
	l, ok := c.(LogOnlySender)
	return ok && l.LogsOnly()
}

// FailureKind says what to do about a letter that did not arrive.
type FailureKind int

// The kinds of trouble.
const (
	Permanent   FailureKind = iota // for good: its recipient or its content
	Transient                      // this letter may go through later
	Unavailable                    // the far end as a whole takes nothing now
)

// Failure is why a letter did not arrive.
type Failure struct {
	Kind   FailureKind
	Answer string // of the far end, or what went wrong; holds no secret
	Cause  error
	// RetryAfter is how long the far end wants to be left alone, of Later; 0: it does
	// not say. It is never tried sooner than others are.
	RetryAfter time.Duration
}

// Error is for logs.
func (f *Failure) Error() string { return f.Answer }

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.Cause }
