package live

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	// maxReplayEvents is how many events are kept per tenant at most, for screens that come back
	// after a cut.
	maxReplayEvents = 4096
	// maxReplayBytes is how many bytes the events of all tenants may take together. Beyond it a
	// tenant keeps no more than its equal share.
	maxReplayBytes = 64 << 20
)

// topic is one tenant's events and open screens.
type topic struct {
	hub   *Hub
	epoch string // the beginning of the topic's event ids

	mu      sync.Mutex
	seq     uint64
	replay  []*Event // the newest events, oldest first; they end with seq
	bytes   int64    // of the events in replay
	screens map[*Screen]struct{}
	persons map[int64][]*Screen // the screens that belong to a person, oldest first
	watched bool                // a screen is open, or may come back and ask for what it missed
	unseen  int                 // events since the last screen closed, or since Position was asked
	closed  bool                // the server stops
	gone    bool                // the tenant is gone, and the hub no longer holds the topic
}

// eventID is the id of an event as screens see it.
func (c *topic) eventID(seq uint64) string {
	var b [64]byte
	id := append(b[:0], c.epoch...)
	id = append(id, '-')
	return string(strconv.AppendUint(id, seq, 10))
}

// parseEventID returns the sequence number in an id of this topic.
func (c *topic) parseEventID(id string) (uint64, bool) {
	epoch, seq, ok := strings.Cut(id, "-")
	if !ok || epoch != c.epoch {
		return 0, false
	}
	n, err := strconv.ParseUint(seq, 10, 64)
	return n, err == nil
}

// subscribe opens a screen; nil if the topic is gone. last is the id of the newest event that the
// screen has seen. whole is true if all events since are kept; missed are those events. at is where
// the stream starts.
func (c *topic) subscribe(person int64, key, last string) (s *Screen, missed []*Event, at uint64, whole bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return nil, nil, 0, false
	}
	s = newScreen(c, person, key)
	if c.closed {
		s.reason = EndShutdown
		close(s.ended)
		return s, nil, c.seq, true
	}
	if all := c.persons[person]; c.hub.MaxPerPerson > 0 && len(all) >= c.hub.MaxPerPerson {
		c.end(all[0], EndReplaced)
	}
	if c.hub.MaxPerTenant > 0 && len(c.screens) >= c.hub.MaxPerTenant {
		s.reason = EndFull
		close(s.ended)
		return s, nil, c.seq, true
	}
	c.open(s)
	c.startWatch()
	seq, known := c.parseEventID(last)
	if !known || seq > c.seq || c.seq-seq > uint64(len(c.replay)) {
		return s, nil, c.seq, false
	}
	for _, e := range c.replay[uint64(len(c.replay))-(c.seq-seq):] {
		if e.isFor(person) {
			missed = append(missed, e)
		}
	}
	return s, missed, c.seq, true
}

// startWatch keeps the events from here on; the caller has the lock.
func (c *topic) startWatch() {
	if !c.watched {
		c.watched = true
		c.hub.watched.Add(1)
	}
	c.unseen = 0
}

// current returns the number of the newest event; false if the topic is gone. The topic keeps later
// events, as for a screen that was cut off there.
func (c *topic) current() (at uint64, there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return 0, false
	}
	c.startWatch()
	return c.seq, true
}

// publish sends an event to all screens, or to those of one person.
func (c *topic) publish(person int64, name string, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seq++
	if !c.watched {
		return // no screen has an id from which it could miss this event
	}
	e := newEvent(c.epoch, c.seq, person, name, data)
	c.remember(e)
	for s := range c.screens {
		if !e.isFor(s.person) {
			continue
		}
		select {
		case s.events <- e:
		default:
			c.end(s, EndSlow)
		}
	}
	if len(c.screens) == 0 {
		if c.unseen++; c.unseen >= maxReplayEvents {
			c.stopWatch()
		}
	}
}

// remember keeps an event for replay, and drops the oldest events that no longer fit.
func (c *topic) remember(e *Event) {
	c.replay = append(c.replay, e)
	c.addBytes(e.size())
	for len(c.replay) > maxReplayEvents ||
		c.hub.bytes.Load() > maxReplayBytes && c.bytes > maxReplayBytes/c.hub.watched.Load() {
		c.addBytes(-c.replay[0].size())
		c.replay[0] = nil // the array stays in use
		c.replay = c.replay[1:]
	}
}

func (c *topic) addBytes(bytes int64) {
	c.bytes += bytes
	c.hub.bytes.Add(bytes)
}

// stopWatch stops keeping events for screens that may come back. From here on nobody needs to
// publish, so the sequence moves on: a screen that still comes back learns that it has missed
// something.
func (c *topic) stopWatch() {
	c.addBytes(-c.bytes)
	c.watched, c.unseen, c.replay = false, 0, nil
	c.screens = map[*Screen]struct{}{} // release the memory of the largest number of screens
	c.hub.watched.Add(-1)
	c.seq++
}

// discard ends the screens of a topic whose tenant is gone, and drops its events.
func (c *topic) discard() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	for s := range c.screens {
		c.end(s, EndExpired)
	}
	if c.watched {
		c.stopWatch()
	}
}

func (c *topic) isWatched() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.watched
}

func (c *topic) medianLag() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	var screens [screenBuffer + 1]int // by how many events they lag behind
	for s := range c.screens {
		screens[len(s.events)]++
	}
	further := len(c.screens)
	for n, these := range screens {
		if further -= these; further <= len(c.screens)/2 {
			return n
		}
	}
	return screenBuffer
}

func (c *topic) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.endAll(EndShutdown, func(*Screen) bool { return true })
}

// endAll ends the screens for which meant is true.
func (c *topic) endAll(why EndReason, meant func(*Screen) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := range c.screens {
		if meant(s) {
			c.end(s, why)
		}
	}
}

// open adds a screen; the caller has the lock.
func (c *topic) open(s *Screen) {
	c.screens[s] = struct{}{}
	if s.person != 0 {
		c.persons[s.person] = append(c.persons[s.person], s)
	}
	c.hub.open.Add(1)
}

// drop removes an open screen; the caller has the lock.
func (c *topic) drop(s *Screen) {
	delete(c.screens, s)
	if all := slices.DeleteFunc(c.persons[s.person], func(other *Screen) bool { return other == s }); len(all) > 0 {
		c.persons[s.person] = all
	} else {
		delete(c.persons, s.person)
	}
	c.hub.open.Add(-1)
}

// end ends an open screen; the caller has the lock.
func (c *topic) end(s *Screen, why EndReason) {
	c.drop(s)
	s.reason = why
	close(s.ended)
}

func (c *topic) unsubscribe(s *Screen) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, open := c.screens[s]; open {
		c.drop(s)
	}
}
