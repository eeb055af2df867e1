package live

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tilth/internal/domain/tenant"
)

const (
	field tenant.ID = 1
	rival tenant.ID = 2
)

func publish(h *Hub, t tenant.ID, from, to int) {
	for i := from; i <= to; i++ {
		h.Publish(t, "reading", fmt.Appendf(nil, `{"n":%d}`, i))
	}
}

// drain takes the events that wait for a screen.
func drain(s *Screen) (seqs []uint64) {
	for {
		select {
		case e := <-s.Events:
			seqs = append(seqs, e.Seq)
		default:
			return seqs
		}
	}
}

func seqRange(from, to uint64) (seqs []uint64) {
	for i := from; i <= to; i++ {
		seqs = append(seqs, i)
	}
	return seqs
}

func seqs(events []*Event) (all []uint64) {
	for _, e := range events {
		all = append(all, e.Seq)
	}
	return all
}

// publishAndDrain publishes while a screen of the tenant takes everything.
func publishAndDrain(h *Hub, s *Screen, t tenant.ID, from, to int) {
	for ; from <= to; from += screenBuffer {
		publish(h, t, from, min(to, from+screenBuffer-1))
		drain(s)
	}
}

// eventIDOf is the id of an event of the tests' hub.
func eventIDOf(seq uint64) string { return "e-" + strconv.FormatUint(seq, 10) }

// seqOf is the sequence number in such an id.
func seqOf(id string) (uint64, bool) {
	seq, ok := strings.CutPrefix(id, "e-")
	n, err := strconv.ParseUint(seq, 10, 64)
	return n, ok && err == nil
}

func equalSeqs(a, b []uint64) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

func endReason(s *Screen) EndReason {
	select {
	case <-s.Ended:
		return s.Reason()
	default:
		return ""
	}
}

func TestEventsArriveInOrder(t *testing.T) {
	h := NewHub("e")
	publish(h, field, 1, 3) // no screen is open yet
	a, missed, position, reset := h.Subscribe(field, "s1", "")
	if len(missed) != 0 || reset || position != "e-3" {
		t.Fatalf("fresh screen: %v %s %t", missed, position, reset)
	}
	b, _, _, _ := h.Subscribe(field, "s2", "")
	publish(h, field, 4, 6)
	for _, s := range []*Screen{a, b} {
		if got := drain(s); !equalSeqs(got, seqRange(4, 6)) {
			t.Errorf("a screen got %v", got)
		}
	}
	data := []byte(`{"x":1}`)
	h.Publish(field, "presence", data)
	clear(data) // it was copied
	got, same := <-a.Events, <-b.Events
	if got.Seq != 7 || got.Name != "presence" || string(got.Data) != `{"x":1}` ||
		string(got.Frame) != "id: e-7\nevent: presence\ndata: {\"x\":1}\n\n" {
		t.Errorf("%d %s %s %q", got.Seq, got.Name, got.Data, got.Frame)
	}
	if got != same {
		t.Error("the screens do not share a frame")
	}
	if h.Screens() != 2 {
		t.Errorf("%d screens are open", h.Screens())
	}
}

func TestTenantsDoNotSeeEachOthersEvents(t *testing.T) {
	h := NewHub("e")
	mine, _, _, _ := h.Subscribe(field, "s", "")
	theirs, _, _, _ := h.Subscribe(rival, "s2", "")
	publish(h, field, 1, 5)
	if got := drain(theirs); len(got) != 0 {
		t.Errorf("another tenant's screen got %v", got)
	}
	if got := drain(mine); !equalSeqs(got, seqRange(1, 5)) {
		t.Errorf("the tenant's screen got %v", got)
	}
	// An id of this tenant's stream means nothing in another's, even if both have the same sequence
	// number.
	publish(h, rival, 1, 9)
	_, missed, position, _ := h.Subscribe(rival, "s3", "e-4")
	if !equalSeqs(seqs(missed), seqRange(5, 9)) || position != "e-9" {
		t.Errorf("missed %v at %s, want the other tenant's own events", seqs(missed), position)
	}
	for _, e := range missed {
		if string(e.Data) != fmt.Sprintf(`{"n":%d}`, e.Seq) {
			t.Errorf("%d carries %s", e.Seq, e.Data)
		}
	}
}

