package device

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
)

const (
	// changeFlushInterval is how often presence changes are written to disk.
	changeFlushInterval = time.Second
	// contactFlushInterval is how far the last contact on disk may lag; the contract allows ten
	// seconds.
	contactFlushInterval = 8 * time.Second
	// rowsPerStatement is well below SQLite's limit of variables.
	rowsPerStatement = 500
	// pagesPerStatement keeps a statement at about a megabyte.
	pagesPerStatement = 50
)

// StatusStore writes contact and intake to the database periodically, so that a message costs no
// transaction. They are in pages, each with many devices of one tenant.
type StatusStore struct {
	db             *db.DB
	registry       *Registry
	presence       *Presence
	diagnostics    *Diagnostics
	presenceLog    presenceLog
	pages          pageTable
	retentionClock func() time.Time // the time that retention is measured by

	flushMu   sync.Mutex // held while writing or loading; guards the fields below
	sinceTrim map[ID]int // presence changes written since the device's were last trimmed
	lastSweep Day        // the day of the last sweep
	// statusSeen and daysSeen are the greatest numbers with which pages of status and of days were written, as far
	// as this store has read or written them.
	statusSeen, daysSeen int64
	daysFrom             Day // which days on disk are known: those from here on
}

// NewStatusStore makes a store that writes the state of presence and diagnostics. retentionClock is
// the time that retention is measured by.
func NewStatusStore(d *db.DB, r *Registry, p *Presence, g *Diagnostics, retentionClock func() time.Time) *StatusStore {
	return &StatusStore{
		db:             d,
		registry:       r,
		presence:       p,
		diagnostics:    g,
		pages:          newPageTable(),
		retentionClock: retentionClock,
		sinceTrim:      map[ID]int{},
	}
}

// PresenceChanged stores a change of presence with the next Flush.
func (s *StatusStore) PresenceChanged(c StatusChange) { s.presenceLog.add(c) }

// DevicesChanged makes the next Flush look for deleted devices of a tenant.
func (s *StatusStore) DevicesChanged(t tenant.ID) { s.pages.markChanged(t) }

// Load fills presence and diagnostics after a start. The downtime of the server does not count as
// silence: each device that was online gets a fresh OfflineAfter, so a restart takes no device
// offline. The registry must be loaded before.
func (s *StatusStore) Load(ctx context.Context) error {
	s.presence.reserve(s.registry.Total())
	s.diagnostics.reserve(s.registry.Total())
	s.pages.reserve(s.registry.Total())
	if err := s.LoadChanges(ctx); err != nil {
		return err
	}
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	s.forgetDeleted(true)
	return nil
}

// LoadChanges reads the pages that were written since this store read last, and sets the presence and intake of
// their devices to what they say. A standby calls it repeatedly while another process writes.
func (s *StatusStore) LoadChanges(ctx context.Context) error {
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	if err := s.loadStatus(ctx); err != nil {
		return wrap("load status", err)
	}
	return wrap("load status", s.loadDays(ctx))
}

func (s *StatusStore) loadStatus(ctx context.Context) error {
	return readStatusPages(ctx, s.db, s.statusSeen, func(r *statusPageRow) error {
		list, err := decodeStatus(r.Content, r.key())
		if err != nil {
			// Its devices begin anew; the page is replaced when one of them is written.
			s.presence.logger.Error("a page of device status is damaged: its devices count as never seen",
				"tenant", r.TenantID, "page", r.Page, "error", err)
		}
		members := make([]ID, len(list))
		for i := range list {
			members[i] = list[i].ID
		}
		page, gone := s.pages.setMembers(r.key(), members)
		for _, id := range gone {
			s.forget(Ref{Tenant: r.TenantID, ID: id})
		}
		s.presence.restore(page, list)
		s.diagnostics.restore(page, list)
		s.statusSeen = max(s.statusSeen, r.Written)
		return nil
	})
}

// forget drops what is in memory of a deleted device.
func (s *StatusStore) forget(ref Ref) {
	s.presence.Forget(ref)
	s.diagnostics.Forget(ref)
}

// forgetDeleted drops the deleted devices of the tenants that changed, or of all. Callers hold flushMu.
func (s *StatusStore) forgetDeleted(all bool) {
	s.pages.mu.Lock()
	deleted := s.pages.removeDeleted(s.registry, all)
	s.pages.mu.Unlock()
	for _, ref := range deleted {
		s.forget(ref)
	}
}

// Run flushes periodically until ctx ends, and once more then.
func (s *StatusStore) Run(ctx context.Context) error {
	tick := time.NewTicker(changeFlushInterval)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return s.Flush(context.WithoutCancel(ctx), true)
		case <-tick.C:
			// The next tick tries again: a failed flush leaves its devices marked.
			if err := s.Flush(ctx, n%int(contactFlushInterval/changeFlushInterval) == 0); err != nil {
				s.presence.logger.Error("device status not written", "error", err)
			}
		}
	}
}

// Flush writes the presence changes and the pages of the devices that changed; if all is set, also
// those with a contact or intake that is not on disk yet.
func (s *StatusStore) Flush(ctx context.Context, all bool) error {
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	return wrap("flush status", s.flush(ctx, all))
}

