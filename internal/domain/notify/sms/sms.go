// Package sms sends text messages: through any gateway with an HTTP API, through Twilio or, if
// there is neither, to the log.
package sms

import (
	"context"
	"errors"
	"log/slog"

	"tilth/internal/platform/errs"
)

// Message is one text message to one phone.
type Message struct {
	To   string // E.164, with the plus
	Text string
}

// Sender sends messages. Its errors are for users: of kind Upstream, NotConfigured, or Refused if
// the number itself is at fault; the cause of a gateway's errors is a *Failure. answer is the
// gateway's own short answer.
type Sender interface {
	Send(ctx context.Context, m Message) (answer string, err error)
}

// Failure says why a gateway did not accept a message. It contains neither the text, which may be a
// code, nor anything secret.
type Failure struct {
	Retry        bool   // sending the same again may work
	BadRecipient bool   // the number cannot receive
	Unavailable  bool   // the gateway accepts nothing now: no answer, no sign-in, no credit, too many requests
	Detail       string // for the log
}

// Error gives the text for logs.
func (f *Failure) Error() string { return f.Detail }

// Temporary tells whether a later attempt may succeed.
func Temporary(err error) bool {
	var f *Failure
	return errors.As(err, &f) && f.Retry
}

// userError wraps a failure in an error for users.
func userError(f *Failure) error {
	if f.BadRecipient {
		return errs.New(errs.Refused, "phone.unreachable").WithCause(f)
	}
	return errs.New(errs.Upstream, "channel.smsFail").WithCause(f)
}

// Off is the sender of a server without SMS.
type Off struct{}

// Send refuses every message.
func (Off) Send(context.Context, Message) (string, error) {
	return "", errs.New(errs.NotConfigured, "channel.smsOff")
}

// Log writes messages, including codes, to the log and sends nothing: for demos and trials.
type Log struct{ Logger *slog.Logger }

// Send logs a warning, since such messages reach nobody. Its answer is empty: the console says in
// the reader's language where such messages go.
func (l Log) Send(ctx context.Context, m Message) (string, error) {
	l.Logger.WarnContext(ctx, "SMS, written here only", "to", m.To, "text", m.Text)
	return "", nil
}
