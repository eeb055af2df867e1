// Package live fans events out to the open screens of each tenant. It knows
// no domain: events are a name and ready-made JSON.
package live

import (
	"strconv"
	"strings"
	"sync"

	"tilth/internal/tenant"
)

// Event is one thing that happened in a tenant.
type Event struct {
	Seq  uint64
	Name string // reading, presence, notice, message
	Data []byte // JSON
}

const (
	remembered = 2048 // events kept a tenant, for screens that come back after a cut
	backlog    = 512  // events a screen may lag behind before it is cut off
)

// Hub is the fan-out. Its epoch is new at every start of the server, so that a
// screen never mistakes another run's sequence for its own.
type Hub struct {
	epoch string

	mu      sync.Mutex
	tenants map[tenant.ID]*channel
	closed  bool
}

type channel struct {
	seq     uint64
	ring    []Event // the newest events, oldest first
	screens map[*Screen]struct{}
	watched bool // screens are open, or may come back and be told what they missed
	unseen  int  // events since the last screen closed
}

// NewHub makes a hub; epoch tells this run of the server from every other.
func NewHub(epoch string) *Hub {
	return &Hub{epoch: epoch, tenants: map[tenant.ID]*channel{}}
}

// End says why a screen's stream was ended by the server.
type End string

// The ends of a stream.
const (
	EndExpired  End = "expired"  // the session ended
	EndSlow     End = "slow"     // the screen did not keep up
	EndShutdown End = "shutdown" // the server stops
)

// Screen is one open stream.
type Screen struct {
	Events <-chan Event
	Ended  <-chan struct{} // closed when the server ends the stream; see Why

	hub    *Hub
	owner  tenant.ID
	key    string
	events chan Event
	ended  chan struct{}
	why    End
}

// Why is the reason once Ended is closed.
func (s *Screen) Why() End {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return s.why
}

// Position is the id of an event as screens see it.
func (h *Hub) Position(seq uint64) string {
	return h.epoch + "-" + strconv.FormatUint(seq, 10)
}

// Subscribe opens a stream for a tenant. key groups streams that end together
// (a session). last is the id of the newest event the screen has seen, empty
// for a fresh one: missed events come first. reset is true when they cannot be
// told any more, so that the screen must fetch anew; position is where the
// stream starts.
func (h *Hub) Subscribe(t tenant.ID, key, last string) (s *Screen, missed []Event, position string, reset bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.channel(t)
	s = &Screen{hub: h, owner: t, key: key, events: make(chan Event, backlog), ended: make(chan struct{})}
	s.Events, s.Ended = s.events, s.ended
	if h.closed {
		s.why = EndShutdown
		close(s.ended)
		return s, nil, h.Position(c.seq), false
	}
	c.screens[s] = struct{}{}
	c.watched, c.unseen = true, 0
	if last == "" {
		return s, nil, h.Position(c.seq), false
	}
	seq, ok := h.sequence(last)
	if !ok || seq > c.seq || seq+uint64(len(c.ring)) < c.seq {
		return s, nil, h.Position(c.seq), true
	}
	missed = append(missed, c.ring[uint64(len(c.ring))-(c.seq-seq):]...)
	return s, missed, h.Position(c.seq), false
}

func (h *Hub) sequence(id string) (uint64, bool) {
	epoch, seq, ok := strings.Cut(id, "-")
	if !ok || epoch != h.epoch {
		return 0, false
	}
	n, err := strconv.ParseUint(seq, 10, 64)
	return n, err == nil
}

func (h *Hub) channel(t tenant.ID) *channel {
	c := h.tenants[t]
	if c == nil {
		c = &channel{screens: map[*Screen]struct{}{}}
		h.tenants[t] = c
	}
	return c
}

// Publish tells every open screen of a tenant. It never waits: a screen that
// lags too far behind is ended and resumes by its last id.
func (h *Hub) Publish(t tenant.ID, name string, data []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.channel(t)
	c.seq++
	e := Event{Seq: c.seq, Name: name, Data: data}
	if len(c.ring) == 2*remembered {
		c.ring = append(c.ring[:0], c.ring[remembered:]...)
	}
	c.ring = append(c.ring, e)
	for s := range c.screens {
		select {
		case s.events <- e:
		default:
			h.end(c, s, EndSlow)
		}
	}
	if c.watched && len(c.screens) == 0 {
		if c.unseen++; c.unseen >= remembered {
			c.forget()
		}
	}
}

// forget ends the watch that was kept for screens to come back. From here on
// nobody needs to publish, so those that come after all are told that they have
// missed something.
func (c *channel) forget() {
	c.watched, c.unseen, c.ring = false, 0, nil
	c.seq++
}

// Watched tells whether anybody looks at a tenant's screens, or did so
// recently and may come back to be told what was missed; when not, making
// events for it is a waste.
func (h *Hub) Watched(t tenant.ID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.tenants[t]
	return c != nil && c.watched
}

// Behind is how many events the slowest open screen of a tenant has yet to
// take. It is ended when that grows beyond what it may lag behind.
func (h *Hub) Behind(t tenant.ID) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	most := 0
	if c := h.tenants[t]; c != nil {
		for s := range c.screens {
			most = max(most, len(s.events))
		}
	}
	return most
}

// EndKey ends every stream that was opened with key.
func (h *Hub) EndKey(key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.tenants {
		for s := range c.screens {
			if s.key == key {
				h.end(c, s, EndExpired)
			}
		}
	}
}

// Close ends every stream; the server stops.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, c := range h.tenants {
		for s := range c.screens {
			h.end(c, s, EndShutdown)
		}
	}
}

// Screens is how many streams are open.
func (h *Hub) Screens() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, c := range h.tenants {
		n += len(c.screens)
	}
	return n
}

func (h *Hub) end(c *channel, s *Screen, why End) {
	if _, open := c.screens[s]; !open {
		return
	}
	delete(c.screens, s)
	s.why = why
	close(s.ended)
}

// Close ends a stream from the screen's side.
func (s *Screen) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	delete(s.hub.channel(s.owner).screens, s)
}
