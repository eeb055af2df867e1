package testkit

import (
	"runtime"
	"strings"
	"testing"
)

// LockWaiters counts the goroutines of a test that wait for the write lock now.
func LockWaiters(t testing.TB) (n int) {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for one := range strings.SplitSeq(string(stacks), "\n\n") {
		head, _, _ := strings.Cut(one, "\n")
		if strings.Contains(head, "[select") && strings.Contains(one, "(*DB).lockWriting(") &&
			strings.Contains(one, "."+t.Name()+".") {
			n++
		}
	}
	return n
}
