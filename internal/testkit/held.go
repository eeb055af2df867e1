package testkit

import (
	"context"
	"net/http"
	"testing"
)

// Held is what an answer took.
type Held struct {
	Status int
	Sent   int   // bytes
	Most   int64 // bytes of memory beyond what was held before
}

// HeldBy asks a handler for an answer whose client takes everything and keeps
// nothing, and looks at how much memory is held while readings are passed and bytes
// are sent. It asks twice: what a store keeps of its files is bounded, and no answer's.
func HeldBy(t testing.TB, h http.Handler, request func(ctx context.Context) *http.Request) Held {
	t.Helper()
	ask := func() *takesAll {
		to := &takesAll{WatchedHeap: WatchedHeap{Context: t.Context()}, header: http.Header{}, status: http.StatusOK}
		h.ServeHTTP(to, request(to))
		return to
	}
	ask()
	before := HeapInUse(4)
	to := ask()
	if to.Most() == 0 {
		t.Error("nobody looked at how much is held")
	}
	return Held{Status: to.status, Sent: to.sent, Most: int64(to.Most()) - int64(before)}
}

type takesAll struct {
	WatchedHeap
	header http.Header
	status int
	sent   int
	looked int // after so many bytes
}

func (c *takesAll) Header() http.Header { return c.header }

func (c *takesAll) WriteHeader(status int) { c.status = status }

// Write looks at the first bytes, and again after eight times as many and after each MiB.
func (c *takesAll) Write(b []byte) (int, error) {
	if c.sent += len(b); c.looked == 0 || c.sent > min(8*c.looked, c.looked+1<<20) {
		c.looked = c.sent
		c.Look()
	}
	return len(b), nil
}
