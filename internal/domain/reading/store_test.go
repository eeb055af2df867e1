package reading

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/google/go-cmp/cmp"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// start is the midnight (UTC) at which tests begin: 2026-05-01.
const start = int64(1777593600000)

const minute = int64(time.Minute / time.Millisecond)

// openStore opens a store that is closed at the test's end; without a Dir it gets a new one.
func openStore(t testing.TB, o Options) *Store {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// reopen closes s and opens its folder again.
func reopen(t testing.TB, s *Store) *Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return openStore(t, s.opts)
}

// crash opens a store on what the disk of s holds if power fails now: all synced data and nothing
// else. That store has never been closed.
func crash(t testing.TB, s *Store) *Store {
	t.Helper()
	o := s.opts
	o.fs = s.opts.fs.(*vfs.MemFS).CrashClone(vfs.CrashCloneCfg{})
	return openStore(t, o)
}

func num(p device.PropertyID, v float64) Field  { return Field{p, Number(v)} }
func text(p device.PropertyID, v string) Field  { return Field{p, Text(v)} }
func boolean(p device.PropertyID, v bool) Field { return Field{p, Boolean(v)} }

func arrival(tid tenant.ID, d device.ID, at int64, fields ...Field) Arrival {
	return Arrival{Frame: Frame{Tenant: tid, Device: d, Time: at, Fields: fields}, At: at + 7}
}

