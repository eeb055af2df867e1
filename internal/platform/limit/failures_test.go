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
			t.Fatalf("failure %d is told to come in %s", i, retry)
		}
	}
	for range 5 { // those that are too many do not make the wait longer
		if retry := f.Add("a"); retry != time.Second {
			t.Fatalf("one too many is told to come in %s", retry)
		}
	}
	if retry := f.Add("b"); retry != 0 {
		t.Errorf("another key is told to come in %s", retry)
	}
	clock.advance(time.Second)
	if retry := f.Add("a"); retry != 0 {
		t.Errorf("later it is told to come in %s", retry)
	}
}

// Those of a key that failed too often are looked at one after the other, in the order
// in which they came; nobody else waits.
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
		free := []func(){look("a"), look("a")} // it has not failed yet
		f.Add("a")
		busy := look("a")
		for range 3 {
			look("b")() // waits for nobody of a
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
			t.Errorf("who left is told %v", err)
		}
		if len(order) > 0 {
			t.Error("somebody was looked at beside another")
		}
		busy()
		for i := range 3 {
			if got := <-order; got != i {
				t.Errorf("%d came at place %d", got, i)
			}
		}
		synctest.Wait()
		look("a")()
		if took := time.Since(began); took != 3*time.Millisecond {
			t.Errorf("three of a millisecond each took %s", took)
		}
		for _, done := range free {
			done()
		}
	})
}
