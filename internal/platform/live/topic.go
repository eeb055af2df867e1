package live

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	// maxReplayEvents is how many events are kept a tenant at most, for screens that
	// come back after a cut.
	maxReplayEvents = 4096
	// maxReplayBytes is how many bytes the events of all tenants may take together.
	// Beyond it a tenant keeps no more than its equal share.
	maxReplayBytes = 64 << 20
)

// topic is one tenant's events and open screens.
type topic struct {
	hub   *Hub
	epoch string // what its ids begin with

	mu      sync.Mutex
	seq     uint64
	replay  []*Event // the newest events, oldest first; they end with seq
	bytes   int64    // that they take
	screens map[*Screen]struct{}
	persons map[int64][]*Screen // of screens, those that are somebody's, oldest first
	watched bool                // screens are open, or may come back and be told what they missed
	unseen  int                 // events since the last screen closed, or somebody was told where the stream stands
	closed  bool                // the server stops
	gone    bool                // with its tenant; the hub does not hold it any more
}

// eventID is the id of an event as screens see it.
func (c *topic) eventID(seq uint64) string {
	var b [64]byte
	id := append(b[:0], c.epoch...)
	id = append(id, '-')
	return string(strconv.AppendUint(id, seq, 10))
}

// parseEventID is the number in an id of this channel.
func (c *topic) parseEventID(id string) (uint64, bool) {
	epoch, seq, ok := strings.Cut(id, "-")
	if !ok || epoch != c.epoch {
		return 0, false
	}
	n, err := strconv.ParseUint(seq, 10, 64)
	return n, err == nil
}

// subscribe opens a screen; nil when the channel is gone. last is the id of the
// newest event that it has seen; whole is true when all since can be told, which
// are missed then. at is where the stream starts.
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

// current is the number of the newest event; false when the channel is gone.
// Those after it are kept, as for a screen that was cut off there.
func (c *topic) current() (at uint64, there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return 0, false
	}
	c.startWatch()
	return c.seq, true
}

// publish tells all screens, or those of one person.
func (c *topic) publish(person int64, name string, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seq++
	if !c.watched {
		return // nobody has an id from which this could be missed
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

// remember adds an event to those that can be told again, and drops what there
// is no room for any more.
func (c *topic) remember(e *Event) {
	c.replay = append(c.replay, e)
	c.addBytes(e.size())
	for len(c.replay) > maxReplayEvents || c.hub.bytes.Load() > maxReplayBytes && c.bytes > maxReplayBytes/c.hub.watched.Load() {
		c.addBytes(-c.replay[0].size())
		c.replay[0] = nil // the array goes on to be used
		c.replay = c.replay[1:]
	}
}

func (c *topic) addBytes(bytes int64) {
	c.bytes += bytes
	c.hub.bytes.Add(bytes)
}

// stopWatch ends the watch that was kept for screens to come back. From here on
// nobody needs to publish, so those that come after all are told that they have
// missed something.
func (c *topic) stopWatch() {
	c.addBytes(-c.bytes)
	c.watched, c.unseen, c.replay = false, 0, nil
	c.screens = map[*Screen]struct{}{} // empty, but as large as when most were open
	c.hub.watched.Add(-1)
	c.seq++
}

// discard ends the screens of a channel whose tenant is no more, and gives its
// events up.
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
	var screens [screenBuffer + 1]int // by how many events they are behind
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

// endAll ends the screens that are meant.
func (c *topic) endAll(why EndReason, meant func(*Screen) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := range c.screens {
		if meant(s) {
			c.end(s, why)
		}
	}
}

// open takes a screen in; the caller has the lock.
func (c *topic) open(s *Screen) {
	c.screens[s] = struct{}{}
	if s.person != 0 {
		c.persons[s.person] = append(c.persons[s.person], s)
	}
	c.hub.open.Add(1)
}

// drop takes an open screen out; the caller has the lock.
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
