package server

import (
	"context"
	"sync"
	"time"
)

// storageCheckInterval is how often the server looks whether it can store readings: a database that is
// silent reports nothing.
const storageCheckInterval = time.Second

// storageWatch knows since when the server cannot store readings.
type storageWatch struct {
	stopped func() (since time.Time, yes bool)

	mu      sync.Mutex
	since   time.Time     // zero: they are stored
	changed chan struct{} // closed at the next change
}

func newStorageWatch(stopped func() (time.Time, bool)) *storageWatch {
	return &storageWatch{stopped: stopped, changed: make(chan struct{})}
}

// run looks again and again until ctx ends.
func (w *storageWatch) run(ctx context.Context) {
	again := time.NewTicker(storageCheckInterval)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
			w.check()
		}
	}
}

// check looks once. While readings are not stored, the moment since when stays that of the first look.
func (w *storageWatch) check() {
	since, yes := w.stopped()
	w.mu.Lock()
	defer w.mu.Unlock()
	if yes != w.since.IsZero() {
		return
	}
	w.since = time.Time{}
	if yes {
		w.since = since
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

// state returns since when readings are not stored (zero: they are), and a channel that is closed when
// that changes.
func (w *storageWatch) state() (time.Time, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.since, w.changed
}

// storageStopped reports since when readings are not stored, as far as is known.
func (s *Server) storageStopped() (time.Time, bool) {
	if s.node != nil {
		if waiting := s.node.base.term.Waiting(); waiting > unconfirmedMost {
			return time.Now().Add(-waiting), true
		}
	}
	return time.Now(), s.disk.ready() != nil
}
