package ingest

import (
	"sync"
	"time"

	"tilth/internal/domain/device"
)

// clockStepTolerance is how much earlier than the one before it a message has to arrive to
// tell that the clock was set back: messages of one device that come over
// several connections may overtake each other by less.
const clockStepTolerance = 5 * time.Second

// arrivalClock gives times to readings that came without one. Two of one device that
// arrive within a millisecond get distinct times, or the second would replace
// the first.
type arrivalClock struct {
	registry *device.Registry

	mu   sync.Mutex
	last map[device.ID]lastTime // of devices that there are
}

// lastTime is the newest time that was given to a device's readings.
type lastTime struct {
	at      int64 // epoch milliseconds, as is arrival
	arrival int64 // the latest
}

// next is the time for a reading that arrived at the given epoch milliseconds.
// A device that sends so many at once that their times would run out of what is
// accepted gets none; ok is false then. Where the clock was set back, times
// begin again at the arrival: they would run ahead of it until it has caught up.
func (s *arrivalClock) next(id device.ID, arrival int64) (at int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last = map[device.ID]lastTime{}
	}
	last, known := s.last[id]
	if !known && s.registry.Get(id) == nil {
		return arrival, true // deleted while its message was on its way; nothing of it is kept
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

// sweep forgets devices that are not in the registry any more. The map is made anew: one that
// was larger would keep its room.
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
