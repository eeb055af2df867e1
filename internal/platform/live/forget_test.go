package live

import (
	"runtime"
	"sync"
	"testing"

	"tilth/internal/domain/tenant"
)

// heap is how many bytes are in use.
func heap() int64 {
	runtime.GC()
	runtime.GC() // collects what the first run only marked
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// topicCount is how many topics the hub holds.
func topicCount(h *Hub) int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.tenants)
}

// Once screens that left can no longer get what they missed, the hub holds nothing for them, and of
// forgotten tenants nothing at all: the memory is released.
func TestMemoryReleasedAfterScreensLeave(t *testing.T) {
	const tenants, bytes, screensEach = 100, 100 << 10, 100
	h := NewHub("e")
	before := heap()
	for i := range tenants {
		var screens [screensEach]*Screen
		for n := range screens {
			screens[n], _, _, _ = h.Subscribe(tenant.ID(i), "s", "")
		}
		h.Publish(tenant.ID(i), "reading", make([]byte, bytes))
		for _, s := range screens {
			s.Close()
		}
	}
	if n, grown := topicCount(h), heap()-before; n != tenants || grown < tenants*bytes {
		t.Fatalf("%d tenants, the heap grew by %d bytes", n, grown)
	}
	for i := range tenants {
		if i%2 == 0 { // forgotten
			h.Forget(tenant.ID(i))
			continue
		}
		publish(h, tenant.ID(i), 1, maxReplayEvents)
	}
	topics, watched, held := topicCount(h), h.watched.Load(), h.bytes.Load()
	if topics != tenants/2 || watched != 0 || held != 0 {
		t.Errorf("%d tenants, %d watched, %d bytes are held", topics, watched, held)
	}
	if grown := heap() - before; grown > tenants*1000 {
		t.Errorf("the heap is still %d bytes larger", grown)
	}
	runtime.KeepAlive(h)
}

// A tenant with the number of a forgotten one does not accept the old tenant's ids, not even when
// its own sequence has come as far.
func TestEventIDsOfForgottenTenantsAreNotReused(t *testing.T) {
	h := NewHub("e")
	known := map[string]bool{}
	for range 5 {
		s, _, position, _ := h.Subscribe(field, "s", "")
		ids := []string{position}
		for i := 1; i <= 3; i++ {
			publish(h, field, i, i)
			ids = append(ids, h.Position(field))
		}
		s.Close()
		for _, id := range ids {
			if known[id] || len(id) > 40 {
				t.Errorf("event id %s repeats an earlier one or is too long", id)
			}
			known[id] = true
		}
		for last := range known {
			h.Forget(field)
			if h.Watched(field) {
				t.Fatal("still watched")
			}
			for n := range 5 { // wherever the new stream stands
				s, missed, _, reset := h.Subscribe(field, "s", last)
				if !reset || len(missed) > 0 {
					t.Errorf("after %s at %d: reset %t, %d missed", last, n, reset, len(missed))
				}
				s.Close()
				publish(h, field, 1, 1)
			}
		}
		h.Forget(field)
	}
}

// The screens of a forgotten tenant end, and those of others continue.
func TestForget(t *testing.T) {
	h := NewHub("e")
	mine, _, _, _ := h.Subscribe(field, "s", "")
	theirs, _, _, _ := h.Subscribe(rival, "s", "")
	position := h.Position(rival)
	publish(h, field, 1, 5)
	h.Forget(field)
	h.Forget(field)
	h.Forget(99)
	if endReason(mine) != EndExpired || endReason(theirs) != "" || h.Screens() != 1 || h.Watched(field) ||
		!h.Watched(rival) {
		t.Errorf(
			"ended for %q and %q, %d screens, watched %t and %t",
			endReason(mine),
			endReason(theirs),
			h.Screens(),
			h.Watched(field),
			h.Watched(rival),
		)
	}
	publish(h, field, 6, 9)
	publish(h, rival, 1, 3)
	mine.Close()
	if got := drain(theirs); !equalSeqs(got, seqRange(1, 3)) || len(drain(mine)) != 5 {
		t.Errorf("the other tenant's screen got %v", got)
	}
	if _, missed, _, reset := h.Subscribe(rival, "s", position); reset || len(missed) != 3 {
		t.Errorf("reset %t, %d missed", reset, len(missed))
	}
}

// Tenants are forgotten while others publish to them, ask for their position and subscribe: every
// screen sees an unbroken sequence, or is told to fetch.
func TestForgetMeanwhile(t *testing.T) {
	h := NewHub("e")
	var busy, forgetting sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		busy.Go(func() { publish(h, field, 1, 20_000) })
	}
	for range 4 {
		busy.Go(func() {
			for range 300 {
				last := h.Position(field)
				s, missed, position, reset := h.Subscribe(field, "s", last)
				if reset && len(missed) > 0 {
					t.Errorf("a reset with %d events", len(missed))
				}
				next := uint64(0)
				for _, e := range append(missed, received(s, 50)...) {
					if next > 0 && e.Seq != next {
						t.Errorf("event %d where %d was expected, from %s to %s", e.Seq, next, last, position)
					}
					next = e.Seq + 1
				}
				s.Close()
			}
		})
	}
	forgetting.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				h.Forget(field)
			}
		}
	})
	busy.Wait()
	close(done)
	forgetting.Wait()
	h.Forget(field)
	if topicCount(h) != 0 || h.Screens() != 0 || h.watched.Load() != 0 || h.bytes.Load() != 0 {
		t.Errorf(
			"left: %d tenants, %d screens, %d watched, %d bytes",
			topicCount(h),
			h.Screens(),
			h.watched.Load(),
			h.bytes.Load(),
		)
	}
}
