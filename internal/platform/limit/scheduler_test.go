package limit

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// testScheduler is a scheduler whose tasks a test submits.
type testScheduler struct {
	*Scheduler[string, int]
	t    *testing.T
	mu   sync.Mutex
	done []string // in the order in which they ended
	busy map[string]int
	peak map[string]int // running tasks by key and by submitter; "" for all
}

func newTestScheduler(t *testing.T, o SchedulerOptions) *testScheduler {
	return &testScheduler{
		Scheduler: NewScheduler[string, int](Options{Name: "work", Meter: new(Meter)}, o),
		t:         t,
		busy:      map[string]int{},
		peak:      map[string]int{},
	}
}

// oneAtATime has one task run for a second at a time, and so many wait for each key and submitter.
func oneAtATime(waitingPerKey, waitingPerSubmitter int) SchedulerOptions {
	return SchedulerOptions{
		MaxRunning:             1,
		MaxRunningPerKey:       1,
		MaxRunningPerSubmitter: 1,
		TimeSlice:              time.Second,
		MaxWaitingPerKey:       waitingPerKey,
		MaxWaitingPerSubmitter: waitingPerSubmitter,
	}
}

// track counts running tasks.
func (s *testScheduler) track(n int, key string, submitter int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range []string{"", key, fmt.Sprint(key, submitter)} {
		s.busy[of] += n
		s.peak[of] = max(s.peak[of], s.busy[of])
	}
}

// submit submits a task of the given number of slices, which yields after each.
func (s *testScheduler) submit(key string, submitter, slices int) {
	go func() {
		task, why := s.Enter(s.t.Context(), key, submitter)
		if task == nil {
			s.t.Errorf("%s %d: %v", key, submitter, why)
			return
		}
		for range slices {
			s.track(1, key, submitter)
			time.Sleep(s.TimeSlice)
			s.track(-1, key, submitter)
			task.Yield(s.t.Context())
		}
		s.mu.Lock()
		s.done = append(s.done, fmt.Sprint(key, submitter))
		s.mu.Unlock()
		task.Leave()
	}()
	synctest.Wait() // so that tasks queue in order
}

func TestSchedulerOrder(t *testing.T) {
	for name, c := range map[string]struct {
		options SchedulerOptions
		orders  []string // key and submitter
		slices  int
		want    []string
		most    map[string]int
	}{
		"round robin over keys": {
			SchedulerOptions{MaxRunning: 1, MaxRunningPerKey: 1, MaxRunningPerSubmitter: 1},
			[]string{"a1", "a1", "a1", "b1", "c1", "b1"}, 1,
			[]string{"a1", "b1", "c1", "a1", "b1", "a1"}, map[string]int{"": 1},
		},
		"round robin over submitters of a key": {
			SchedulerOptions{MaxRunning: 1, MaxRunningPerKey: 1, MaxRunningPerSubmitter: 1},
			[]string{"a1", "a1", "a1", "a2", "a3", "a2"}, 1,
			[]string{"a1", "a2", "a3", "a1", "a2", "a1"}, map[string]int{"": 1},
		},
		"others run beside long tasks": {
			SchedulerOptions{MaxRunning: 1, MaxRunningPerKey: 1, MaxRunningPerSubmitter: 1},
			[]string{"a1", "b1"}, 3,
			[]string{"a1", "b1"}, map[string]int{"": 1, "a": 1, "b": 1},
		},
		"several at once": {
			SchedulerOptions{MaxRunning: 4, MaxRunningPerKey: 3, MaxRunningPerSubmitter: 2},
			[]string{"a1", "a1", "a1", "a2", "a2", "b1", "b1", "b1"}, 2,
			nil, map[string]int{"": 4, "a": 3, "a1": 2, "b1": 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.options.TimeSlice = time.Second
				c.options.MaxWaitingPerKey, c.options.MaxWaitingPerSubmitter = 100, 100
				s := newTestScheduler(t, c.options)
				for _, one := range c.orders {
					s.submit(one[:1], int(one[1]-'0'), c.slices)
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				if len(s.done) != len(c.orders) || c.want != nil && !slices.Equal(s.done, c.want) {
					t.Errorf("tasks ended in the order %v, want %v", s.done, c.want)
				}
				for of, want := range c.most {
					if s.peak[of] != want {
						t.Errorf("%q: %d running tasks, want %d", of, s.peak[of], want)
					}
				}
				if n := len(s.keys) + len(s.round) + s.Scheduler.busy; n != 0 {
					t.Errorf("the idle scheduler still holds %d entries", n)
				}
			})
		})
	}
}

