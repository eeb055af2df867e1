package limit

import (
	"fmt"
	"sync"
)

// Bytes shares a number of bytes that may be held at the same time among keys and, within a key,
// among submitters. A key may hold a quarter of what is left free, a submitter an eighth: so even
// after twenty keys that hold all they can, the next one gets what a usual request needs. It
// remembers only what is held.
type Bytes[K, M comparable] struct {
	mu      sync.Mutex
	free    int64
	keys    map[K]*heldBytes[M]
	refused uint64
}

// The parts of the free bytes that a key and a submitter may hold: a quarter, an eighth.
const (
	keyPart       = 4
	submitterPart = 8
)

// heldBytes are the bytes that a key holds.
type heldBytes[M comparable] struct {
	all int64
	by  map[M]int64
}

// NewBytes makes a share of inAll bytes. Of the Options it needs Name and Meter.
func NewBytes[K, M comparable](o Options, inAll int64) *Bytes[K, M] {
	b := &Bytes[K, M]{free: inAll, keys: map[K]*heldBytes[M]{}}
	o.Meter.add(o.Name, b.stats)
	return b
}

// Take reserves n bytes if it returns true. The caller then calls Return once with the same
// arguments.
func (b *Bytes[K, M]) Take(key K, submitter M, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	held := b.keys[key]
	if held == nil {
		held = &heldBytes[M]{by: map[M]int64{}}
	}
	if own := held.by[submitter]; keyPart*(held.all+n) > b.free || submitterPart*(own+n) > b.free {
		b.refused++
		return false
	}
	b.keys[key] = held
	held.all += n
	held.by[submitter] += n
	b.free -= n
	return true
}

// Return gives n bytes back.
func (b *Bytes[K, M]) Return(key K, submitter M, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	held := b.keys[key]
	if held == nil || held.by[submitter] < n {
		panic(fmt.Sprintf("limit: %v returned %d bytes that it did not hold", key, n))
	}
	b.free += n
	held.all -= n
	if held.by[submitter] -= n; held.by[submitter] == 0 {
		delete(held.by, submitter)
	}
	if len(held.by) == 0 {
		delete(b.keys, key)
	}
}

func (b *Bytes[K, M]) stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Stats{Refused: b.refused, Keys: len(b.keys)}
}
