// Package live fans events out to the open screens of each tenant. It knows no domain: an event is
// a name and ready-made JSON.
package live

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"

	"tilth/internal/domain/tenant"
)

// Hub fans events out. Its epoch is new at every start of the server, so that a screen never takes
// a sequence number of an earlier run for one of this run.
type Hub struct {
	epoch   string
	open    atomic.Int64 // screens
	watched atomic.Int64 // tenants whose events are kept
	bytes   atomic.Int64 // of the kept events

	// MaxPerPerson and MaxPerTenant limit the open screens of a person and of a tenant; 0: any
	// number. They are set before the hub is used. A new screen replaces the person's oldest, whose
	// connection may be gone; a tenant's screens are not replaced.
	MaxPerPerson, MaxPerTenant int

	// mu guards only the fields below. Each tenant's events have their own lock, so that tenants do
	// not wait for each other.
	mu        sync.RWMutex
	tenants   map[tenant.ID]*topic
	forgotten bool // whether any tenant was forgotten
	closed    bool
}

// NewHub makes a hub. epoch differs from the epochs of all other runs of the server.
func NewHub(epoch string) *Hub {
	return &Hub{epoch: epoch, tenants: map[tenant.ID]*topic{}}
}

// Position returns the current position of a tenant's stream, as an event id. A caller that reads
// the tenant's data after this call, and opens a stream with this id as the last one seen, misses
// nothing: events from here on are kept for a while, whether or not a screen is open.
func (h *Hub) Position(t tenant.ID) string {
	for {
		c := h.topic(t)
		if at, there := c.current(); there {
			return c.eventID(at)
		}
	}
}

// Subscribe opens a stream that gets the events for everybody of a tenant; see SubscribeAs.
func (h *Hub) Subscribe(t tenant.ID, key, last string) (s *Screen, missed []*Event, position string, reset bool) {
	return h.SubscribeAs(t, 0, key, last)
}

// SubscribeAs opens a stream for a person of a tenant. key groups streams that end together (a
// session). last is the id of the newest event that the screen has seen, or empty for a new screen;
// missed are the events since. reset is true if the missed events are no longer kept, so that the
// screen must fetch everything again. position is where the stream starts.
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

// Publish sends an event to every open screen of a tenant. It never waits: a screen that lags too
// far behind is ended and resumes by its last id. data is copied.
func (h *Hub) Publish(t tenant.ID, name string, data []byte) { h.topic(t).publish(0, name, data) }

// PublishTo sends an event to the open screens of one person of a tenant, as Publish does to all.
func (h *Hub) PublishTo(t tenant.ID, person int64, name string, data []byte) {
	h.topic(t).publish(person, name, data)
}

// Watched tells whether events of a tenant are worth making: a screen is open, or one was open or
// about to open recently and may still ask for what it missed.
func (h *Hub) Watched(t tenant.ID) bool {
	c := h.lookup(t)
	return c != nil && c.isWatched()
}

// MedianLag is how many events the median screen of a tenant has yet to take: at most half of the
// screens are further behind. The few slow screens do not hold up the others; they are ended when
// they lag too far.
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

// Forget ends the streams of a deleted tenant and drops its events. If the tenant's number is used
// again, the new tenant knows none of the old ids.
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

// Close ends every stream, including those opened from now on; the server stops.
func (h *Hub) Close() {
	for _, c := range h.allTopics(true) {
		c.close()
	}
}

// Screens is how many streams are open.
func (h *Hub) Screens() int { return int(h.open.Load()) }

// allTopics returns the topics of all tenants. If closing is true, topics that are made from now on
// are closed from the start.
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

// lookup returns a tenant's topic; nil if nothing was ever published or asked for it, or it was
// forgotten.
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
			// Perhaps this tenant was forgotten. The suffix is random and not a counter, because
			// screens must not learn how many tenants there were.
			c.epoch += "." + strconv.FormatUint(rand.Uint64(), 36)
		}
		h.tenants[t] = c
	}
	return c
}
