package live

import "testing"

func open(h *Hub, of int64) *Screen {
	s, _, _, _ := h.SubscribeAs(7, of, "key", "")
	return s
}

func why(s *Screen) End {
	select {
	case <-s.Ended:
		return s.Why()
	default:
		return ""
	}
}

// A person's newest screens stay, since the oldest may be one whose connection is
// gone; those of a tenant that has too many are told to wait.
func TestScreensAtOnce(t *testing.T) {
	h := NewHub("e")
	h.Person, h.Tenant = 3, 5
	var ada []*Screen
	for range 5 {
		ada = append(ada, open(h, 1))
	}
	for i, want := range []End{EndReplaced, EndReplaced, "", "", ""} {
		if got := why(ada[i]); got != want {
			t.Errorf("the %d. screen: %q, want %q", i+1, got, want)
		}
	}
	ada[2].Close()
	ada[2].Close()                          // as well
	first, second := open(h, 1), open(h, 2) // in its place, and somebody else's
	if third := open(h, 2); why(first) != "" || why(second) != "" || why(third) != "" || h.Screens() != 5 {
		t.Errorf("%q %q %q, %d open", why(first), why(second), why(third), h.Screens())
	}
	full := open(h, 3)
	if why(full) != EndFull || h.Screens() != 5 {
		t.Errorf("one too many: %q, %d open", why(full), h.Screens())
	}
	full.Close()
	if other, _, _, _ := h.SubscribeAs(8, 3, "key", ""); why(other) != "" {
		t.Errorf("another tenant's: %q", why(other))
	}
	// One's own place can be taken where the tenant has no more.
	if again := open(h, 1); why(again) != "" || why(ada[3]) != EndReplaced {
		t.Errorf("%q, %q", why(again), why(ada[3]))
	}
	h.EndKey("key")
	if n := h.Screens() + len(h.known(7).persons) + len(h.known(7).screens); n != 0 {
		t.Errorf("%d are left", n)
	}
}

func TestScreensWithoutLimit(t *testing.T) {
	h := NewHub("e")
	for range 1000 {
		if s := open(h, 1); why(s) != "" {
			t.Fatal(why(s))
		}
	}
}
