package app

import (
	"context"
	"math"
	"time"

	"tilth/internal/notify"
)

// countWithin is how long counting what is queued may take.
const countWithin = 2 * time.Second

// describeTelling publishes how people are told.
func (s *Server) describeTelling() {
	m, outbox := s.metrics, s.stores.outbox
	m.labelled("tilth_notify_deliveries_total", "Deliveries that came to an end, by how.", "state", func() map[string]uint64 {
		now := outbox.Stats()
		return map[string]uint64{string(notify.Sent): now.Sent, string(notify.Failed): now.Failed, string(notify.Skipped): now.Skipped}
	})
	waiting := func(mode notify.Mode, read func(notify.Waiting) float64) func() float64 {
		return func() float64 {
			ctx, cancel := context.WithTimeout(context.Background(), countWithin)
			defer cancel()
			by, err := outbox.Waiting(ctx)
			if err != nil {
				s.log.Warn("what people are to be told cannot be counted", "error", err)
				return math.NaN()
			}
			return read(by[mode])
		}
	}
	for mode, name := range map[notify.Mode]string{notify.Email: "mail", notify.Phone: "sms", notify.Program: "webhook"} {
		m.gauge("tilth_notify_"+name+"_queued", "Deliveries that wait.", waiting(mode, func(w notify.Waiting) float64 { return float64(w.Deliveries) }))
		m.gauge("tilth_notify_"+name+"_overdue_seconds", "For how long the first of them has been due.", waiting(mode, func(w notify.Waiting) float64 { return w.Due.Seconds() }))
		if mode == notify.Program {
			continue // there are as many far ends as webhooks
		}
		m.gauge("tilth_notify_"+name+"_down", "1 while the far end takes nothing.", func() float64 {
			if outbox.Stats().Down[mode] {
				return 1
			}
			return 0
		})
	}
}
