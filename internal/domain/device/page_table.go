package device

import (
	"maps"
	"slices"
	"sync"

	"tilth/internal/domain/tenant"
)

// pageDevices is how many devices a page holds: so many that a page takes about 10 kB.
const pageDevices = 400

// devicePage is what is known in memory of a page on disk. A device stays in its page for as long as it exists.
type devicePage struct {
	key     pageKey
	members []ID // ascending
	removed []ID // deleted devices that may still be in the pages on disk
	// newestDay is the newest day that the page has on disk, and newestCounts that day's list; 0: none is known.
	newestDay    Day
	newestCounts []deviceDay
	// states and intakes are those of the members, as far as a flush has looked them up; looking up a million takes
	// seconds. They are made anew when the members change.
	states  []*presenceState
	intakes []*deviceIntake
}

func (p *devicePage) setMembers(members []ID) {
	p.members, p.states, p.intakes = members, nil, nil
}

// unwritten are devices whose status is not on disk yet: the pages that have some, and devices that are in no page
// yet.
type unwritten struct {
	pages    map[*devicePage]struct{}
	unplaced map[Ref]struct{}
}

func newUnwritten() unwritten {
	return unwritten{map[*devicePage]struct{}{}, map[Ref]struct{}{}}
}

// mark adds a device, which is in a page or, if that is nil, in none.
func (u *unwritten) mark(ref Ref, page *devicePage) {
	if page != nil {
		u.pages[page] = struct{}{}
	} else {
		u.unplaced[ref] = struct{}{}
	}
}

// take gives what there is, and leaves nothing.
func (u *unwritten) take() unwritten {
	taken := *u
	*u = newUnwritten()
	return taken
}

func (u *unwritten) add(more unwritten) {
	maps.Copy(u.pages, more.pages)
	maps.Copy(u.unplaced, more.unplaced)
}

// pageTable knows in which page each device is. Only a flush, or the start, changes it.
type pageTable struct {
	size     int // how many devices a page holds
	mu       sync.Mutex
	byDevice map[ID]*devicePage
	tenants  map[tenant.ID]*tenantPages
	dirty    map[*devicePage]struct{} // pages from which devices were removed
	// changed are the tenants whose devices in the registry changed; some may have been deleted.
	changed map[tenant.ID]struct{}
	emptied map[tenant.ID]struct{} // tenants that have no device any more; their pages are to be deleted
}

// tenantPages are one tenant's pages.
type tenantPages struct {
	all  map[int64]*devicePage
	room []*devicePage // pages that may have room for another device
	next int64         // the number of the next page
}

func newPageTable() pageTable {
	return pageTable{
		size:     pageDevices,
		byDevice: map[ID]*devicePage{},
		tenants:  map[tenant.ID]*tenantPages{},
		dirty:    map[*devicePage]struct{}{},
		changed:  map[tenant.ID]struct{}{},
		emptied:  map[tenant.ID]struct{}{},
	}
}

// reserve makes room for devices before a start loads them.
func (t *pageTable) reserve(devices int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.byDevice) == 0 {
		t.byDevice = make(map[ID]*devicePage, devices)
	}
}

// markChanged makes the next flush look for deleted devices of a tenant.
func (t *pageTable) markChanged(owner tenant.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changed[owner] = struct{}{}
}

// keyOf gives the page of a tenant's device; false if the device is in none yet.
func (t *pageTable) keyOf(owner tenant.ID, id ID) (pageKey, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.byDevice[id]
	if p == nil || p.key.tenant != owner {
		return pageKey{}, false
	}
	return p.key, true
}

// page finds or makes a page. Callers hold the lock.
func (t *pageTable) page(k pageKey) *devicePage {
	pages := t.tenants[k.tenant]
	if pages == nil {
		pages = &tenantPages{all: map[int64]*devicePage{}}
		t.tenants[k.tenant] = pages
	}
	p := pages.all[k.page]
	if p == nil {
		p = &devicePage{key: k}
		pages.all[k.page] = p
		pages.room = append(pages.room, p)
		pages.next = max(pages.next, k.page+1)
	}
	return p
}

// setMembers records the devices that a page has on disk, and gives those that it had before and has no more.
func (t *pageTable) setMembers(k pageKey, members []ID) (p *devicePage, gone []ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p = t.page(k)
	for _, id := range p.members {
		if _, stays := slices.BinarySearch(members, id); !stays {
			delete(t.byDevice, id)
			gone = append(gone, id)
		}
	}
	p.setMembers(members)
	for _, id := range members {
		t.byDevice[id] = p
	}
	return p, gone
}

// place gives the page of a device, and finds one with room for a new device. Callers hold the lock.
func (t *pageTable) place(ref Ref) *devicePage {
	if p := t.byDevice[ref.ID]; p != nil {
		return p
	}
	p := t.withRoom(ref.Tenant)
	at, _ := slices.BinarySearch(p.members, ref.ID)
	p.setMembers(slices.Insert(p.members, at, ref.ID))
	t.byDevice[ref.ID] = p
	delete(t.emptied, ref.Tenant)
	return p
}

// withRoom gives a page of a tenant that has room for a device. Callers hold the lock.
func (t *pageTable) withRoom(owner tenant.ID) *devicePage {
	pages := t.tenants[owner]
	for pages != nil && len(pages.room) > 0 {
		last := len(pages.room) - 1
		if p := pages.room[last]; len(p.members) < t.size {
			return p
		}
		pages.room = pages.room[:last]
	}
	next := int64(0)
	if pages != nil {
		next = pages.next
	}
	return t.page(pageKey{owner, next})
}

// removeDeleted removes the devices that the registry does not have any more from the pages of the tenants that
// changed, or of all, and gives them. Callers hold the lock.
func (t *pageTable) removeDeleted(r *Registry, all bool) (deleted []Ref) {
	if all {
		for owner := range t.tenants {
			t.changed[owner] = struct{}{}
		}
	}
	for owner := range t.changed {
		pages := t.tenants[owner]
		if pages == nil {
			continue
		}
		for _, p := range pages.all {
			full := len(p.members) >= t.size
			before := len(p.removed)
			kept := slices.DeleteFunc(p.members, func(id ID) bool {
				if e := r.Get(id); e != nil && e.Tenant == owner {
					return false
				}
				p.removed = append(p.removed, id)
				return true
			})
			if len(p.removed) == before {
				continue
			}
			p.setMembers(kept)
			for _, id := range p.removed[before:] {
				delete(t.byDevice, id)
				deleted = append(deleted, Ref{Tenant: owner, ID: id})
			}
			t.dirty[p] = struct{}{}
			if full {
				pages.room = append(pages.room, p)
			}
		}
		if r.Count(owner) == 0 {
			t.emptied[owner] = struct{}{}
		}
	}
	clear(t.changed)
	return deleted
}

// isDropped tells whether a page is deleted with its tenant's last device, or was. Callers hold the lock.
func (t *pageTable) isDropped(p *devicePage) bool {
	pages := t.tenants[p.key.tenant]
	_, emptied := t.emptied[p.key.tenant]
	return emptied || pages == nil || pages.all[p.key.page] != p
}

// dropTenant forgets the pages of a tenant, which were deleted. Callers hold the lock.
func (t *pageTable) dropTenant(owner tenant.ID) {
	for _, p := range t.tenants[owner].all {
		delete(t.dirty, p)
	}
	delete(t.tenants, owner)
	delete(t.emptied, owner)
}
