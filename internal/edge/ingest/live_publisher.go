package ingest

import (
	"context"
	"sync"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

const (
	publishInterval    = 40 * time.Millisecond // between two portions
	publishPortionSize = 256                   // events of a tenant per portion; half of what a screen may lag behind
	maxScreenHold      = time.Second           // how long slow screens may hold up the other screens of their tenant
)

// livePublisher publishes committed readings to the screens: at once while there are few, in
// portions if a tenant's devices send more than a screen can show. Portions hold the newest values
// of each device, several times a second; values that were replaced in between are not published.
// So a screen keeps up with any load and ends with the last value of everything.
type livePublisher struct {
	screens  screens
	registry *device.Registry
	curves   func(device.Ref) reading.Curves

	mu      sync.Mutex
	pending map[tenant.ID]*pendingUpdates
	wake    chan struct{} // capacity 1
}

// newLivePublisher makes a publisher. curves may be nil: numbers are shown as they arrived.
func newLivePublisher(s screens, r *device.Registry, curves func(device.Ref) reading.Curves) *livePublisher {
	if curves == nil {
		curves = func(device.Ref) reading.Curves { return nil }
	}
	return &livePublisher{
		curves:   curves,
		screens:  s,
		registry: r,
		pending:  map[tenant.ID]*pendingUpdates{},
		wake:     make(chan struct{}, 1),
	}
}

// add accepts a batch; it keeps nothing for tenants without screens.
func (t *livePublisher) add(batch []reading.Arrival) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var owner tenant.ID
	var pending *pendingUpdates // nil: not watched
	added := false
	for i := range batch {
		f := &batch[i]
		if f.Tenant != owner {
			if owner, pending = f.Tenant, nil; t.screens.Watched(owner) {
				pending = t.pendingFor(owner)
			}
		}
		if pending == nil {
			continue
		}
		if c := t.curves(f.Ref()); c != nil {
			own := *f
			own.Fields = c.Correct(f.Time, f.Fields)
			f = &own
		}
		pending.add(f)
		added = true
	}
	if added {
		select {
		case t.wake <- struct{}{}:
		default:
		}
	}
}

func (t *livePublisher) pendingFor(owner tenant.ID) *pendingUpdates {
	if t.pending[owner] == nil {
		t.pending[owner] = &pendingUpdates{owner: owner}
	}
	return t.pending[owner]
}

// run publishes until ctx ends. Screens that come back fetch what was not published by then.
func (t *livePublisher) run(ctx context.Context) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-t.wake:
		case <-ctx.Done():
			return
		}
		for more := true; more; {
			more = t.publishPortion(time.Now())
			pause.Reset(publishInterval)
			select {
			case <-pause.C:
			case <-ctx.Done():
				return
			}
		}
	}
}

// publishPortion publishes a portion of each tenant's pending updates; more is true if some are
// left. now is compared with the time since which slow screens hold up a tenant.
func (t *livePublisher) publishPortion(now time.Time) (more bool) {
	t.mu.Lock()
	portions := map[tenant.ID][]reading.Arrival{}
	for owner, pending := range t.pending {
		if t.screens.MedianLag(owner) > publishPortionSize {
			if pending.heldSince.IsZero() {
				pending.heldSince = now
			}
			if now.Sub(pending.heldSince) < maxScreenHold {
				more = true
				continue
			}
		} else {
			pending.heldSince = time.Time{}
		}
		portions[owner] = pending.take(publishPortionSize)
		if pending.empty() {
			delete(t.pending, owner)
		} else {
			more = true
		}
	}
	t.mu.Unlock()
	for owner, portion := range portions {
		for i := range portion {
			f := &portion[i]
			e := t.registry.Get(f.Device)
			if e == nil || e.Tenant != owner {
				continue // deleted in the meantime
			}
			if event := readingEvent(e, f); event != nil {
				t.screens.Publish(owner, "reading", event)
			}
		}
	}
	return more
}
