package reading

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"tilth/internal/domain/device"
)

// driftingStation is a station whose values change as weather does: slowly, with a little noise in
// the last digit, each on a scale of its own.
type driftingStation struct {
	rng    *rand.Rand
	values [8]float64
}

func (w *driftingStation) frame(d device.ID, at int64) Arrival {
	fields := make([]Field, len(w.values))
	for i := range w.values {
		p := math.Pow10(1 + i%2)
		w.values[i] += math.Sin(float64(at)/4e6+float64(i))*0.02 + (w.rng.Float64()-0.5)*0.1
		fields[i] = Field{device.PropertyID(i + 1), Number(math.Round(w.values[i]*p)/p + 0)} // + 0: no negative zero
	}
	return arrival(1, d, at, fields...)
}

// BenchmarkSealed reads 30 sealed days of one-minute frames, 5 of 8 properties, of one device among
// 20, and reports how many bytes a value takes on disk.
func BenchmarkSealed(b *testing.B) {
	const devices, days = 20, 30
	ctx := context.Background()
	s, err := Open(ctx, Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	stations := make([]driftingStation, devices)
	for i := range stations {
		stations[i].rng = rand.New(rand.NewPCG(uint64(i), 1))
	}
	for at := start; at < start+days*msPerDay; at += 10 * 60_000 {
		batch := make([]Arrival, 0, devices*10)
		for m := range int64(10) {
			for i := range stations {
				batch = append(batch, stations[i].frame(device.ID(i+1), at+m*60_000))
			}
		}
		if err := s.Append(ctx, batch); err != nil {
			b.Fatal(err)
		}
		s.Trim(s.Stats().Position)
	}
	checkpoint(b, s)
	began := time.Now()
	if err := s.Seal(ctx, time.UnixMilli(start+40*msPerDay)); err != nil {
		b.Fatal(err)
	}
	b.Logf("sealed %d values in %s", s.Stats().Values, time.Since(began))
	if err := s.db.Compact(ctx, []byte{0}, []byte{0xff}, false); err != nil {
		b.Fatal(err)
	}
	size, err := s.db.EstimateDiskUsage([]byte{tagSegment}, []byte{tagHot + 1})
	if err != nil {
		b.Fatal(err)
	}
	props := []device.PropertyID{1, 3, 4, 6, 8}
	b.Run("Range", func(b *testing.B) {
		for range b.N {
			n := 0
			count := func(_ int64, f []Field) error { n += len(f); return nil }
			err := s.Range(ctx, 1, 7, start, start+days*msPerDay, props, count)
			if err != nil || n != days*1440*len(props) {
				b.Fatal(n, err)
			}
		}
		b.ReportMetric(float64(size)/float64(s.Stats().Values), "diskB/value")
	})
	b.Run("Columns", func(b *testing.B) {
		var json []byte
		b.ReportAllocs()
		for range b.N {
			n := 0
			err := s.Columns(ctx, 1, 7, start, start+days*msPerDay, props, func(c *Columns) error {
				for i := range c.Columns {
					json = c.Columns[i].AppendJSON(json[:0])
				}
				n += len(c.Times) * len(c.Columns)
				return nil
			})
			if err != nil || n != days*1440*len(props) {
				b.Fatal(n, err)
			}
		}
	})
	for name, points := range map[string]int{"Downsample to all": 0, "Downsample to 1000 points": 1000} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				series, err := s.Downsample(ctx, 1, 7, start, start+days*msPerDay, props, points)
				if err != nil || len(series) != len(props) {
					b.Fatal(len(series), err)
				}
			}
		})
	}
}
