package testkit

import (
	"context"
	"math/bits"
	"runtime"
	"sync"
)

// HeapProbe is a context that looks now and then at how much memory is held: it
// is asked whether it has ended by all that passes over many readings, and by database/sql
// in a goroutine of its own.
type HeapProbe struct {
	context.Context
	mu    sync.Mutex
	calls int
	peak  uint64
}

// Err is that of the context.
func (h *HeapProbe) Err() error {
	h.mu.Lock()
	h.calls++
	due := h.calls > 8 && h.calls&(h.calls-1) == 0 && bits.TrailingZeros(uint(h.calls))%2 == 0
	h.mu.Unlock()
	if due {
		h.Sample()
	}
	return h.Context.Err()
}

// Sample looks now.
func (h *HeapProbe) Sample() {
	held := HeapInUse(3)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.peak = max(h.peak, held)
}

// Peak is the most that was held when it looked, in bytes; 0: it never did.
func (h *HeapProbe) Peak() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.peak
}

// HeapInUse is what is held after so many collections, in bytes; what lies ready for
// the next who needs it goes with the second.
func HeapInUse(collections int) uint64 {
	for range collections {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
