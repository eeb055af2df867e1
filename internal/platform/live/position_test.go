package live

import (
	"sync"
	"sync/atomic"
	"testing"
)

// Whoever was told where the stream stands is told all that came after,
// although no screen was open.
func TestPositionReplaysLaterEvents(t *testing.T) {
	h := NewHub("e")
	publish(h, field, 1, 3)
	if h.Watched(field) {
		t.Fatal("watched by nobody")
	}
	position := h.Position(field)
	if position != "e-3" || !h.Watched(field) || h.Watched(rival) {
		t.Fatalf("at %s, watched %t, the rival %t", position, h.Watched(field), h.Watched(rival))
	}
	publish(h, field, 4, 9)
	if theirs := h.Position(rival); theirs != "e-0" {
		t.Errorf("the rival's stands at %s", theirs)
	}
	_, missed, at, reset := h.Subscribe(field, "s", position)
	if reset || at != "e-9" || !equalSeqs(seqs(missed), seqRange(4, 9)) {
		t.Errorf("reset %t, at %s, missed %v", reset, at, seqs(missed))
	}
	if again := h.Position(field); again != "e-9" {
		t.Errorf("at %s", again)
	}
	if n := h.watched.Load(); n != 2 {
		t.Errorf("%d tenants watched", n)
	}
}

// What is kept for those who asked is given up when they do not come, and kept
// on while they ask.
func TestPositionExpires(t *testing.T) {
	h := NewHub("e")
	first := h.Position(field)
	publish(h, field, 1, maxReplayEvents-1)
	second := h.Position(field)
	publish(h, field, maxReplayEvents, 2*maxReplayEvents-2)
	if !h.Watched(field) {
		t.Fatal("given up while it was asked for")
	}
	s, missed, _, reset := h.Subscribe(field, "s", second)
	if reset || len(missed) != maxReplayEvents-1 {
		t.Errorf("reset %t, %d missed", reset, len(missed))
	}
	s.Close()
	publish(h, field, 2*maxReplayEvents-1, 3*maxReplayEvents)
	if h.Watched(field) {
		t.Error("watched for ever")
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

// Between the position and the data that is read after it nothing falls
// through, however much is told meanwhile.
func TestPositionMissesNothingUnderConcurrentPublish(t *testing.T) {
	const events = 2000 // less than are remembered
	h := NewHub("e")
	var written atomic.Uint64 // as a database: written first, told then
	var telling, asking sync.WaitGroup
	telling.Go(func() {
		for i := range events {
			written.Add(1)
			if h.Watched(field) { // as those who tell do
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
					t.Errorf("%d written at %s", read, position)
				}
				s.Close()
			}
		})
	}
	telling.Wait()
	asking.Wait()
}

// The position is part of every answer: it costs the text and no more.
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
