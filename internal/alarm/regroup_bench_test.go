package alarm_test

import (
	"fmt"
	"testing"
	"time"

	"tilth/internal/alarm"
	"tilth/internal/device"
)

// BenchmarkPublishMany is of a rule of 5,000 devices that is run and stopped: nothing
// is judged meanwhile.
func BenchmarkPublishMany(b *testing.B) {
	const devices = 5000
	y := newYard(b)
	masts := make([]*device.Device, devices)
	for i := range masts {
		name := fmt.Sprintf("MAST-%05d", i)
		masts[i] = &device.Device{Name: name, Serial: name, ProductID: y.station.ID}
	}
	y.PutDevices(b, y.owner, masts...)
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
	masts, ids := make([]*device.Device, 1000), []device.ID{}
	for i := range masts {
		name := fmt.Sprintf("MAST-%05d", i)
		masts[i] = &device.Device{Name: name, Serial: name, ProductID: y.station.ID}
	}
	y.PutDevices(b, y.owner, masts...)
	for _, m := range masts {
		ids = append(ids, m.ID)
	}
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