func TestResume(t *testing.T) {
	h := NewHub("e")
	h.Subscribe(field, "s", "")
	publish(h, field, 1, 10)
	for _, c := range []struct {
		last   string
		missed []uint64
		reset  bool
	}{
		{"e-10", nil, false},
		{"e-9", seqRange(10, 10), false},
		{"e-0", seqRange(1, 10), false},
		{"e-11", nil, true},                                // later than any event of this run
		{"f-9", nil, true},                                 // another run
		{"9", nil, true},                                   // not an id
		{"e-", nil, true},                                  // not an id
		{"e--1", nil, true},                                // not an id
		{"e-18446744073709551616", nil, true},              // beyond any sequence
		{"e-18446744073709551615", nil, true},              // the largest there can be
		{"e-9-1", nil, true},                               // not an id
		{"-9", nil, true},                                  // no epoch
		{"e-9\r\nevent: notice", nil, true},                // not an id
		{"E-9", nil, true},                                 // another run
		{" e-9", nil, true},                                // not an id
		{"e-0000000000000000009", seqRange(10, 10), false}, // the same number
	} {
		s, missed, position, reset := h.Subscribe(field, "s", c.last)
		if !equalSeqs(seqs(missed), c.missed) || reset != c.reset || position != "e-10" {
			t.Errorf("after %q: %v, reset %t, at %s", c.last, seqs(missed), reset, position)
		}
		s.Close()
	}
}

// The newest 4,096 events are kept for replay; a screen that missed more is reset, and a replay
// never has a gap.
func TestResumeAfterLongAbsence(t *testing.T) {
	h := NewHub("e")
	watching, _, _, _ := h.Subscribe(field, "s", "")
	const total = 5*maxReplayEvents + 17
	publishAndDrain(h, watching, field, 1, total)
	for _, absent := range []int{
		0, 1, maxReplayEvents - 1, maxReplayEvents, maxReplayEvents + 1, 2 * maxReplayEvents, total,
	} {
		s, missed, _, reset := h.Subscribe(field, "s", eventIDOf(uint64(total-absent)))
		switch {
		case reset && absent <= maxReplayEvents:
			t.Errorf("absent for %d events: reset", absent)
		case reset && len(missed) != 0:
			t.Errorf("absent for %d: a reset with %d events", absent, len(missed))
		case !reset && !equalSeqs(seqs(missed), seqRange(uint64(total-absent+1), total)):
			t.Errorf("absent for %d: %d events, not the missed ones", absent, len(missed))
		case absent > maxReplayEvents && !reset:
			t.Errorf("absent for %d: no reset", absent)
		}
		s.Close()
	}
}

// Events that a screen was given do not change when the replay buffer moves on.
func TestMissedEventsAreNotOverwritten(t *testing.T) {
	h := NewHub("e")
	watching, _, _, _ := h.Subscribe(field, "s", "")
	publishAndDrain(h, watching, field, 1, maxReplayEvents)
	_, missed, _, _ := h.Subscribe(field, "s", "e-0")
	publishAndDrain(h, watching, field, maxReplayEvents+1, 4*maxReplayEvents)
	if !equalSeqs(seqs(missed), seqRange(1, maxReplayEvents)) {
		t.Error("the events changed under the reader")
	}
}

func TestSlowScreenIsEnded(t *testing.T) {
	h := NewHub("e")
	slow, _, _, _ := h.Subscribe(field, "s", "")
	quick, _, _, _ := h.Subscribe(field, "s", "")
	for i := 1; i <= screenBuffer; i++ {
		publish(h, field, i, i)
		drain(quick)
	}
	if why := endReason(slow); why != "" {
		t.Fatalf("ended for %s within the buffer", why)
	}
	publish(h, field, screenBuffer+1, screenBuffer+1)
	if why := endReason(slow); why != EndSlow {
		t.Fatalf("ended for %q", why)
	}
	if endReason(quick) != "" || h.Screens() != 1 {
		t.Error("the other screen was ended, too")
	}
	// It comes back with the last id that it has shown and misses nothing.
	shown := drain(slow)
	_, missed, _, reset := h.Subscribe(field, "s", eventIDOf(shown[len(shown)-1]))
	if reset || !equalSeqs(append(shown, seqs(missed)...), seqRange(1, screenBuffer+1)) {
		t.Errorf("reset %t, shown %d, missed %d", reset, len(shown), len(missed))
	}
}