// A waiting task runs within a time slice, however long the tasks of others take, and a task that
// has begun runs before new ones.
func TestSchedulerYieldsAfterTimeSlice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(t, oneAtATime(100, 100))
		s.submit("a", 1, 1000)
		s.submit("a", 1, 1)
		time.Sleep(10*time.Second + time.Millisecond)
		came := time.Now()
		task, _ := s.Enter(t.Context(), "b", 1)
		if took := time.Since(came); task == nil || took > time.Second {
			t.Fatalf("task %v waited %s", task, took)
		}
		task.Leave()
		time.Sleep(2000 * time.Second)
		synctest.Wait()
		if !slices.Equal(s.done, []string{"a1", "a1"}) || s.peak[""] != 1 {
			t.Errorf("ended %v, %d at the same time", s.done, s.peak[""])
		}
	})
}

// While a task is paused, others run.
func TestSchedulerPausedTaskLetsOthersRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(t, oneAtATime(100, 100))
		task, _ := s.Enter(t.Context(), "a", 1)
		task.Pause()
		task.Pause() // a second Pause changes nothing
		s.submit("a", 1, 3)
		s.submit("a", 1, 1)
		began := time.Now()
		task.Resume(t.Context())
		if took := time.Since(began); took != time.Second {
			t.Errorf("the task resumed after %s, want after one slice and before new tasks", took)
		}
		task.Leave()
		task.Leave()
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(s.done) != 2 || len(s.keys) != 0 || s.Scheduler.busy != 0 {
			t.Errorf("ended %v, %d keys and %d running tasks left", s.done, len(s.keys), s.Scheduler.busy)
		}
	})
}

func TestSchedulerRefusesWhenQueueFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(t, oneAtATime(3, 2))
		for _, submitter := range []int{1, 1, 1, 2} { // one runs, two and one wait
			s.submit("a", submitter, 1)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		for _, one := range []struct {
			key       string
			submitter int
			want      Full
		}{{"a", 1, FullForKey}, {"a", 3, FullForKey}, {"b", 1, NotFull}} {
			if task, why := s.Enter(ctx, one.key, one.submitter); task != nil || why != one.want {
				t.Errorf("%v: task %v, %v", one, task, why)
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(s.done) != 4 || len(s.keys) != 0 || s.stats().Refused != 2 {
			t.Errorf("ended %v, %d keys left, %d refused", s.done, len(s.keys), s.stats().Refused)
		}
	})
}

// A caller whose context ends while it waits, or just as its task starts, blocks nobody.
func TestSchedulerCanceledWaitersBlockNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(t, oneAtATime(100, 100))
		for i := range 50 {
			task, _ := s.Enter(t.Context(), "a", 1)
			ctx, cancel := context.WithCancel(t.Context())
			for range 3 {
				go func() {
					if task, _ := s.Enter(ctx, "a", 1); task != nil {
						task.Leave()
					}
				}()
			}
			synctest.Wait()
			go cancel()
			if i%2 == 0 {
				task.Yield(ctx)
			}
			task.Leave()
			synctest.Wait()
			if len(s.keys) != 0 || s.Scheduler.busy != 0 || len(s.round) != 0 {
				t.Fatalf("%d keys left, %d running, %d waiting", len(s.keys), s.Scheduler.busy, len(s.round))
			}
		}
	})
}

