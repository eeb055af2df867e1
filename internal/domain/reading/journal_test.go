package reading

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

func TestConsumeGivesBatchesInOrder(t *testing.T) {
	s := openStore(t, Options{})
	for n := range 5 {
		mustAppend(t, s, numberedBatch(n)...)
	}
	c := startConsumer(t, s, 0, nil)
	awaitConsumed(t, s)
	for n := range 5 {
		mustAppend(t, s, numberedBatch(5+n)...)
	}
	c.wait(10)
	if err := c.stop(); !errors.Is(err, context.Canceled) {
		t.Errorf("consume: %v", err)
	}
	same(t, "positions", c.positions(), positions(1, 10))
	for n, e := range c.entries {
		same(t, fmt.Sprint("batch ", n), e.batch, numberedBatch(n))
	}
}

func TestBacklogEqualsFirstBatchesOfConsume(t *testing.T) {
	s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem()})
	for n := range 5 {
		mustAppend(t, s, numberedBatch(n)...)
	}
	s = crash(t, s)
	var at []uint64
	if err := s.Backlog(t.Context(), 2, func(pos uint64, batch []Arrival) error {
		at = append(at, pos)
		same(t, fmt.Sprint("batch ", pos), batch, numberedBatch(int(pos)-1))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	same(t, "positions", at, positions(3, 5))
	enough := errors.New("enough")
	if err := s.Backlog(t.Context(), 0, func(uint64, []Arrival) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("a failing callback: %v", err)
	}
	if err := s.Backlog(t.Context(), 9, func(uint64, []Arrival) error { return enough }); err != nil {
		t.Errorf("after the last position: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Backlog(cancelled, 0, func(uint64, []Arrival) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestConsumeFromPositionAfterRestart(t *testing.T) {
	s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem()})
	for n := range 9 {
		mustAppend(t, s, numberedBatch(n)...)
	}
	for _, s := range []*Store{crash(t, s), reopen(t, s)} {
		for _, from := range []uint64{0, 4, 8, 9} {
			c := startConsumer(t, s, from, nil)
			c.wait(9 - int(from))
			c.stop()
			same(t, fmt.Sprint("from ", from), c.positions(), positions(from+1, 9))
			for _, e := range c.entries {
				same(t, "batch", e.batch, numberedBatch(int(e.pos)-1))
			}
		}
	}
}

func TestFailedBatchIsRetriedAndNotSkipped(t *testing.T) {
	log := &waitRecorder{Handler: slog.DiscardHandler}
	s := openStore(t, Options{RetryWait: time.Millisecond, Logger: slog.New(log)})
	mustAppend(t, s, numberedBatch(0)...)
	failures := map[uint64]int{1: 2, 3: 4} // one from disk, one from the queue
	var tried []uint64
	c := startConsumer(t, s, 0, func(pos uint64) error {
		tried = append(tried, pos)
		if failures[pos] > 0 {
			failures[pos]--
			return errors.New("the database is unavailable")
		}
		return nil
	})
	awaitConsumed(t, s)
	for n := 1; n < 4; n++ {
		mustAppend(t, s, numberedBatch(n)...)
	}
	c.wait(4)
	c.stop()
	same(t, "tried", tried, []uint64{1, 1, 1, 2, 3, 3, 3, 3, 3, 4})
	same(t, "consumed", c.positions(), positions(1, 4))
	same(t, "waits", log.waits, []time.Duration{1e6, 2e6, 1e6, 2e6, 4e6, 8e6})
}

func TestRetryStopsOnCancel(t *testing.T) {
	s := openStore(t, Options{RetryWait: time.Hour})
	mustAppend(t, s, numberedBatch(0)...)
	tried := make(chan struct{}, 1)
	c := startConsumer(t, s, 0, func(uint64) error {
		tried <- struct{}{}
		return errors.New("no")
	})
	<-tried
	if err := c.stop(); !errors.Is(err, context.Canceled) {
		t.Errorf("consume: %v", err)
	}
}

func TestAppendWaitsForTheConsumer(t *testing.T) {
	s := openStore(t, Options{QueueBatches: 2})
	proceed := make(chan struct{})
	c := startConsumer(t, s, 0, func(uint64) error {
		<-proceed
		return nil
	})
	awaitConsumed(t, s)
	mustAppend(t, s, numberedBatch(0)...)
	mustAppend(t, s, numberedBatch(1)...)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.Append(ctx, numberedBatch(2)); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("append beyond the queue: %v, want it to wait until its deadline", err)
	}
	if lag := s.Stats().JournalLag; lag != 2 {
		t.Errorf("lag %d, want 2", lag)
	}
	same(t, "an append without room writes nothing", readRange(t, s, 1, 1, start+2, start+2, 1), nil)
	waiting := make(chan error, 1)
	go func() { waiting <- s.Append(t.Context(), numberedBatch(3)) }()
	proceed <- struct{}{}
	if err := <-waiting; err != nil {
		t.Errorf("append once there is room: %v", err)
	}
	close(proceed)
	c.wait(3)
	same(t, "positions", c.positions(), positions(1, 3))
	await(t, "the lag to be 0", func() bool { return s.Stats().JournalLag == 0 })
}

