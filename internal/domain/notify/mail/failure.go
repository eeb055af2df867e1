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

const answerMost = 200 // characters of a server's answer

// shortLine gives a server's answer as one short line.
func shortLine(answer string) string { return text.Shorten(text.SingleLine(answer), answerMost) }

// connectFailure gives the failure of a mail that was not begun: no connection, no TLS, no sign-in.
// Every other mail would fail too.
func connectFailure(ctx context.Context, err error) *notify.Failure {
	if f := canceledFailure(ctx, err); f != nil {
		return f
	}
	return &notify.Failure{Kind: notify.Unavailable, Answer: describeError(ctx, err), Cause: err}
}

// canceledFailure gives the failure of a mail whose context was cancelled; nil: it was not.
func canceledFailure(ctx context.Context, err error) *notify.Failure {
	if !errors.Is(context.Cause(ctx), context.Canceled) {
		return nil
	}
	return &notify.Failure{Kind: notify.Transient, Answer: "given up", Cause: err}
}

// phase is how far a mail had got.
type phase int

const (
	envelopePhase phase = iota // the server would refuse every mail of this sender
	messagePhase               // the server refuses this mail's recipient or content
)

// failure classifies an error in the middle of a mail. A refused sender or sign-in is a matter of
// settings, which the operator may correct while mails wait. If the connection breaks after the
// server accepted the sender, this mail alone may be the reason, so others do not wait.
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
	case answer.Code == 421: // the server closes the connection
		l.broken = true
		f.Kind = notify.Unavailable
	case at == envelopePhase, answer.Code == 530, answer.Code == 534, answer.Code == 535, answer.Code == 538:
		f.Kind = notify.Unavailable
	case answer.Code >= 500:
		f.Kind = notify.Permanent
	}
	return f
}

// describeError gives the server's answer, else what happened to the connection.
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