// A key with a reservation waits only for other such keys, however many tasks others submit; and no
// other key can take all the places to wait.
func TestSchedulerReservation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(
			t,
			SchedulerOptions{
				MaxRunning:             2,
				MaxRunningPerKey:       2,
				MaxRunningPerSubmitter: 1,
				TimeSlice:              time.Second,
				MaxWaitingPerKey:       100,
				MaxWaitingPerSubmitter: 100,
			},
		)
		s.Reserve(
			Reservation[string]{Running: 1, For: func(key string) bool { return key == "home" }, MaxOthersWaiting: 8},
		)
		for i := range 5 { // one runs, four wait, as many as places are left
			s.submit("flood", i, 1)
		}
		if _, why := s.Enter(t.Context(), "flood", 9); why != FullForKey {
			t.Errorf("one key has %d of 8 places, and Enter for a further one returned %v", s.others.waiting, why)
		}
		for _, key := range []string{"b", "c", "d", "e"} {
			s.submit(key, 1, 1)
		}
		if _, why := s.Enter(t.Context(), "f", 1); why != FullForKey {
			t.Errorf("%d others wait, and Enter for a further one returned %v", s.others.waiting, why)
		}
		began := time.Now()
		task, _ := s.Enter(t.Context(), "home", 1)
		if took := time.Since(began); task == nil || took != 0 {
			t.Fatalf("task %v waited %s", task, took)
		}
		task.Leave()
		time.Sleep(time.Minute)
		synctest.Wait()
		// "flood" lets others run after its slice.
		want := []string{"b1", "c1", "d1", "e1", "flood0", "flood1", "flood2", "flood3", "flood4"}
		if !slices.Equal(s.done, want) || s.peak[""] != 1 {
			t.Errorf("tasks ended in the order %v, want %v; %d at the same time", s.done, want, s.peak[""])
		}
		for submitter := range 2 { // a key with a reservation may use the rest as well
			s.submit("home", submitter, 1)
		}
		s.mu.Lock()
		if s.peak["home"] != 2 {
			t.Errorf("%d tasks ran at the same time although no other key waits", s.peak["home"])
		}
		s.mu.Unlock()
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := len(s.keys) + len(s.round) + s.Scheduler.busy + s.others.busy + s.others.waiting; n != 0 {
			t.Errorf("the idle scheduler still holds %d entries", n)
		}
	})
}

// A key with a reservation that never pauses starts one task after so many of the other keys, while
// those wait; another key with the reservation starts at once.
func TestSchedulerReservationIsForThoseWhoCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(
			t,
			SchedulerOptions{
				MaxRunning:             2,
				MaxRunningPerKey:       2,
				MaxRunningPerSubmitter: 1,
				MaxWaitingPerKey:       100,
				MaxWaitingPerSubmitter: 100,
			},
		)
		s.Reserve(Reservation[string]{
			Running:          1,
			For:              func(key string) bool { return key[0] == 'h' },
			MaxOthersWaiting: 100,
			OthersBetween:    3,
		})
		var began []float64 // the tasks of "h", seconds after the first
		start := time.Now()
		second := func(key string, submitter int) {
			go func() {
				task, why := s.Enter(t.Context(), key, submitter)
				if task == nil {
					t.Errorf("%s: %v", key, why)
					return
				}
				if key == "h" {
					s.mu.Lock()
					began = append(began, time.Since(start).Seconds())
					s.mu.Unlock()
				}
				time.Sleep(time.Second)
				task.Leave()
			}()
			synctest.Wait()
		}
		for i := range 9 {
			second(fmt.Sprint("o", i), 0)
		}
		for i := range 4 {
			second("h", i)
		}
		time.Sleep(4*time.Second + time.Second/2) // the second of "h" began after three seconds
		came := time.Now()
		task, _ := s.Enter(t.Context(), "home", 1)
		if waited := time.Since(came); task == nil || waited != 0 {
			t.Errorf("another key with the reservation waited %s, %v", waited, task)
		} else {
			task.Leave()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		// One of the others runs at a time, the last of nine from the eighth second on.
		if want := []float64{0, 3, 6, 8}; !slices.Equal(began, want) {
			t.Errorf("tasks of one key began at %v s, want %v", began, want)
		}
	})
}

