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

// testScheduler is where a test has work done in turn.
type testScheduler struct {
	*Scheduler[string, int]
	t    *testing.T
	mu   sync.Mutex
	done []string // in order of their ends
	busy map[string]int
	peak map[string]int // at once, by key and by maker; "" of all
}

func newTestScheduler(t *testing.T, o SchedulerOptions) *testScheduler {
	return &testScheduler{
		Scheduler: NewScheduler[string, int](Options{Name: "work", Meter: new(Meter)}, o),
		t:         t,
		busy:      map[string]int{},
		peak:      map[string]int{},
	}
}

// track counts who works at once.
func (s *testScheduler) track(n int, key string, maker int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range []string{"", key, fmt.Sprint(key, maker)} {
		s.busy[of] += n
		s.peak[of] = max(s.peak[of], s.busy[of])
	}
}

// submit has a piece of work done that takes so many slices, looking whether others
// wait after each.
func (s *testScheduler) submit(key string, maker, slices int) {
	go func() {
		turn, why := s.Enter(s.t.Context(), key, maker)
		if turn == nil {
			s.t.Errorf("%s %d: %v", key, maker, why)
			return
		}
		for range slices {
			s.track(1, key, maker)
			time.Sleep(s.TimeSlice)
			s.track(-1, key, maker)
			turn.Yield(s.t.Context())
		}
		s.mu.Lock()
		s.done = append(s.done, fmt.Sprint(key, maker))
		s.mu.Unlock()
		turn.Leave()
	}()
	synctest.Wait() // one after the other
}

func TestSchedulerOrder(t *testing.T) {
	for name, c := range map[string]struct {
		options SchedulerOptions
		orders  []string // key and maker
		slices  int
		want    []string
		most    map[string]int
	}{
		"keys one after the other": {
			SchedulerOptions{MaxRunning: 1, MaxRunningPerKey: 1, MaxRunningPerSubmitter: 1}, []string{"a1", "a1", "a1", "b1", "c1", "b1"}, 1,
			[]string{"a1", "b1", "c1", "a1", "b1", "a1"}, map[string]int{"": 1},
		},
		"makers of a key one after the other": {
			SchedulerOptions{MaxRunning: 1, MaxRunningPerKey: 1, MaxRunningPerSubmitter: 1}, []string{"a1", "a1", "a1", "a2", "a3", "a2"}, 1,
			[]string{"a1", "a2", "a3", "a1", "a2", "a1"}, map[string]int{"": 1},
		},
		"others are done beside long work": {
			SchedulerOptions{MaxRunning: 1, MaxRunningPerKey: 1, MaxRunningPerSubmitter: 1}, []string{"a1", "b1"}, 3,
			[]string{"a1", "b1"}, map[string]int{"": 1, "a": 1, "b": 1},
		},
		"at once": {
			SchedulerOptions{MaxRunning: 4, MaxRunningPerKey: 3, MaxRunningPerSubmitter: 2}, []string{"a1", "a1", "a1", "a2", "a2", "b1", "b1", "b1"}, 2,
			nil, map[string]int{"": 4, "a": 3, "a1": 2, "b1": 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.options.TimeSlice, c.options.MaxWaitingPerKey, c.options.MaxWaitingPerSubmitter = time.Second, 100, 100
				s := newTestScheduler(t, c.options)
				for _, one := range c.orders {
					s.submit(one[:1], int(one[1]-'0'), c.slices)
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				if len(s.done) != len(c.orders) || c.want != nil && !slices.Equal(s.done, c.want) {
					t.Errorf("done in the order %v, want %v", s.done, c.want)
				}
				for of, want := range c.most {
					if s.peak[of] != want {
						t.Errorf("%q: %d at once, want %d", of, s.peak[of], want)
					}
				}
				if n := len(s.keys) + len(s.round) + s.Scheduler.busy; n != 0 {
					t.Errorf("%d things are remembered of nothing", n)
				}
			})
		})
	}
}

// One who waits has the turn within a slice, however long the work of others takes,
// and what has begun goes on before what has not.
func TestSchedulerYieldsAfterTimeSlice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(
			t,
			SchedulerOptions{
				MaxRunning:             1,
				MaxRunningPerKey:       1,
				MaxRunningPerSubmitter: 1,
				TimeSlice:              time.Second,
				MaxWaitingPerKey:       100,
				MaxWaitingPerSubmitter: 100,
			},
		)
		s.submit("a", 1, 1000)
		s.submit("a", 1, 1)
		time.Sleep(10*time.Second + time.Millisecond)
		came := time.Now()
		turn, _ := s.Enter(t.Context(), "b", 1)
		if took := time.Since(came); turn == nil || took > time.Second {
			t.Fatalf("%v waited %s", turn, took)
		}
		turn.Leave()
		time.Sleep(2000 * time.Second)
		synctest.Wait()
		if !slices.Equal(s.done, []string{"a1", "a1"}) || s.peak[""] != 1 {
			t.Errorf("done %v, %d at once", s.done, s.peak[""])
		}
	})
}

// While a piece rests its turn is others'.
func TestSchedulerPausedTaskLetsOthersRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(
			t,
			SchedulerOptions{
				MaxRunning:             1,
				MaxRunningPerKey:       1,
				MaxRunningPerSubmitter: 1,
				TimeSlice:              time.Second,
				MaxWaitingPerKey:       100,
				MaxWaitingPerSubmitter: 100,
			},
		)
		turn, _ := s.Enter(t.Context(), "a", 1)
		turn.Pause()
		turn.Pause() // as well
		s.submit("a", 1, 3)
		s.submit("a", 1, 1)
		began := time.Now()
		turn.Resume(t.Context())
		if took := time.Since(began); took != time.Second {
			t.Errorf("had its turn again after %s, want before what had not begun and after a slice", took)
		}
		turn.Leave()
		turn.Leave()
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(s.done) != 2 || len(s.keys) != 0 || s.Scheduler.busy != 0 {
			t.Errorf("done %v, left %d and %d", s.done, len(s.keys), s.Scheduler.busy)
		}
	})
}

func TestSchedulerRefusesWhenQueueFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(
			t,
			SchedulerOptions{
				MaxRunning:             1,
				MaxRunningPerKey:       1,
				MaxRunningPerSubmitter: 1,
				TimeSlice:              time.Second,
				MaxWaitingPerKey:       3,
				MaxWaitingPerSubmitter: 2,
			},
		)
		for _, maker := range []int{1, 1, 1, 2} { // one works, two and one wait
			s.submit("a", maker, 1)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		for _, one := range []struct {
			key   string
			maker int
			want  Full
		}{{"a", 1, FullForKey}, {"a", 3, FullForKey}, {"b", 1, NotFull}} {
			if turn, why := s.Enter(ctx, one.key, one.maker); turn != nil || why != one.want {
				t.Errorf("%v: %v, %v", one, turn, why)
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(s.done) != 4 || len(s.keys) != 0 || s.stats().Refused != 2 {
			t.Errorf("done %v, left %d, refused %d", s.done, len(s.keys), s.stats().Refused)
		}
	})
}

// Who goes away while waiting, or just when the turn comes, keeps nobody waiting.
func TestSchedulerCanceledWaitersBlockNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestScheduler(
			t,
			SchedulerOptions{
				MaxRunning:             1,
				MaxRunningPerKey:       1,
				MaxRunningPerSubmitter: 1,
				TimeSlice:              time.Second,
				MaxWaitingPerKey:       100,
				MaxWaitingPerSubmitter: 100,
			},
		)
		for i := range 50 {
			turn, _ := s.Enter(t.Context(), "a", 1)
			ctx, cancel := context.WithCancel(t.Context())
			for range 3 {
				go func() {
					if turn, _ := s.Enter(ctx, "a", 1); turn != nil {
						turn.Leave()
					}
				}()
			}
			synctest.Wait()
			go cancel()
			if i%2 == 0 {
				turn.Yield(ctx)
			}
			turn.Leave()
			synctest.Wait()
			if len(s.keys) != 0 || s.Scheduler.busy != 0 || len(s.round) != 0 {
				t.Fatalf("left %d, %d work, %d wait", len(s.keys), s.Scheduler.busy, len(s.round))
			}
		}
	})
}

// However many others come, who has reserved turns waits for their own kind alone;
// and of the others nobody has all the places to wait.
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
		for i := range 5 { // one works, four wait: as many places are free
			s.submit("flood", i, 1)
		}
		if _, why := s.Enter(t.Context(), "flood", 9); why != FullForKey {
			t.Errorf("one key has %d of 8 places and may have more: %v", s.others.waiting, why)
		}
		for _, key := range []string{"b", "c", "d", "e"} {
			s.submit(key, 1, 1)
		}
		if _, why := s.Enter(t.Context(), "f", 1); why != FullForKey {
			t.Errorf("%d others wait, and one more may: %v", s.others.waiting, why)
		}
		began := time.Now()
		turn, _ := s.Enter(t.Context(), "home", 1)
		if took := time.Since(began); turn == nil || took != 0 {
			t.Fatalf("%v waited %s", turn, took)
		}
		turn.Leave()
		time.Sleep(time.Minute)
		synctest.Wait()
		want := []string{
			"b1",
			"c1",
			"d1",
			"e1",
			"flood0",
			"flood1",
			"flood2",
			"flood3",
			"flood4",
		} // it lets others go on after its slice
		if !slices.Equal(s.done, want) || s.peak[""] != 1 {
			t.Errorf("done in the order %v, want %v; %d at once", s.done, want, s.peak[""])
		}
		for maker := range 2 { // who has reserved turns may have the others as well
			s.submit("home", maker, 1)
		}
		s.mu.Lock()
		if s.peak["home"] != 2 {
			t.Errorf("%d at once where nobody else is", s.peak["home"])
		}
		s.mu.Unlock()
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := len(s.keys) + len(s.round) + s.Scheduler.busy + s.others.busy + s.others.waiting; n != 0 {
			t.Errorf("%d things are remembered of nothing", n)
		}
	})
}

// However much those ask for who have reserved turns, of one key or of many, the turns
// that are not reserved are others' as soon as one of them waits.
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
				second := func(key string, maker int) {
					go func() {
						turn, why := s.Enter(t.Context(), key, maker)
						if turn == nil {
							t.Errorf("%s %d: %v", key, maker, why)
							return
						}
						s.mu.Lock()
						began[key[:1]] = append(began[key[:1]], time.Since(start))
						s.mu.Unlock()
						time.Sleep(time.Second)
						turn.Leave()
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
				// All three turns, then one beside two others, twice, then all again.
				want := map[string][]float64{"b": {1, 2}, "c": {1}, "d": {2}, "h": {0, 0, 0, 1, 2, 3, 3, 3}}
				for of, seconds := range want {
					got := began[of]
					same := func(got time.Duration, want float64) bool { return got.Seconds() == want }
					if len(got) < len(seconds) || !slices.EqualFunc(got[:len(seconds)], seconds, same) {
						t.Errorf("%s began at %v, want %v", of, got, seconds)
					}
				}
				if n := len(began["h"]); n != 30 {
					t.Errorf("%d of 30 pieces had a turn", n)
				}
			})
		})
	}
}
