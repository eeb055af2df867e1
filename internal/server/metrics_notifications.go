package server

import (
	"context"
	"math"
	"time"

	"tilth/internal/domain/notify"
)

// countTimeout limits a query that counts queued deliveries.
const countTimeout = 2 * time.Second

// describeNotifications publishes how notifications are delivered.
func (s *Server) describeNotifications() {
	m, outbox := s.metrics, s.Stores.Outbox
	m.labelled(
		"tilth_notify_deliveries_total",
		"Finished deliveries, by outcome.",
		"state",
		func() map[string]uint64 {
			now := outbox.Stats()
			return map[string]uint64{
				string(notify.Sent):       now.Sent,
				string(notify.OnlyLogged): now.Logged,
				string(notify.Failed):     now.Failed,
				string(notify.Skipped):    now.Skipped,
			}
		},
	)
	m.counter(
		"tilth_messages_removed_total",
		"Messages of the console that were removed because of their age or with their tenant.",
		func() float64 { return float64(s.Stores.Messages.Removed()) },
	)
	waiting := func(mode notify.ChannelKind, read func(notify.Waiting) float64) func() float64 {
		return func() float64 {
			ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
			defer cancel()
			by, err := s.queuedByMode(ctx)
			if err != nil {
				s.logger.Warn("the queued notifications cannot be counted", "error", err)
				return math.NaN()
			}
			return read(by[mode])
		}
	}
	for _, k := range notify.AllKinds() {
		mode, name := k.Name, k.Label
		m.gauge(
			"tilth_notify_"+name+"_queued",
			"Queued deliveries.",
			waiting(mode, func(w notify.Waiting) float64 { return float64(w.Deliveries) }),
		)
		m.gauge(
			"tilth_notify_"+name+"_overdue_seconds",
			"For how long the oldest queued delivery has been due.",
			waiting(mode, func(w notify.Waiting) float64 { return w.Due.Seconds() }),
		)
		if k.Programs {
			continue // each webhook has a server of its own
		}
		m.gauge(
			"tilth_notify_"+name+"_down",
			"1 while the server that the deliveries go to accepts nothing.",
			func() float64 {
				if outbox.Stats().Down[mode] {
					return 1
				}
				return 0
			},
		)
	}
}

// queuedByMode is what is queued for each kind of channel.
func (s *Server) queuedByMode(ctx context.Context) (map[notify.ChannelKind]notify.Waiting, error) {
	by, err := s.Stores.Outbox.Waiting(ctx)
	if err != nil {
		return nil, err
	}
	if !s.Stores.Tenants.AnyActs() {
		by = withoutDue(by)
	}
	return by, nil
}

// withoutDue is what is queued while the outbox is held. It has no due times: the operator holds
// it, and no server is late. The log told the operator at the start.
func withoutDue(by map[notify.ChannelKind]notify.Waiting) map[notify.ChannelKind]notify.Waiting {
	held := map[notify.ChannelKind]notify.Waiting{}
	for mode, w := range by {
		held[mode] = notify.Waiting{Deliveries: w.Deliveries}
	}
	return held
}

// warnIfHeld warns that the server sends no notifications, as a server on a restored folder does
// not: alarms still open on it, and nobody would know why no notification comes.
func (s *Server) warnIfHeld(ctx context.Context) error {
	if s.Stores.Tenants.AnyActs() {
		return nil
	}
	by, err := s.Stores.Outbox.Waiting(ctx)
	if err != nil {
		return err
	}
	all := 0
	for _, w := range by {
		all += w.Deliveries
	}
	s.logger.Warn(
		"mail, SMS and webhooks are held since this folder was restored, and nobody is told of alarms: tilth outbox release lets them go",
		"waiting",
		all,
	)
	return nil
}
