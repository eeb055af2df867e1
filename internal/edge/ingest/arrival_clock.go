package ingest

import (
	"sync"
	"time"

	"tilth/internal/domain/device"
)

// clockStepTolerance is how much earlier than its predecessor a message must arrive to show that
// the clock was set back: messages of one device on several connections may overtake each other by
// less.
const clockStepTolerance = 5 * time.Second

// arrivalClock assigns times to readings that came without one. Two readings of one device that
// arrive within a millisecond get distinct times; otherwise the second would replace the first.
type arrivalClock struct {
	registry *device.Registry

	mu   sync.Mutex
	last map[device.ID]lastTime // of existing devices
}

// lastTime is the newest time that was assigned to a device's readings.
type lastTime struct {
	at      int64 // epoch milliseconds, like arrival
	arrival int64 // the latest arrival
}

// next returns the time for a reading that arrived at the given epoch milliseconds. ok is false if
// a device sends so many readings at once that their times would be later than the decoder accepts.
// After the clock was set back, times start again at the arrival; otherwise they would run ahead of
// the clock until it has caught up.
func (s *arrivalClock) next(id device.ID, arrival int64) (at int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last = map[device.ID]lastTime{}
	}
	last, known := s.last[id]
	if !known && s.registry.Get(id) == nil {
		return arrival, true // the device was deleted while its message was on its way; the reading is dropped
	}
	if !known || arrival < last.arrival-clockStepTolerance.Milliseconds() {
		s.last[id] = lastTime{at: arrival, arrival: arrival}
		return arrival, true
	}
	at = max(arrival, last.at+1)
	if at > arrival+maxAhead.Milliseconds() {
		return 0, false
	}
	s.last[id] = lastTime{at: at, arrival: max(arrival, last.arrival)}
	return at, true
}

// sweep forgets devices that are no longer in the registry. It makes a new map, because a map does
// not release the memory of deleted keys.
func (s *arrivalClock) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	gone := 0
	for id := range s.last {
		if s.registry.Get(id) == nil {
			gone++
		}
	}
	if gone == 0 {
		return
	}
	left := make(map[device.ID]lastTime, len(s.last)-gone)
	for id, last := range s.last {
		if s.registry.Get(id) != nil {
			left[id] = last
		}
	}
	s.last = left
}
