package mail

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"os"

	"tilth/internal/domain/notify"
	"tilth/internal/platform/text"
)

const answerMost = 200 // characters of what a server says

// shortLine is what a server said, as one short line.
func shortLine(answer string) string { return text.Shorten(text.SingleLine(answer), answerMost) }

// connectFailure is the failure of a mail that was never begun: no connection, no
// TLS, no sign-in. None other would go through either.
func connectFailure(ctx context.Context, err error) *notify.Failure {
	if f := canceledFailure(ctx, err); f != nil {
		return f
	}
	return &notify.Failure{Kind: notify.Unavailable, Answer: describeError(ctx, err), Cause: err}
}

// canceledFailure is the failure of a mail whose sender does not want to wait any
// more; nil when that is not why.
func canceledFailure(ctx context.Context, err error) *notify.Failure {
	if !errors.Is(context.Cause(ctx), context.Canceled) {
		return nil
	}
	return &notify.Failure{Kind: notify.Transient, Answer: "given up", Cause: err}
}

// phase is how far a mail had come.
type phase int

const (
	envelopePhase phase = iota // it was refused as all of this sender's would be
	messagePhase               // its recipient or content is what the server spoke of
)

// failure tells what a failure in the midst of a mail means. A refused sender or
// sign-in is a matter of settings, which somebody may mend while mails wait;
// a connection that breaks once the sender was accepted may be about this mail
// alone, so others are not kept waiting.
func (l *smtpConn) failure(ctx context.Context, err error, at phase) *notify.Failure {
	f := &notify.Failure{Kind: notify.Transient, Answer: describeError(ctx, err), Cause: err}
	var answer *textproto.Error
	switch {
	case !errors.As(err, &answer):
		l.broken = true
		if given := canceledFailure(ctx, err); given != nil {
			return given
		}
		if at == envelopePhase {
			f.Kind = notify.Unavailable
		}
	case answer.Code == 421: // it closes
		l.broken = true
		f.Kind = notify.Unavailable
	case at == envelopePhase, answer.Code == 530, answer.Code == 534, answer.Code == 535, answer.Code == 538:
		f.Kind = notify.Unavailable
	case answer.Code >= 500:
		f.Kind = notify.Permanent
	}
	return f
}

// describeError is the server's own words, else what happened to the connection.
func describeError(ctx context.Context, err error) string {
	var answer *textproto.Error
	var timeout net.Error
	switch {
	case errors.As(err, &answer):
		return shortLine(fmt.Sprintf("%d %s", answer.Code, answer.Msg))
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		return "the mail server did not answer in time"
	case errors.Is(err, net.ErrClosed):
		return "the connection was closed"
	}
	return shortLine(err.Error())
}
