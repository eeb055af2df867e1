package carrier

import (
	"context"
	"fmt"
	"strconv"

	"tilth/internal/news"
	"tilth/internal/notify"
	"tilth/internal/notify/letter"
	"tilth/internal/notify/mail"
)

// Mail brings letters to a mail server.
type Mail struct {
	send     func(ctx context.Context, m mail.Message) (answer string, err error)
	options  Options
	pictures pictures
}

// NewMail makes a carrier; send is that of mail.SMTP, whose errors are
// *notify.Failure.
func NewMail(send func(ctx context.Context, m mail.Message) (answer string, err error), o Options) *Mail {
	return &Mail{send: send, options: o}
}

// Carry writes a letter and sends it.
func (c *Mail) Carry(ctx context.Context, l *notify.Letter) (string, error) {
	t, err := c.options.tenantOf(ctx, l)
	if err != nil {
		return "", err
	}
	v := c.options.voice(l, t)
	m := mail.Message{ID: l.ID, To: l.Recipient, Sender: v.Tenant}
	if len(l.Alarms) == 1 {
		a := &l.Alarms[0]
		m.Thread = fmt.Sprintf("notice-%d-%d", l.Tenant, a.Notice)
		m.Picture = c.picture(ctx, l, v, a)
	}
	written, err := v.Mail(l.Channel, l.Alarms, m.Picture != nil)
	if err != nil {
		return "", &notify.Failure{Trouble: notify.Refused, Answer: "the mail cannot be written", Cause: err}
	}
	m.Subject, m.Text, m.HTML = written.Subject, written.Text, written.HTML
	return c.send(ctx, m)
}

// picture is the chart around an alarm; nil where there is nothing to draw. A
// mail without its picture is better than none, so trouble is for the log.
func (c *Mail) picture(ctx context.Context, l *notify.Letter, v *letter.Voice, a *news.Alarm) *mail.Picture {
	if c.options.Readings == nil || letter.Charted(a) == "" {
		return nil
	}
	key := pictureKey{l.Tenant, a.Notice, a.Event, v.Language, v.Now.Unix() / 60}
	png, err := c.pictures.get(key, func() ([]byte, error) { return c.options.draw(ctx, l.Tenant, v, a) })
	if err != nil {
		c.options.Log.WarnContext(ctx, "mail without its chart", "tenant", int64(l.Tenant), "notice", strconv.FormatInt(a.Notice, 10), "error", err)
		return nil
	}
	if png == nil {
		return nil
	}
	return &mail.Picture{ID: letter.PictureID, Name: "chart.png", PNG: png}
}
