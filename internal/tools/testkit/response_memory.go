package testkit

import (
	"context"
	"net/http"
	"testing"
)

// ResponseMemory is what an answer took.
type ResponseMemory struct {
	Status int
	Sent   int   // bytes
	Peak   int64 // bytes of memory beyond what was held before
}

// MeasureResponseMemory asks a handler for an answer whose client takes everything and keeps
// nothing, and looks at how much memory is held while readings are passed and bytes
// are sent. It asks twice: what a store keeps of its files is bounded, and no answer's.
func MeasureResponseMemory(
	t testing.TB,
	h http.Handler,
	request func(ctx context.Context) *http.Request,
) ResponseMemory {
	t.Helper()
	ask := func() *discardWriter {
		to := &discardWriter{HeapProbe: HeapProbe{Context: t.Context()}, header: http.Header{}, status: http.StatusOK}
		h.ServeHTTP(to, request(to))
		return to
	}
	ask()
	before := HeapInUse(4)
	to := ask()
	if to.Peak() == 0 {
		t.Error("nobody looked at how much is held")
	}
	return ResponseMemory{Status: to.status, Sent: to.sent, Peak: int64(to.Peak()) - int64(before)}
}

type discardWriter struct {
	HeapProbe
	header    http.Header
	status    int
	sent      int
	sampledAt int // after so many bytes
}

func (c *discardWriter) Header() http.Header { return c.header }

func (c *discardWriter) WriteHeader(status int) { c.status = status }

// Write looks at the first bytes, and again after eight times as many and after each MiB.
func (c *discardWriter) Write(b []byte) (int, error) {
	if c.sent += len(b); c.sampledAt == 0 || c.sent > min(8*c.sampledAt, c.sampledAt+1<<20) {
		c.sampledAt = c.sent
		c.Sample()
	}
	return len(b), nil
}
