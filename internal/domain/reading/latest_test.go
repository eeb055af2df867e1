package reading

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/domain/device"
)

func TestLatestTakesTheNewestOfEachProperty(t *testing.T) {
	s := openStore(t, Options{})
	same(t, "never read", s.Latest(t.Context(), 1, 1), nil)
	mustAppend(t, s, arrival(1, 1, start, num(2, 1), num(9, 1)))
	mustAppend(t, s, arrival(1, 1, start+5, num(1, 2), num(9, 2)), arrival(1, 1, start+3, num(2, 3), num(9, 3)))
	mustAppend(t, s, arrival(1, 1, start+5, num(9, 4))) // a correction
	want := []Last{{1, start + 5, Number(2)}, {2, start + 3, Number(3)}, {9, start + 5, Number(4)}}
	got := s.Latest(t.Context(), 1, 1)
	same(t, "latest", got, want)
	got[0].Value = Text("the caller's own copy")
	same(t, "unchanged after the caller changed its copy", s.Latest(t.Context(), 1, 1), want)
}

func TestLatestCopiesTexts(t *testing.T) {
	s := openStore(t, Options{})
	message := strings.Repeat("x", 4096)
	mustAppend(t, s, arrival(1, 1, start, text(1, message[:3])))
	got := s.Latest(t.Context(), 1, 1)[0].Value.text
	if got != "xxx" || unsafe.StringData(got) == unsafe.StringData(message) {
		t.Errorf("%q is still part of the message", got)
	}
}

func TestLatestTakesAtMostAKilobyteADevice(t *testing.T) {
	const devices = 20_000
	rng := rand.New(rand.NewPCG(1, 2))
	l := newLatest()
	before := heap()
	for d := range device.ID(devices) {
		l.apply(1, []Arrival{stationFrame(1, d+1, start, rng)}, nil)
	}
	l.takeChanged()
	each := (heap() - before) / devices
	t.Logf("%d bytes per device of 8 values", each)
	if each > 1024 {
		t.Errorf("%d bytes per device, want at most 1024", each)
	}
	runtime.KeepAlive(l)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestCheckpointWritesOnlyWhatChanged(t *testing.T) {
	s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem()})
	for d := range device.ID(3) {
		mustAppend(t, s, arrival(1, d+1, start, num(1, 1)))
	}
	checkpoint(t, s)
	if n := len(storedLatest(t, s)); n != 3 {
		t.Fatalf("%d devices written, want 3", n)
	}
	// Delete them: the next checkpoint writes only changed devices.
	if err := s.db.DeleteRange([]byte{tagLatest}, []byte{tagLatest + 1}, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, arrival(1, 2, start+1, num(1, 2)), arrival(1, 3, start-1, num(1, 0)))
	checkpoint(t, s)
	same(t, "written again", storedLatest(t, s), []device.Ref{{Tenant: 1, ID: 2}})
}

func TestStartReadsCheckpointAndJournal(t *testing.T) {
	s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem()})
	want := model{}
	rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
	write := func() {
		batch := make([]Arrival, 20)
		for i := range batch {
			batch[i] = randomReading(rng)
		}
		mustAppend(t, s, batch...)
		want.append(batch)
	}
	write()
	write()
	s.Trim(2)
	checkpoint(t, s)
	same(t, "entries", storedEntries(t, s), nil)
	want.check(t, crash(t, s), rng)
	write()
	want.check(t, crash(t, s), rng)
	// The values on disk may be newer than the checkpoint's position.
	refs, pos := s.latest.takeChanged()
	write()
	if err := s.writeLatest(t.Context(), refs, pos, 0); err != nil {
		t.Fatal(err)
	}
	want.check(t, crash(t, s), rng)
}

func TestFailedCheckpointIsRetried(t *testing.T) {
	s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem()})
	var batch []Arrival
	for d := range device.ID(3 * checkpointBatch) {
		batch = append(batch, arrival(1, d+1, start, num(1, float64(d))))
	}
	mustAppend(t, s, batch...)
	s.Trim(1)
	// It stops between two batches.
	ctx := &cancelledAfter{Context: t.Context(), calls: 2}
	if err := s.checkpoint(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("checkpoint: %v, want canceled", err)
	}
	if n := len(storedLatest(t, s)); n == 0 || n == len(batch) {
		t.Fatalf("%d devices written, want some and not all", n)
	}
	same(t, "a failed checkpoint keeps the journal", storedEntries(t, s), positions(1, 1))
	mustAppend(t, s, arrival(1, 1, start+1, num(1, -1)))
	checkpoint(t, s)
	same(t, "the next checkpoint trims the journal", storedEntries(t, s), positions(2, 2))
	after := crash(t, s)
	if n := after.Stats().Devices; n != len(batch) {
		t.Errorf("%d devices after a restart, want %d", n, len(batch))
	}
	same(t, "first", after.Latest(t.Context(), 1, 1), []Last{{1, start + 1, Number(-1)}})
	same(t, "last", after.Latest(t.Context(), 1, device.ID(len(batch))),
		[]Last{{1, start, Number(float64(len(batch) - 1))}})
}

// cancelledAfter is a context that is cancelled after that many calls of Err.
type cancelledAfter struct {
	context.Context
	calls int
}

func (c *cancelledAfter) Err() error {
	if c.calls--; c.calls < 0 {
		return context.Canceled
	}
	return nil
}

func TestDamagedCheckpointErrorNamesKey(t *testing.T) {
	for names, put := range map[string]struct {
		key, value []byte
	}{
		"latest values of tenant 1 device 9": {appendRefKey(nil, tagLatest, device.Ref{Tenant: 1, ID: 9}), []byte{3, 1}},
		"journal entry 5":                    {appendJournalKey(nil, 5), []byte{3}},
		"key 6c":                             {[]byte{tagLatest}, []byte{0}},
		"key 65":                             {[]byte{tagErased, 1, 1, 1, 1}, nil},
		"key 6d63":                           {keyCheckpoint, []byte{0x80}},
	} {
		s := openStore(t, Options{})
		if err := s.db.Set(put.key, put.value, pebble.Sync); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), s.opts); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), names) {
			t.Errorf("open: %v, want ErrCorrupt naming %q", err, names)
		}
	}
}

func TestRunMakesCheckpoints(t *testing.T) {
	s := openStore(t, Options{CheckpointEvery: time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- s.Run(ctx) }()
	for n := range 3 {
		mustAppend(t, s, arrival(1, device.ID(n+1), start, num(1, 1)))
		await(t, fmt.Sprintf("checkpoint %d", n), func() bool { return len(storedLatest(t, s)) == n+1 })
	}
	cancel()
	if err := <-ran; err != nil {
		t.Errorf("run: %v", err)
	}
}
