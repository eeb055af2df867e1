package testkit

import (
	"testing"
	"time"
)

// WaitTimeout is how long a test waits for what another goroutine must do. It is
// far beyond what the slowest machine needs, and passes only when a test fails.
const WaitTimeout = 20 * time.Second

// Eventually waits until done answers true, asking again and again, and fails
// the test when Patience is over.
func Eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	ask := time.NewTicker(time.Millisecond)
	defer ask.Stop()
	over := time.NewTimer(WaitTimeout)
	defer over.Stop()
	for !done() {
		select {
		case <-ask.C:
		case <-over.C:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// Receive takes the next value from c, or fails the test when none comes.
func Receive[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(WaitTimeout):
		t.Fatalf("waited in vain for %s", what)
		panic("unreachable")
	}
}
