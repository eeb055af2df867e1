package live

import (
	"bytes"
	"fmt"
	"testing"

	"tilth/internal/domain/tenant"
)

// replayLen is how many events of a tenant are kept for replay.
func replayLen(h *Hub, t tenant.ID) int {
	c := h.topic(t)
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.replay)
}

// With few tenants each keeps as many events as it may; with many, all together stay within the
// memory limit, and each has its share.
func TestMemoryIsShared(t *testing.T) {
	h := NewHub("e")
	const tenants = 64
	var watching [tenants]*Screen
	for i := range watching {
		watching[i], _, _, _ = h.Subscribe(tenant.ID(i), "s", "")
	}
	data := bytes.Repeat([]byte("1"), 4<<10)
	for range maxReplayEvents {
		h.Publish(0, "reading", data)
		drain(watching[0])
	}
	if n := replayLen(h, 0); n != maxReplayEvents {
		t.Errorf("alone, a tenant keeps %d events", n)
	}
	for range 1000 {
		for i := range tenants {
			h.Publish(tenant.ID(i), "reading", data)
			drain(watching[i])
		}
	}
	if n := h.bytes.Load(); n > maxReplayBytes || n < maxReplayBytes*9/10 {
		t.Errorf("%d bytes are kept", n)
	}
	share := maxReplayBytes / tenants / (4<<10 + 200) // an event's data, and a little for its frame and its place
	for i := range tenants {
		if n := replayLen(h, tenant.ID(i)); n < share {
			t.Errorf("tenant %d keeps %d events, its share is %d", i, n, share)
		}
	}
	// An event that does not fit at all is sent but not kept; a screen that missed it fetches.
	s, _, position, _ := h.Subscribe(1, "s", "")
	h.Publish(1, "reading", make([]byte, maxReplayBytes+1))
	if e := <-s.Events; len(e.Data) != maxReplayBytes+1 || replayLen(h, 1) != 0 {
		t.Errorf("%d bytes, %d events kept", len(e.Data), replayLen(h, 1))
	}
	if _, missed, _, reset := h.Subscribe(1, "s", position); !reset || len(missed) > 0 {
		t.Errorf("reset %t, %d missed", reset, len(missed))
	}
	h.Publish(1, "reading", data)
	if n := replayLen(h, 1); n != 1 {
		t.Errorf("%d events after it", n)
	}
}

// Events of tenants that nobody has watched for a while take no memory.
func TestUnwatchedTenantKeepsNothing(t *testing.T) {
	h := NewHub("e")
	publish(h, field, 1, 100)
	if replayLen(h, field) != 0 || h.bytes.Load() != 0 || h.watched.Load() != 0 {
		t.Errorf("not watched: %d events, %d bytes", replayLen(h, field), h.bytes.Load())
	}
	s, _, _, _ := h.Subscribe(field, "s", "")
	publish(h, field, 101, 200)
	if replayLen(h, field) != 100 || h.bytes.Load() == 0 || h.watched.Load() != 1 {
		t.Errorf("watched: %d events, %d bytes", replayLen(h, field), h.bytes.Load())
	}
	s.Close()
	publish(h, field, 201, 200+maxReplayEvents)
	if replayLen(h, field) != 0 || h.bytes.Load() != 0 || h.watched.Load() != 0 {
		t.Errorf("no longer watched: %d events, %d bytes", replayLen(h, field), h.bytes.Load())
	}
}

// BenchmarkPublish publishes to many screens that take everything.
func BenchmarkPublish(b *testing.B) {
	for _, n := range []int{1, 20, 2000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			h := NewHub("0123456789abcdef")
			var screens []*Screen
			for range n {
				s, _, _, _ := h.Subscribe(field, "s", "")
				screens = append(screens, s)
			}
			data := []byte(
				`{"deviceName":"WS-0001","time":1700000000000,"values":{"airTemperature":21.5,"humidity":60}}`,
			)
			b.ReportAllocs()
			for b.Loop() {
				h.Publish(field, "reading", data)
				for _, s := range screens {
					<-s.Events
				}
			}
		})
	}
}
