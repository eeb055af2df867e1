// Package heap measures how much memory a test holds.
package heap

import (
	"context"
	"math/bits"
	"runtime"
	"sync"
)

// Probe is a context that measures now and then how much memory is held. It measures in Err,
// which code that passes over many readings calls often; database/sql calls it in a goroutine of
// its own. A context that is derived from it with a cancellation of its own does not measure.
type Probe struct {
	context.Context
	mu    sync.Mutex
	calls int
	peak  uint64
}

// Err returns the error of the embedded context. It measures at the 16th call, the 64th, and so on.
func (h *Probe) Err() error {
	h.mu.Lock()
	h.calls++
	due := h.calls > 8 && h.calls&(h.calls-1) == 0 && bits.TrailingZeros(uint(h.calls))%2 == 0
	h.mu.Unlock()
	if due {
		h.Sample()
	}
	return h.Context.Err()
}

// Sample measures now.
func (h *Probe) Sample() {
	held := Held()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.peak = max(h.peak, held)
}

// Peak returns the most bytes that were held at a measurement; 0 if there was none.
func (h *Probe) Peak() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.peak
}

// Held returns how many bytes are held after three garbage collections: the second also frees
// what lies unused in sync.Pools, the third what the cleanups of these objects release.
func Held() uint64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