func TestEndKey(t *testing.T) {
	h := NewHub("e")
	one, _, _, _ := h.Subscribe(field, "7", "")
	tab, _, _, _ := h.Subscribe(field, "7", "")
	other, _, _, _ := h.Subscribe(field, "8", "")
	prefix, _, _, _ := h.Subscribe(rival, "77", "")
	h.EndKey("7")
	h.EndKey("7") // ending twice changes nothing
	for _, s := range []*Screen{one, tab} {
		if endReason(s) != EndExpired {
			t.Errorf("a screen of the key ended for %q", endReason(s))
		}
	}
	if endReason(other) != "" || endReason(prefix) != "" || h.Screens() != 2 {
		t.Error("other sessions' screens ended")
	}
	publish(h, field, 1, 1)
	if got := drain(one); len(got) != 0 {
		t.Errorf("an ended screen still gets %v", got)
	}
	one.Close() // a screen may close after it was ended
	if endReason(one) != EndExpired {
		t.Error("the reason was lost")
	}
}

func TestClose(t *testing.T) {
	h := NewHub("e")
	a, _, _, _ := h.Subscribe(field, "s", "")
	b, _, _, _ := h.Subscribe(rival, "s", "")
	h.Close()
	late, missed, _, reset := h.Subscribe(field, "s", "e-0")
	for i, s := range []*Screen{a, b, late} {
		if endReason(s) != EndShutdown {
			t.Errorf("screen %d: %q", i, endReason(s))
		}
	}
	if len(missed) != 0 || reset || h.Screens() != 0 {
		t.Errorf("after Close: missed %v, reset %t, %d screens", missed, reset, h.Screens())
	}
	late.Close()
	publish(h, field, 1, 1) // publishing after Close does nothing
	h.Close()
}

func TestScreenCloses(t *testing.T) {
	h := NewHub("e")
	s, _, _, _ := h.Subscribe(field, "s", "")
	s.Close()
	s.Close()
	publish(h, field, 1, screenBuffer+1)
	if h.Screens() != 0 || endReason(s) != "" || len(drain(s)) != 0 {
		t.Error("a closed screen still gets events")
	}
}

func TestWatched(t *testing.T) {
	h := NewHub("e")
	if h.Watched(field) {
		t.Error("watched before any screen was open")
	}
	s, _, _, _ := h.Subscribe(field, "s", "")
	if !h.Watched(field) || h.Watched(rival) {
		t.Error("Watched is wrong with an open screen")
	}
	s.Close()
	if !h.Watched(field) {
		t.Error("not watched although the screen may come back")
	}
}

// Screens come, go and fall behind, and sessions end, while others publish; the race detector
// watches. Each screen sees an unbroken sequence.
func TestConcurrency(t *testing.T) {
	h := NewHub("e")
	var publishers, screens sync.WaitGroup
	for p := range 4 {
		publishers.Go(func() { publish(h, tenant.ID(1+p%2), 1, 2000) })
	}
	for i := range 8 {
		screens.Go(func() {
			last := ""
			for range 20 {
				s, missed, position, reset := h.Subscribe(tenant.ID(1+i%2), fmt.Sprint(i), last)
				if last != "" && reset {
					t.Error("reset within one run")
				}
				want, _ := seqOf(position)
				want -= uint64(len(missed))
				for _, e := range append(missed, received(s, 50)...) {
					want++
					if e.Seq != want {
						t.Errorf("event %d where %d was expected", e.Seq, want)
					}
				}
				last = eventIDOf(want)
				if i%4 == 3 {
					h.EndKey(fmt.Sprint(i))
				}
				s.Close()
			}
		})
	}
	publishers.Wait()
	screens.Wait()
	if h.Screens() != 0 {
		t.Errorf("%d screens are left", h.Screens())
	}
}

// received takes up to n waiting events.
func received(s *Screen, n int) (events []*Event) {
	for len(events) < n {
		select {
		case e := <-s.Events:
			events = append(events, e)
		default:
			return events
		}
	}
	return events
}

