package derivation

import (
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// BenchmarkSeasonAfterStart derives the values of a day that ends after a start: the engine reads
// the day and a season of 60 sealed days with a reading every minute.
func BenchmarkSeasonAfterStart(b *testing.B) {
	p := mastProduct()
	for i := range p.Properties {
		if len(p.Properties[i].Parameters) > 0 && p.Properties[i].Parameters[startMonth] > 0 {
			p.Properties[i].Parameters[startMonth], p.Properties[i].Parameters[startDay] = 8, 25
		}
	}
	w := newFixture(b, p)
	end := time.Date(2026, 10, 24, 0, 0, 0, 0, berlin.Zone)
	var batch []reading.Arrival
	for at := end.AddDate(0, 0, -60); at.Before(end); at = at.Add(time.Minute) {
		f := frame(at, airT, 5.5, airRH, 60, wind, 2, sun, 300, battery, 3.6)
		f.Tenant, f.Device = 1, 7
		if batch = append(batch, reading.Arrival{Frame: f, At: f.Time}); len(batch) == 8000 {
			if err := w.store.Append(b.Context(), batch); err != nil {
				b.Fatal(err)
			}
			batch = nil
		}
	}
	if err := w.store.Append(b.Context(), batch); err != nil {
		b.Fatal(err)
	}
	for range 2 { // only the second call marks the days as sealed completely
		if err := w.store.Seal(b.Context(), end.Add(48*time.Hour)); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		f := frame(end, airT, 5)
		f.Tenant, f.Device = 1, 7
		w.engine = w.newEngine()
		batch := []reading.Arrival{{Frame: f, At: f.Time}}
		whole, _, err := w.engine.DeriveBatch(b.Context(), batch, []*device.Entry{w.entry})
		if err != nil || len(whole) != 2 {
			b.Fatal(len(whole), err)
		}
	}
}
