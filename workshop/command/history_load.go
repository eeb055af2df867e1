package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/server"
	"tilth/internal/settings"
	"tilth/workshop/bench"
)

// historyLoad fills a data folder that no server has open, in the way in which a server stores
// readings, and measures the store meanwhile.
type historyLoad struct {
	*historyRecords // of the month

	years   *yearsLoad // nil: none
	tenant  bench.Tenant
	dir     string // has the data folder, and room for another
	repeats int
	printf  func(format string, a ...any)

	figures bench.StoreResult
	sealed  sealedBytes
}

// historyRecords are records and what they are in a store.
type historyRecords struct {
	records    *bench.Records
	batchSteps int // steps of all devices in one batch
	devices    []device.Ref
	properties []device.PropertyID
}

const (
	batchSteps         = 20 // of the month
	dayBatches         = int(24 * time.Hour / recordStep / batchSteps)
	writers            = 2 // concurrent batches, as at the ingest edge
	sealingRounds      = 3
	sealingDays        = 5 // days of one round
	sealingWriteFactor = 4
	downsampledPoints  = 1000
	historyRetention   = 4000 * 24 * time.Hour // more than ten years
)

func (l *historyLoad) run(ctx context.Context) error {
	data := filepath.Join(l.dir, "data")
	if err := l.resolveIDs(ctx, data); err != nil {
		return err
	}
	l.printf("Writing readings while others are sealed")
	if err := l.measureSealing(ctx); err != nil {
		return err
	}
	l.printf("Writing %d values, sealing them", l.records.Total())
	if err := l.fill(ctx, data); err != nil {
		return err
	}
	// The store is queried as after a restart. Opening and closing it leaves no log behind that
	// would count as readings on disk.
	if err := l.reopen(ctx, data); err != nil {
		return err
	}
	size, err := folderBytes(filepath.Join(data, "readings"))
	l.figures.Folder, l.figures.Bytes = size, l.sealed.bytes.Load()
	if l.figures.Bytes == 0 {
		err = errors.Join(err, errors.New("the store does not tell how much it has sealed"))
	}
	if err != nil || l.years == nil {
		return err
	}
	return l.runYears(ctx, data)
}

