package reading

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
)

// consumer is a consumer of the journal that records its batches.
type consumer struct {
	t      *testing.T
	store  *Store
	cancel context.CancelFunc
	ended  chan error

	mu      sync.Mutex
	entries []entry
	arrived chan struct{} // one token for each consumed batch
	failure func(pos uint64) error
}

// startConsumer runs Consume in the background; the consumer calls failing first, unless it is nil.
func startConsumer(t *testing.T, s *Store, from uint64, failing func(pos uint64) error) *consumer {
	ctx, cancel := context.WithCancel(t.Context())
	c := &consumer{
		t:       t,
		store:   s,
		cancel:  cancel,
		ended:   make(chan error, 1),
		arrived: make(chan struct{}, 10_000),
		failure: failing,
	}
	go func() { c.ended <- s.Consume(ctx, from, c.consume) }()
	t.Cleanup(func() { c.stop() })
	return c
}

// awaitConsumed waits until there is a consumer that has consumed everything written so far.
func awaitConsumed(t *testing.T, s *Store) {
	t.Helper()
	await(t, "the backlog to be consumed", s.allConsumed)
}

func (s *Store) allConsumed() bool {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	return s.journal.queue != nil && s.journal.consumed >= s.journal.written
}

func (c *consumer) consume(_ context.Context, pos uint64, batch []Arrival) error {
	if c.failure != nil {
		if err := c.failure(pos); err != nil {
			return err
		}
	}
	c.mu.Lock()
	c.entries = append(c.entries, entry{pos, batch})
	c.mu.Unlock()
	c.arrived <- struct{}{}
	return nil
}

// stop stops the consumer and returns the error of Consume; later calls return nil.
func (c *consumer) stop() error {
	c.cancel()
	select {
	case err, ok := <-c.ended:
		if ok {
			close(c.ended)
		}
		return err
	case <-time.After(10 * time.Second):
		c.t.Error("the consumer does not stop")
		return nil
	}
}

// wait waits for n more batches.
func (c *consumer) wait(n int) {
	c.t.Helper()
	for range n {
		select {
		case <-c.arrived:
		case <-time.After(10 * time.Second):
			c.t.Fatal("a batch did not arrive")
		}
	}
}

func (c *consumer) positions() []uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	var got []uint64
	for _, e := range c.entries {
		got = append(got, e.pos)
	}
	return got
}

func positions(from, to uint64) []uint64 {
	var p []uint64
	for ; from <= to; from++ {
		p = append(p, from)
	}
	return p
}

// numberedBatch returns a batch whose readings contain its number.
func numberedBatch(n int) []Arrival {
	return []Arrival{
		arrival(1, 1, start+int64(n), num(1, float64(n))),
		arrival(2, 5, start-int64(n), text(2, fmt.Sprint(n))),
	}
}

// waitRecorder counts the store's warnings and records the waits between retries.
type waitRecorder struct {
	slog.Handler
	mu       sync.Mutex
	waits    []time.Duration
	warnings int
}

func (w *waitRecorder) Enabled(context.Context, slog.Level) bool { return true }

func (w *waitRecorder) Handle(_ context.Context, r slog.Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.Level == slog.LevelWarn {
		w.warnings++
	}
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "wait" {
			w.waits = append(w.waits, a.Value.Duration())
		}
		return true
	})
	return nil
}

func checkpoint(t testing.TB, s *Store) {
	t.Helper()
	if err := s.checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func storedEntries(t testing.TB, s *Store) (found []uint64) {
	t.Helper()
	if err := s.each(t.Context(), tagJournal, []byte{tagJournal}, func(it *pebble.Iterator) error {
		e, err := readEntry(it)
		found = append(found, e.pos)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

func storedLatest(t testing.TB, s *Store) (refs []device.Ref) {
	t.Helper()
	if err := s.each(t.Context(), tagLatest, []byte{tagLatest}, func(it *pebble.Iterator) error {
		ref, err := parseRefKey(it.Key())
		refs = append(refs, ref)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return refs
}
