package ingest

import (
	"sync"
	"time"

	"tilth/internal/device"
)

// setBack is how much earlier than the one before it a message has to arrive to
// tell that the clock was set back: messages of one device that come over
// several connections may overtake each other by less.
const setBack = 5 * time.Second

// stamps gives times to readings that came without one. Two of one device that
// arrive within a millisecond get distinct times, or the second would replace
// the first.
type stamps struct {
	mu   sync.Mutex
	last map[device.ID]stamp
}

// stamp is the newest time that was given to a device's readings.
type stamp struct {
	at      int64 // epoch milliseconds, as is arrival
	arrival int64 // the latest
}

// next is the time for a reading that arrived at the given epoch milliseconds.
// A device that sends so many at once that their times would run out of what is
// accepted gets none; ok is false then. Where the clock was set back, times
// begin again at the arrival: they would run ahead of it until it has caught up.
func (s *stamps) next(id device.ID, arrival int64) (at int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last = map[device.ID]stamp{}
	}
	last, known := s.last[id]
	if !known || arrival < last.arrival-setBack.Milliseconds() {
		s.last[id] = stamp{at: arrival, arrival: arrival}
		return arrival, true
	}
	at = max(arrival, last.at+1)
	if at > arrival+maxAhead.Milliseconds() {
		return 0, false
	}
	s.last[id] = stamp{at: at, arrival: max(arrival, last.arrival)}
	return at, true
}