func mustAppend(t testing.TB, s *Store, batch ...Arrival) {
	t.Helper()
	if err := s.Append(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
}

// row is one frame of Range.
type row struct {
	Time   int64
	Fields []Field
}

func readRange(t testing.TB, s *Store, tid tenant.ID, d device.ID, from, to int64, props ...device.PropertyID) []row {
	t.Helper()
	var rows []row
	err := s.Range(t.Context(), tid, d, from, to, props, func(at int64, fields []Field) error {
		rows = append(rows, row{at, append([]Field(nil), fields...)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func readAsOf(t testing.TB, s *Store, tid tenant.ID, d device.ID, at int64, props ...device.PropertyID) []Last {
	t.Helper()
	found, err := s.AsOf(t.Context(), tid, d, at, props)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// same compares slices; nil and empty are equal.
func same[E any](t testing.TB, what string, got, want []E) {
	t.Helper()
	// What is deeply equal needs no comparison that can explain itself, which takes five times as long.
	if len(got) == 0 && len(want) == 0 || reflect.DeepEqual(got, want) {
		return
	}
	if diff := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// await polls until ok, for events in the store's background work.
func await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}

func TestAppendRoundTrip(t *testing.T) {
	s := openStore(t, Options{})
	sent := []Arrival{
		arrival(1, 7, start, num(1, 23.4), num(2, -0.125), boolean(3, true), text(4, "küçük 水"), num(300, 1e300)),
		arrival(1, 7, start+minute, num(1, 0.1+0.2), boolean(3, false), text(4, "")),
	}
	mustAppend(t, s, sent...)
	check := func(s *Store) {
		t.Helper()
		same(t, "range", readRange(t, s, 1, 7, start, start+minute, 1, 2, 3, 4, 300),
			[]row{{start, sent[0].Fields}, {start + minute, sent[1].Fields}})
		same(t, "latest", s.Latest(t.Context(), 1, 7), []Last{
			{1, start + minute, Number(0.1 + 0.2)}, {2, start, Number(-0.125)}, {3, start + minute, Boolean(false)},
			{4, start + minute, Text("")}, {300, start, Number(1e300)}})
	}
	check(s)
	check(reopen(t, s))
}

func TestAppendRefusesInvalidFrames(t *testing.T) {
	bad := map[string]Arrival{
		"NaN":               arrival(1, 1, start, num(1, math.NaN())),
		"infinite":          arrival(1, 1, start, num(1, math.Inf(1))),
		"negative infinite": arrival(1, 1, start, num(1, math.Inf(-1))),
		"no tenant":         arrival(0, 1, start, num(1, 1)),
		"no device":         arrival(1, 0, start, num(1, 1)),
		"too early":         arrival(1, 1, minTime, num(1, 1)),
		"too late":          arrival(1, 1, maxTime, num(1, 1)),
	}
	s := openStore(t, Options{})
	for name, a := range bad {
		if err := s.Append(t.Context(), []Arrival{arrival(1, 1, start, num(1, 5)), a}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	same(t, "a refused batch writes nothing", readRange(t, s, 1, 1, minTime, maxTime, 1), nil)
	if p := s.Stats().Position; p != 0 {
		t.Errorf("journal position %d, want 0", p)
	}
}

func TestAppendEmptyBatch(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s)
	mustAppend(t, s, arrival(1, 1, start))
	if p := s.Stats().Position; p != 0 {
		t.Errorf("journal position %d after empty batches, want 0", p)
	}
	mustAppend(t, s, arrival(1, 1, start), arrival(1, 1, start+1, num(1, 1)))
	same(t, "frames without fields are left out", readRange(t, s, 1, 1, start, start+1, 1),
		[]row{{start + 1, []Field{num(1, 1)}}})
}

func TestAppendDoesNotChangeCallersFields(t *testing.T) {
	s := openStore(t, Options{})
	fields := []Field{num(9, 1), num(2, 2), num(9, 3), num(5, 4)}
	batch := []Arrival{arrival(1, 1, start, fields...)}
	mustAppend(t, s, batch...)
	same(t, "stored", readRange(t, s, 1, 1, start, start, 2, 5, 9),
		[]row{{start, []Field{num(2, 2), num(5, 4), num(9, 3)}}})
	same(t, "caller's", batch[0].Fields, []Field{num(9, 1), num(2, 2), num(9, 3), num(5, 4)})
}

func TestOpenErrors(t *testing.T) {
	inUse := openStore(t, Options{})
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	later := vfs.NewMem()
	s := openStore(t, Options{Dir: "data", fs: later})
	if err := s.db.Set(keyFormat, []byte{formatNumber + 1}, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	foreign := vfs.NewMem()
	db, err := pebble.Open("data", &pebble.Options{
		FS:                 foreign,
		FormatMajorVersion: pebble.FormatNewest,
		Logger:             engineLog{slog.New(slog.DiscardHandler)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		o    Options
		text string
	}{
		"in use":          {Options{Dir: inUse.opts.Dir}, "in use by another process"},
		"a file":          {Options{Dir: file}, "not a directory"},
		"a later version": {Options{Dir: "data", fs: later}, "format is 7"},
		"not ours":        {Options{Dir: "data", fs: foreign}, "merger"},
	}
	for name, c := range cases {
		s, err := Open(t.Context(), c.o)
		if err == nil {
			t.Errorf("%s: opened", name)
			s.Close()
			continue
		}
		if !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %q, want one line with %q", name, err, c.text)
		}
	}
}

func TestOpenStopsOnCancel(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, arrival(1, 1, start, num(1, 1)))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, s.opts); !errors.Is(err, context.Canceled) {
		t.Errorf("open: %v, want canceled", err)
	}
	same(t, "the folder can be opened again", openStore(t, s.opts).Latest(t.Context(), 1, 1),
		[]Last{{1, start, Number(1)}})
}

func TestClosedStoreReturnsErrClosed(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, arrival(1, 1, start, num(1, 1)))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	ctx := t.Context()
	props := []device.PropertyID{1}
	_, asOf := s.AsOf(ctx, 1, 1, start, props)
	_, series := s.Series(ctx, 1, 1, start, start, props, 0)
	for name, err := range map[string]error{
		"Append":  s.Append(ctx, []Arrival{arrival(1, 1, start, num(1, 1))}),
		"AsOf":    asOf,
		"Series":  series,
		"Range":   s.Range(ctx, 1, 1, start, start, props, func(int64, []Field) error { return nil }),
		"Erase":   s.Erase(ctx, 1, 1),
		"Expire":  s.Expire(ctx, time.Now()),
		"Consume": s.Consume(ctx, 0, func(context.Context, uint64, []Arrival) error { return nil }),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v, want ErrClosed", name, err)
		}
	}
	if err := s.Run(ctx); err != nil {
		t.Errorf("Run: %v", err)
	}
	if got := s.Stats(); got != (Stats{}) {
		t.Errorf("Stats: %+v, want none", got)
	}
}

// TestCloseStopsReaders: a running read stops early with ErrClosed, and only then Close closes the
// folder.
func TestCloseStopsReaders(t *testing.T) {
	s := openStore(t, Options{})
	var batch []Arrival
	for i := range int64(2 * yieldEvery) {
		batch = append(batch, arrival(1, 1, start+i, num(1, 1)))
	}
	mustAppend(t, s, batch...)
	closed := make(chan error, 1)
	n := 0
	err := s.Range(t.Context(), 1, 1, minTime, maxTime, []device.PropertyID{1}, func(int64, []Field) error {
		if n++; n == 1 {
			go func() { closed <- s.Close() }()
			await(t, "Close to begin", func() bool { return errors.Is(s.Append(t.Context(), batch[:1]), ErrClosed) })
		}
		select {
		case <-closed:
			t.Error("closed during a read")
		default:
		}
		return nil
	})
	if !errors.Is(err, ErrClosed) || n > yieldEvery {
		t.Errorf("range: %v after %d frames, want ErrClosed early", err, n)
	}
	if err := <-closed; err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestFailedSyncIsNotAcknowledged(t *testing.T) {
	var failing atomic.Bool
	disk := vfs.NewCrashableMem()
	s := openStoreFailing(t, errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if failing.Load() && strings.HasSuffix(op.Path, ".log") && op.Kind == errorfs.OpFileSyncData {
			return errorfs.ErrInjected
		}
		return nil
	})))
	c := startConsumer(t, s, 0, nil)
	awaitConsumed(t, s)
	mustAppend(t, s, arrival(1, 1, start, num(1, 1)))
	c.wait(1)
	if err := s.Broken(); err != nil {
		t.Errorf("broken before: %v", err)
	}
	failing.Store(true)
	for range 3 { // more than the queue holds: a failed append must release its slot
		if err := s.Append(t.Context(), []Arrival{arrival(1, 1, start+1, num(1, 2))}); !errors.Is(err, ErrBroken) {
			t.Errorf("append on a failing disk: %v, want ErrBroken", err)
		}
	}
	if err := s.Erase(t.Context(), 1, 1); !errors.Is(err, ErrBroken) || !errs.Is(err, errs.StorageFailure) {
		t.Errorf("erase on a failing disk: %v, want ErrBroken within a StorageFailure", err)
	}
	if err := s.Expire(t.Context(), time.UnixMilli(start)); !errors.Is(err, ErrBroken) {
		t.Errorf("expire on a failing disk: %v, want ErrBroken", err)
	}
	if err := s.checkpoint(t.Context()); !errors.Is(err, ErrBroken) {
		t.Errorf("checkpoint on a failing disk: %v, want ErrBroken", err)
	}
	same(t, "latest", s.Latest(t.Context(), 1, 1), []Last{{1, start, Number(1)}})
	if !s.Stats().Broken || !errors.Is(s.Broken(), ErrBroken) {
		t.Error("stats do not say that the store is broken")
	}
	if err := c.stop(); !errors.Is(err, context.Canceled) {
		t.Errorf("consume: %v", err)
	}
	same(t, "consumed", c.positions(), []uint64{1})
	after := openStore(t, Options{Dir: "data", fs: disk.CrashClone(vfs.CrashCloneCfg{})})
	same(t, "after a restart", readRange(t, after, 1, 1, start, start+1, 1), []row{{start, []Field{num(1, 1)}}})
}

// openStoreFailing opens a store whose Close may fail.
func openStoreFailing(t *testing.T, fs vfs.FS) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Dir: "data", fs: fs, QueueBatches: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // the disk is broken
	return s
}

func TestStatsCountWhatHappened(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, arrival(1, 1, start, num(1, 1), num(2, 1)), arrival(1, 2, start, num(1, 1)))
	mustAppend(t, s, arrival(1, 1, start+1, num(1, 1)))
	got := s.Stats()
	if got.FsyncSeconds <= 0 || got.DiskBytes == 0 {
		t.Errorf("fsync %v s, disk %d bytes: want more than 0", got.FsyncSeconds, got.DiskBytes)
	}
	got.FsyncSeconds, got.DiskBytes = 0, 0
	want := Stats{Frames: 3, Values: 4, Batches: 2, JournalLag: 2, Position: 2, Devices: 2}
	if got != want {
		t.Errorf("stats %+v, want %+v", got, want)
	}
	s.Trim(1)
	if got := s.Stats().JournalLag; got != 1 {
		t.Errorf("lag %d after evaluating one of two, want 1", got)
	}
}