// The batches that wait for the consumer are limited by their frames, however many batches there
// are; a batch larger than the limit waits until it is alone.
func TestAppendWaitsForFrameCapacity(t *testing.T) {
	s := openStore(t, Options{QueueFrames: 3 * len(numberedBatch(0))})
	proceed := make(chan struct{})
	c := startConsumer(t, s, 0, func(uint64) error {
		<-proceed
		return nil
	})
	awaitConsumed(t, s)
	refused := func(batch []Arrival) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := s.Append(ctx, batch); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("append beyond the queue: %v, want it to wait until its deadline", err)
		}
	}
	two := append(numberedBatch(0), numberedBatch(1)...)
	mustAppend(t, s, two...)
	refused(two)
	mustAppend(t, s, numberedBatch(2)...)
	refused(numberedBatch(3))
	large := append(append(two, two...), two...)
	waiting := make(chan error, 1)
	go func() { waiting <- s.Append(t.Context(), large) }()
	proceed <- struct{}{}
	proceed <- struct{}{}
	if err := <-waiting; err != nil {
		t.Errorf("append once there is room: %v", err)
	}
	refused(numberedBatch(3))
	go func() { waiting <- s.Append(context.Background(), numberedBatch(4)) }()
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	if err := <-waiting; !errors.Is(err, ErrClosed) {
		t.Errorf("append to a store that closes: %v", err)
	}
	close(proceed)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	c.wait(2)
}

func TestCloseEndsWaitingAppend(t *testing.T) {
	s := openStore(t, Options{QueueBatches: 1})
	inside := make(chan struct{})
	go s.Consume(t.Context(), 0, func(ctx context.Context, _ uint64, _ []Arrival) error {
		close(inside)
		<-ctx.Done() // Close ends it
		return ctx.Err()
	})
	awaitConsumed(t, s)
	mustAppend(t, s, numberedBatch(0)...)
	<-inside
	waiting := make(chan error, 1)
	go func() { waiting <- s.Append(t.Context(), numberedBatch(1)) }()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; !errors.Is(err, ErrClosed) {
		t.Errorf("append: %v, want ErrClosed", err)
	}
}

func TestAppendDoesNotWaitWithoutConsumer(t *testing.T) {
	s := openStore(t, Options{QueueBatches: 1})
	for n := range 5 {
		mustAppend(t, s, numberedBatch(n)...)
	}
	c := startConsumer(t, s, 0, nil)
	awaitConsumed(t, s)
	c.stop()
	for n := range 5 {
		mustAppend(t, s, numberedBatch(5+n)...)
	}
	again := startConsumer(t, s, 5, nil)
	again.wait(5)
	same(t, "positions", again.positions(), positions(6, 10))
}

func TestStoppedConsumerReleasesSlots(t *testing.T) {
	s := openStore(t, Options{QueueBatches: 2})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for round := range 3 {
		c := startConsumer(t, s, 0, func(uint64) error { return errors.New("not yet") })
		await(t, "the consumer to start", func() bool {
			s.journal.mu.Lock()
			defer s.journal.mu.Unlock()
			return s.journal.queue != nil
		})
		for n := range 2 {
			if err := s.Append(ctx, numberedBatch(2*round+n)); err != nil {
				t.Fatalf("round %d, append %d: %v", round, n, err)
			}
		}
		c.stop()
	}
	again := startConsumer(t, s, 0, nil)
	again.wait(6)
	same(t, "positions", again.positions(), positions(1, 6))
}

func TestSecondConsumerIsRefused(t *testing.T) {
	s := openStore(t, Options{})
	c := startConsumer(t, s, 0, nil)
	awaitConsumed(t, s)
	if err := s.Consume(t.Context(), 0, c.consume); !errors.Is(err, ErrConsumed) {
		t.Errorf("second consumer: %v, want ErrConsumed", err)
	}
	if err := c.stop(); !errors.Is(err, context.Canceled) {
		t.Errorf("the first consumer: %v", err)
	}
}

