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
	is("no cooldown yet", w.Left("a"), 0)
	is("no cooldown asked for", w.Try("a", 0), 0)
	is("first attempt starts a cooldown", w.Try("a", 4*time.Second), 4*time.Second)
	now = now.Add(time.Second)
	is("a running cooldown is not prolonged", w.Try("a", time.Hour), 3*time.Second)
	is("another key", w.Try("b", 0), 0)
	now = now.Add(3 * time.Second)
	is("after the cooldown", w.Try("a", time.Hour), 0)
	is("again after the cooldown", w.Try("a", time.Hour), 0)
	w.Begin("a", 8*time.Second)
	is("after Begin", w.Left("a"), 8*time.Second)
	now = now.Add(8*time.Second + time.Minute - 1)
	is("just before it is forgotten", w.Try("a", time.Second), 0)
	now = now.Add(1)
	is("after it was forgotten", w.Try("a", time.Second), time.Second)
	w.Forget("a")
	is("after Forget", w.Left("a"), 0)
	if f := meter.Stats()["waits"]; f.Refused != 4 || f.Keys != 1 {
		t.Errorf("stats %+v", f)
	}
}
