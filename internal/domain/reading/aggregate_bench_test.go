package reading

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// BenchmarkAggregates reads the aggregates of a year of one-minute frames, 5 of 8 properties, of one
// device among 5, by hour and by day; of one that reports each five minutes, by hour; and of ten years
// of one that reports each hour. It reports how much of the disk the aggregates take.
func BenchmarkAggregates(b *testing.B) {
	const devices, days, longDays = 5, 365, 3650
	ctx := context.Background()
	s, err := Open(ctx, Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	stations := make([]driftingStation, devices+2)
	for i := range stations {
		stations[i].rng = rand.New(rand.NewPCG(uint64(i), 1))
	}
	write := func(first, last int, from, to, step int64) {
		var batch []Arrival
		for at := from; at < to; at += step {
			for i := first; i < last; i++ {
				batch = append(batch, stations[i].frame(device.ID(i+1), at))
			}
			if len(batch) > 2000 || at+step >= to {
				if err := s.Append(ctx, batch); err != nil {
					b.Fatal(err)
				}
				batch = make([]Arrival, 0, len(batch)+devices)
				s.Trim(s.Stats().Position)
			}
		}
	}
	write(0, devices, start, start+days*msPerDay, minute)
	write(devices, devices+1, start-longDays*msPerDay, start, 60*minute)
	write(devices+1, devices+2, start, start+days*msPerDay, 5*minute)
	checkpoint(b, s)
	began := time.Now()
	if err := s.Seal(ctx, time.UnixMilli(start+(days+1)*msPerDay)); err != nil {
		b.Fatal(err)
	}
	b.Logf("sealed %d values in %s", s.Stats().Values, time.Since(began))
	if err := s.db.Compact(ctx, []byte{0}, []byte{0xff}, false); err != nil {
		b.Fatal(err)
	}
	size := func(tag byte) float64 {
		n, err := s.db.EstimateDiskUsage([]byte{tag}, []byte{tag + 1})
		if err != nil {
			b.Fatal(err)
		}
		return float64(n)
	}
	props := []device.PropertyID{1, 3, 4, 6, 8}
	for _, c := range []struct {
		name     string
		device   device.ID
		from, to int64
		props    []device.PropertyID
		step     Step
		want     int
		corrects bool // a calibration holds all the time
		zone     *time.Location
	}{
		{"A year by hour", 3, start, start + days*msPerDay - 1, props, Hour, days * 24, false, time.UTC},
		{"A year by hour of readings each five minutes", devices + 2, start, start + days*msPerDay - 1, props, Hour, days * 24, false, time.UTC},
		{"A year by day", 3, start, start + days*msPerDay - 1, props, Day, days, false, time.UTC},
		{"Ten years by day", devices + 1, start - longDays*msPerDay, start - 1, props[:1], Day, longDays, false, time.UTC},
		{"Ten years by hour", devices + 1, start - longDays*msPerDay, start - 1, props[:1], Hour, longDays * 24, false, time.UTC},
		{"A year by day in Istanbul", 3, start, start + days*msPerDay - 1, props, Day, days + 1, false, tenant.Zone("Europe/Istanbul")},
		{"A year by day in Kolkata", 3, start, start + days*msPerDay - 1, props, Day, days + 1, false, tenant.Zone("Asia/Kolkata")},
		{"A year by hour, corrected", 3, start, start + days*msPerDay - 1, props, Hour, days * 24, true, time.UTC},
		{"A year by day, corrected", 3, start, start + days*msPerDay - 1, props, Day, days, true, time.UTC},
		{"Ten years by day, corrected", devices + 1, start - longDays*msPerDay, start - 1, props[:1], Day, longDays, true, time.UTC},
	} {
		b.Run(c.name, func(b *testing.B) {
			if ref := (device.Ref{Tenant: 1, ID: c.device}); c.corrects {
				always := Fact{From: minTime, True: -0.5, Gain: 1}
				s.SetCurves(ref, Curves{1: {Facts: []Fact{always}, Decimals: 1, Min: -100, Max: 100}})
				defer s.SetCurves(ref, nil)
			}
			b.ReportAllocs()
			for range b.N {
				got, err := s.ZoneAggregates(ctx, 1, c.device, c.from, c.to, c.props, c.step, c.zone)
				if err != nil || len(got) != len(c.props) || len(got[1]) != c.want {
					b.Fatal(len(got), len(got[1]), err)
				}
			}
			b.ReportMetric(100*size(tagDay)/size(tagSegment), "%day/segments")
			b.ReportMetric(size(tagSegment)/float64(s.Stats().Values), "segmentB/value")
		})
	}
}
