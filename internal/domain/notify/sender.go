package notify

import (
	"context"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// Notification is one message to one recipient: about one notice, or about those of a digest.
type Notification struct {
	// ID is the same at each attempt to send the same notification to the same recipient. It
	// consists of letters, digits and -.
	ID        string
	Tenant    tenant.ID
	Owner     *tenant.Tenant // that tenant, if it was read already; nil: the sender reads it
	Kind      ChannelKind
	Recipient string // an address, a number in E.164, or a webhook's id
	Language  text.Language
	Channel   string // its name
	Hourly    bool   // it is sent once an hour, since the tenant's budget is used up
	// Alarms holds one alarm, or those of a digest, oldest first; a test message of the channel
	// has none.
	Alarms []alertmsg.Alarm

	refresh func(ctx context.Context) // nil: there is nothing to refresh
}

// Refresh adds what has become known of the alarms since the notification was made. A sender that
// needs some time before it writes the text calls Refresh then.
func (l *Notification) Refresh(ctx context.Context) {
	if l.refresh != nil {
		l.refresh(ctx)
	}
}

// Sender sends notifications of one channel kind to the remote server: the mail server, the SMS
// gateway or the server of a webhook. answer is the remote server's own short answer. An error is
// a *Failure. The outbox may send the same notification again.
type Sender interface {
	Send(ctx context.Context, l *Notification) (answer string, err error)
}

// LogOnlySender is a Sender that may only write notifications to the server's log. Those reach
// nobody, so they do not count as sent.
type LogOnlySender interface{ LogsOnly() bool }

func logsOnly(c Sender) bool {
	l, ok := c.(LogOnlySender)
	return ok && l.LogsOnly()
}

// Poster hands the text of a notification to a messenger's server, for its recipient; its errors are
// like a Sender's.
type Poster interface {
	Post(ctx context.Context, l *Notification, text string) (answer string, err error)
}

// FailureKind says what to do about a notification that was not sent.
type FailureKind int

// The kinds of failure.
const (
	Permanent   FailureKind = iota // retrying is useless: the recipient or the content is wrong
	Transient                      // a later attempt to send this notification may succeed
	Unavailable                    // the remote server accepts no notification at all now
)

// Failure is the error of a notification that was not sent.
type Failure struct {
	Kind   FailureKind
	Answer string // of the remote server, or what went wrong; holds no secret
	// Reason says why, for Permanent, if the remote server lets that be known: UnknownRecipient or
	// BlockedByRecipient.
	Reason Reason
	Cause  error
	// RetryAfter is how long the remote server asks to wait before the next attempt, for
	// Transient; 0: it does not say. It never shortens the usual wait.
	RetryAfter time.Duration
}

// Error gives the text for logs.
func (f *Failure) Error() string { return f.Answer }

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.Cause }