func (l *historyLoad) reopen(ctx context.Context, data string) (err error) {
	s, end, err := l.open(ctx, filepath.Join(data, "readings"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	if err := l.query(ctx, s); err != nil {
		return err
	}
	l.printf("Waiting until the store has compacted what was sealed")
	return waitForStableSize(ctx, s)
}

const (
	stableSizePoll    = 250 * time.Millisecond
	stableSizePolls   = 12               // polls that return the same size
	stableSizeTimeout = 60 * time.Second // the longest wait
)

// waitForStableSize waits until a store's size stays the same: the store compacts in the
// background, and does not say when it is done.
func waitForStableSize(ctx context.Context, s *reading.Store) error {
	look := time.NewTicker(stableSizePoll)
	defer look.Stop()
	last, quiet := uint64(0), 0
	for waited := time.Duration(0); quiet < stableSizePolls && waited < stableSizeTimeout; waited += stableSizePoll {
		select {
		case <-look.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if size := s.Stats().DiskBytes; size != last {
			last, quiet = size, 0
		} else {
			quiet++
		}
	}
	return nil
}

// resolveIDs looks up the IDs of the devices and properties.
func (l *historyLoad) resolveIDs(ctx context.Context, data string) (err error) {
	s, err := server.OpenStores(ctx, &settings.Server{DataDir: data}, "", slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	owner, err := s.Tenants.ByName(ctx, l.tenant.Name)
	if err != nil {
		return err
	}
	all := []*historyRecords{l.historyRecords}
	if l.years != nil {
		all = append(all, l.years.year, l.years.ten)
	}
	for _, h := range all {
		var product *device.Product
		for _, name := range h.records.Devices {
			e := s.Registry.Find(owner.ID, name)
			if e == nil {
				return fmt.Errorf("%s is not in the folder", name)
			}
			h.devices, product = append(h.devices, e.Ref), e.Product
		}
		for _, sign := range h.records.Properties {
			h.properties = append(h.properties, product.Property(sign).ID)
		}
	}
	return nil
}

// batch is what all devices have measured in some steps. Beyond the records they measure the same
// again.
func (h *historyRecords) batch(number int) []reading.Arrival {
	batch := make([]reading.Arrival, 0, h.batchSteps*len(h.devices))
	fields := make([]reading.Field, cap(batch)*len(h.properties))
	for n := number * h.batchSteps; n < (number+1)*h.batchSteps; n++ {
		at := h.records.Time(n).UnixMilli()
		for d, ref := range h.devices {
			own := fields[:len(h.properties):len(h.properties)]
			fields = fields[len(h.properties):]
			for p, id := range h.properties {
				own[p] = reading.Field{Property: id, Value: reading.Number(h.records.Values[d][p][n%h.records.Count()])}
			}
			batch = append(
				batch,
				reading.Arrival{
					Frame: reading.Frame{Tenant: ref.Tenant, Device: ref.ID, Time: at, Fields: own},
					At:    at,
				},
			)
		}
	}
	return batch
}

// open opens a store with a consumer that evaluates nothing. The returned function closes both.
func (l *historyLoad) open(ctx context.Context, dir string) (*reading.Store, func() error, error) {
	s, err := reading.Open(
		ctx,
		reading.Options{Dir: dir, Retention: historyRetention, Logger: slog.New(&l.sealed)},
	)
	if err != nil {
		return nil, nil, err
	}
	consumed := make(chan error, 1)
	go func() {
		consumed <- s.Consume(ctx, 0, func(_ context.Context, pos uint64, _ []reading.Arrival) error {
			s.Trim(pos)
			return nil
		})
	}()
	return s, func() error {
		err := s.Close()
		if ended := <-consumed; !errors.Is(ended, reading.ErrClosed) {
			err = errors.Join(err, ended)
		}
		return err
	}, nil
}

// write appends batches, beginning with the number first, until most are written or stop is closed.
// It returns how many it wrote.
func (h *historyRecords) write(
	ctx context.Context,
	s *reading.Store,
	first, most int,
	stop <-chan struct{},
) (written int, err error) {
	var next atomic.Int64
	work, ctx := errgroup.WithContext(ctx)
	for range writers {
		work.Go(func() error {
			for {
				select {
				case <-stop:
					return nil
				default:
				}
				n := int(next.Add(1)) - 1
				if n >= most {
					return nil
				}
				if err := s.Append(ctx, h.batch(first+n)); err != nil {
					return err
				}
			}
		})
	}
	err = work.Wait()
	return min(most, int(next.Load())), err
}

// fill writes the records and seals them.
func (l *historyLoad) fill(ctx context.Context, data string) (err error) {
	s, end, err := l.open(ctx, filepath.Join(data, "readings"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	f := &l.figures
	f.Values = l.records.Total()
	began := time.Now()
	if _, err := l.write(ctx, s, 0, l.records.Count()/batchSteps, nil); err != nil {
		return err
	}
	f.Writing = time.Since(began)
	l.sealed.bytes.Store(0)
	began = time.Now()
	if err := s.Seal(ctx, l.records.Time(l.records.Count()).Add(48*time.Hour)); err != nil {
		return err
	}
	f.Sealing = time.Since(began)
	return nil
}

// query queries the store as the console's calls do, each time for another device.
func (l *historyLoad) query(ctx context.Context, s *reading.Store) (err error) {
	f, count := &l.figures, l.records.Count()
	from, to := l.records.Time(0).UnixMilli(), l.records.Time(count-1).UnixMilli()
	of := func(n int) device.Ref { return l.devices[n%len(l.devices)] }
	f.Series, err = bench.Measure(l.repeats, func(n int) error {
		ref, values := of(n), 0
		err := s.Columns(ctx, ref.Tenant, ref.ID, from, to, l.properties, func(c *reading.Columns) error {
			for i := range c.Columns {
				c.Columns[i].Values(func(int, reading.Value) bool { values++; return true })
			}
			return nil
		})
		if err == nil && values != count*len(l.properties) {
			err = fmt.Errorf("%d values, %d were expected", values, count*len(l.properties))
		}
		return err
	})
	if err != nil {
		return err
	}
	f.Points = downsampledPoints
	f.Downsampled, err = bench.Measure(l.repeats, func(n int) error {
		ref := of(n)
		got, err := s.Downsample(ctx, ref.Tenant, ref.ID, from, to, l.properties, downsampledPoints)
		if points := len(got[l.properties[0]].Times); err == nil && points < min(count, downsampledPoints/2) {
			err = fmt.Errorf("%d readings, %d or more were expected", points, downsampledPoints/2)
		}
		return err
	})
	if err != nil {
		return err
	}
	f.Range, err = bench.Measure(l.repeats, func(n int) error {
		ref, values := of(n), 0
		err := s.Range(ctx, ref.Tenant, ref.ID, from, to, l.properties, func(_ int64, fields []reading.Field) error {
			values += len(fields)
			return nil
		})
		if err == nil && values != count*len(l.properties) {
			err = fmt.Errorf("%d values, %d were expected", values, count*len(l.properties))
		}
		return err
	})
	return err
}

// measureSealing writes readings for some days, then seals these while it writes more, several
// times. While a day is sealed it writes at most sealingWriteFactor times as many: if no disk slows
// the writers down, each round would leave the next one more to seal.
func (l *historyLoad) measureSealing(ctx context.Context) (err error) {
	dir := filepath.Join(l.dir, "sealing")
	s, end, err := l.open(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end(), os.RemoveAll(dir)) }()
	var plain, sealing throughput
	next := 0 // the next batch
	for range sealingRounds {
		n, err := plain.measure(func() (int, error) { return l.write(ctx, s, next, sealingDays*dayBatches, nil) })
		if err != nil {
			return err
		}
		next += n
		sealed := make(chan struct{})
		var failed error
		go func() {
			defer close(sealed)
			failed = s.Seal(ctx, l.records.Start.Add(time.Duration(next)*batchSteps*recordStep+2*time.Hour))
		}()
		n, err = sealing.measure(
			func() (int, error) { return l.write(ctx, s, next, sealingWriteFactor*sealingDays*dayBatches, sealed) },
		)
		<-sealed
		if err := errors.Join(err, failed); err != nil {
			return err
		}
		next += n
	}
	frames := float64(batchSteps * len(l.devices))
	l.figures.PlainRate, l.figures.SealingRate = plain.perSecond()*frames, sealing.perSecond()*frames
	return nil
}

// throughput is how many batches were written in which time.
type throughput struct {
	batches int
	took    time.Duration
}

func (p *throughput) measure(write func() (int, error)) (batches int, err error) {
	began := time.Now()
	batches, err = write()
	p.took += time.Since(began)
	p.batches += batches
	return batches, err
}

func (p *throughput) perSecond() float64 { return float64(p.batches) / p.took.Seconds() }

// sealedBytes is a log handler that adds up the size of each day that a store has sealed.
type sealedBytes struct{ bytes atomic.Int64 }

// Enabled is true for all levels, since the store logs sealing at the lowest.
func (s *sealedBytes) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs returns the handler as it is.
func (s *sealedBytes) WithAttrs([]slog.Attr) slog.Handler { return s }

// WithGroup returns the handler as it is.
func (s *sealedBytes) WithGroup(string) slog.Handler { return s }

// Handle adds up the bytes of a record.
func (s *sealedBytes) Handle(_ context.Context, r slog.Record) error {
	if r.Message != "readings: sealed" {
		return nil
	}
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "bytes" {
			s.bytes.Add(a.Value.Int64())
		}
		return true
	})
	return nil
}

// folderBytes is the size of the files in a folder.
func folderBytes(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
