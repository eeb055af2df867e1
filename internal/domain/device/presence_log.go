package device

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
)

const (
	// presenceRetentionDays is for how many days comings and goings are kept.
	presenceRetentionDays = 400
	// presenceRowsKept is how many of one device are kept, at most presenceTrimSlack more.
	presenceRowsKept  = 2000
	presenceTrimSlack = 100
	// maxPendingPresence bounds what waits for a database that cannot be written.
	maxPendingPresence = 200_000
)

// PresenceChange is one change of a device's presence.
type PresenceChange struct {
	Time   int64 // epoch milliseconds
	Online bool
}

type presenceRow struct {
	bun.BaseModel `bun:"table:device_presence,alias:c"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	DeviceID      ID
	Time          int64
	Online        bool
}

// presenceLog are changes that are not on disk yet, in order.
type presenceLog struct {
	mu      sync.Mutex
	pending []StatusChange
	writing []StatusChange // being written just now
	dropped int            // the oldest of too many
}

func (c *presenceLog) add(change StatusChange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = append(c.pending, change)
	c.trim()
}

// takePending takes what is to be written, and how many changes were lost.
func (c *presenceLog) takePending() (waiting []StatusChange, lost int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting, lost = c.pending, c.dropped
	c.pending, c.writing, c.dropped = nil, waiting, 0
	return waiting, lost
}

// markWritten notes that what was taken is on disk.
func (c *presenceLog) markWritten() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writing = nil
}

// hasPending tells whether changes of a device are not on disk yet.
func (c *presenceLog) hasPending(id ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ofDevice := func(change StatusChange) bool { return change.ID == id }
	return slices.ContainsFunc(c.pending, ofDevice) || slices.ContainsFunc(c.writing, ofDevice)
}

// putBack puts back what could not be written.
func (c *presenceLog) putBack(waiting []StatusChange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending, c.writing = append(waiting, c.pending...), nil
	c.trim()
}

// trim lets go of the oldest half of too many. Callers hold the lock.
func (c *presenceLog) trim() {
	if len(c.pending) > maxPendingPresence {
		half := len(c.pending) / 2
		c.pending = slices.Clone(c.pending[half:])
		c.dropped += half
	}
}

// writePresence writes changes in their order. Contact that came in late may
// show that a device had not gone: that is taken back.
func (s *StatusStore) writePresence(ctx context.Context, tx bun.IDB, changes []StatusChange) error {
	rows := make([]presenceRow, 0, len(changes))
	for _, c := range changes {
		if s.registry.Get(c.ID) == nil {
			continue // deleted meanwhile
		}
		if c.Since < c.At {
			rows = slices.DeleteFunc(rows, func(r presenceRow) bool { return r.DeviceID == c.ID && r.Time >= c.Since })
			if _, err := tx.NewDelete().Model(
				(*presenceRow)(nil),
			).Where(
				"c.tenant_id = ? AND c.device_id = ? AND c.time >= ?",
				c.Tenant,
				c.ID,
				c.Since,
			).Exec(
				ctx,
			); err != nil {
				return err
			}
		}
		rows = append(rows, presenceRow{TenantID: c.Tenant, DeviceID: c.ID, Time: c.Since, Online: c.Online})
	}
	written := map[Ref]int{}
	for start := 0; start < len(rows); start += rowsPerStatement {
		batch := rows[start:min(start+rowsPerStatement, len(rows))]
		if _, err := tx.NewInsert().Model(&batch).Exec(ctx); err != nil {
			return err
		}
		for i := range batch {
			written[Ref{Tenant: batch[i].TenantID, ID: batch[i].DeviceID}]++
		}
	}
	for ref, n := range written {
		if s.sinceTrim[ref.ID] += n; s.sinceTrim[ref.ID] >= presenceTrimSlack {
			if err := trimPresence(ctx, tx, ref); err != nil {
				return err
			}
			delete(s.sinceTrim, ref.ID)
		}
	}
	return nil
}

// trimPresence removes all but a device's newest.
func trimPresence(ctx context.Context, tx bun.IDB, ref Ref) error {
	newest := tx.NewSelect().Model(
		(*presenceRow)(nil),
	).Column(
		"id",
	).Where(
		"c.tenant_id = ? AND c.device_id = ?",
		ref.Tenant,
		ref.ID,
	).
		OrderExpr(
			"c.time DESC, c.id DESC",
		).Limit(
		presenceRowsKept,
	)
	_, err := tx.NewDelete().Model(
		(*presenceRow)(nil),
	).Where(
		"c.tenant_id = ? AND c.device_id = ?",
		ref.Tenant,
		ref.ID,
	).Where(
		"c.id NOT IN (?)",
		newest,
	).Exec(
		ctx,
	)
	return err
}

// sweepPresence removes what is too old at a time, and what is too much of the
// devices that are restless.
func (s *StatusStore) sweepPresence(ctx context.Context, tx bun.IDB, now time.Time, overfull []ID) error {
	if _, err := tx.NewDelete().Model(
		(*presenceRow)(nil),
	).Where(
		"c.time < ?",
		presenceCutoff(now),
	).Exec(
		ctx,
	); err != nil {
		return err
	}
	for _, id := range overfull {
		e := s.registry.Get(id)
		if e == nil {
			continue // deleted meanwhile, and its comings with it
		}
		if err := trimPresence(ctx, tx, e.Ref); err != nil {
			return err
		}
	}
	clear(s.sinceTrim)
	return nil
}

// overfullDevices are the devices of which more is on disk than is kept.
func (s *StatusStore) overfullDevices(ctx context.Context) (ids []ID, err error) {
	err = s.db.Read(ctx).NewSelect().Model((*presenceRow)(nil)).Column("device_id").
		Group("device_id").Having("COUNT(*) > ?", presenceRowsKept).Scan(ctx, &ids)
	return ids, err
}

// presenceCutoff is the earliest time, epoch ms, of which comings are kept.
func presenceCutoff(now time.Time) int64 { return now.UnixMilli() - presenceRetentionDays*dayMillis }

// PresenceHistory gives when a tenant's device came and went, newest first, and how
// many such changes are kept in all. What screens have been told is among them.
func (s *StatusStore) PresenceHistory(
	ctx context.Context,
	t tenant.ID,
	id ID,
	offset, limit int64,
) ([]PresenceChange, int64, error) {
	if s.presenceLog.hasPending(id) {
		// Where nothing can be written the rest can be read all the same.
		if err := s.Flush(ctx, false); err != nil && ctx.Err() == nil {
			s.presence.logger.Error("device status not written", "error", err)
		}
	}
	var rows []presenceRow
	total, err := s.db.Read(ctx).NewSelect().Model(&rows).
		Where("c.tenant_id = ? AND c.device_id = ? AND c.time >= ?", t, id, presenceCutoff(s.presence.now())).
		OrderExpr("c.time DESC, c.id DESC").Offset(offset).Limit(limit).ScanAndCount(ctx)
	list := make([]PresenceChange, len(rows))
	for i, r := range rows {
		list[i] = PresenceChange{Time: r.Time, Online: r.Online}
	}
	return list, total, err
}
