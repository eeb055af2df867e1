package limit

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// testThrottle is a line of which a test works off pieces.
type testThrottle struct {
	*Throttle[string]
	t *testing.T
}

func newTestThrottle(t *testing.T, o ThrottleOptions) (testThrottle, *Meter) {
	m := new(Meter)
	return testThrottle{NewThrottle[string](Options{Name: "asking", Meter: m}, o), t}, m
}

func (w testThrottle) enter(key string) func() {
	w.t.Helper()
	leave, why := w.Enter(w.t.Context(), key)
	if leave == nil || why != NotFull {
		w.t.Fatalf("%s did not get in: %v", key, why)
	}
	return leave
}

// works tells how long so many pieces take, one after the other.
func (w testThrottle) works(key string, pieces int, each time.Duration) time.Duration {
	began := time.Now()
	for range pieces {
		leave := w.enter(key)
		time.Sleep(each)
		leave()
	}
	return time.Since(began)
}

func TestThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, m := newTestThrottle(
			t,
			ThrottleOptions{FreeWork: time.Minute, MaxConcurrent: 2, MaxWaiting: 2, LongTask: time.Second},
		)
		first, second := l.enter("a"), l.enter("a")
		other := l.enter("b") // waits for nobody of a

		var order []int
		turns := make(chan func())
		for i := range 2 {
			go func() {
				leave, _ := l.Enter(t.Context(), "a")
				order = append(order, i)
				turns <- leave
			}()
			synctest.Wait()
		}
		if len(order) != 0 {
			t.Fatalf("%v went in beside two", order)
		}
		if leave, why := l.Enter(t.Context(), "a"); leave != nil || why != FullForKey {
			t.Errorf("a third waits: %v", why)
		}
		first()
		third := <-turns
		second()
		fourth := <-turns
		if order[0] != 0 || order[1] != 1 {
			t.Errorf("they went in as %v", order)
		}

		// Who leaves the line is passed over, and takes nobody's turn.
		ctx, stop := context.WithCancel(t.Context())
		gone := make(chan Full)
		go func() {
			_, why := l.Enter(ctx, "a")
			gone <- why
		}()
		synctest.Wait()
		stop()
		if why := <-gone; why != NotFull {
			t.Errorf("%v", why)
		}
		third()
		fourth()
		other()
		if f := m.Stats()["asking"]; f.Keys != 0 || f.Refused != 1 {
			t.Errorf("%+v", f)
		}
		l.enter("a")()
	})
}

// Who asks for much has it at once for a while, then a third of the time as long as it
// goes on; others have all of theirs.
func TestThrottleSlowsContinuousKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, m := newTestThrottle(
			t,
			ThrottleOptions{FreeWork: time.Second, MaxConcurrent: 4, MaxWaiting: 10, LongTask: 20 * time.Millisecond},
		)
		if took := l.works("a", 13, 100*time.Millisecond); took != 1300*time.Millisecond {
			t.Errorf("what is free took %s", took)
		}
		l.works("a", 10, 100*time.Millisecond) // up to the end of what is free
		if took := l.works("a", 10, 100*time.Millisecond); took < 2700*time.Millisecond || took > 3*time.Second {
			t.Errorf("ten of 100 ms took %s", took)
		}
		one := l.enter("a")
		going := make(chan func())
		go func() {
			leave, _ := l.Enter(t.Context(), "a")
			going <- leave
		}()
		synctest.Wait()
		select {
		case <-going:
			t.Error("two at once")
		default:
		}
		one()
		(<-going)()
		if took := l.works("b", 5, 100*time.Millisecond); took != 500*time.Millisecond {
			t.Errorf("another's five of 100 ms took %s", took)
		}
		time.Sleep(20 * time.Second)
		if f := m.Stats()["asking"]; f.Keys != 0 {
			t.Errorf("%d keys are kept for good", f.Keys)
		}
		if took := l.works("a", 5, 100*time.Millisecond); took != 500*time.Millisecond {
			t.Errorf("later, five of 100 ms took %s", took)
		}
	})
}
