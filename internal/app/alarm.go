package app

import (
	"context"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/tenant"
)

// openAlarms makes the rules, their notices and what judges them.
func (s *Stores) openAlarms() {
	s.Rules = alarm.NewRuleStore(s.DB, s.Catalog, s.Now)
	s.RuleForms = alarm.NewChecker(s.Devices, s.Scenes, s.Catalog, s.Channels.Missing)
	s.Notices = alarm.NewNoticeStore(s.DB)
	s.Positions = alarm.NewPositionStore(s.DB)
	notifier := s.AlarmNotifier
	if notifier == nil {
		notifier = s.Notifier
	}
	s.Alarms = alarm.NewEngine(alarm.EngineOptions{
		Notifier:          notifier,
		DB:                s.DB,
		Catalog:           s.Catalog,
		Rules:             s.Rules,
		Positions:         s.Positions,
		Devices:           s.Devices,
		Registry:          s.Registry,
		Presence:          s.Presence,
		Readings:          s.Readings,
		Screens:           s.Live,
		Now:               s.Now,
		Uptime:            s.Uptime,
		RetentionClock:    s.RetentionClock,
		Retention:         s.Retention,
		PreviousStop:      s.PreviousStop,
		SaveAlive:         s.SaveAlive,
		FlushPresence:     func(ctx context.Context) error { return s.Status.Flush(ctx, false) },
		Logger:            s.Logger,
		MaxNoticesPerHour: s.MaxNoticesPerHour,
		Turns:             s.Turns,
		OnCaughtUp:        func(tenant.ID) { s.Outbox.Wake() },
	})
}
