package alarm_test

import (
	"fmt"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
)

// createDevices stores devices without a scene.
func createDevices(b *testing.B, fx *fixture, n int) []device.ID {
	list, ids := make([]*device.Device, n), make([]device.ID, n)
	for i := range list {
		name := fmt.Sprintf("MAST-%05d", i)
		list[i] = &device.Device{Name: name, Serial: name, ProductID: fx.station.ID}
	}
	fx.PutDevices(b, fx.owner, list...)
	for i, d := range list {
		ids[i] = d.ID
	}
	return ids
}

// BenchmarkPublishMany publishes and stops a rule of 5,000 devices. Evaluation stands still
// meanwhile.
func BenchmarkPublishMany(b *testing.B) {
	const devices = 5000
	fx := newFixture(b)
	createDevices(b, fx, devices)
	id := fx.createRule(func(r *alarm.Rule) {
		r.Device, r.Targets = 0, alarm.Targets{Scenes: []int64{device.DefaultScene}}
	})
	run := func(change func(alarm.RuleID)) time.Duration {
		began := time.Now()
		change(id)
		return time.Since(began)
	}
	var stopped, published time.Duration
	for b.Loop() {
		stopped += run(fx.unpublish)
		published += run(fx.publish)
	}
	b.ReportMetric(float64(stopped.Microseconds())/float64(b.N)/devices, "µs/pair-stopped")
	b.ReportMetric(float64(published.Microseconds())/float64(b.N)/devices, "µs/pair-run")
}

// BenchmarkChangeOneOfManyRules changes a rule of one device, in a tenant with 10,000 other rules.
func BenchmarkChangeOneOfManyRules(b *testing.B) {
	fx := newFixture(b)
	ids := createDevices(b, fx, 1000)
	id := fx.createRule(nil)
	r, err := fx.rules.Get(b.Context(), fx.owner, id)
	fx.must(err)
	for range 10 {
		copies, err := fx.rules.Copy(b.Context(), fx.owner, &r.Rule, ids)
		fx.must(err)
		for _, one := range copies {
			fx.publish(one)
		}
	}
	b.Run("stopped and run", func(b *testing.B) {
		for b.Loop() {
			fx.unpublish(id)
			fx.publish(id)
		}
	})
	b.Run("created", func(b *testing.B) {
		for b.Loop() {
			one, err := fx.rules.Create(b.Context(), fx.owner, &r.Rule)
			fx.must(err)
			b.StopTimer()
			fx.must(fx.rules.Delete(b.Context(), fx.owner, one))
			b.StartTimer()
		}
	})
}
