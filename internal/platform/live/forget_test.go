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
	runtime.GC() // what the first one only marked as gone
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// topicCount is how many tenants the hub holds something of.
func topicCount(h *Hub) int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.tenants)
}

// Once the screens that left cannot be told any more what they missed, nothing
// is held for them, and of tenants that are no more nothing at all: the memory
// comes back.
func TestMemoryReleasedAfterScreensLeave(t *testing.T) {
	const tenants, bytes, crowd = 100, 100 << 10, 100
	h := NewHub("e")
	before := heap()
	for i := range tenants {
		var screens [crowd]*Screen
		for n := range screens {
			screens[n], _, _, _ = h.Subscribe(tenant.ID(i), "s", "")
		}
		h.Publish(tenant.ID(i), "reading", make([]byte, bytes))
		for _, s := range screens {
			s.Close()
		}
	}
	if n, grown := topicCount(h), heap()-before; n != tenants || grown < tenants*bytes {
		t.Fatalf("%d tenants, %d bytes more", n, grown)
	}
	for i := range tenants {
		if i%2 == 0 { // gone for good
			h.Forget(tenant.ID(i))
			continue
		}
		publish(h, tenant.ID(i), 1, maxReplayEvents)
	}
	if n, watched, bytes := topicCount(
		h,
	), h.watched.Load(), h.bytes.Load(); n != tenants/2 || watched != 0 ||
		bytes != 0 {
		t.Errorf("%d tenants, %d watched, %d bytes are held", n, watched, bytes)
	}
	if grown := heap() - before; grown > tenants*1000 {
		t.Errorf("%d bytes have not come back", grown)
	}
	runtime.KeepAlive(h)
}

// A tenant of the number of one that was forgotten takes no id of that one for
// its own, not even when it has come as far.
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
				t.Errorf("%s came twice, or is too long", id)
			}
			known[id] = true
		}
		for last := range known {
			h.Forget(field)
			if h.Watched(field) {
				t.Fatal("still watched")
			}
			for n := range 5 { // wherever the new one stands
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

// The screens of a tenant that is no more end, and those of others go on.
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
			"%q, %q, %d screens, watched %t and %t",
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
		t.Errorf("got %v", got)
	}
	if _, missed, _, reset := h.Subscribe(rival, "s", position); reset || len(missed) != 3 {
		t.Errorf("reset %t, %d missed", reset, len(missed))
	}
}

// Tenants that are given up while others publish to them, ask where they stand
// and come to look: every screen sees an unbroken run, or is told to fetch.
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
						t.Errorf("event %d where %d was due, from %s to %s", e.Seq, next, last, position)
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
			"%d tenants, %d screens, %d watched, %d bytes",
			topicCount(h),
			h.Screens(),
			h.watched.Load(),
			h.bytes.Load(),
		)
	}
}
