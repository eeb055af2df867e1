package alarm_test

import (
	"fmt"
	"testing"
	"time"

	"tilth/internal/alarm"
	"tilth/internal/device"
)

// masts stores so many devices that stand in no scene.
func masts(b *testing.B, y *yard, n int) []device.ID {
	list, ids := make([]*device.Device, n), make([]device.ID, n)
	for i := range list {
		name := fmt.Sprintf("MAST-%05d", i)
		list[i] = &device.Device{Name: name, Serial: name, ProductID: y.station.ID}
	}
	y.PutDevices(b, y.owner, list...)
	for i, d := range list {
		ids[i] = d.ID
	}
	return ids
}

// BenchmarkPublishMany is of a rule of 5,000 devices that is run and stopped: nothing
// is judged meanwhile.
func BenchmarkPublishMany(b *testing.B) {
	const devices = 5000
	y := newYard(b)
	masts(b, y, devices)
	id := y.rule(func(r *alarm.Rule) {
		r.Device, r.Targets = 0, alarm.Targets{Scenes: []int64{device.DefaultScene}}
	})
	run := func(change func(alarm.RuleID)) time.Duration {
		began := time.Now()
		change(id)
		return time.Since(began)
	}
	var stopped, published time.Duration
	for b.Loop() {
		stopped += run(y.unpublish)
		published += run(y.publish)
	}
	b.ReportMetric(float64(stopped.Microseconds())/float64(b.N)/devices, "µs/pair-stopped")
	b.ReportMetric(float64(published.Microseconds())/float64(b.N)/devices, "µs/pair-run")
}

// BenchmarkAmongMany is of one rule of one device, in a tenant with 10,000 others.
func BenchmarkAmongMany(b *testing.B) {
	y := newYard(b)
	ids := masts(b, y, 1000)
	id := y.rule(nil)
	r, err := y.rules.Get(b.Context(), y.owner, id)
	y.must(err)
	for range 10 {
		copies, err := y.rules.Copy(b.Context(), y.owner, &r.Rule, ids)
		y.must(err)
		for _, one := range copies {
			y.publish(one)
		}
	}
	b.Run("stopped and run", func(b *testing.B) {
		for b.Loop() {
			y.unpublish(id)
			y.publish(id)
		}
	})
	b.Run("made", func(b *testing.B) {
		for b.Loop() {
			one, err := y.rules.Create(b.Context(), y.owner, &r.Rule)
			y.must(err)
			b.StopTimer()
			y.must(y.rules.Delete(b.Context(), y.owner, one))
			b.StartTimer()
		}
	})
}
