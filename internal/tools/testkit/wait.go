package testkit

import (
	"testing"
	"time"
)

// WaitTimeout is how long a test waits for another goroutine. It is far more than the slowest
// machine needs; a test reaches it only when it fails.
const WaitTimeout = 20 * time.Second

// Eventually calls done until it returns true, and fails the test after WaitTimeout.
func Eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	timeout := time.NewTimer(WaitTimeout)
	defer timeout.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-timeout.C:
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}

// Receive takes the next value from c, or fails the test after WaitTimeout.
func Receive[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(WaitTimeout):
		t.Fatalf("timed out waiting for %s", what)
		panic("unreachable")
	}
}