func TestConsumeStopsOnClose(t *testing.T) {
	s := openStore(t, Options{})
	c := startConsumer(t, s, 0, nil)
	awaitConsumed(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-c.ended; !errors.Is(err, ErrClosed) {
		t.Errorf("consume: %v, want ErrClosed", err)
	}
	close(c.ended)
}

// TestConsumeFromPositionAheadOfJournal: the folder was restored from an older copy than the
// database with the evaluated position. New batches must not count as evaluated.
func TestConsumeFromPositionAheadOfJournal(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, numberedBatch(0)...)
	s = reopen(t, s)
	c := startConsumer(t, s, 1000, nil)
	awaitConsumed(t, s)
	mustAppend(t, s, numberedBatch(1)...)
	c.wait(1)
	c.stop()
	same(t, "positions", c.positions(), []uint64{1001})
	s = reopen(t, s)
	again := startConsumer(t, s, 1000, nil)
	again.wait(1)
	same(t, "after a restart", again.positions(), []uint64{1001})
	again.stop()
	mustAppend(t, s, numberedBatch(2)...)
	if err := s.Consume(t.Context(), 2000, c.consume); err == nil {
		t.Error("a position ahead of batches written in this run: accepted")
	}
}

func TestTrimDeletesEntriesAndKeepsPositions(t *testing.T) {
	s := openStore(t, Options{})
	for n := range 6 {
		mustAppend(t, s, numberedBatch(n)...)
	}
	s.Trim(4)
	s.Trim(2) // a lower position does nothing
	same(t, "before a checkpoint", storedEntries(t, s), positions(1, 6))
	checkpoint(t, s)
	same(t, "after a checkpoint", storedEntries(t, s), positions(5, 6))
	s.Trim(1 << 60)
	checkpoint(t, s)
	same(t, "all evaluated", storedEntries(t, s), nil)
	s = reopen(t, s)
	s.Trim(1 << 60)
	c := startConsumer(t, s, 6, nil)
	mustAppend(t, s, numberedBatch(6)...)
	c.wait(1)
	same(t, "positions are not reused", c.positions(), []uint64{7})
	checkpoint(t, s)
	same(t, "a batch after a trim stays", storedEntries(t, s), []uint64{7})
	same(t, "latest", s.Latest(t.Context(), 1, 1), []Last{{1, start + 6, Number(6)}})
}

// TestConsumeFromPositionBeforeJournal: the database was restored from an older copy than the
// folder. Deleted batches cannot be evaluated again, of which the log warns; the others are.
func TestConsumeFromPositionBeforeJournal(t *testing.T) {
	log := &waitRecorder{Handler: slog.DiscardHandler}
	s := openStore(t, Options{Logger: slog.New(log)})
	for n := range 6 {
		mustAppend(t, s, numberedBatch(n)...)
	}
	s.Trim(4)
	checkpoint(t, s)
	c := startConsumer(t, s, 1, nil)
	awaitConsumed(t, s)
	c.stop()
	same(t, "the remaining batches", c.positions(), positions(5, 6))
	if log.warnings != 1 {
		t.Errorf("%d warnings, want one", log.warnings)
	}
	s.Trim(6)
	checkpoint(t, s)
	c = startConsumer(t, s, 1, nil)
	mustAppend(t, s, numberedBatch(6)...)
	c.wait(1)
	same(t, "only new batches", c.positions(), []uint64{7})
}

func TestDamagedEntryErrorNamesPosition(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, numberedBatch(0)...)
	mustAppend(t, s, numberedBatch(1)...)
	if err := s.db.Set(appendJournalKey(nil, 2), []byte{200, 1}, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	c := startConsumer(t, s, 0, nil)
	err := <-c.ended
	close(c.ended)
	if !errors.Is(err, ErrCorrupt) || err.Error()[:24] != "reading: journal entry 2" {
		t.Errorf("consume: %v, want ErrCorrupt naming entry 2", err)
	}
	if got := c.positions(); !slices.Equal(got, []uint64{1}) {
		t.Errorf("consumed: %v", got)
	}
}

// The work of a flush grows linearly with the number of deleted ranges in a memtable. When each
// range began at the journal's beginning, ten thousand of them took gigabytes.
func TestTrimRangeDeletesDoNotAccumulate(t *testing.T) {
	s := openStore(t, Options{})
	consumed := make(chan uint64)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- s.Consume(ctx, 0, func(_ context.Context, pos uint64, _ []Arrival) error {
			consumed <- pos
			return nil
		})
	}()
	for n := range 3000 {
		if err := s.Append(t.Context(), numberedBatch(n)); err != nil {
			t.Fatal(err)
		}
		s.Trim(<-consumed)
		if err := s.checkpoint(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
		t.Errorf("a flush of 3,000 removals allocated %d MiB", took>>20)
	}
}
