package reading

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit/race"
)

// A snapshot is a store with everything that was acknowledged before. Its journal continues right
// after the evaluated position, however fast batches are evaluated and deleted meanwhile.
func TestSnapshot(t *testing.T) {
	s := openStore(t, Options{})
	var acknowledged, evaluated atomic.Int64
	writing, stop := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	workers.Go(func() {
		for n := 0; writing.Err() == nil; n++ {
			if err := s.Append(t.Context(), numberedBatch(n)); err != nil {
				t.Error(err)
				return
			}
			acknowledged.Store(int64(n + 1))
		}
	})
	workers.Go(func() {
		err := s.Consume(writing, 0, func(_ context.Context, pos uint64, _ []Arrival) error {
			evaluated.Store(int64(pos))
			s.Trim(pos)
			return s.checkpoint(t.Context())
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("consume: %v", err)
		}
	})
	for round := range race.Cases(5) {
		for acknowledged.Load() < int64(round+1)*20 || evaluated.Load() < int64(round+1)*10 {
			runtime.Gosched()
		}
		dir := filepath.Join(t.TempDir(), "copy")
		var known, past int64
		if err := s.Snapshot(t.Context(), dir, func(context.Context) error {
			past, known = evaluated.Load(), acknowledged.Load()
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		c := openStore(t, Options{Dir: dir})
		rows := 0
		for n := range int(known) {
			for _, a := range numberedBatch(n) {
				if len(readRange(t, c, a.Tenant, a.Device, a.Time, a.Time, a.Fields[0].Property)) == 0 {
					t.Fatalf("round %d: batch %d of %d is missing", round, n, known)
				}
				rows++
			}
		}
		next := uint64(past) + 1
		if err := c.Backlog(t.Context(), uint64(past), func(pos uint64, batch []Arrival) error {
			if pos != next {
				return fmt.Errorf("position %d, want %d", pos, next)
			}
			same(t, fmt.Sprint("batch ", pos), batch, numberedBatch(int(pos)-1))
			next++
			return nil
		}); err != nil || next <= uint64(known) {
			t.Errorf("round %d: the journal after %d ends before %d of %d (%v)", round, past, next, known, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		found, err := Examine(t.Context(), dir, 0, func(device.Ref) bool { return true })
		if err != nil || !found.OK() || rows == 0 {
			t.Errorf("round %d: %+v (%v)", round, found, err)
		}
	}
	stop()
	workers.Wait()
}

func TestSnapshotErrors(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, numberedBatch(0)...)
	dir := filepath.Join(t.TempDir(), "copy")
	failure := errors.New("no")
	if err := s.Snapshot(t.Context(), dir, func(context.Context) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("%v", err)
	}
	nothing := func(context.Context) error { return nil }
	if err := s.Snapshot(t.Context(), dir, nothing); err != nil {
		t.Fatal(err)
	}
	if err := s.Snapshot(t.Context(), dir, nothing); err == nil {
		t.Error("a snapshot replaced another one")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Snapshot(t.Context(), dir+"2", nothing); !errors.Is(err, ErrClosed) {
		t.Errorf("snapshot of a closed store: %v", err)
	}
}
