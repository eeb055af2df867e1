package app

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
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
)

// smsTextSender is the SMS sender as identity asks for it.
type smsTextSender struct{ sender sms.Sender }

// SendSMS sends one SMS.
func (t smsTextSender) SendSMS(ctx context.Context, mobile, text string) error {
	_, err := t.sender.Send(ctx, sms.Message{To: mobile, Text: text})
	return err
}

// newTextSender is nil where SMS is not set up.
func newTextSender(t *Notifications, logger *slog.Logger) identity.SMSSender {
	if t.SMS == smsOff {
		return nil
	}
	return smsTextSender{t.smsSender(logger)}
}

// codeKey is the key under which codes are hashed. It comes from the
// platform's, so that the database alone tells no code.
func codeKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "sms codes", 32)
}

// mailPostbox is the queue of mails as identity asks for it.
type mailPostbox struct{ queue *mail.Queue }

// Enqueue hands a letter over.
func (l mailPostbox) Enqueue(x identity.Email) {
	l.queue.Post(mail.Message{
		ID: x.ID, To: x.To, Subject: x.Subject, Text: x.Text, HTML: mail.Paragraphs(x.Language, x.Text),
	})
}

// newMailQueue is nil where mail is not set up.
func newMailQueue(m *mail.SMTP, logger *slog.Logger) *mail.Queue {
	if m == nil {
		return nil
	}
	return mail.NewQueue(m.Send, logger)
}

// newPostbox is nil where mail is not set up.
func newPostbox(q *mail.Queue) identity.Mailer {
	if q == nil {
		return nil
	}
	return mailPostbox{q}
}

// openWebhooks makes what keeps webhooks, and what calls them.
func (s *stores) openWebhooks(set *Settings, logger *slog.Logger) error {
	key, err := webhookKey(s.key)
	if err != nil {
		return err
	}
	if s.webhooks, err = notify.NewWebhookStore(s.db, key, time.Now); err != nil {
		return err
	}
	s.webhookCaller = webhook.New(
		webhook.Options{
			Store:  s.webhooks,
			Guard:  &guard.Guard{Private: set.Notifications.WebhookPrivate},
			Now:    time.Now,
			Logger: logger,
			Limits: s.limits,
		},
	)
	return nil
}

// newOutbox makes the outbox with the ways of telling people that are set up.
func (s *stores) newOutbox(set *Settings, links string, logger *slog.Logger) *notify.Outbox {
	return notify.NewOutbox(notify.OutboxOptions{
		DB:       s.db,
		Tenants:  s.tenants,
		Channels: s.channels,
		Webhooks: s.webhooks,
		Senders:  s.newSenders(set, links, logger),
		Muted: func(ctx context.Context, t tenant.ID, rule int64) (int64, error) {
			return s.rules.MutedUntil(ctx, t, alarm.RuleID(rule))
		},
		// The engine comes after the outbox that it tells.
		Backlog:     func(t tenant.ID, device int64) time.Time { return s.alarms.BacklogUntil(t, device) },
		NotReady:    func() []tenant.ID { return s.alarms.LateTenants() },
		FoundSince:  func(t tenant.ID, notice int64) int64 { return s.alarms.HoldsSince(t, notice) },
		Live:        s.live,
		DigestAfter: set.Notifications.DigestAfter,
		MailsADay:   set.Notifications.MailsADay,
		SMSADay:     set.Notifications.SMSADay,
		Now:         time.Now,
		Logger:      logger,
	})
}

// newSenders are the carriers of the ways that are set up.
func (s *stores) newSenders(set *Settings, links string, logger *slog.Logger) map[notify.ChannelKind]notify.Sender {
	o := sender.Options{
		Tenants:   s.tenants.Get,
		Names:     s.propertyInfo,
		Readings:  s.chartReadings,
		PublicURL: links,
		Now:       time.Now,
		Logger:    logger,
	}
	senders := map[notify.ChannelKind]notify.Sender{notify.KindWebhook: s.webhookCaller}
	if s.mail != nil {
		senders[notify.KindEmail] = sender.NewMail(s.mail.Send, o)
	}
	if set.Notifications.SMS != smsOff {
		senders[notify.KindSMS] = sender.NewSMS(set.Notifications.smsSender(logger), o)
	}
	return senders
}

// propertyInfo is how a product's property is called, its unit and its decimals
// (nil: as many as it has), as letters want to know it.
func (s *stores) propertyInfo(product int64, identifier string, l text.Language) (name, unit string, precision *int) {
	p := s.findProperty(product, identifier)
	if p == nil {
		p = &device.Property{Identifier: identifier}
	}
	return s.catalog.Name(l, p), s.catalog.Unit(p), p.Precision
}

// findProperty is nil where the product, or what it measured, is gone.
func (s *stores) findProperty(product int64, identifier string) *device.Property {
	if p := s.catalog.Product(product); p != nil {
		return p.Property(identifier)
	}
	return nil
}

// chartReadings are the readings that a mail's picture is drawn from.
func (s *stores) chartReadings(
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
	series, err := s.readings.Series(ctx, t, device.ID(a.DeviceID), from, to, []device.PropertyID{p.ID}, points)
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
