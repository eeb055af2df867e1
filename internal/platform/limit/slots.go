package limit

import (
	"fmt"
	"sync"
)

// Slots lets each key have so many of something at the same time, and all keys
// so many together. It remembers keys that hold a slot, and no others: what a
// key may hold in all bounds its memory, or else whatever the slots are for.
//
// Who is refused comes again.
type Slots[K comparable] struct {
	each, inAll int

	mu      sync.Mutex
	held    map[K]int
	all     int
	refused uint64
}

// Full is why there is no slot.
type Full uint8

// There is a slot; the key has as many as it may; all keys together have.
const (
	NotFull Full = iota
	FullForKey
	FullForAll
)

// NewSlots makes slots: each key may have so many, and all together inAll of
// them, unless that is 0. Of the options Name and Meter are needed.
func NewSlots[K comparable](o Options, each, inAll int) *Slots[K] {
	s := &Slots[K]{each: each, inAll: inAll, held: map[K]int{}}
	o.Meter.add(o.Name, s.stats)
	return s
}

// Enter takes a slot if it answers NotFull. Leave is then called once.
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