// However many tasks the keys with a reservation submit, the rest of the scheduler goes to the
// other keys as soon as one of them waits.
func TestSchedulerReservationLeavesRestToOthers(t *testing.T) {
	for name, keys := range map[string]int{"one key": 1, "many keys": 10} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestScheduler(
					t,
					SchedulerOptions{
						MaxRunning:             3,
						MaxRunningPerKey:       3,
						MaxRunningPerSubmitter: 1,
						MaxWaitingPerKey:       100,
						MaxWaitingPerSubmitter: 100,
					},
				)
				s.Reserve(
					Reservation[string]{
						Running:          1,
						For:              func(key string) bool { return key[0] == 'h' },
						MaxOthersWaiting: 8,
					},
				)
				began := map[string][]time.Duration{} // by first letter
				start := time.Now()
				second := func(key string, submitter int) {
					go func() {
						task, why := s.Enter(t.Context(), key, submitter)
						if task == nil {
							t.Errorf("%s %d: %v", key, submitter, why)
							return
						}
						s.mu.Lock()
						began[key[:1]] = append(began[key[:1]], time.Since(start))
						s.mu.Unlock()
						time.Sleep(time.Second)
						task.Leave()
					}()
					synctest.Wait()
				}
				for i := range 30 {
					second(fmt.Sprint("h", i%keys), i)
				}
				time.Sleep(time.Second / 2)
				for i, key := range []string{"b", "b", "c", "d"} {
					second(key, i)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				// "h" runs three tasks at once, then one beside two others, twice, then three
				// again.
				want := map[string][]float64{"b": {1, 2}, "c": {1}, "d": {2}, "h": {0, 0, 0, 1, 2, 3, 3, 3}}
				for of, seconds := range want {
					got := began[of]
					same := func(got time.Duration, want float64) bool { return got.Seconds() == want }
					if len(got) < len(seconds) || !slices.EqualFunc(got[:len(seconds)], seconds, same) {
						t.Errorf("%s began at %v, want %v", of, got, seconds)
					}
				}
				if n := len(began["h"]); n != 30 {
					t.Errorf("%d of 30 tasks ran", n)
				}
			})
		})
	}
}

// While others wait, an optional task is skipped in its turn: it takes no place from others, neither to
// run nor to wait, and holds only its submitter's.
func TestSchedulerSkipsOptionalTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(t, SchedulerOptions{
			MaxRunning:             1,
			MaxRunningPerKey:       9,
			MaxRunningPerSubmitter: 1,
			MaxWaitingPerKey:       9,
			MaxWaitingPerSubmitter: 9,
		})
		s.Reserve(Reservation[string]{
			For:              func(key string) bool { return key == "home" },
			MaxOthersWaiting: 2, OthersBeforeSkip: 1, MaxOptionalWaiting: 6,
		})
		var mu sync.Mutex // several tasks begin when one leaves
		var order []string
		tasks := map[string]Task{}
		enter := func(name, key string, submitter int, optional bool) {
			go func() {
				var task Task
				var skip bool
				var why Full
				if optional {
					task, skip, why = s.EnterOptional(t.Context(), key, submitter)
				} else {
					task, why = s.Enter(t.Context(), key, submitter)
				}
				mu.Lock()
				defer mu.Unlock()
				if why != NotFull {
					order = append(order, name+" refused")
					return
				}
				if tasks[name] = task; skip {
					name += " skipped"
				}
				order = append(order, name)
			}()
			synctest.Wait()
		}
		enter("first", "a", 1, true) // nobody waits
		for i, name := range []string{"x1", "x2", "x3"} {
			enter(name, name, i, true)
		}
		enter("x3 again", "x3", 2, true)
		enter("b", "b", 1, false)
		enter("x4", "x4", 1, true)
		enter("too many", "c", 1, false)
		if s.OthersWaiting() != 1 {
			t.Errorf("%d others wait", s.OthersWaiting())
		}
		tasks["first"].Leave()
		synctest.Wait()
		want := []string{"first", "too many refused", "x1 skipped", "x2 skipped", "x3 skipped", "b"}
		if !slices.Equal(slices.Sorted(slices.Values(order)), slices.Sorted(slices.Values(want))) {
			t.Fatalf("%q, want %q", order, want)
		}
		for _, name := range []string{"x1", "x2", "x3", "b"} {
			tasks[name].Leave()
			synctest.Wait()
		}
		enter("home", "home", 1, false) // waits for the one of x3 and x4 that runs
		for len(tasks) < 8 {
			for _, name := range []string{"x3 again", "x4", "home"} {
				if task := tasks[name]; task != nil {
					task.Leave()
					synctest.Wait()
				}
			}
		}
		tasks["x3 again"].Leave()
		tasks["x4"].Leave()
		tasks["home"].Leave()
		if s.Scheduler.busy != 0 || s.others != (load{}) || s.waiting != 0 || len(s.keys) > 0 {
			t.Errorf("%d run, %+v, %d wait, %d keys are left", s.Scheduler.busy, s.others, s.waiting, len(s.keys))
		}
	})
}
