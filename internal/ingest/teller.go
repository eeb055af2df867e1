package ingest

import (
	"context"
	"sync"
	"time"

	"tilth/internal/device"
	"tilth/internal/reading"
	"tilth/internal/tenant"
)

const (
	tellPause   = 40 * time.Millisecond // from telling to telling again
	tellPortion = 256                   // events of a tenant told at once; half of what a screen may lag behind
	tellHold    = time.Second           // how long one slow screen may hold up its tenant's others
)

// teller tells the screens what was judged: at once while that is little, in
// portions when a tenant's devices say more than a screen can show. Then of
// each device the newest values are told, several times a second, and what
// they have replaced is not: a screen keeps up with any load and ends up with
// the last value of everything.
type teller struct {
	screens  screens
	registry *device.Registry

	mu      sync.Mutex
	tidings map[tenant.ID]*tidings
	wake    chan struct{} // holds one
}

func newTeller(s screens, r *device.Registry) *teller {
	return &teller{screens: s, registry: r, tidings: map[tenant.ID]*tidings{}, wake: make(chan struct{}, 1)}
}

// add takes in a batch; it keeps nothing for tenants that nobody watches.
func (t *teller) add(batch []reading.Arrival) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var owner tenant.ID
	var news *tidings // nil: not watched
	told := false
	for i := range batch {
		f := &batch[i]
		if f.Tenant != owner {
			if owner, news = f.Tenant, nil; t.screens.Watched(owner) {
				news = t.of(owner)
			}
		}
		if news != nil {
			news.add(f)
			told = true
		}
	}
	if told {
		select {
		case t.wake <- struct{}{}:
		default:
		}
	}
}

func (t *teller) of(owner tenant.ID) *tidings {
	if t.tidings[owner] == nil {
		t.tidings[owner] = &tidings{owner: owner}
	}
	return t.tidings[owner]
}

// run tells until ctx ends; what is not told then is fetched by screens that
// come back.
func (t *teller) run(ctx context.Context) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-t.wake:
		case <-ctx.Done():
			return
		}
		for more := true; more; {
			more = t.tell(time.Now())
			pause.Reset(tellPause)
			select {
			case <-pause.C:
			case <-ctx.Done():
				return
			}
		}
	}
}

// tell tells a portion of each tenant's tidings; more is true when some are
// left. now times how long a slow screen has held them up.
func (t *teller) tell(now time.Time) (more bool) {
	t.mu.Lock()
	portions := map[tenant.ID][]reading.Arrival{}
	for owner, news := range t.tidings {
		if t.screens.Behind(owner) > tellPortion {
			if news.heldSince.IsZero() {
				news.heldSince = now
			}
			if now.Sub(news.heldSince) < tellHold {
				more = true
				continue
			}
		} else {
			news.heldSince = time.Time{}
		}
		portions[owner] = news.take(tellPortion)
		if news.empty() {
			delete(t.tidings, owner)
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
				continue // deleted meanwhile
			}
			if event := readingEvent(e, f); event != nil {
				t.screens.Publish(owner, "reading", event)
			}
		}
	}
	return more
}
