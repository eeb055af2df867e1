package live

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A caller that asked for the position gets all later events, although no screen was open.
func TestPositionReplaysLaterEvents(t *testing.T) {
	h := NewHub("e")
	publish(h, field, 1, 3)
	if h.Watched(field) {
		t.Fatal("watched before anybody asked")
	}
	position := h.Position(field)
	if position != "e-3" || !h.Watched(field) || h.Watched(rival) {
		t.Fatalf("position %s, watched %t, the other tenant %t", position, h.Watched(field), h.Watched(rival))
	}
	publish(h, field, 4, 9)
	if theirs := h.Position(rival); theirs != "e-0" {
		t.Errorf("the other tenant's position is %s", theirs)
	}
	_, missed, at, reset := h.Subscribe(field, "s", position)
	if reset || at != "e-9" || !equalSeqs(seqs(missed), seqRange(4, 9)) {
		t.Errorf("reset %t, at %s, missed %v", reset, at, seqs(missed))
	}
	if again := h.Position(field); again != "e-9" {
		t.Errorf("position %s", again)
	}
	if n := h.watched.Load(); n != 2 {
		t.Errorf("%d tenants watched", n)
	}
}

// Events kept for callers that asked for the position are dropped if they do not subscribe, and
// kept on while they ask.
func TestPositionExpires(t *testing.T) {
	h := NewHub("e")
	first := h.Position(field)
	publish(h, field, 1, maxReplayEvents-1)
	second := h.Position(field)
	publish(h, field, maxReplayEvents, 2*maxReplayEvents-2)
	if !h.Watched(field) {
		t.Fatal("no longer watched although a caller asked")
	}
	s, missed, _, reset := h.Subscribe(field, "s", second)
	if reset || len(missed) != maxReplayEvents-1 {
		t.Errorf("reset %t, %d missed", reset, len(missed))
	}
	s.Close()
	publish(h, field, 2*maxReplayEvents-1, 3*maxReplayEvents)
	if h.Watched(field) {
		t.Error("still watched after the replay limit")
	}
	third := h.Position(field)
	for position, want := range map[string]bool{first: true, second: true, third: false} {
		s, _, _, reset := h.Subscribe(field, "s", position)
		if reset != want {
			t.Errorf("from %s: reset %t", position, reset)
		}
		s.Close()
	}
}

// No event is lost between the position and the data that is read after it, however much is
// published meanwhile.
func TestPositionMissesNothingUnderConcurrentPublish(t *testing.T) {
	const events = 2000 // less than are kept
	h := NewHub("e")
	var written atomic.Uint64 // like a database: written first, published then
	var telling, asking sync.WaitGroup
	telling.Go(func() {
		for i := range events {
			written.Add(1)
			if h.Watched(field) { // as publishers do
				publish(h, field, i, i)
			}
		}
	})
	for range 4 {
		asking.Go(func() {
			for range 200 {
				position := h.Position(field)
				read := written.Load()
				from, _ := seqOf(position)
				s, missed, at, reset := h.Subscribe(field, "s", position)
				to, _ := seqOf(at)
				if reset || !equalSeqs(seqs(missed), seqRange(from+1, to)) {
					t.Errorf("from %s to %s: reset %t, missed %v", position, at, reset, seqs(missed))
				}
				if read < from {
					t.Errorf("read %d events written, position %s", read, position)
				}
				s.Close()
			}
		})
	}
	telling.Wait()
	asking.Wait()
}

// The position is part of every answer: it allocates only its text.
func TestPositionAllocatesOnce(t *testing.T) {
	h := NewHub("0123456789ab")
	h.Position(field)
	if n := testing.AllocsPerRun(1000, func() { h.Position(field) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkPosition(b *testing.B) {
	h := NewHub("0123456789ab")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			h.Position(field)
		}
	})
}
