package app

import (
	"cmp"
	"context"
	"maps"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/guard"
	"tilth/internal/domain/notify/webhook"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
)

// openNotify makes the channels, the messages, and the outbox with its senders.
func (s *Stores) openNotify() error {
	s.Channels = notify.NewChannelStore(s.DB, s.Now)
	s.Messages = notify.NewMessageStore(s.DB)
	key, err := DeriveKey(s.Key, webhookSecrets)
	if err != nil {
		return err
	}
	if s.Webhooks, err = notify.NewWebhookStore(s.DB, key, s.Now); err != nil {
		return err
	}
	s.WebhookCaller = webhook.New(webhook.Options{
		Store:  s.Webhooks,
		Guard:  &guard.Guard{Private: s.Private},
		Now:    s.Now,
		Logger: s.Logger,
		Limits: s.Limits,
	})
	senders := map[notify.ChannelKind]notify.Sender{notify.KindWebhook: s.WebhookCaller}
	if s.Senders != nil {
		maps.Copy(senders, s.Senders(s))
	}
	s.Outbox = notify.NewOutbox(notify.OutboxOptions{
		DB:       s.DB,
		Tenants:  s.Tenants,
		Channels: s.Channels,
		Webhooks: s.Webhooks,
		Senders:  senders,
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
		DigestAfter: s.DigestAfter,
		PerDay:      s.PerDay,
		Now:         s.Now,
		Ran:         s.Uptime,
		Logger:      s.Logger,
	})
	s.Notifier = notify.NewNotifier(s.DB, s.Messages, s.Outbox, s.Live)
	return nil
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
