package device_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

// BenchmarkStatusFlush measures how long it takes to write the status of devices of ten tenants, all of which had
// contact and sent a message since the last time, and how long a start takes to read it.
func BenchmarkStatusFlush(b *testing.B) {
	for _, n := range []int{133_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := testkit.NewStores(b)
			product := &device.Product{ID: 1, OfflineAfter: testkit.OfflineAfter}
			var owners []tenant.ID
			for i := range 10 {
				owners = append(owners, s.Tenant(b, fmt.Sprint("t", i)).ID)
			}
			entries := make([]*device.Entry, n)
			for i := range entries {
				ref := device.Ref{Tenant: owners[i%len(owners)], ID: device.ID(i + 1)}
				entries[i] = device.NewEntry(ref, fmt.Sprint("d", i), product, false, false)
			}
			s.Registry.Replace(entries)
			// The changes to online that a first contact makes are history, which is not measured here.
			for _, e := range entries {
				s.Presence.RestoreOnline(e.Tenant, []device.ID{e.ID}, s.Clock.Milli())
			}
			contact := func() {
				s.Clock.Advance(time.Millisecond)
				for _, e := range entries {
					s.Presence.Seen(e.Ref)
					s.Diagnostics.Count(e.Ref, s.Clock.Milli(), 8, nil, 0)
				}
			}
			var took []time.Duration
			for b.Loop() {
				contact()
				start := time.Now()
				if err := s.Status.Flush(b.Context(), true); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "ms/flush")
			b.ReportMetric(float64(took[len(took)-1].Milliseconds()), "ms/slowest")
			start := time.Now()
			fresh := device.NewPresence(s.Registry, s.Clock.Now, s.Clock.Elapsed, s.Log.Logger)
			restarted := device.NewStatusStore(s.DB, s.Registry, fresh, device.NewDiagnostics(), s.Clock.Now)
			if err := restarted.Load(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(time.Since(start).Milliseconds()), "ms/load")
		})
	}
}
