package testkit

import (
	"context"
	"math/bits"
	"runtime"
	"sync"
)

// HeapProbe is a context that measures now and then how much memory is held. It measures in Err,
// which code that passes over many readings calls often; database/sql calls it in a goroutine of
// its own.
type HeapProbe struct {
	context.Context
	mu    sync.Mutex
	calls int
	peak  uint64
}

// Err returns the error of the embedded context. It measures at the 16th call, the 64th, and so on.
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

// Sample measures now.
func (h *HeapProbe) Sample() {
	held := HeapInUse(3)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.peak = max(h.peak, held)
}

// Peak returns the most bytes that were held at a measurement; 0 if there was none.
func (h *HeapProbe) Peak() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.peak
}

// HeapInUse returns how many bytes are held after the given number of garbage collections. The
// second collection also frees what lies unused in sync.Pools.
func HeapInUse(collections int) uint64 {
	for range collections {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
