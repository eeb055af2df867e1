package limit

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// testThrottle is a throttle whose tasks a test runs.
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
		w.t.Fatalf("no task of %s may run: %v", key, why)
	}
	return leave
}

// works runs a number of tasks in sequence and returns how long they take.
func (w testThrottle) works(key string, tasks int, each time.Duration) time.Duration {
	began := time.Now()
	for range tasks {
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
		other := l.enter("b") // does not wait for a

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
			t.Fatalf("%v ran beside two other tasks", order)
		}
		if leave, why := l.Enter(t.Context(), "a"); leave != nil || why != FullForKey {
			t.Errorf("Enter for a third waiting task returned %v", why)
		}
		first()
		third := <-turns
		second()
		fourth := <-turns
		if order[0] != 0 || order[1] != 1 {
			t.Errorf("the tasks ran in the order %v", order)
		}

		// A cancelled task is skipped, and takes nobody's turn.
		ctx, stop := context.WithCancel(t.Context())
		gone := make(chan Full)
		go func() {
			_, why := l.Enter(ctx, "a")
			gone <- why
		}()
		synctest.Wait()
		stop()
		if why := <-gone; why != NotFull {
			t.Errorf("Enter with a cancelled context returned %v", why)
		}
		third()
		fourth()
		other()
		if f := m.Stats()["asking"]; f.Keys != 0 || f.Refused != 1 {
			t.Errorf("stats %+v", f)
		}
		l.enter("a")()
	})
}

// A key that works without a pause runs freely for a while, and then gets a third of the time;
// other keys get all of theirs.
func TestThrottleSlowsContinuousKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, m := newTestThrottle(
			t,
			ThrottleOptions{FreeWork: time.Second, MaxConcurrent: 4, MaxWaiting: 10, LongTask: 20 * time.Millisecond},
		)
		if took := l.works("a", 13, 100*time.Millisecond); took != 1300*time.Millisecond {
			t.Errorf("the free work took %s", took)
		}
		l.works("a", 10, 100*time.Millisecond) // uses up the free work
		if took := l.works("a", 10, 100*time.Millisecond); took < 2700*time.Millisecond || took > 3*time.Second {
			t.Errorf("ten tasks of 100 ms took %s", took)
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
			t.Error("two tasks ran at the same time")
		default:
		}
		one()
		(<-going)()
		if took := l.works("b", 5, 100*time.Millisecond); took != 500*time.Millisecond {
			t.Errorf("five tasks of 100 ms of another key took %s", took)
		}
		time.Sleep(20 * time.Second)
		if f := m.Stats()["asking"]; f.Keys != 0 {
			t.Errorf("%d idle keys are kept", f.Keys)
		}
		if took := l.works("a", 5, 100*time.Millisecond); took != 500*time.Millisecond {
			t.Errorf("later, five tasks of 100 ms took %s", took)
		}
	})
}
