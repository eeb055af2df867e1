package cluster

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/db"
	"tilth/internal/tools/pgpair"
)

// BenchmarkArchive copies 30 days of 60 devices, eight values a minute, to PostgreSQL with a synchronous
// copy and fsync, and reads 30 days and 5 properties of one of them from the archive and from the node's
// own disk. It reports how many device-days a second are copied, and the bytes that a value takes in a
// segment and in PostgreSQL. Run it with -benchtime 20x or more, so that what is read is in memory.
func BenchmarkArchive(b *testing.B) {
	ctx := context.Background()
	pair, err := pgpair.Start(ctx, pgpair.Options{Fsync: true})
	if err != nil {
		b.Skip(err)
	}
	defer func() {
		if err := pair.Stop(); err != nil {
			b.Error(err)
		}
	}()
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	address := pair.URL()
	must(db.PrepareCluster(ctx, b.TempDir(), address, true))
	reader := NewArchiveReader(address)
	o := reading.Options{
		Dir: b.TempDir(), Archive: reader, Archiving: true, CheckpointEvery: 50 * time.Millisecond,
		RetentionClock: func() time.Time { return firstDay },
	}
	s, err := reading.Open(ctx, o)
	must(err)
	values := fillBench(b, s)
	n, err := Join(ctx, Options{
		DatabaseURL: address, Name: "a", Address: "a:1", TakeoverAfter: 4 * time.Second, LogKeep: time.Hour,
		Logger: slog.New(slog.DiscardHandler), Position: s.Position, Trouble: func() string { return "" },
	})
	must(err)
	await := noPreparation
	await.BeginLife = func(mark string) (uint64, error) { return s.Position(), s.BeginLife(mark) }
	term, err := n.AwaitTerm(ctx, await)
	must(err)
	_, err = s.Lead(ctx, term)
	must(err)

	archive := term.NewArchive(reader)
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 2)
	go func() { ended <- s.Run(running) }()
	began := time.Now()
	go func() { ended <- s.CopyToArchive(running, archive, 50*time.Millisecond) }()
	for {
		state, err := reader.State(ctx)
		must(err)
		if state.Complete {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	took := time.Since(began)
	stop()
	<-ended
	<-ended
	var parts, table int64
	c, err := pgx.Connect(ctx, address)
	must(err)
	must(c.QueryRow(ctx, `SELECT (SELECT sum(length(segments) + length(aggregates)) FROM reading_parts)::bigint,
		(SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits
			WHERE inhparent = 'reading_parts'::regclass)::bigint`).Scan(&parts, &table))
	must(c.Close(ctx))
	b.Logf("%d device-days in %s: %.0f a second; a value takes %.3f B in its segment and %.3f B in PostgreSQL",
		benchDevices*benchDays, took.Round(time.Millisecond), benchDevices*benchDays/took.Seconds(),
		float64(parts)/float64(values), float64(table)/float64(values))

	log, err := OpenLog(address)
	must(err)
	o.Dir = b.TempDir() + "/readings"
	_, err = reading.Fill(ctx, o, log)
	must(err)
	empty, err := reading.Open(ctx, o)
	must(err)
	for name, from := range map[string]*reading.Store{"own disk": s, "archive": empty} {
		b.Run(name, func(b *testing.B) {
			took := make([]float64, b.N) // ms; on a busy machine the least tells more than the mean
			for i := range took {
				read, began := 0, time.Now()
				err := from.Columns(ctx, 1, device.ID(1+i%benchDevices), firstDay.UnixMilli(),
					firstDay.AddDate(0, 0, benchDays).UnixMilli()-1, []device.PropertyID{1, 3, 4, 6, 8},
					func(c *reading.Columns) error {
						read += len(c.Times) * len(c.Columns)
						return nil
					})
				if err != nil || read != benchDays*1440*5 {
					b.Fatal(read, err)
				}
				took[i] = time.Since(began).Seconds() * 1000
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2], "ms-median")
			b.ReportMetric(took[0], "ms-least")
		})
	}
	must(errors.Join(empty.Close(), s.Close(), log.Close(), archive.Close(), reader.Close(), term.End(), n.Close()))
}

const (
	benchDevices = 60
	benchDays    = 30
)

// fillBench appends readings that drift as weather does, seals them, and returns how many values they have.
func fillBench(b *testing.B, s *reading.Store) (values int) {
	b.Helper()
	var drifting [benchDevices][8]float64
	rng := rand.New(rand.NewPCG(1, 1))
	begin, end := firstDay.UnixMilli(), firstDay.AddDate(0, 0, benchDays).UnixMilli()
	for at := begin; at < end; at += 30 * minute {
		batch := make([]reading.Arrival, 0, benchDevices*30)
		for m := range int64(30) {
			now := at + m*minute
			for d := range drifting {
				fields := make([]reading.Field, 8)
				for i := range fields {
					p := math.Pow10(1 + i%2)
					drifting[d][i] += math.Sin(float64(now)/4e6+float64(i))*0.02 + (rng.Float64()-0.5)*0.1
					v := reading.Number(math.Round(drifting[d][i]*p)/p + 0) // + 0: no negative zero
					fields[i] = reading.Field{Property: device.PropertyID(i + 1), Value: v}
				}
				values += len(fields)
				frame := reading.Frame{Tenant: 1, Device: device.ID(d + 1), Time: now, Fields: fields}
				batch = append(batch, reading.Arrival{At: now, Frame: frame})
			}
		}
		if err := s.Append(context.Background(), batch); err != nil {
			b.Fatal(err)
		}
		s.Trim(s.Position())
	}
	if err := s.Seal(context.Background(), firstDay.AddDate(0, 2, 0)); err != nil {
		b.Fatal(err)
	}
	return values
}
