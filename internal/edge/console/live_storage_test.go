package console_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"tilth/internal/tools/testkit"
)

// storageState is whether the tests' server can store readings.
type storageState struct {
	mu      sync.Mutex
	since   time.Time
	changed chan struct{}
}

func newStorageState() *storageState { return &storageState{changed: make(chan struct{})} }

func (s *storageState) state() (time.Time, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.since, s.changed
}

func (s *storageState) set(since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since = since
	close(s.changed)
	s.changed = make(chan struct{})
}

// Screens are told when readings cannot be stored, one that opens meanwhile too, and when they can again.
func TestLiveStorage(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	w.publishReadings(1, 1)
	s := w.Listen(t, base, w.liveCall(w.ada, ""))
	expectEvents(t, s, testkit.Event{ID: "e-1"})
	since := time.UnixMilli(1795230000123)
	stopped := testkit.Event{Name: "storage", Data: fmt.Sprintf(`{"stoppedAt":%d}`, since.UnixMilli())}
	w.storage.set(since)
	expectEvents(t, s, stopped)
	late := w.Listen(t, base, w.liveCall(w.rivalToken, ""))
	if first := late.Next(t); first.ID == "" {
		t.Fatalf("the stream opens without an id: %+v", first)
	}
	expectEvents(t, late, stopped)
	w.publishReadings(2, 2)
	expectEvents(t, s, readingEvent(2))
	w.storage.set(time.Time{})
	again := testkit.Event{Name: "storage", Data: "{}"}
	expectEvents(t, s, again)
	expectEvents(t, late, again)
}
