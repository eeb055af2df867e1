package sender

import (
	"context"
	"errors"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/sms"
)

// SMS sends notifications through an SMS gateway.
type SMS struct {
	sender  sms.Sender
	options Options
}

// NewSMS makes a sender.
func NewSMS(sender sms.Sender, o Options) *SMS { return &SMS{sender: sender, options: o} }

// LogsOnly tells whether messages are only logged.
func (c *SMS) LogsOnly() bool {
	_, logs := c.sender.(sms.Log)
	return logs
}

// Send renders a text message and sends it.
func (c *SMS) Send(ctx context.Context, l *notify.Notification) (string, error) {
	t, err := c.options.tenantOf(ctx, l)
	if err != nil {
		return "", err
	}
	text := c.options.renderer(l, t, c.options.Now()).SMS(l.Channel, l.Alarms)
	answer, err := c.sender.Send(ctx, sms.Message{To: l.Recipient, Text: text})
	if err != nil {
		return "", failureOf(ctx, err)
	}
	return answer, nil
}

// failureOf converts an SMS sender's error into a notification's failure.
func failureOf(ctx context.Context, err error) *notify.Failure {
	f := &notify.Failure{Kind: notify.Transient, Answer: err.Error(), Cause: err}
	var gateway *sms.Failure
	switch {
	case errors.Is(context.Cause(ctx), context.Canceled):
		f.Answer = "given up"
	case errors.As(err, &gateway):
		f.Answer = gateway.Detail
		switch {
		case gateway.BadRecipient:
			f.Kind = notify.Permanent
		case gateway.Unavailable:
			f.Kind = notify.Unavailable
		case !gateway.Retry:
			f.Kind = notify.Permanent
		}
	}
	return f
}
