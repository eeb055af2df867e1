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
	// presenceRetentionDays is how many days presence changes are kept.
	presenceRetentionDays = 400
	// presenceRowsKept is how many presence changes of one device are kept; there may be up to
	// presenceTrimSlack more between two trims.
	presenceRowsKept  = 2000
	presenceTrimSlack = 100
	// maxPendingPresence bounds the changes that wait while the database cannot be written.
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

// presenceLog holds the presence changes that are not on disk yet, in order.
type presenceLog struct {
	mu      sync.Mutex
	pending []StatusChange
	writing []StatusChange // being written now
	dropped int            // how many were dropped for exceeding maxPendingPresence
}

func (c *presenceLog) add(change StatusChange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = append(c.pending, change)
	c.trim()
}

// takePending takes the changes to write, and gives how many were dropped.
func (c *presenceLog) takePending() (waiting []StatusChange, lost int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting, lost = c.pending, c.dropped
	c.pending, c.writing, c.dropped = nil, waiting, 0
	return waiting, lost
}

// markWritten records that the changes taken are on disk.
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

// putBack returns changes that could not be written.
func (c *presenceLog) putBack(waiting []StatusChange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending, c.writing = append(waiting, c.pending...), nil
	c.trim()
}

// trim drops the older half of the pending changes if there are too many. Callers hold the lock.
func (c *presenceLog) trim() {
	if len(c.pending) > maxPendingPresence {
		half := len(c.pending) / 2
		c.pending = slices.Clone(c.pending[half:])
		c.dropped += half
	}
}

// writePresence writes changes in order. A contact that arrived late may show that a device had not
// gone offline; writePresence then removes that change.
func (s *StatusStore) writePresence(ctx context.Context, tx bun.IDB, changes []StatusChange) error {
	rows := make([]presenceRow, 0, len(changes))
	for _, c := range changes {
		if s.registry.Get(c.ID) == nil {
			continue // deleted meanwhile
		}
		if c.Since < c.At {
			rows = slices.DeleteFunc(rows, func(r presenceRow) bool { return r.DeviceID == c.ID && r.Time >= c.Since })
			_, err := tx.NewDelete().Model((*presenceRow)(nil)).
				Where("c.tenant_id = ? AND c.device_id = ? AND c.time >= ?", c.Tenant, c.ID, c.Since).Exec(ctx)
			if err != nil {
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

// trimPresence removes all presence changes of a device but the newest presenceRowsKept.
func trimPresence(ctx context.Context, tx bun.IDB, ref Ref) error {
	newest := tx.NewSelect().Model((*presenceRow)(nil)).Column("id").
		Where("c.tenant_id = ? AND c.device_id = ?", ref.Tenant, ref.ID).
		OrderExpr("c.time DESC, c.id DESC").Limit(presenceRowsKept)
	_, err := tx.NewDelete().Model((*presenceRow)(nil)).
		Where("c.tenant_id = ? AND c.device_id = ?", ref.Tenant, ref.ID).
		Where("c.id NOT IN (?)", newest).Exec(ctx)
	return err
}

// sweepPresence removes the changes that are past their retention at now, and trims the devices in
// overfull.
func (s *StatusStore) sweepPresence(ctx context.Context, tx bun.IDB, now time.Time, overfull []ID) error {
	_, err := tx.NewDelete().Model((*presenceRow)(nil)).Where("c.time < ?", presenceCutoff(now)).Exec(ctx)
	if err != nil {
		return err
	}
	for _, id := range overfull {
		e := s.registry.Get(id)
		if e == nil {
			continue // deleted meanwhile, and its presence changes with it
		}
		if err := trimPresence(ctx, tx, e.Ref); err != nil {
			return err
		}
	}
	clear(s.sinceTrim)
	return nil
}

// overfullDevices gives the devices with more than presenceRowsKept presence changes on disk.
func (s *StatusStore) overfullDevices(ctx context.Context) (ids []ID, err error) {
	err = s.db.Read(ctx).NewSelect().Model((*presenceRow)(nil)).Column("device_id").
		Group("device_id").Having("COUNT(*) > ?", presenceRowsKept).Scan(ctx, &ids)
	return ids, err
}

// presenceCutoff is the earliest time, in epoch ms, of which presence changes are kept.
func presenceCutoff(now time.Time) int64 { return now.UnixMilli() - presenceRetentionDays*dayMillis }

// PresenceHistory gives a page of the presence changes of a tenant's device, newest first, and how
// many are kept in all. It includes every change that screens have been sent.
func (s *StatusStore) PresenceHistory(
	ctx context.Context,
	t tenant.ID,
	id ID,
	offset, limit int64,
) ([]PresenceChange, int64, error) {
	if s.presenceLog.hasPending(id) {
		// If the changes cannot be written, those on disk can still be read.
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
	return list, total, wrap("read presence history", err)
}
