package server

import (
	"testing"
	"time"
)

func TestStorageWatch(t *testing.T) {
	began := time.Unix(1795230000, 0)
	now, stopped := began, false
	w := newStorageWatch(func() (time.Time, bool) { return now, stopped })
	expect := func(want time.Time, told <-chan struct{}, change bool) <-chan struct{} {
		t.Helper()
		w.check()
		select {
		case <-told:
			if !change {
				t.Fatal("a change is told that is none")
			}
		default:
			if change {
				t.Fatal("the change is not told")
			}
		}
		since, next := w.state()
		if !since.Equal(want) {
			t.Fatalf("since %v, want %v", since, want)
		}
		return next
	}
	_, told := w.state()
	told = expect(time.Time{}, told, false)
	stopped = true
	told = expect(began, told, true)
	now = began.Add(time.Minute)
	told = expect(began, told, false) // the first moment counts
	stopped = false
	told = expect(time.Time{}, told, true)
	expect(time.Time{}, told, false)
}
