package server

import (
	"context"
	"log/slog"

	"tilth/internal/app"
	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/alerttext/chart"
	"tilth/internal/domain/notify/mail"
	"tilth/internal/domain/notify/sender"
	"tilth/internal/domain/notify/sms"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
	"tilth/internal/settings"
)

// smsTextSender adapts an SMS sender to identity.SMSSender.
type smsTextSender struct{ sender sms.Sender }

// SendSMS sends one SMS.
func (t smsTextSender) SendSMS(ctx context.Context, mobile, text string) error {
	_, err := t.sender.Send(ctx, sms.Message{To: mobile, Text: text})
	return err
}

// newTextSender is nil if SMS is not set up.
func newTextSender(t *settings.Notifications, logger *slog.Logger) identity.SMSSender {
	if t.SMS == settings.SMSOff {
		return nil
	}
	return smsTextSender{t.SMSSender(logger)}
}

// queueMailer adapts the mail queue to identity.Mailer.
type queueMailer struct{ queue *mail.Queue }

// Enqueue queues a mail.
func (l queueMailer) Enqueue(x identity.Email) {
	l.queue.Post(mail.Message{
		ID: x.ID, To: x.To, Subject: x.Subject, Text: x.Text, HTML: mail.Paragraphs(x.Language, x.Text),
	})
}

// newMailer is nil if mail is not set up.
func newMailer(q *mail.Queue) identity.Mailer {
	if q == nil {
		return nil
	}
	return queueMailer{q}
}

// newSenders are the senders that are set up.
func (s *Stores) newSenders(st *app.Stores, set *settings.Server) map[notify.ChannelKind]notify.Sender {
	of := facts{st}
	o := sender.Options{
		Tenants:   st.Tenants.Get,
		Names:     of.propertyInfo,
		Readings:  of.chartReadings,
		PublicURL: st.LinkBase,
		Now:       st.Now,
		Logger:    st.Logger,
	}
	senders := map[notify.ChannelKind]notify.Sender{}
	if s.mail != nil {
		senders[notify.KindEmail] = sender.NewMail(s.mail.Send, o)
	}
	if set.Notifications.SMS != settings.SMSOff {
		senders[notify.KindSMS] = sender.NewSMS(set.Notifications.SMSSender(st.Logger), o)
	}
	for kind, poster := range set.Notifications.Messengers {
		senders[kind] = sender.NewMessenger(notify.FindKind(kind), poster, o)
	}
	return senders
}

// facts tell senders of what notifications are about.
type facts struct{ *app.Stores }

// propertyInfo is the name of a product's property, its unit and its decimals (nil: as many as the
// value has), for alert texts.
func (s facts) propertyInfo(product int64, identifier string, l text.Language) (name, unit string, precision *int) {
	p := s.findProperty(product, identifier)
	if p == nil {
		p = &device.Property{Identifier: identifier}
	}
	return s.Catalog.Name(l, p), s.Catalog.Unit(p), p.Precision
}

// findProperty is nil if the product, or its property, no longer exists.
func (s facts) findProperty(product int64, identifier string) *device.Property {
	if p := s.Catalog.Product(product); p != nil {
		return p.Property(identifier)
	}
	return nil
}

// chartReadings are the readings for the chart in a mail.
func (s facts) chartReadings(
	ctx context.Context,
	t tenant.ID,
	a *alertmsg.Alarm,
	identifier string,
	from, to int64,
	points int,
) ([]chart.Point, error) {
	p := s.findProperty(a.Product, identifier)
	if p == nil {
		return nil, nil
	}
	series, err := s.Readings.Series(ctx, t, device.ID(a.DeviceID), from, to, []device.PropertyID{p.ID}, points)
	if err != nil {
		return nil, err
	}
	var drawn []chart.Point
	for _, sample := range series[p.ID] {
		if sample.Value.Kind() == reading.KindNumber {
			drawn = append(drawn, chart.Point{Time: sample.Time, Value: sample.Value.Float()})
		}
	}
	return drawn, nil
}
