package limit

import (
	"testing"
	"time"
)

func TestCooldowns(t *testing.T) {
	now := time.Now()
	meter := new(Meter)
	w := NewCooldowns[string](
		Options{Name: "waits", MaxKeys: 10, Now: func() time.Time { return now }, Meter: meter},
		time.Minute,
	)
	is := func(what string, got, want time.Duration) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	is("nobody waits", w.Left("a"), 0)
	is("who need not", w.Try("a", 0), 0)
	is("begins", w.Try("a", 4*time.Second), 4*time.Second)
	now = now.Add(time.Second)
	is("goes on, and is not prolonged", w.Try("a", time.Hour), 3*time.Second)
	is("another", w.Try("b", 0), 0)
	now = now.Add(3 * time.Second)
	is("may try", w.Try("a", time.Hour), 0)
	is("still", w.Try("a", time.Hour), 0)
	w.Begin("a", 8*time.Second)
	is("after a failure", w.Left("a"), 8*time.Second)
	now = now.Add(8*time.Second + time.Minute - 1)
	is("just remembered", w.Try("a", time.Second), 0)
	now = now.Add(1)
	is("forgotten", w.Try("a", time.Second), time.Second)
	w.Forget("a")
	is("let off", w.Left("a"), 0)
	if f := meter.Stats()["waits"]; f.Refused != 4 || f.Keys != 1 {
		t.Errorf("%+v", f)
	}
}
