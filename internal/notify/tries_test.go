package notify_test

import (
	"testing"
	"time"

	"tilth/internal/notify"
)

func TestTries(t *testing.T) {
	var l notify.Tries
	at := time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC)
	for i := range 5 {
		if wait := l.Take(1, at.Add(time.Duration(i)*time.Second)); wait != 0 {
			t.Errorf("try %d waits %s", i, wait)
		}
	}
	if wait := l.Take(1, at.Add(10*time.Second)); wait != 50*time.Second {
		t.Errorf("the sixth waits %s", wait)
	}
	if wait := l.Take(2, at.Add(10*time.Second)); wait != 0 {
		t.Errorf("another tenant waits %s", wait)
	}
	if wait := l.Take(1, at.Add(time.Minute)); wait != 0 {
		t.Errorf("a minute after the first: %s", wait)
	}
	if wait := l.Take(1, at.Add(time.Minute)); wait != time.Second {
		t.Errorf("until the second is a minute ago: %s", wait)
	}
}
