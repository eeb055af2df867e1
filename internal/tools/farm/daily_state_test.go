package farm

import (
	"sync"
	"testing"
)

func TestDailyStateIsTheSameInAnyOrder(t *testing.T) {
	step := func(day int, s float64) float64 { return s*1.0000001 + float64(day%7) }
	forward, backward := newChain(1., step), newChain(1., step)
	var want []float64
	for day := epoch - 5; day < epoch+500; day++ {
		want = append(want, forward.at(day))
	}
	for i := len(want) - 1; i >= 0; i-- {
		if got := backward.at(epoch - 5 + i); got != want[i] {
			t.Fatalf("day %d is %v backward, %v forward", i, got, want[i])
		}
	}
	for i, s := range want[:6] {
		assertNear(t, "the state before and at the epoch", s, 1, 0)
		if t.Failed() {
			t.Fatal(i)
		}
	}
}

func TestDailyStateStepsEachDayOnce(t *testing.T) {
	var mu sync.Mutex
	stepped := map[int]int{}
	c := newChain(0, func(day, s int) int {
		mu.Lock()
		defer mu.Unlock()
		stepped[day]++
		return s + 1
	})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for day := epoch + i; day < epoch+200; day += 3 {
				if got := c.at(day); got != day-epoch {
					t.Errorf("day %d has %d steps", day-epoch, got)
				}
			}
		})
	}
	wg.Wait()
	for day, count := range stepped {
		if count != 1 {
			t.Errorf("day %d was stepped %d times", day-epoch, count)
		}
	}
}
