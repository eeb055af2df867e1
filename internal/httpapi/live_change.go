package httpapi

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"tilth/internal/device"
	"tilth/internal/live"
	"tilth/internal/tenant"
)

// changesWait is how long changes are gathered before screens are told of them:
// ten thousand devices that come at once are one event.
const changesWait = 100 * time.Millisecond

// changesWord is the contract's word for what a call changes, in the calls that
// change what other screens show. Devices and scenes need none: their stores
// tell, whoever changes them.
const changesWord = "x-changes"

// Sorts of things that change, as the contract calls them (LiveChangeOf); the
// others are named there only.
const (
	changedDevice  = "device"
	changedScene   = "scene"
	changedMessage = "message"
)

// audience is whose screens are told: a tenant's, or of these one person's.
type audience struct {
	tenant tenant.ID
	person int64 // 0: everybody's
}

// changes tells open screens that something they may show is another now. They
// are told what sort of thing it is, and fetch it anew.
type changes struct {
	hub *live.Hub

	mu      sync.Mutex
	waiting map[audience]map[string]bool
}

func newChanges(h *live.Hub) *changes {
	return &changes{hub: h, waiting: map[audience]map[string]bool{}}
}

// watch has every change of devices and scenes told, a program's and the
// provider's included. The registry changes a moment after the store does, and
// what is fetched in between may lack it: it tells again.
func (c *changes) watch(devices *device.Store, scenes *device.SceneStore, registry *device.Registry) {
	devices.OnChange(func(t tenant.ID, _ device.ID) { c.note(audience{tenant: t}, changedDevice) })
	registry.OnTenantChange(func(t tenant.ID) { c.note(audience{tenant: t}, changedDevice) })
	scenes.OnChange(func(t tenant.ID, _ int64) { c.note(audience{tenant: t}, changedScene) })
}

// note has a change told soon, together with what else changes until then.
func (c *changes) note(whom audience, what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting[whom] == nil {
		c.waiting[whom] = map[string]bool{}
		time.AfterFunc(changesWait, func() { c.tell(whom) })
	}
	c.waiting[whom][what] = true
}

func (c *changes) tell(whom audience) {
	c.mu.Lock()
	waiting := c.waiting[whom]
	delete(c.waiting, whom)
	c.mu.Unlock()
	if !c.hub.Watched(whom.tenant) {
		return
	}
	body, err := json.Marshal(struct {
		Of []string `json:"of"`
	}{slices.Sorted(maps.Keys(waiting))})
	if err != nil {
		return // a list of words always marshals
	}
	if whom.person == 0 {
		c.hub.Publish(whom.tenant, "change", body)
	} else {
		c.hub.PublishTo(whom.tenant, whom.person, "change", body)
	}
}

// changingCalls is what each call of the contract changes that screens show.
func changingCalls(doc *openapi3.T) map[string]string {
	calls := map[string]string{}
	for _, path := range doc.Paths.Map() {
		for _, operation := range path.Operations() {
			if what, ok := operation.Extensions[changesWord].(string); ok {
				calls[operation.OperationID] = what
			}
		}
	}
	return calls
}

// tellChange tells screens what a call has changed, once it is answered.
// Messages are read by each person alone.
func (s *server) tellChange(info *request) {
	what := s.changing[info.Operation]
	if what == "" || info.Err != nil {
		return
	}
	whom := audience{tenant: info.caller.Tenant}
	if what == changedMessage {
		whom.person = info.caller.User
	}
	s.changes.note(whom, what)
}