// flush is Flush for callers that hold flushMu.
func (s *StatusStore) flush(ctx context.Context, all bool) error {
	changes, lost := s.presenceLog.takePending()
	if lost > 0 {
		s.presence.logger.Error("presence changes of devices are lost: the database could not be written for too long",
			"changes", lost)
	}
	u := s.presence.takeChanged(all)
	if all {
		u.add(s.diagnostics.takeDirty())
	}
	w, err := s.pagesToWrite(ctx, u)
	if err == nil && (!w.empty() || len(changes) > 0) {
		err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
			if err := w.write(ctx, tx); err != nil {
				return err
			}
			return s.writePresence(ctx, tx, changes)
		})
	}
	if err != nil {
		s.presence.markChanged(u)
		s.presenceLog.putBack(changes)
		return err
	}
	s.presenceLog.markWritten()
	s.markWritten(w)
	return s.sweep(ctx)
}

// pageWrites is what one flush writes of pages.
type pageWrites struct {
	pages   []*devicePage
	status  []statusPageRow
	days    []dayPageRow
	lists   [][]deviceDay // what each of days contains
	saved   [][]savedDay  // of each page
	emptied []emptiedTenant
	written int64
}

func (w *pageWrites) empty() bool { return len(w.status)+len(w.days)+len(w.emptied) == 0 }

// pagesToWrite encodes the pages of devices, and those from which devices were removed.
func (s *StatusStore) pagesToWrite(ctx context.Context, u unwritten) (*pageWrites, error) {
	s.forgetDeleted(false)
	w := &pageWrites{written: max(s.statusSeen, s.daysSeen) + 1}
	pages, placed := maps.Clone(u.pages), map[Ref]*devicePage{}
	s.pages.mu.Lock()
	for ref := range u.unplaced {
		// A device that was deleted meanwhile gets no place.
		if e := s.registry.Get(ref.ID); e != nil && e.Ref == ref {
			placed[ref] = s.pages.place(ref)
			pages[placed[ref]] = struct{}{}
		}
	}
	maps.Copy(pages, s.pages.dirty)
	for t := range s.pages.emptied {
		w.emptied = append(w.emptied, emptiedTenant(t))
	}
	maps.DeleteFunc(pages, func(p *devicePage, _ struct{}) bool { return s.pages.isDropped(p) })
	s.pages.mu.Unlock()
	s.presence.setPages(placed)
	s.diagnostics.setPages(placed)
	var list []deviceStatus
	for p := range pages {
		list = list[:0]
		for _, id := range p.members {
			list = append(list, deviceStatus{ID: id})
		}
		s.presence.fill(p, list)
		unsaved := s.diagnostics.fill(p, list)
		w.pages = append(w.pages, p)
		w.status = append(w.status, statusPageRow{
			TenantID: p.key.tenant,
			Page:     p.key.page,
			Written:  w.written,
			Content:  appendStatus(nil, p.key, list),
		})
		if err := s.addDays(ctx, w, p, unsaved); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// markWritten records that pages are on disk.
func (s *StatusStore) markWritten(w *pageWrites) {
	if w.empty() {
		return
	}
	if len(w.status) > 0 {
		s.statusSeen = w.written
	}
	if len(w.days) > 0 {
		s.daysSeen = w.written
	}
	s.pages.mu.Lock()
	defer s.pages.mu.Unlock()
	for _, p := range w.pages {
		p.removed = nil
		delete(s.pages.dirty, p)
	}
	for _, t := range w.emptied {
		s.pages.dropTenant(t.id())
	}
	s.markDaysWritten(w)
}

// write writes pages to the database.
func (w *pageWrites) write(ctx context.Context, tx bun.IDB) error {
	for _, t := range w.emptied {
		if err := t.deletePages(ctx, tx); err != nil {
			return err
		}
	}
	if err := writeStatusPages(ctx, tx, w.status); err != nil {
		return err
	}
	return writeDayPages(ctx, tx, w.days)
}

// sweep removes, once a day, the rows past their retention.
func (s *StatusStore) sweep(ctx context.Context) error {
	now := s.retentionClock()
	today := DayOf(now.UnixMilli())
	if s.lastSweep == today {
		return nil
	}
	overfull, err := s.overfullDevices(ctx) // read outside the transaction, which would block other writers
	if err != nil {
		return err
	}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if err := sweepDays(ctx, tx, today); err != nil {
			return err
		}
		return s.sweepPresence(ctx, tx, now, overfull)
	})
	if err == nil {
		s.lastSweep = today
	}
	return err
}

// ExaminePages checks the pages of status and of days, and gives what is wrong with them. A database of a version
// before pages has none.
func ExaminePages(ctx context.Context, d *db.DB) (problems []string, err error) {
	exists, err := d.HasTable(ctx, "device_status_pages")
	if err != nil || !exists {
		return nil, wrap("examine status", err)
	}
	at := map[Ref]int64{} // the page of each device
	err = readStatusPages(ctx, d, 0, func(r *statusPageRow) error {
		list, err := decodeStatus(r.Content, r.key())
		if err != nil {
			problems = append(
				problems,
				fmt.Sprintf("page %d of the device status of tenant %d: %v", r.Page, r.TenantID, err),
			)
			return nil
		}
		for i := range list {
			ref := Ref{Tenant: r.TenantID, ID: list[i].ID}
			if other, twice := at[ref]; twice {
				problems = append(problems,
					fmt.Sprintf("device %d of tenant %d is in the pages %d and %d of the device status",
						ref.ID, ref.Tenant, other, r.Page))
			}
			at[ref] = r.Page
		}
		return nil
	})
	if err != nil {
		return nil, wrap("examine status", err)
	}
	err = readDayPages(ctx, d, 0, 0, func(r *dayPageRow) error {
		if _, err := decodeDay(r.Content, r.key(), r.Day); err != nil {
			problems = append(
				problems,
				fmt.Sprintf("page %d of the intake of tenant %d on %s: %v", r.Page, r.TenantID, r.Day, err),
			)
		}
		return nil
	})
	return problems, wrap("examine status", err)
}
