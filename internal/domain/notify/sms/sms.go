// Package sms sends text messages: through any gateway that takes an HTTP
// request, through Twilio, or, where there is neither, to the log.
package sms

import (
	"context"
	"errors"
	"log/slog"

	"tilth/internal/platform/errs"
)

// Message is one text to one phone.
type Message struct {
	To   string // E.164, with the plus
	Text string
}

// Sender sends messages. Its errors are for a person, of kind Upstream, NotSetUp,
// or Refused where the number itself is the trouble; behind those of a gateway
// is a *Failure. The answer is the gateway's own, short.
type Sender interface {
	Send(ctx context.Context, m Message) (answer string, err error)
}

// Failure is why a gateway did not take a message. It holds neither the text,
// which may be a code, nor anything secret.
type Failure struct {
	Retry        bool   // sending the same again may work
	BadRecipient bool   // the number cannot receive
	Unavailable  bool   // no message goes through now: no answer, no sign-in, no credit, too many
	Detail       string // for the log
}

// Error is for logs.
func (f *Failure) Error() string { return f.Detail }

// Temporary tells whether sending the message again, later, makes sense.
func Temporary(err error) bool {
	var f *Failure
	return errors.As(err, &f) && f.Retry
}

// userError wraps a failure in what a person reads.
func userError(f *Failure) error {
	if f.BadRecipient {
		return errs.New(errs.Refused, "phone.unreachable").WithCause(f)
	}
	return errs.New(errs.Upstream, "channel.smsFail").WithCause(f)
}

// Off is the sender of a server for which SMS is not set up.
type Off struct{}

// Send refuses.
func (Off) Send(context.Context, Message) (string, error) {
	return "", errs.New(errs.NotConfigured, "channel.smsOff")
}

// Log writes messages, codes included, to the log and sends nothing: for the
// demo and for trying things out.
type Log struct{ Logger *slog.Logger }

// Send logs as a warning, since a server that is set up so tells nobody. Nobody
// answers: the console says in its reader's language where such messages go.
func (l Log) Send(ctx context.Context, m Message) (string, error) {
	l.Logger.WarnContext(ctx, "SMS, written here only", "to", m.To, "text", m.Text)
	return "", nil
}
