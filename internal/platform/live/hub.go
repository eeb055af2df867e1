// Package live fans events out to the open screens of each tenant. It knows
// no domain: events are a name and ready-made JSON.
package live

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"

	"tilth/internal/domain/tenant"
)

// Hub is the fan-out. Its epoch is new at every start of the server, so that a
// screen never mistakes another run's sequence for its own.
type Hub struct {
	epoch   string
	open    atomic.Int64 // screens
	watched atomic.Int64 // tenants whose events are remembered
	bytes   atomic.Int64 // of the events that are

	// How many screens may be open of a person and of a tenant, said before the hub is
	// used; 0: any number. A person's oldest gives way to a new one, since it may be one
	// whose connection is gone; a tenant's do not.
	MaxPerPerson, MaxPerTenant int

	// Of the fields below alone: each tenant's events are under its own lock, so
	// that tenants do not wait for each other.
	mu        sync.RWMutex
	tenants   map[tenant.ID]*topic
	forgotten bool // a tenant was
	closed    bool
}

// NewHub makes a hub; epoch tells this run of the server from every other.
func NewHub(epoch string) *Hub {
	return &Hub{epoch: epoch, tenants: map[tenant.ID]*topic{}}
}

// Position is where a tenant's stream stands: the id that an event of now would
// follow. Whoever reads the tenant's data after this and opens a stream with
// that id as its last misses nothing: what happens from here on is kept for a
// while, whether or not a screen is open.
func (h *Hub) Position(t tenant.ID) string {
	for {
		c := h.topic(t)
		if at, there := c.current(); there {
			return c.eventID(at)
		}
	}
}

// Subscribe opens a stream for a tenant that is told what all are told; see
// SubscribeAs.
func (h *Hub) Subscribe(t tenant.ID, key, last string) (s *Screen, missed []*Event, position string, reset bool) {
	return h.SubscribeAs(t, 0, key, last)
}

// SubscribeAs opens a stream for a person of a tenant. key groups streams that
// end together (a session). last is the id of the newest event the screen has seen, empty
// for a fresh one: missed events come first. reset is true when they cannot be
// told any more, so that the screen must fetch anew; position is where the
// stream starts.
func (h *Hub) SubscribeAs(
	t tenant.ID,
	person int64,
	key, last string,
) (s *Screen, missed []*Event, position string, reset bool) {
	for {
		c := h.topic(t)
		if s, missed, at, whole := c.subscribe(person, key, last); s != nil {
			return s, missed, c.eventID(at), last != "" && !whole
		}
	}
}

// Publish tells every open screen of a tenant. It never waits: a screen that
// lags too far behind is ended and resumes by its last id. data is copied.
func (h *Hub) Publish(t tenant.ID, name string, data []byte) { h.topic(t).publish(0, name, data) }

// PublishTo tells the open screens of one person of a tenant, as Publish tells
// all of them.
func (h *Hub) PublishTo(t tenant.ID, person int64, name string, data []byte) {
	h.topic(t).publish(person, name, data)
}

// Watched tells whether anybody looks at a tenant's screens, or did so or
// asked for something to show on one recently and may come to be told what was
// missed; when not, making events for it is a waste.
func (h *Hub) Watched(t tenant.ID) bool {
	c := h.lookup(t)
	return c != nil && c.isWatched()
}

// MedianLag is how many events a tenant's screens have yet to take, as seen from
// the middle one: no more than half are further behind. The few that are slow
// do not hold up the rest; they are ended when they lag too far.
func (h *Hub) MedianLag(t tenant.ID) int {
	c := h.lookup(t)
	if c == nil {
		return 0
	}
	return c.medianLag()
}

// EndKey ends every stream that was opened with key.
func (h *Hub) EndKey(key string) {
	for _, c := range h.allTopics(false) {
		c.endAll(EndExpired, func(s *Screen) bool { return s.key == key })
	}
}

// Forget ends the streams of a tenant that is no more, and drops what is held of
// it. Should there be one of that number again, it knows none of the ids.
func (h *Hub) Forget(t tenant.ID) {
	h.mu.Lock()
	c := h.tenants[t]
	delete(h.tenants, t)
	h.forgotten = h.forgotten || c != nil
	h.mu.Unlock()
	if c != nil {
		c.discard()
	}
}

// Close ends every stream, and those that are opened from then on; the server
// stops.
func (h *Hub) Close() {
	for _, c := range h.allTopics(true) {
		c.close()
	}
}

// Screens is how many streams are open.
func (h *Hub) Screens() int { return int(h.open.Load()) }

// allTopics gives the tenants that there are; closing, those to come are closed from
// the beginning.
func (h *Hub) allTopics(closing bool) []*topic {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = h.closed || closing
	topics := make([]*topic, 0, len(h.tenants))
	for _, c := range h.tenants {
		topics = append(topics, c)
	}
	return topics
}

// lookup is a tenant's channel, nil when nothing was ever told or asked of it, or
// it is forgotten.
func (h *Hub) lookup(t tenant.ID) *topic {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.tenants[t]
}

func (h *Hub) topic(t tenant.ID) *topic {
	if c := h.lookup(t); c != nil {
		return c
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.tenants[t]
	if c == nil {
		c = &topic{
			hub:     h,
			epoch:   h.epoch,
			screens: map[*Screen]struct{}{},
			persons: map[int64][]*Screen{},
			closed:  h.closed,
		}
		if h.forgotten {
			// Maybe this one was. By chance, not by number: how many there were is
			// nobody's to know.
			c.epoch += "." + strconv.FormatUint(rand.Uint64(), 36)
		}
		h.tenants[t] = c
	}
	return c
}
