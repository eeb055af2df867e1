package reading

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// stationFrame returns a weather station's frame: eight values with one or two decimals.
func stationFrame(t tenant.ID, d device.ID, at int64, rng *rand.Rand) Arrival {
	fields := make([]Field, 8)
	for i := range fields {
		v := float64(rng.IntN(900)) / 10
		if i%2 == 1 {
			v = float64(rng.IntN(9000)) / 100
		}
		fields[i] = Field{Property: device.PropertyID(i + 1), Value: Number(v)}
	}
	return Arrival{Frame: Frame{Tenant: t, Device: d, Time: at, Fields: fields}, At: at + 40}
}

// BenchmarkAppend writes batches of 500 frames of 8 values to a real disk, one fsync each, for
// 10,000 devices in turn, with a consumer attached.
func BenchmarkAppend(b *testing.B) {
	for name, writers := range map[string]int{"1 writer": 1, "2 writers": 2} {
		b.Run(name, func(b *testing.B) { benchmarkAppend(b, writers) })
	}
}

func benchmarkAppend(b *testing.B, writers int) {
	const frames, devices = 500, 10_000
	ctx, cancel := context.WithCancel(context.Background())
	s, err := Open(ctx, Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	consumed := make(chan error, 1)
	trim := func(_ context.Context, pos uint64, _ []Arrival) error { s.Trim(pos); return nil }
	go func() { consumed <- s.Consume(ctx, 0, trim) }()
	go s.Run(ctx)
	rng := rand.New(rand.NewPCG(1, 2))
	fields := make([][]Field, devices)
	for d := range fields {
		fields[d] = stationFrame(1, 1, start, rng).Fields
	}
	var next atomic.Int64
	batch := func(n int) []Arrival {
		batch := make([]Arrival, frames)
		for i := range batch {
			k := n*frames + i
			at := start + int64(k/devices)*60_000
			batch[i] = Arrival{Frame{1, device.ID(k%devices + 1), at, fields[(k*7+n)%devices]}, at + 40}
		}
		return batch
	}
	b.ReportAllocs()
	b.ResetTimer()
	failed := make(chan error, writers)
	for range writers {
		go func() {
			for n := int(next.Add(1)); n <= b.N; n = int(next.Add(1)) {
				if err := s.Append(ctx, batch(n)); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	for range writers {
		if err := <-failed; err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N*frames)/b.Elapsed().Seconds(), "frames/s")
	b.ReportMetric(s.Stats().FsyncSeconds/float64(b.N)*1e6, "µs-fsync/batch")
	cancel()
	<-consumed
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRange reads 30 days of five-minute frames, 5 of 8 properties, of one
// device among 200, from a compacted and warm store.
func BenchmarkRange(b *testing.B) {
	const devices, days = 200, 30
	ctx := context.Background()
	s, err := Open(ctx, Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	for at := start; at < start+days*msPerDay; at += 300_000 {
		batch := make([]Arrival, devices)
		for i := range batch {
			batch[i] = stationFrame(1, device.ID(i+1), at, rng)
		}
		if err := s.Append(ctx, batch); err != nil {
			b.Fatal(err)
		}
	}
	s.Trim(s.Stats().Position)
	checkpoint(b, s)
	if err := s.db.Compact(ctx, []byte{0}, []byte{0xff}, false); err != nil {
		b.Fatal(err)
	}
	size, err := s.db.EstimateDiskUsage([]byte{tagHot}, []byte{tagHot + 1})
	if err != nil {
		b.Fatal(err)
	}
	props := []device.PropertyID{1, 3, 4, 6, 8}
	measure := func(b *testing.B, read func() int) {
		b.ReportAllocs()
		for range b.N {
			if n := read(); n != days*288*len(props) {
				b.Fatalf("%d values, want %d", n, days*288*len(props))
			}
		}
	}
	b.Run("Range", func(b *testing.B) {
		measure(b, func() (n int) {
			if err := s.Range(ctx, 1, 77, start, start+days*msPerDay, props, func(_ int64, f []Field) error {
				n += len(f)
				return nil
			}); err != nil {
				b.Fatal(err)
			}
			return n
		})
		b.ReportMetric(float64(size)/float64(s.Stats().Values), "diskB/value")
	})
	b.Run("Series of all", func(b *testing.B) {
		measure(b, func() (n int) {
			series, err := s.Series(ctx, 1, 77, start, start+days*msPerDay, props, 0)
			if err != nil {
				b.Fatal(err)
			}
			for _, points := range series {
				n += len(points)
			}
			return n
		})
	})
	b.Run("Series of 1000 points", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			series, err := s.Series(ctx, 1, 77, start, start+days*msPerDay, props, 1000)
			if err != nil || len(series[1]) > 1000 || len(series[1]) < 900 {
				b.Fatalf("%d points, %v", len(series[1]), err)
			}
		}
	})
}

// BenchmarkFrame encodes and decodes one frame of 8 values.
func BenchmarkFrame(b *testing.B) {
	frame := stationFrame(1, 1, 0, rand.New(rand.NewPCG(1, 2))).Fields
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		var buf []byte
		for range b.N {
			buf = appendFrame(buf[:0], frame)
		}
		b.ReportMetric(float64(len(buf))/8, "B/value")
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		stored := appendFrame(nil, frame)
		var fields []Field
		for range b.N {
			var err error
			if fields, err = appendFields(fields[:0], stored); err != nil {
				b.Fatal(err)
			}
		}
	})
}
