package testkit

import (
	"context"
	"math/bits"
	"runtime"
	"sync"
)

// WatchedHeap is a context that looks now and then at how much memory is held: it
// is asked whether it has ended by all that passes over many readings, and by database/sql
// in a goroutine of its own.
type WatchedHeap struct {
	context.Context
	mu    sync.Mutex
	asked int
	most  uint64
}

// Err is that of the context.
func (h *WatchedHeap) Err() error {
	h.mu.Lock()
	h.asked++
	look := h.asked > 8 && h.asked&(h.asked-1) == 0 && bits.TrailingZeros(uint(h.asked))%2 == 0
	h.mu.Unlock()
	if look {
		h.Look()
	}
	return h.Context.Err()
}

// Look looks now.
func (h *WatchedHeap) Look() {
	held := HeapInUse(3)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.most = max(h.most, held)
}

// Most is the most that was held when it looked, in bytes; 0: it never did.
func (h *WatchedHeap) Most() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.most
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
