package identity

import (
	"fmt"
	"testing"
	"time"
)

// Under attack the memory of failures stays bounded: what failed longest ago
// is forgotten first.
func TestFailuresAreBounded(t *testing.T) {
	const most = 1000
	now := time.Unix(1_800_000_000, 0)
	f := newFailures(3, most)
	fail := func(s string, times int) {
		for range times {
			f.add(nameOf(s), now)
		}
	}
	fail("early", 3)
	for i := range most - 1 {
		fail(fmt.Sprint("other ", i), 1)
	}
	if f.reached(nameOf("early"), now) != failureMemory {
		t.Error("forgotten before there was need")
	}
	fail("early", 1) // failing again, it is no longer the oldest, and takes no new place
	if len(f.places) != most || f.places[nameOf("other 0")] == nil {
		t.Errorf("%d are remembered", len(f.places))
	}
	fail("late", 1)
	if len(f.places) != most || f.order.Len() != most || f.places[nameOf("other 0")] != nil || f.reached(nameOf("early"), now) == 0 {
		t.Errorf("%d are remembered, or the wrong one was forgotten", len(f.places))
	}
	now = now.Add(failureMemory)
	fail("much later", 1)
	if len(f.places) != 1 || f.order.Len() != 1 {
		t.Errorf("%d are remembered after all had their time", len(f.places))
	}
}

// So many failures count only when they fall within failureMemory, and for as
// long after the last one.
func TestFailuresWithin(t *testing.T) {
	start := time.Unix(1_800_000_000, 0)
	for name, c := range map[string]struct {
		minutes []int
		left    time.Duration // at the last failure
	}{
		"too few":             {[]int{0, 1}, 0},
		"together":            {[]int{0, 0, 0}, failureMemory},
		"just within":         {[]int{0, 7, 14}, failureMemory},
		"too far apart":       {[]int{0, 7, 15}, 0},
		"the newest three":    {[]int{0, 14, 16, 18}, failureMemory},
		"across an old one":   {[]int{0, 1, 2, 30, 31}, 0},
		"more than are asked": {[]int{0, 1, 2, 3, 4, 5}, failureMemory},
	} {
		f, last := newFailures(3, 10), start
		for _, m := range c.minutes {
			last = start.Add(time.Duration(m) * time.Minute)
			f.add(nameOf("x"), last)
		}
		if got := f.reached(nameOf("x"), last); got != c.left {
			t.Errorf("%s: %s, want %s", name, got, c.left)
		}
		if got := f.reached(nameOf("x"), last.Add(failureMemory)); got != 0 {
			t.Errorf("%s: %s a quarter of an hour later", name, got)
		}
		if f.reached(nameOf("y"), last) != 0 {
			t.Errorf("%s: another name counts too", name)
		}
	}
	f := newFailures(1, 10)
	f.add(nameOf("x"), start)
	f.forget(nameOf("x"))
	f.forget(nameOf("never there"))
	if f.reached(nameOf("x"), start) != 0 || f.order.Len() != 0 {
		t.Error("forgotten, and yet remembered")
	}
}

// Names cannot be made to run into one another.
func TestOrigins(t *testing.T) {
	seen := map[origin]Attempt{}
	for _, a := range []Attempt{
		{Tenant: 1, UserName: "ada", Address: "192.0.2.1"}, {Tenant: 2, UserName: "ada", Address: "192.0.2.1"},
		{Tenant: 1, UserName: "ada1", Address: "92.0.2.1"}, {Tenant: 1, UserName: "ada", Address: "192.0.2.11"}, {UserName: "ada", Address: "192.0.2.1"},
	} {
		o := originOf(a)
		if twin, ok := seen[o]; ok {
			t.Errorf("%+v and %+v are one", a, twin)
		}
		seen[o] = a
		a.UserName, a.Password, a.Verification = "ADA"+a.UserName[3:], "x", "y"
		if originOf(a) != o {
			t.Errorf("%+v is another in capitals", a)
		}
	}
}
