package live

import "testing"

func openScreen(h *Hub, of int64) *Screen {
	s, _, _, _ := h.SubscribeAs(7, of, "key", "")
	return s
}

func endedFor(s *Screen) EndReason {
	select {
	case <-s.Ended:
		return s.Reason()
	default:
		return ""
	}
}

// A new screen of a person replaces the oldest, whose connection may be gone; a tenant with too
// many screens gets EndFull.
func TestScreensAtOnce(t *testing.T) {
	h := NewHub("e")
	h.MaxPerPerson, h.MaxPerTenant = 3, 5
	var ada []*Screen
	for range 5 {
		ada = append(ada, openScreen(h, 1))
	}
	for i, want := range []EndReason{EndReplaced, EndReplaced, "", "", ""} {
		if got := endedFor(ada[i]); got != want {
			t.Errorf("screen %d: %q, want %q", i+1, got, want)
		}
	}
	ada[2].Close()
	ada[2].Close()                                      // a second Close changes nothing
	first, second := openScreen(h, 1), openScreen(h, 2) // one takes its place, one is of another person
	third := openScreen(h, 2)
	anyEnded := endedFor(first) != "" || endedFor(second) != "" || endedFor(third) != ""
	if anyEnded || h.Screens() != 5 {
		t.Errorf("%q %q %q, %d open", endedFor(first), endedFor(second), endedFor(third), h.Screens())
	}
	full := openScreen(h, 3)
	if endedFor(full) != EndFull || h.Screens() != 5 {
		t.Errorf("one screen too many: %q, %d open", endedFor(full), h.Screens())
	}
	full.Close()
	if other, _, _, _ := h.SubscribeAs(8, 3, "key", ""); endedFor(other) != "" {
		t.Errorf("another tenant's screen: %q", endedFor(other))
	}
	// A person may replace an own screen even if the tenant has no more room.
	if again := openScreen(h, 1); endedFor(again) != "" || endedFor(ada[3]) != EndReplaced {
		t.Errorf("the new screen: %q, the replaced one: %q", endedFor(again), endedFor(ada[3]))
	}
	h.EndKey("key")
	if n := h.Screens() + len(h.lookup(7).persons) + len(h.lookup(7).screens); n != 0 {
		t.Errorf("%d entries are left", n)
	}
}

func TestScreensWithoutLimit(t *testing.T) {
	h := NewHub("e")
	for range 1000 {
		if s := openScreen(h, 1); endedFor(s) != "" {
			t.Fatal(endedFor(s))
		}
	}
}
