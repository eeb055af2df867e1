package console

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/live"
)

// changeBatchDelay is how long changes are gathered before screens are notified: ten thousand
// devices that come online at once make one event.
const changeBatchDelay = 100 * time.Millisecond

// changesExtension is the contract's extension that names the kind of thing a call changes, for
// calls that change what other screens show. Calls that change devices and scenes need none: their
// stores report every change, whoever made it.
const changesExtension = "x-changes"

// The kinds of things that change, as the contract names them (LiveChangeOf). Only the contract
// names the other kinds.
const (
	changedDevice  = "device"
	changedScene   = "scene"
	changedMessage = "message"
	changedPeople  = "people"
	changedMe      = "me"

	changedIntegration = "integration"
)

// audience is the set of screens that are notified: those of a tenant, or those of one user of it.
type audience struct {
	tenant tenant.ID
	user   int64 // 0: all users
}

// changeNotifier notifies open screens that something they may show has changed. The event names
// the kind of thing; screens fetch it again.
type changeNotifier struct {
	hub *live.Hub

	mu      sync.Mutex
	pending map[audience]map[string]bool
}

func newChangeNotifier(h *live.Hub) *changeNotifier {
	return &changeNotifier{hub: h, pending: map[audience]map[string]bool{}}
}

// watch reports every change of devices, scenes and users, those by programs and by the provider included.
// The registry changes a moment after the store, and a screen that fetches in between may miss the
// change; so a change of the registry is reported again.
func (c *changeNotifier) watch(
	devices *device.Store,
	scenes *device.SceneStore,
	registry *device.Registry,
	users *identity.UserStore,
) {
	devices.OnChange(func(t tenant.ID, _ device.ID) { c.add(audience{tenant: t}, changedDevice) })
	registry.OnTenantChange(func(t tenant.ID) { c.add(audience{tenant: t}, changedDevice) })
	scenes.OnChange(func(t tenant.ID, _ int64) { c.add(audience{tenant: t}, changedScene) })
	users.OnChange(func(t tenant.ID, user int64) {
		c.add(audience{tenant: t}, changedPeople)
		c.add(audience{tenant: t, user: user}, changedMe)
	})
}

// add reports a change soon, together with all changes until then.
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

// operationChanges returns the kind of thing that each call of the contract changes, by operation.
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

// notifyChange reports what a call has changed once it is answered. Each user has their own read
// messages, so a change of messages goes to the caller's screens alone.
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
