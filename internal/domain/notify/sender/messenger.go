package sender

import (
	"context"

	"tilth/internal/domain/notify"
)

// Messenger sends notifications as texts through a messenger's server.
type Messenger struct {
	poster  notify.Poster
	longest int // UTF-16 code units
	options Options
}

// NewMessenger makes a sender of a kind.
func NewMessenger(k *notify.Kind, p notify.Poster, o Options) *Messenger {
	return &Messenger{poster: p, longest: k.MaxText, options: o}
}

// Send renders a text and sends it.
func (c *Messenger) Send(ctx context.Context, l *notify.Notification) (string, error) {
	t, err := c.options.tenantOf(ctx, l)
	if err != nil {
		return "", err
	}
	text := c.options.renderer(l, t, c.options.Now()).Message(l.Channel, l.Alarms, c.longest)
	return c.poster.Post(ctx, l, text)
}
