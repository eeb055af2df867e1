package reading

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// FakeLog is a log in memory. It is exported for the tests of package reading_test.
type FakeLog struct {
	mu      sync.Mutex
	mark    string
	begin   uint64
	dropped uint64 // entries up to here are dropped
	entries []Entry
	epoch   int // of the session that may append
	forgot  uint64

	readFailure error         // of all reads
	reads       int           // calls of After
	held        chan struct{} // Append waits for it before it appends; nil: it does not wait
	waiting     chan struct{} // gets a token when Append begins to wait
}

// NewFakeLog returns a log whose life began at a position.
func NewFakeLog(mark string, begin uint64) *FakeLog {
	return &FakeLog{mark: mark, begin: begin, dropped: begin, waiting: make(chan struct{}, 100)}
}

// FakeSession is the right to append to a FakeLog, until the next Own.
type FakeSession struct {
	*FakeLog
	owner int
}

// Own fences earlier sessions.
func (l *FakeLog) Own() *FakeSession {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.epoch++
	return &FakeSession{l, l.epoch}
}

func (l *FakeLog) Life(context.Context) (string, uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mark, l.begin, l.readFailure
}

func (l *FakeLog) After(ctx context.Context, pos uint64, fn func(Entry) error) error {
	l.mu.Lock()
	l.reads++
	err, dropped := l.readFailure, l.dropped
	var entries []Entry
	if pos >= dropped && pos-dropped < uint64(len(l.entries)) {
		entries = slices.Clone(l.entries[pos-dropped:])
	}
	l.mu.Unlock()
	if err != nil {
		return err
	}
	if pos < dropped {
		return fmt.Errorf("the log begins at %d: %w", dropped+1, ErrGap)
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(e); err != nil {
			return fmt.Errorf("entry %d: %w", e.Position, err)
		}
	}
	return nil
}

func (l *FakeLog) Last(context.Context) (pos, chain uint64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.entries); n > 0 {
		pos, chain = l.entries[n-1].Position, l.entries[n-1].Chain
	} else {
		pos = l.dropped
	}
	return pos, chain, l.readFailure
}

func (s *FakeSession) Append(ctx context.Context, e Entry) error {
	s.mu.Lock()
	held := s.held
	s.mu.Unlock()
	if held != nil {
		s.waiting <- struct{}{}
		select {
		case <-held:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.epoch != s.owner {
		return fmt.Errorf("epoch %d: %w", s.epoch, ErrFenced)
	}
	i := int(e.Position - s.dropped - 1)
	switch {
	case i < len(s.entries):
		return fmt.Errorf("the log already has an entry %d: %w", e.Position, ErrFenced)
	case i > len(s.entries):
		return fmt.Errorf("entry %d would leave a gap", e.Position)
	}
	e.Body = bytes.Clone(e.Body)
	s.entries = append(s.entries, e)
	return nil
}

func (s *FakeSession) Forget(_ context.Context, upTo uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgot = upTo
	return nil
}

// drop drops the entries up to pos.
func (l *FakeLog) drop(pos uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = slices.Clone(l.entries[pos-l.dropped:])
	l.dropped = pos
}

// lose drops the entries after pos, as a failover to an older copy does.
func (l *FakeLog) lose(pos uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = slices.Clone(l.entries[:pos-l.dropped])
}

func (l *FakeLog) failReads(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.readFailure = err
}

// hold makes Append wait until release is called.
func (l *FakeLog) hold() (release func()) {
	held := make(chan struct{})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = held
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.held = nil
		close(held)
	}
}

func (l *FakeLog) last(t testing.TB) uint64 {
	t.Helper()
	pos, _, err := l.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return pos
}

// lead makes a store lead a new session of the log.
func lead(t testing.TB, s *Store, l *FakeLog) Mended {
	t.Helper()
	m, err := s.Lead(t.Context(), l.Own())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// catchUp lets a store follow the log until it has all its entries.
func catchUp(t testing.TB, s *Store, l *FakeLog) {
	t.Helper()
	stop := follow(t, s, l)
	await(t, "the follower to catch up", func() bool { return s.Position() >= l.last(t) })
	if err := stop(); !errors.Is(err, context.Canceled) {
		t.Fatalf("follow: %v", err)
	}
}

// follow runs Follow in the background; stop ends it and returns its error.
func follow(t testing.TB, s *Store, l LogReader) (stop func() error) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Follow(ctx, l, time.Millisecond) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { stop() })
	return stop
}

// followEnds waits until Follow ends by itself.
func followEnds(t testing.TB, s *Store, l LogReader) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	return s.Follow(ctx, l, time.Millisecond)
}
