package console

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/live"
)

// changeBatchDelay is how long changes are gathered before screens are told of them:
// ten thousand devices that come at once are one event.
const changeBatchDelay = 100 * time.Millisecond

// changesExtension is the contract's word for what a call changes, in the calls that
// change what other screens show. Devices and scenes need none: their stores
// tell, whoever changes them.
const changesExtension = "x-changes"

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
	user   int64 // 0: everybody's
}

// changeNotifier tells open screens that something they may show is another now. They
// are told what sort of thing it is, and fetch it anew.
type changeNotifier struct {
	hub *live.Hub

	mu      sync.Mutex
	pending map[audience]map[string]bool
}

func newChangeNotifier(h *live.Hub) *changeNotifier {
	return &changeNotifier{hub: h, pending: map[audience]map[string]bool{}}
}

// watch has every change of devices and scenes told, a program's and the
// provider's included. The registry changes a moment after the store does, and
// what is fetched in between may lack it: it tells again.
func (c *changeNotifier) watch(devices *device.Store, scenes *device.SceneStore, registry *device.Registry) {
	devices.OnChange(func(t tenant.ID, _ device.ID) { c.add(audience{tenant: t}, changedDevice) })
	registry.OnTenantChange(func(t tenant.ID) { c.add(audience{tenant: t}, changedDevice) })
	scenes.OnChange(func(t tenant.ID, _ int64) { c.add(audience{tenant: t}, changedScene) })
}

// add has a change told soon, together with what else changes until then.
func (c *changeNotifier) add(to audience, kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending[to] == nil {
		c.pending[to] = map[string]bool{}
		time.AfterFunc(changeBatchDelay, func() { c.publish(to) })
	}
	c.pending[to][kind] = true
}

func (c *changeNotifier) publish(to audience) {
	c.mu.Lock()
	waiting := c.pending[to]
	delete(c.pending, to)
	c.mu.Unlock()
	if !c.hub.Watched(to.tenant) {
		return
	}
	body, err := json.Marshal(struct {
		Of []string `json:"of"`
	}{slices.Sorted(maps.Keys(waiting))})
	if err != nil {
		return // a list of words always marshals
	}
	if to.user == 0 {
		c.hub.Publish(to.tenant, "change", body)
	} else {
		c.hub.PublishTo(to.tenant, to.user, "change", body)
	}
}

// operationChanges is what each call of the contract changes that screens show.
func operationChanges(doc *openapi3.T) map[string]string {
	calls := map[string]string{}
	for _, path := range doc.Paths.Map() {
		for _, operation := range path.Operations() {
			if what, ok := operation.Extensions[changesExtension].(string); ok {
				calls[operation.OperationID] = what
			}
		}
	}
	return calls
}

// notifyChange tells screens what a call has changed, once it is answered.
// Messages are read by each person alone.
func (s *server) notifyChange(info *request) {
	kind := s.changesByOperation[info.Operation]
	if kind == "" || info.Err != nil {
		return
	}
	to := audience{tenant: info.caller.Tenant}
	if kind == changedMessage {
		to.user = info.caller.User
	}
	s.changeNotifier.add(to, kind)
}
