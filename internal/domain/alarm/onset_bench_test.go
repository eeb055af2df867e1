package alarm_test

import (
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
)

// BenchmarkFindOnset finds since when a notice holds, at a reading a minute: for a frost that began
// just now, one of a day, and a drought of a month.
func BenchmarkFindOnset(b *testing.B) {
	for name, held := range map[string]time.Duration{"just now": time.Minute, "a day": 24 * time.Hour, "a month": 30 * 24 * time.Hour} {
		b.Run(name, func(b *testing.B) {
			fx := newFixture(b)
			var batch []reading.Arrival
			for at := -31 * day; at < 0; at += minute {
				degrees := 5.
				if at >= -held.Milliseconds() {
					degrees = 1
				}
				if batch = append(batch, fx.airTemp(at, degrees)); len(batch) == 1000 {
					fx.send(batch...)
					batch = batch[:0]
				}
			}
			fx.send(batch...)
			fx.seal()
			fx.createRule(func(r *alarm.Rule) { r.Window = time.Minute })
			fx.evaluate(fx.airTemp(second, 1))
			fx.must(fx.engine.FindSince(b.Context()))
			for b.Loop() {
				b.StopTimer()
				fx.sql("UPDATE notices SET holds_since = NULL")
				b.StartTimer()
				fx.must(fx.engine.FindSince(b.Context()))
			}
		})
	}
}
