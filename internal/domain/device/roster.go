package device

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
)

const (
	// rosterTTL is how long an unused roster stays in memory.
	rosterTTL = time.Hour
	// maxPatched is how many changed devices a refresh reads at most; with more, it reads the whole
	// roster anew.
	maxPatched = 1000
)

// Roster holds each tenant's devices in memory for lists, groups and the map, so that searching and
// sorting 100,000 devices reads no table. The first call for a tenant reads all its devices; later
// calls read those that changed since. It shows committed data only, never the changes of an open
// transaction.
type Roster struct {
	store    *Store
	scenes   *SceneStore
	catalog  *Catalog
	presence *Presence

	mu      sync.Mutex
	tenants map[tenant.ID]*tenantRoster
}

type tenantRoster struct {
	lastUsed  time.Time   // guarded by Roster.mu, as are dirty and stale
	dirty     map[ID]bool // the devices that changed since they were read
	stale     bool        // all devices must be read anew
	refreshMu sync.Mutex  // held while the list is refreshed; guards list and loaded
	list      []*member   // by title, then id; never changed in place
	loaded    bool        // the list was read at least once
}

// member is a device in the roster.
type member struct {
	MapPoint
	hasPosition  bool
	disabled     bool
	createTime   int64
	foldedText   string // folded name, remark name and serial, a line each; the next three are slices of it
	foldedName   string
	foldedTitle  string
	foldedSerial string
}

// NewRoster makes a roster. Whoever makes it tells it of changes.
func NewRoster(s *Store, scenes *SceneStore, c *Catalog, p *Presence) *Roster {
	return &Roster{store: s, scenes: scenes, catalog: c, presence: p, tenants: map[tenant.ID]*tenantRoster{}}
}

// DeviceChanged makes the next call read a device anew.
func (r *Roster) DeviceChanged(d Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.tenants[d.Tenant]
	if x == nil || x.stale {
		return
	}
	x.dirty[d.ID] = true
	if len(x.dirty) > maxPatched {
		x.stale = true
	}
}

// SceneDeleted makes the next call read all devices of the scene's tenant anew.
func (r *Roster) SceneDeleted(scene SceneRef) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if x := r.tenants[scene.Tenant]; x != nil {
		x.stale = true
	}
}

// forTenant finds or makes a tenant's roster, and drops the rosters that were unused for rosterTTL.
func (r *Roster) forTenant(t tenant.ID) *tenantRoster {
	now := r.store.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.tenants[t]
	if x == nil {
		for other, y := range r.tenants {
			if now.Sub(y.lastUsed) > rosterTTL {
				delete(r.tenants, other)
			}
		}
		x = &tenantRoster{stale: true, dirty: map[ID]bool{}}
		r.tenants[t] = x
	}
	x.lastUsed = now
	return x
}

// members gives a tenant's devices by title, then id. Callers must not change the list.
func (r *Roster) members(ctx context.Context, t tenant.ID) ([]*member, error) {
	x := r.forTenant(t)
	x.refreshMu.Lock()
	defer x.refreshMu.Unlock()
	// Changes from here on are left for the next call.
	r.mu.Lock()
	dirty, stale := x.dirty, x.stale
	x.dirty, x.stale = map[ID]bool{}, false
	r.mu.Unlock()
	// Without the transaction that ctx may carry: it could still be rolled back.
	detached, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	var err error
	switch {
	case stale || !x.loaded:
		var list []*member
		if list, err = r.load(detached, t, nil); err == nil {
			slices.SortFunc(list, compareTitles)
			x.list, x.loaded = list, true
		}
	case len(dirty) > 0:
		var fresh []*member
		if fresh, err = r.load(detached, t, dirty); err == nil {
			x.list = mergeMembers(x.list, dirty, fresh)
		}
	}
	if err != nil {
		r.SceneDeleted(SceneRef{Tenant: t})
		return nil, wrap("read roster", errors.Join(err, ctx.Err()))
	}
	return x.list, nil
}

// mergeMembers gives list without the dirty devices and with the fresh ones.
func mergeMembers(list []*member, dirty map[ID]bool, fresh []*member) []*member {
	now := make([]*member, 0, len(list)+len(fresh))
	for _, m := range list {
		if !dirty[m.ID] {
			now = append(now, m)
		}
	}
	for _, m := range fresh {
		at, _ := slices.BinarySearchFunc(now, m, compareTitles)
		now = slices.Insert(now, at, m)
	}
	return now
}

func compareTitles(a, b *member) int {
	return cmp.Or(strings.Compare(a.foldedTitle, b.foldedTitle), cmp.Compare(a.ID, b.ID))
}

// load reads a tenant's devices: those in only, or all if only is nil.
func (r *Roster) load(ctx context.Context, t tenant.ID, only map[ID]bool) ([]*member, error) {
	if only == nil {
		return r.scan(ctx, t, nil)
	}
	ids := make([]ID, 0, len(only))
	for id := range only {
		ids = append(ids, id)
	}
	var list []*member
	err := inBatches(ids, func(batch []ID) error {
		some, err := r.scan(ctx, t, batch)
		list = append(list, some...)
		return err
	})
	return list, err
}

// scan reads a tenant's devices: those of the given numbers, or all if ids is nil.
func (r *Roster) scan(ctx context.Context, t tenant.ID, ids []ID) (list []*member, err error) {
	sel := r.store.db.Read(ctx).NewSelect().Model((*deviceRow)(nil)).
		Column("id", "name", "note_name", "folded_text", "product_id", "scene_id").
		Column("longitude", "latitude", "create_time", "disabled").
		Where("d.tenant_id = ?", t)
	if ids != nil {
		sel.Where("d.id IN (?)", bun.List(ids))
	}
	// Row by row: the library's own scan takes three times as long for so many rows.
	rows, err := sel.Rows(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var m member
		var scene sql.NullInt64
		var longitude, latitude sql.NullFloat64
		err := rows.Scan(&m.ID, &m.Name, &m.NoteName, &m.foldedText, &m.ProductID, &scene,
			&longitude, &latitude, &m.createTime, &m.disabled)
		if err != nil {
			return nil, err
		}
		m.SceneID = scene.Int64
		m.Longitude, m.Latitude, m.hasPosition = longitude.Float64, latitude.Float64, longitude.Valid
		var note string
		m.foldedName, note, _ = strings.Cut(m.foldedText, "\n")
		note, m.foldedSerial, _ = strings.Cut(note, "\n")
		if m.foldedTitle = note; m.NoteName == "" {
			m.foldedTitle = m.foldedName
		}
		list = append(list, &m)
	}
	return list, rows.Err()
}
