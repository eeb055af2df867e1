package reading

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/domain/device"
)

func erase(t testing.TB, s *Store, ref device.Ref) {
	t.Helper()
	if err := s.Erase(t.Context(), ref.Tenant, ref.ID); err != nil {
		t.Fatal(err)
	}
}

func TestEraseDeletesOneDeviceOnly(t *testing.T) {
	rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
	want := model{}
	var sent []Arrival
	for range 300 {
		sent = append(sent, randomReading(rng))
	}
	s := replay(t, rng, sent, want)
	erased := device.Ref{Tenant: 1, ID: 2}
	erase(t, s, erased)
	delete(want, erased)
	want.check(t, s, rng)
	want.check(t, crash(t, s), rng)
	s = reopen(t, s)
	want.check(t, s, rng)
	erase(t, s, erased) // erasing again does nothing
	want.check(t, s, rng)
}

// TestErasedDeviceStaysErasedAfterRestart: a restart restores nothing from the checkpoint or from
// the journal, whatever position the checkpoint has.
func TestErasedDeviceStaysErasedAfterRestart(t *testing.T) {
	for name, before := range map[string]struct{ checkpoint, trim bool }{
		"only in the journal":           {},
		"in checkpoint and journal":     {checkpoint: true},
		"in the checkpoint":             {checkpoint: true, trim: true},
		"in the journal, trimmed later": {trim: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem()})
			mustAppend(t, s, arrival(1, 1, start, num(1, 1)), arrival(1, 2, start, num(1, 2)))
			if before.trim {
				s.Trim(1)
			}
			if before.checkpoint {
				checkpoint(t, s)
			}
			erase(t, s, device.Ref{Tenant: 1, ID: 1})
			check := func(s *Store) {
				t.Helper()
				same(t, "latest", s.Latest(t.Context(), 1, 1), nil)
				same(t, "history", readRange(t, s, 1, 1, minTime, maxTime, 1), nil)
				same(t, "as of", readAsOf(t, s, 1, 1, maxTime, 1), nil)
				same(t, "the other", s.Latest(t.Context(), 1, 2), []Last{{1, start, Number(2)}})
			}
			check(s)
			after := crash(t, s)
			check(after)
			// A second crash, after a checkpoint.
			checkpoint(t, after)
			check(crash(t, after))
			checkpoint(t, s)
			check(crash(t, s))
			check(reopen(t, s))
		})
	}
}

func TestReadingsAfterEraseStay(t *testing.T) {
	s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem()})
	mustAppend(t, s, arrival(1, 1, start, num(1, 1), num(2, 1)))
	erase(t, s, device.Ref{Tenant: 1, ID: 1})
	mustAppend(t, s, arrival(1, 1, start+1, num(1, 3)))
	check := func(s *Store) {
		t.Helper()
		same(t, "latest", s.Latest(t.Context(), 1, 1), []Last{{1, start + 1, Number(3)}})
		same(t, "history", readRange(t, s, 1, 1, minTime, maxTime, 1, 2), []row{{start + 1, []Field{num(1, 3)}}})
	}
	check(s)
	check(crash(t, s))
	checkpoint(t, s)
	check(crash(t, s))
}

func TestErasureMarksAreTrimmedWithJournal(t *testing.T) {
	for _, restart := range []bool{false, true} {
		s := openStore(t, Options{})
		mustAppend(t, s, arrival(1, 1, start, num(1, 1)), arrival(1, 2, start, num(1, 1)))
		mustAppend(t, s, arrival(1, 1, start+1, num(1, 1)))
		erase(t, s, device.Ref{Tenant: 1, ID: 1})
		s.Trim(1)
		checkpoint(t, s)
		if n := storedErasures(t, s); n != 1 {
			t.Fatalf("%d erasure marks while the journal holds the device, want 1", n)
		}
		if restart {
			s = reopen(t, s)
		}
		mustAppend(t, s, arrival(1, 2, start+1, num(1, 1)))
		s.Trim(2)
		checkpoint(t, s)
		if n := storedErasures(t, s); n != 0 || len(s.order.erased) != 0 {
			t.Errorf("%d erasure marks after the journal was trimmed (restart %v), want none", n, restart)
		}
	}
}

func storedErasures(t testing.TB, s *Store) (n int) {
	t.Helper()
	count := func(*pebble.Iterator) error { n++; return nil }
	if err := s.each(t.Context(), tagErased, []byte{tagErased}, count); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestEraseOfADeviceWhoseHistoryExpired: Erase deletes the latest values all the same.
func TestEraseOfADeviceWhoseHistoryExpired(t *testing.T) {
	s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem(), Retention: testRetention})
	mustAppend(t, s, arrival(1, 1, start-90*msPerDay, num(1, 1)))
	if err := s.Expire(t.Context(), time.UnixMilli(start)); err != nil {
		t.Fatal(err)
	}
	erase(t, s, device.Ref{Tenant: 1, ID: 1})
	same(t, "latest", s.Latest(t.Context(), 1, 1), nil)
	same(t, "latest after a crash", crash(t, s).Latest(t.Context(), 1, 1), nil)
}

// TestEraseDuringACheckpoint: the checkpoint must not write back values that it read before Erase.
func TestEraseDuringACheckpoint(t *testing.T) {
	t.Run(
		"alone",
		func(t *testing.T) { eraseDuringCheckpoints(t, openStore(t, Options{Dir: "data", fs: vfs.NewMem()})) },
	)
	t.Run("with a log", func(t *testing.T) {
		s := openStore(t, Options{Dir: "data", fs: vfs.NewMem()})
		lead(t, s, NewFakeLog("life", 0))
		eraseDuringCheckpoints(t, s)
	})
}

func eraseDuringCheckpoints(t *testing.T, s *Store) {
	const devices = 1000
	for round := range 20 {
		batch := make([]Arrival, devices)
		for i := range batch {
			batch[i] = arrival(1, device.ID(1+i), start+int64(round), num(1, 1))
		}
		mustAppend(t, s, batch...)
		written := make(chan error, 1)
		go func() { written <- s.checkpoint(t.Context()) }()
		erase(t, s, device.Ref{Tenant: 1, ID: 1})
		if err := <-written; err != nil {
			t.Fatal(err)
		}
		if refs := storedLatest(t, s); len(refs) > 0 && refs[0].ID == 1 {
			t.Fatalf("round %d: the erased device is in the checkpoint", round)
		}
	}
}

// TestEraseWhileTheDeviceIsWritten: Erase ends, and disk and memory agree.
func TestEraseWhileTheDeviceIsWritten(t *testing.T) {
	s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem()})
	ctx, cancel := context.WithCancel(t.Context())
	writing := make(chan error, 1)
	first := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			if ctx.Err() != nil {
				writing <- nil
				return
			}
			batch := []Arrival{arrival(1, 1, start+int64(n)*minute, num(1, float64(n)))}
			if err := s.Append(t.Context(), batch); err != nil {
				writing <- err
				return
			}
			if n == 5 {
				close(first)
			}
		}
	}()
	<-first
	erase(t, s, device.Ref{Tenant: 1, ID: 1})
	cancel()
	if err := <-writing; err != nil {
		t.Fatal(err)
	}
	erase(t, s, device.Ref{Tenant: 1, ID: 1})
	same(t, "latest", s.Latest(t.Context(), 1, 1), nil)
	same(t, "history", readRange(t, s, 1, 1, minTime, maxTime, 1), nil)
	after := crash(t, s)
	same(t, "latest after a crash", after.Latest(t.Context(), 1, 1), nil)
}
