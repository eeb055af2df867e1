package device

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/tenant"
)

const (
	// comingsDays is for how many days comings and goings are kept.
	comingsDays = 400
	// comingsKept is how many of one device are kept, at most comingsSpare more.
	comingsKept  = 2000
	comingsSpare = 100
	// comingsWaiting bounds what waits for a database that cannot be written.
	comingsWaiting = 200_000
)

// Coming is one change of a device's presence.
type Coming struct {
	Time   int64 // epoch milliseconds
	Online bool
}

type comingRow struct {
	bun.BaseModel `bun:"table:device_presence,alias:c"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	DeviceID      ID
	Time          int64
	Online        bool
}

// comings are changes that are not on disk yet, in order.
type comings struct {
	mu      sync.Mutex
	waiting []Change
	writing []Change // being written just now
	lost    int      // the oldest of too many
}

func (c *comings) note(change Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, change)
	c.bound()
}

// take takes what is to be written, and how many changes were lost.
func (c *comings) take() (waiting []Change, lost int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting, lost = c.waiting, c.lost
	c.waiting, c.writing, c.lost = nil, waiting, 0
	return waiting, lost
}

// written notes that what was taken is on disk.
func (c *comings) written() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writing = nil
}

// waits tells whether changes of a device are not on disk yet.
func (c *comings) waits(id ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := func(change Change) bool { return change.ID == id }
	return slices.ContainsFunc(c.waiting, of) || slices.ContainsFunc(c.writing, of)
}

// putBack puts back what could not be written.
func (c *comings) putBack(waiting []Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting, c.writing = append(waiting, c.waiting...), nil
	c.bound()
}

// bound lets go of the oldest half of too many. Callers hold the lock.
func (c *comings) bound() {
	if len(c.waiting) > comingsWaiting {
		half := len(c.waiting) / 2
		c.waiting = slices.Clone(c.waiting[half:])
		c.lost += half
	}
}

// writeComings writes changes in their order. Contact that came in late may
// show that a device had not gone: that is taken back.
func (s *StatusStore) writeComings(ctx context.Context, tx bun.IDB, changes []Change) error {
	rows := make([]comingRow, 0, len(changes))
	for _, c := range changes {
		if s.registry.Get(c.ID) == nil {
			continue // deleted meanwhile
		}
		if c.Since < c.At {
			rows = slices.DeleteFunc(rows, func(r comingRow) bool { return r.DeviceID == c.ID && r.Time >= c.Since })
			if _, err := tx.NewDelete().Model((*comingRow)(nil)).Where("c.tenant_id = ? AND c.device_id = ? AND c.time >= ?", c.Tenant, c.ID, c.Since).Exec(ctx); err != nil {
				return err
			}
		}
		rows = append(rows, comingRow{TenantID: c.Tenant, DeviceID: c.ID, Time: c.Since, Online: c.Online})
	}
	written := map[Ref]int{}
	for start := 0; start < len(rows); start += rowsAStatement {
		part := rows[start:min(start+rowsAStatement, len(rows))]
		if _, err := tx.NewInsert().Model(&part).Exec(ctx); err != nil {
			return err
		}
		for i := range part {
			written[Ref{Tenant: part[i].TenantID, ID: part[i].DeviceID}]++
		}
	}
	for ref, n := range written {
		if s.untrimmed[ref.ID] += n; s.untrimmed[ref.ID] >= comingsSpare {
			if err := trimComings(ctx, tx, ref); err != nil {
				return err
			}
			delete(s.untrimmed, ref.ID)
		}
	}
	return nil
}

// trimComings removes all but a device's newest.
func trimComings(ctx context.Context, tx bun.IDB, ref Ref) error {
	oldest := tx.NewSelect().Model((*comingRow)(nil)).Column("id").Where("c.tenant_id = ? AND c.device_id = ?", ref.Tenant, ref.ID).
		OrderExpr("c.time DESC, c.id DESC").Limit(comingsKept)
	_, err := tx.NewDelete().Model((*comingRow)(nil)).Where("c.tenant_id = ? AND c.device_id = ?", ref.Tenant, ref.ID).Where("c.id NOT IN (?)", oldest).Exec(ctx)
	return err
}

// sweepComings removes what is too old at a time, and what is too much of the
// devices that are restless.
func (s *StatusStore) sweepComings(ctx context.Context, tx bun.IDB, until time.Time, restless []ID) error {
	if _, err := tx.NewDelete().Model((*comingRow)(nil)).Where("c.time < ?", oldestComing(until)).Exec(ctx); err != nil {
		return err
	}
	for _, id := range restless {
		e := s.registry.Get(id)
		if e == nil {
			continue // deleted meanwhile, and its comings with it
		}
		if err := trimComings(ctx, tx, e.Ref); err != nil {
			return err
		}
	}
	clear(s.untrimmed)
	return nil
}

// restless are the devices of which more is on disk than is kept.
func (s *StatusStore) restless(ctx context.Context) (ids []ID, err error) {
	err = s.db.Read(ctx).NewSelect().Model((*comingRow)(nil)).Column("device_id").
		Group("device_id").Having("COUNT(*) > ?", comingsKept).Scan(ctx, &ids)
	return ids, err
}

// oldestComing is the earliest time, epoch ms, of which comings are kept.
func oldestComing(now time.Time) int64 { return now.UnixMilli() - comingsDays*dayMillis }

// Comings gives when a tenant's device came and went, newest first, and how
// many such changes are kept in all. What screens have been told is among them.
func (s *StatusStore) Comings(ctx context.Context, t tenant.ID, id ID, offset, limit int64) ([]Coming, int64, error) {
	if s.comings.waits(id) {
		// Where nothing can be written the rest can be read all the same.
		if err := s.Flush(ctx, false); err != nil && ctx.Err() == nil {
			s.presence.log.Error("device status not written", "error", err)
		}
	}
	var rows []comingRow
	total, err := s.db.Read(ctx).NewSelect().Model(&rows).
		Where("c.tenant_id = ? AND c.device_id = ? AND c.time >= ?", t, id, oldestComing(s.presence.now())).
		OrderExpr("c.time DESC, c.id DESC").Offset(offset).Limit(limit).ScanAndCount(ctx)
	list := make([]Coming, len(rows))
	for i, r := range rows {
		list[i] = Coming{Time: r.Time, Online: r.Online}
	}
	return list, total, err
}
