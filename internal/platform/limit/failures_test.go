package limit

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestFailures(t *testing.T) {
	clock := newFakeClock()
	f := NewFailures[string](Options{MaxKeys: 10, Now: clock.now}, 1, 3)
	for i := range 3 {
		if retry := f.Add("a"); retry != 0 {
			t.Fatalf("failure %d: retry after %s", i, retry)
		}
	}
	for range 5 { // further failures do not lengthen the wait
		if retry := f.Add("a"); retry != time.Second {
			t.Fatalf("one failure too many: retry after %s", retry)
		}
	}
	if retry := f.Add("b"); retry != 0 {
		t.Errorf("another key: retry after %s", retry)
	}
	clock.advance(time.Second)
	if retry := f.Add("a"); retry != 0 {
		t.Errorf("a second later: retry after %s", retry)
	}
}

// Attempts of a key that failed too often are checked one at a time, in the order in which they
// came; other keys do not wait.
func TestFailuresAreCheckedOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFailures[string](Options{MaxKeys: 10, Now: time.Now}, 0.001, 1)
		look := func(key string) func() {
			t.Helper()
			done, err := f.Enter(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			return done
		}
		free := []func(){look("a"), look("a")} // the key has not failed yet
		f.Add("a")
		busy := look("a")
		for range 3 {
			look("b")() // does not wait for a
		}
		began, order := time.Now(), make(chan int, 3)
		for i := range 3 {
			go func() {
				done, err := f.Enter(t.Context(), "a")
				if err != nil {
					t.Error(err)
					return
				}
				order <- i
				time.Sleep(time.Millisecond)
				done()
			}()
			synctest.Wait()
		}
		ctx, stop := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() {
			_, err := f.Enter(ctx, "a")
			gone <- err
		}()
		synctest.Wait()
		stop()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("the cancelled caller got error %v", err)
		}
		if len(order) > 0 {
			t.Error("two attempts were checked at the same time")
		}
		busy()
		for i := range 3 {
			if got := <-order; got != i {
				t.Errorf("attempt %d was checked at place %d", got, i)
			}
		}
		synctest.Wait()
		look("a")()
		if took := time.Since(began); took != 3*time.Millisecond {
			t.Errorf("three checks of a millisecond each took %s", took)
		}
		for _, done := range free {
			done()
		}
	})
}
