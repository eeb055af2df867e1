package server

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/alerttext/chart"
	"tilth/internal/domain/notify/guard"
	"tilth/internal/domain/notify/mail"
	"tilth/internal/domain/notify/sender"
	"tilth/internal/domain/notify/sms"
	"tilth/internal/domain/notify/webhook"
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

// newMailQueue is nil if mail is not set up.
func newMailQueue(m *mail.SMTP, logger *slog.Logger) *mail.Queue {
	if m == nil {
		return nil
	}
	return mail.NewQueue(m.Send, logger)
}

// newMailer is nil if mail is not set up.
func newMailer(q *mail.Queue) identity.Mailer {
	if q == nil {
		return nil
	}
	return queueMailer{q}
}

// openWebhooks makes the store of webhooks, and the client that calls them.
func (s *Stores) openWebhooks(set *settings.Server, logger *slog.Logger) error {
	key, err := webhookKey(s.Key)
	if err != nil {
		return err
	}
	if s.Webhooks, err = notify.NewWebhookStore(s.DB, key, time.Now); err != nil {
		return err
	}
	s.WebhookCaller = webhook.New(
		webhook.Options{
			Store:  s.Webhooks,
			Guard:  &guard.Guard{Private: set.Notifications.WebhookPrivate},
			Now:    time.Now,
			Logger: logger,
			Limits: s.Limits,
		},
	)
	return nil
}

// newOutbox makes the outbox with the senders that are set up.
func (s *Stores) newOutbox(set *settings.Server, links string, logger *slog.Logger) *notify.Outbox {
	return notify.NewOutbox(notify.OutboxOptions{
		DB:       s.DB,
		Tenants:  s.Tenants,
		Channels: s.Channels,
		Webhooks: s.Webhooks,
		Senders:  s.newSenders(set, links, logger),
		Muted: func(ctx context.Context, t tenant.ID, rule int64) (int64, error) {
			return s.Rules.MutedUntil(ctx, t, alarm.RuleID(rule))
		},
		// The engine is made after the outbox, which it needs.
		Backlog:  func(t tenant.ID, device int64) time.Time { return s.Alarms.BacklogUntil(t, device) },
		NotReady: func() []tenant.ID { return s.Alarms.LateTenants() },
		FoundSince: func(t tenant.ID, notice int64) (int64, alertmsg.Precision) {
			return s.Alarms.HoldsSince(t, notice)
		},
		Silence:     s.silenceOf,
		Live:        s.Live,
		DigestAfter: set.Notifications.DigestAfter,
		PerDay:      set.Notifications.PerDay,
		Now:         time.Now,
		Logger:      logger,
	})
}

// newSenders are the senders that are set up.
func (s *Stores) newSenders(
	set *settings.Server,
	links string,
	logger *slog.Logger,
) map[notify.ChannelKind]notify.Sender {
	o := sender.Options{
		Tenants:   s.Tenants.Get,
		Names:     s.propertyInfo,
		Readings:  s.chartReadings,
		PublicURL: links,
		Now:       time.Now,
		Logger:    logger,
	}
	senders := map[notify.ChannelKind]notify.Sender{notify.KindWebhook: s.WebhookCaller}
	if s.Mail != nil {
		senders[notify.KindEmail] = sender.NewMail(s.Mail.Send, o)
	}
	if set.Notifications.SMS != settings.SMSOff {
		senders[notify.KindSMS] = sender.NewSMS(set.Notifications.SMSSender(logger), o)
	}
	for kind, poster := range set.Notifications.Messengers {
		senders[kind] = sender.NewMessenger(notify.FindKind(kind), poster, o)
	}
	return senders
}

// propertyInfo is the name of a product's property, its unit and its decimals (nil: as many as the
// value has), for alert texts.
func (s *Stores) propertyInfo(product int64, identifier string, l text.Language) (name, unit string, precision *int) {
	p := s.findProperty(product, identifier)
	if p == nil {
		p = &device.Property{Identifier: identifier}
	}
	return s.Catalog.Name(l, p), s.Catalog.Unit(p), p.Precision
}

// findProperty is nil if the product, or its property, no longer exists.
func (s *Stores) findProperty(product int64, identifier string) *device.Property {
	if p := s.Catalog.Product(product); p != nil {
		return p.Property(identifier)
	}
	return nil
}

// chartReadings are the readings for the chart in a mail.
func (s *Stores) chartReadings(
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

// silenceOf tells the outbox why a tenant's device is silent; nil if it is online.
func (s *Stores) silenceOf(ctx context.Context, t tenant.ID, id int64) (*alertmsg.Silence, error) {
	c, err := s.Silence.Cause(ctx, t, device.ID(id))
	if c == nil || err != nil {
		return nil, err
	}
	told := &alertmsg.Silence{
		Kind: string(c.Kind), LastContact: c.LastContact, Interval: c.Interval.Milliseconds(),
	}
	if b := c.Battery; b != nil {
		told.Value, told.Limit, told.Unit, told.Decimals, told.At = b.Value, b.Limit, b.Unit, b.Precision, b.Time
		told.NightsLow, told.Nights = b.NightsLow, b.Nights
	}
	if r := c.SignIns; r != nil {
		told.Attempts, told.Former, told.At = r.Count, r.Retired != 0, r.Last
	}
	if g := c.Gateway; g != nil {
		told.Gateway, told.At = cmp.Or(g.NoteName, g.Name), g.Since
	}
	if k := c.Clock; k != nil {
		told.Ahead, told.At = k.Ahead.Milliseconds(), k.RefusedAt
	}
	return told, nil
}
