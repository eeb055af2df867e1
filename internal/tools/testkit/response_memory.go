package testkit

import (
	"context"
	"net/http"
	"testing"

	"tilth/internal/tools/testkit/heap"
)

// ResponseMemory says how much a handler sent and how much memory it held meanwhile.
type ResponseMemory struct {
	Status int
	Sent   int   // bytes
	Peak   int64 // bytes of memory, without those held before the request
}

// MeasureResponseMemory serves a request to a client that reads everything and keeps nothing, and
// measures how much memory is held while readings are passed and bytes are sent. It makes the
// request twice: the first one fills the store's cache of files, which is bounded and belongs to no
// response.
func MeasureResponseMemory(
	t testing.TB,
	h http.Handler,
	request func(ctx context.Context) *http.Request,
) ResponseMemory {
	t.Helper()
	serve := func() *discardWriter {
		to := &discardWriter{Probe: heap.Probe{Context: t.Context()}, header: http.Header{}, status: http.StatusOK}
		h.ServeHTTP(to, request(to))
		return to
	}
	serve()
	before := heap.Held()
	to := serve()
	if to.Peak() == 0 {
		t.Error("no measurement was made during the request")
	}
	return ResponseMemory{Status: to.status, Sent: to.sent, Peak: int64(to.Peak()) - int64(before)}
}

type discardWriter struct {
	heap.Probe
	header    http.Header
	status    int
	sent      int
	sampledAt int // bytes sent at the newest measurement
}

func (w *discardWriter) Header() http.Header { return w.header }

func (w *discardWriter) WriteHeader(status int) { w.status = status }

// Write measures at the first bytes, and then whenever eight times as many bytes, or one MiB more,
// were sent as at the measurement before.
func (w *discardWriter) Write(b []byte) (int, error) {
	if w.sent += len(b); w.sampledAt == 0 || w.sent > min(8*w.sampledAt, w.sampledAt+1<<20) {
		w.sampledAt = w.sent
		w.Sample()
	}
	return len(b), nil
}
