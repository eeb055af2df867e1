package limit

import (
	"fmt"
	"sync"
)

// Slots allows each key a number of things at the same time, and all keys together another number.
// It remembers only the keys that hold a slot: its memory is bounded by inAll, or by the limit of
// what the slots are for. A caller that is refused may try again later.
type Slots[K comparable] struct {
	each, inAll int

	mu      sync.Mutex
	held    map[K]int
	all     int
	refused uint64
}

// Full tells why there is no slot.
type Full uint8

// There is a slot; the key has as many as it may; all keys together have as many as they may.
const (
	NotFull Full = iota
	FullForKey
	FullForAll
)

// NewSlots makes slots: each for one key, inAll for all keys together (0: any number). Of the
// Options it needs Name and Meter.
func NewSlots[K comparable](o Options, each, inAll int) *Slots[K] {
	s := &Slots[K]{each: each, inAll: inAll, held: map[K]int{}}
	o.Meter.add(o.Name, s.stats)
	return s
}

// Enter takes a slot if it returns NotFull. The caller then calls Leave once.
func (s *Slots[K]) Enter(key K) Full {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.held[key] >= s.each:
		s.refused++
		return FullForKey
	case s.inAll > 0 && s.all >= s.inAll:
		s.refused++
		return FullForAll
	}
	s.held[key]++
	s.all++
	return NotFull
}

// Leave gives a slot back.
func (s *Slots[K]) Leave(key K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, holds := s.held[key]
	switch {
	case !holds:
		panic(fmt.Sprintf("limit: %v left a slot that it did not have", key))
	case n == 1:
		delete(s.held, key)
	default:
		s.held[key] = n - 1
	}
	s.all--
}

func (s *Slots[K]) stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stats{Refused: s.refused, Keys: len(s.held)}
}
