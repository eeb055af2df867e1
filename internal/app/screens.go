package app

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/live"
)

// changeBatchDelay is how long changes are gathered before screens are notified: ten thousand
// devices that come online at once make one event.
const changeBatchDelay = 100 * time.Millisecond

// LiveKey is the key by which a session's streams are ended.
func LiveKey(session int64) string { return strconv.FormatInt(session, 10) }

// Audience is the set of screens that are notified: those of a tenant, or those of one user of it.
type Audience struct {
	Tenant tenant.ID
	User   int64 // 0: all users
}

// Screens notifies open screens that something they may show has changed. The event names the kind of
// thing, as the contract does (LiveChangeOf); screens fetch it again.
type Screens struct {
	hub *live.Hub

	mu      sync.Mutex
	pending map[Audience]map[string]bool
}

func newScreens(h *live.Hub) *Screens {
	return &Screens{hub: h, pending: map[Audience]map[string]bool{}}
}

// Tell reports a change soon, together with all changes until then.
func (c *Screens) Tell(to Audience, kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending[to] == nil {
		c.pending[to] = map[string]bool{}
		time.AfterFunc(changeBatchDelay, func() { c.publish(to) })
	}
	c.pending[to][kind] = true
}

func (c *Screens) publish(to Audience) {
	c.mu.Lock()
	waiting := c.pending[to]
	delete(c.pending, to)
	c.mu.Unlock()
	if !c.hub.Watched(to.Tenant) {
		return
	}
	body, err := json.Marshal(struct {
		Of []string `json:"of"`
	}{slices.Sorted(maps.Keys(waiting))})
	if err != nil {
		return // a list of words always marshals
	}
	if to.User == 0 {
		c.hub.Publish(to.Tenant, "change", body)
	} else {
		c.hub.PublishTo(to.Tenant, to.User, "change", body)
	}
}