// A tenant is watched as long as a screen that left can still get what it missed; a screen that
// comes later fetches everything, and the tenant is watched from then on.
func TestWatchEndsAfterReplayLimit(t *testing.T) {
	h := NewHub("e")
	s, _, _, _ := h.Subscribe(field, "s", "")
	publish(h, field, 1, 10)
	s.Close()
	publish(h, field, 11, 9+maxReplayEvents)
	if !h.Watched(field) {
		t.Fatal("no longer watched although the screen could still resume")
	}
	back, missed, position, reset := h.Subscribe(field, "s", "e-10")
	if reset || !equalSeqs(seqs(missed), seqRange(11, 9+maxReplayEvents)) {
		t.Errorf("reset %t, %d missed", reset, len(missed))
	}
	back.Close()
	publish(h, field, 10+maxReplayEvents, 9+2*maxReplayEvents)
	if h.Watched(field) {
		t.Error("still watched after the replay limit")
	}
	// Nobody needs to publish meanwhile: a screen with any old id is told to fetch.
	for _, last := range []string{position, eventIDOf(9 + 2*maxReplayEvents), "e-10"} {
		s, missed, _, reset := h.Subscribe(field, "s", last)
		if !reset || len(missed) > 0 {
			t.Errorf("after %s: reset %t, %d missed", last, reset, len(missed))
		}
		s.Close()
	}
	if !h.Watched(field) {
		t.Error("not watched although screens are open")
	}
}

// The median screen tells how far a tenant is behind: a single slow screen counts; beside others
// that keep up, it does not.
func TestMedianLag(t *testing.T) {
	h := NewHub("e")
	if h.MedianLag(field) != 0 {
		t.Error("a tenant without screens has a lag")
	}
	slow, _, _, _ := h.Subscribe(field, "s", "")
	publish(h, field, 1, 7)
	if n := h.MedianLag(field); n != 7 || h.MedianLag(rival) != 0 {
		t.Errorf("a single screen: %d events behind", n)
	}
	quick, _, _, _ := h.Subscribe(field, "s", "")
	if n := h.MedianLag(field); n != 0 {
		t.Errorf("one slow screen of two: %d events behind", n)
	}
	stuck, _, _, _ := h.Subscribe(field, "s", "")
	publish(h, field, 8, 10)
	drain(quick)
	if n := h.MedianLag(field); n != 3 {
		t.Errorf("%d events behind, want the lag of the median screen", n)
	}
	publish(h, field, 11, 7+screenBuffer) // the slow screen is ended, the stuck one is full
	drain(quick)
	if n := h.MedianLag(field); n != 0 || endReason(slow) != EndSlow || endReason(stuck) != "" {
		t.Errorf("%d events behind, %q, %q", n, endReason(slow), endReason(stuck))
	}
	quick.Close()
	if n := h.MedianLag(field); n != screenBuffer {
		t.Errorf("a full screen: %d events behind", n)
	}
	stuck.Close()
	if n := h.MedianLag(field); n != 0 {
		t.Errorf("closed screens: %d events behind", n)
	}
}

// PublishTo reaches the screens of one person, also those that come back, and no others.
func TestPublishTo(t *testing.T) {
	const ada, bora = 7, 8
	h := NewHub("e")
	mine, _, _, _ := h.SubscribeAs(field, ada, "s1", "")
	other, _, _, _ := h.SubscribeAs(field, ada, "s2", "")
	theirs, _, _, _ := h.SubscribeAs(field, bora, "s3", "")
	nobody, _, _, _ := h.Subscribe(field, "s4", "")
	// A person of another tenant with the same number.
	foreign, _, _, _ := h.SubscribeAs(rival, ada, "s5", "")
	publish(h, field, 1, 1)
	h.PublishTo(field, ada, "change", []byte(`{}`))
	publish(h, field, 3, 3)
	wants := map[*Screen][]uint64{
		mine: seqRange(1, 3), other: seqRange(1, 3), theirs: {1, 3}, nobody: {1, 3}, foreign: nil,
	}
	for screen, want := range wants {
		if got := drain(screen); !equalSeqs(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	for person, want := range map[int64][]uint64{ada: seqRange(2, 3), bora: {3}, 0: {3}} {
		_, missed, position, reset := h.SubscribeAs(field, person, "s6", "e-1")
		if !equalSeqs(seqs(missed), want) || position != "e-3" || reset {
			t.Errorf("person %d comes back: missed %v at %s, reset %t", person, seqs(missed), position, reset)
		}
	}
}
