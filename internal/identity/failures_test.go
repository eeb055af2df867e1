package identity

import (
	"fmt"
	"testing"
	"time"
)

// Under attack the memory of failures stays bounded, and those who are locked
// stay locked.
func TestFailuresAreBounded(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	f := newFailures(func() time.Time { return now })
	for range failuresAllowed {
		f.add("locked")
	}
	for i := range pairsRemembered + 1000 {
		f.add(fmt.Sprint("pair ", i))
	}
	if n := len(f.pairs); n > pairsRemembered {
		t.Errorf("%d pairs are remembered", n)
	}
	if f.locked("locked") != failureMemory {
		t.Errorf("locked for %s", f.locked("locked"))
	}
	// The old are forgotten before the fresh.
	now = now.Add(failureMemory + time.Second)
	for i := range pairsRemembered {
		f.add(fmt.Sprint("late ", i))
	}
	if n := len(f.pairs); n > pairsRemembered {
		t.Errorf("%d pairs are remembered", n)
	}
	if f.locked("locked") != 0 {
		t.Error("still locked")
	}
}
