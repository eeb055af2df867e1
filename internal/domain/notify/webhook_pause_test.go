package notify_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/tools/testkit"
)

// hostFixture is a tenant with webhooks at paths of one host; each has its path as its name.
type hostFixture struct {
	*outboxFixture
	ids map[string]int64 // by path

	mu      sync.Mutex
	failing []string // paths
	calls   []string // paths, in the order of the calls
}

func newHostFixture(t *testing.T, paths ...string) *hostFixture {
	t.Helper()
	h := &hostFixture{outboxFixture: newOutboxFixture(t), ids: map[string]int64{}}
	for _, path := range paths {
		h.ids[path] = h.addWebhook(path, func(w *notify.Webhook) { w.URL = "https://hooks.example/" + path })
	}
	h.webhookSender.setReply(func(l *notify.Notification) error {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.calls = append(h.calls, l.Channel)
		if slices.Contains(h.failing, l.Channel) {
			return &notify.Failure{Kind: notify.Transient, Answer: "503"}
		}
		return nil
	})
	return h
}

// fail says which paths fail from now on; the others answer.
func (h *hostFixture) fail(paths ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failing = paths
}

// called gives the paths that were called since it was asked last, sorted.
func (h *hostFixture) called() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	calls := slices.Sorted(slices.Values(h.calls))
	h.calls = nil
	return calls
}

func (h *hostFixture) wantCalled(what string, want ...string) {
	h.t.Helper()
	h.wantEqual(what, fmt.Sprint(h.called()), fmt.Sprint(want))
}

// notice opens a notice and runs a step of the outbox.
func (h *hostFixture) notice() *alertmsg.Alarm {
	h.t.Helper()
	a := h.openNotice("Frost", 1, alertmsg.DeliveryOptions{})
	h.step()
	return a
}

// runFor runs the outbox whenever it wants to run during a time.
func (h *hostFixture) runFor(d time.Duration) {
	h.t.Helper()
	end := h.Clock.Now().Add(d)
	for next := h.step(); !next.IsZero() && next.Before(end); next = h.step() {
		h.Clock.Set(next)
	}
	h.Clock.Set(end)
}

// One address fails for two hours; the other one of its host gets each notice at once.
func TestFailingAddressHoldsUpNoOther(t *testing.T) {
	h := newHostFixture(t, "a", "b")
	h.fail("a")
	for range 60 {
		a := h.notice()
		for _, d := range h.deliveries(a) {
			if d.Channel == "b" && (d.State != notify.Sent || d.UpdateTime != d.CreateTime) {
				t.Errorf("after %v: %s", h.Clock.Now().Sub(testkit.Start), d.State)
			}
		}
		h.runFor(2 * time.Minute)
	}
	calls := h.called()
	// Three, and then one after each pause: of 15 s doubling to 15 min, and of 15 min to the end.
	if a := len(calls) - 60; a < 3+6+6 || a > 3+6+8 {
		t.Errorf("the one that fails was called %d times", a)
	}
}

// While all addresses of a host pause, none is called. Then one call at a time tries the host, and no other
// follows within 15 seconds. The first answer ends the pauses of all; who fails then pauses alone.
func TestHostPausesOnceAllItsAddressesDo(t *testing.T) {
	h := newHostFixture(t, "a", "b")
	h.fail("a", "b")
	for range 3 {
		h.notice()
	}
	h.wantCalled("three in a row", "a", "a", "a", "b", "b", "b")
	h.notice()
	h.advance(14 * time.Second)
	h.wantCalled("paused")
	h.advance(time.Second)
	first := h.called()
	h.advance(14 * time.Second)
	h.wantCalled("after the first probe")
	h.advance(time.Second)
	second := h.called()
	if len(first) != 1 || len(second) != 1 || first[0] == second[0] {
		t.Fatalf("tried %v and then %v", first, second)
	}
	well, ill := first[0], second[0]
	h.fail(ill)
	h.advance(14 * time.Second)
	h.wantCalled("after the second probe")
	h.advance(time.Second)
	calls := h.called()
	tried := len(slices.DeleteFunc(slices.Clone(calls), func(path string) bool { return path == well }))
	if tried != 1 || len(calls) < 3 {
		t.Errorf("woken: %v", calls)
	}
	h.notice()
	h.wantCalled("the one that answers", well)
}

// An address that was never called yet does not wait for a host whose other addresses pause.
func TestNewAddressDoesNotWait(t *testing.T) {
	h := newHostFixture(t, "a", "b")
	h.fail("a", "b")
	for range 3 {
		h.notice()
	}
	h.called()
	h.addWebhook("c", func(w *notify.Webhook) { w.URL = "https://hooks.example/c" })
	h.notice()
	h.wantCalled("the new one", "c")
}

// Calls of two addresses hang until they time out: at first both places of the host may be theirs, and from
// then on they share one, so that the third address is called at once.
func TestSlowAddressesLeaveAPlace(t *testing.T) {
	for _, slow := range [][]string{{"a"}, {"a", "c"}} {
		h := newHostFixture(t, append(slow, "b")...)
		started, timeOut := make(chan string, 20), make(chan struct{})
		h.webhookSender.setReply(func(l *notify.Notification) error {
			if l.Channel == "b" {
				return nil
			}
			started <- l.Channel
			<-timeOut
			return &notify.Failure{Kind: notify.Transient, Answer: "no answer"}
		})
		stop := h.runInBackground()
		const notices = 70 // more than one scan reads
		hang := func(calls int) {
			t.Helper()
			for range notices {
				h.openNotice("Frost", 1, alertmsg.DeliveryOptions{})
			}
			for range calls {
				testkit.Receive(t, "a call that hangs", started)
			}
		}
		hang(len(slow))
		if len(slow) == 1 {
			h.webhookSender.wait(t, notices) // even the first time
		}
		for range slow {
			timeOut <- struct{}{}
		}
		testkit.Receive(t, "the next call that hangs", started)
		hang(0)
		h.webhookSender.wait(t, 2*notices)
		if n := len(started); n > 0 {
			t.Errorf("%v: %d more calls hang", slow, n)
		}
		close(timeOut)
		stop()
	}
}

// A failure is remembered until the address answers, is changed, switched off or deleted, or nothing of its
// tenant waits.
func TestFailuresForgotten(t *testing.T) {
	h := newHostFixture(t, "a", "b", "c", "d")
	remembered := func(what string, want int) {
		t.Helper()
		if got := h.outbox.RememberedFailures(notify.KindWebhook); got != want {
			t.Errorf("%s: %d failures are remembered, want %d", what, got, want)
		}
	}
	h.fail("a", "b", "c", "d")
	for range 3 {
		h.notice()
	}
	remembered("all fail", 4)
	h.fail("b", "c", "d")
	a := h.webhook(h.ids["a"])
	a.URL += "/corrected"
	h.must(h.Webhooks.Update(t.Context(), h.field.ID, a))
	h.called()
	h.notice()
	h.wantCalled("the corrected one, without its pause", "a")
	remembered("a corrected", 3)
	h.must(h.Webhooks.Delete(t.Context(), h.field.ID, h.ids["b"]))
	h.must(h.Webhooks.Toggle(t.Context(), h.field.ID, h.ids["c"]))
	h.notice()
	remembered("b deleted, c switched off", 1)
	h.runFor(30 * time.Hour) // the notices of the last one are too old then
	remembered("nothing waits", 0)
}
