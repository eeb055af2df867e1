package captcha

import (
	"testing"
	"time"
)

// The map holds at most its capacity; the oldest values make room.
func TestExpiringMapIsBounded(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	s := newExpiringMap[int, string](time.Minute, 100)
	for i := range 1000 {
		s.put(i, "x", now)
		now = now.Add(time.Millisecond)
	}
	if len(s.entries) != 100 || s.order.Len() != 100 || s.get(899, now) != nil || s.get(900, now) == nil ||
		s.get(999, now) == nil {
		t.Errorf("%d kept, in order %d", len(s.entries), s.order.Len())
	}
	// A key that is put again becomes the newest, and takes one place.
	s.put(900, "y", now)
	s.put(1000, "z", now)
	if v := s.get(900, now); v == nil || *v != "y" || s.get(901, now) != nil || len(s.entries) != 100 {
		t.Errorf("%v", v)
	}
	// Expired values make room.
	now = now.Add(time.Minute)
	s.put(-1, "late", now)
	if len(s.entries) != 1 || s.order.Len() != 1 {
		t.Errorf("%d kept", len(s.entries))
	}
}

func TestExpiringMapTake(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	s := newExpiringMap[string, int](time.Minute, 100)
	s.put("a", 1, now)
	if v, ok := s.take("a", now.Add(time.Minute-1)); v != 1 || !ok {
		t.Errorf("%d %t", v, ok)
	}
	if v, ok := s.take("a", now); v != 0 || ok {
		t.Errorf("twice: %d %t", v, ok)
	}
	s.put("b", 2, now)
	if v, ok := s.take("b", now.Add(time.Minute)); v != 0 || ok || len(s.entries) != 0 {
		t.Errorf("after its time: %d %t, %d kept", v, ok, len(s.entries))
	}
}
