package sender

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/alerttext"
	"tilth/internal/domain/notify/mail"
	"tilth/internal/platform/alertmsg"
)

// Mail sends notifications by mail.
type Mail struct {
	send    func(ctx context.Context, m mail.Message) (answer string, err error)
	options Options
	cache   mailCache
}

// NewMail makes a sender; send is mail.SMTP's Send, whose errors are *notify.Failure.
func NewMail(send func(ctx context.Context, m mail.Message) (answer string, err error), o Options) *Mail {
	return &Mail{send: send, options: o}
}

// Send renders a notification, unless a mail with the same content is cached, and sends it.
func (c *Mail) Send(ctx context.Context, l *notify.Notification) (string, error) {
	m, err := c.render(ctx, l)
	if err != nil {
		return "", err
	}
	m.ID, m.To = l.ID, l.Recipient
	return c.send(ctx, m)
}

// render gives the mail of a notification without its recipient.
func (c *Mail) render(ctx context.Context, l *notify.Notification) (mail.Message, error) {
	now := c.options.Now()
	if len(l.Alarms) != 1 {
		m, _, err := c.renderUncached(ctx, l, now)
		return m, err
	}
	a := &l.Alarms[0]
	key := mailKey{tenant: l.Tenant, notice: a.Notice, event: a.Event, language: l.Language, channel: l.Channel,
		minute: now.Unix() / 60}
	if a.Ack != nil {
		key.ack = a.Ack.Time
	}
	return c.cache.get(key, func() (mail.Message, bool, error) { return c.renderUncached(ctx, l, now) })
}

// renderUncached renders the mail of a notification. complete tells that nothing is missing that a
// later call might add.
func (c *Mail) renderUncached(
	ctx context.Context,
	l *notify.Notification,
	now time.Time,
) (m mail.Message, complete bool, err error) {
	t, err := c.options.tenantOf(ctx, l)
	if err != nil {
		return m, false, err
	}
	v := c.options.renderer(l, t, now)
	m, complete = mail.Message{Sender: v.Tenant}, true
	if len(l.Alarms) == 1 {
		a := &l.Alarms[0]
		m.Thread = fmt.Sprintf("notice-%d-%d", l.Tenant, a.Notice)
		m.Picture, complete = c.chart(ctx, l, v, a)
	}
	l.Refresh(ctx) // drawing a picture takes some time
	written, err := v.Mail(l.Channel, l.Alarms, m.Picture != nil)
	if err != nil {
		return m, false, &notify.Failure{Kind: notify.Permanent, Answer: "the mail cannot be written", Cause: err}
	}
	m.Subject, m.Text, m.HTML = written.Subject, written.Text, written.HTML
	return m, complete, nil
}

// chart gives the picture of an alarm; nil: there is nothing to draw. It only logs errors, since a
// mail without its picture is better than no mail.
func (c *Mail) chart(
	ctx context.Context,
	l *notify.Notification,
	v *alerttext.Renderer,
	a *alertmsg.Alarm,
) (p *mail.Picture, complete bool) {
	if c.options.Readings == nil || alerttext.ChartedProperty(a) == "" {
		return nil, true
	}
	png, err := c.options.drawChart(ctx, l.Tenant, v, a)
	if err != nil {
		c.options.Logger.WarnContext(ctx, "a mail is sent without its chart", "tenant", int64(l.Tenant),
			"notice", strconv.FormatInt(a.Notice, 10), "error", err)
		return nil, false
	}
	if png == nil {
		return nil, true
	}
	return &mail.Picture{ID: alerttext.PictureID, Name: "chart.png", PNG: png}, true
}
