package ingest

import (
	"sync"

	"tilth/internal/device"
)

// stamps gives times to readings that came without one. Two of one device that
// arrive within a millisecond get distinct times, or the second would replace
// the first.
type stamps struct {
	mu   sync.Mutex
	last map[device.ID]int64
}

// next is the time for a reading that arrived at the given epoch milliseconds.
// A device that sends so many at once that their times would run out of what is
// accepted gets none; ok is false then.
func (s *stamps) next(id device.ID, arrival int64) (at int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last = map[device.ID]int64{}
	}
	at = arrival
	if last, known := s.last[id]; known && last >= at {
		at = last + 1
	}
	if at > arrival+maxAhead.Milliseconds() {
		return 0, false
	}
	s.last[id] = at
	return at, true
}
