package alarm_test

import (
	"testing"
	"time"

	"tilth/internal/alarm"
	"tilth/internal/reading"
)

// How long it takes to find since when a notice holds, at a reading a minute: of a frost
// that began just now, of one of a day, and of a drought of a month.
func BenchmarkFindSince(b *testing.B) {
	for name, held := range map[string]time.Duration{"just now": time.Minute, "a day": 24 * time.Hour, "a month": 30 * 24 * time.Hour} {
		b.Run(name, func(b *testing.B) {
			y := newYard(b)
			var batch []reading.Arrival
			for at := -31 * day; at < 0; at += minute {
				degrees := 5.
				if at >= -held.Milliseconds() {
					degrees = 1
				}
				if batch = append(batch, y.air(at, degrees)); len(batch) == 1000 {
					y.send(batch...)
					batch = batch[:0]
				}
			}
			y.send(batch...)
			y.seal()
			y.rule(func(r *alarm.Rule) { r.Window = time.Minute })
			y.judge(y.air(second, 1))
			y.must(y.engine.FindSince(b.Context()))
			for b.Loop() {
				b.StopTimer()
				y.sql("UPDATE notices SET holds_since = NULL")
				b.StartTimer()
				y.must(y.engine.FindSince(b.Context()))
			}
		})
	}
}
