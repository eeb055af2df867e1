package device

import (
	"context"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
)

const (
	// changeFlushInterval is how often presence changes are written to disk, where the lists filter
	// by them.
	changeFlushInterval = time.Second
	// contactFlushInterval is how far the last contact on disk may lag; the contract allows ten
	// seconds.
	contactFlushInterval = 8 * time.Second
	// rowsPerStatement is well below SQLite's limit of variables.
	rowsPerStatement = 500
)

type statusRow struct {
	bun.BaseModel     `bun:"table:device_status"`
	DeviceID          ID `bun:",pk"`
	TenantID          tenant.ID
	Online            bool
	LastContact       int64
	OnlineTime        int64
	OfflineTime       int64
	Messages          int64
	ValueCount        int64
	Refused           int64
	RefusalTime       int64
	RefusalIdentifier string
	RefusalReason     Reason
	ClockAhead        int64
}

// StatusStore writes contact and intake to the database periodically, so that a message costs no
// transaction.
type StatusStore struct {
	db             *db.DB
	registry       *Registry
	presence       *Presence
	diagnostics    *Diagnostics
	presenceLog    presenceLog
	retentionClock func() time.Time // the time that retention is measured by

	flushMu   sync.Mutex // held while writing; guards the fields below
	sinceTrim map[ID]int // presence changes written since the device's were last trimmed
	lastSweep Day        // the day of the last sweep
}

// NewStatusStore makes a store that writes the state of presence and diagnostics. retentionClock is
// the time that retention is measured by.
func NewStatusStore(d *db.DB, r *Registry, p *Presence, g *Diagnostics, retentionClock func() time.Time) *StatusStore {
	s := &StatusStore{
		db:             d,
		registry:       r,
		presence:       p,
		diagnostics:    g,
		retentionClock: retentionClock,
		sinceTrim:      map[ID]int{},
	}
	p.OnChange(s.presenceLog.add)
	p.OnBackfillChange(s.presenceLog.add)
	return s
}

// Load fills presence and diagnostics after a start. The downtime of the server does not count as
// silence: each device that was online gets a fresh OfflineAfter, so a restart takes no device
// offline.
func (s *StatusStore) Load(ctx context.Context) error {
	var rows []statusRow
	if err := s.db.Read(ctx).NewSelect().Model(&rows).Scan(ctx); err != nil {
		return wrap("load status", err)
	}
	for _, r := range rows {
		ref := Ref{Tenant: r.TenantID, ID: r.DeviceID}
		s.presence.restore(ref, Status{
			Online: r.Online, LastContact: r.LastContact, OnlineTime: r.OnlineTime, OfflineTime: r.OfflineTime,
		})
		s.diagnostics.restore(ref, Intake{
			Messages: r.Messages, Values: r.ValueCount, Refused: r.Refused,
			LastRefusal: Refusal{Time: r.RefusalTime, Identifier: r.RefusalIdentifier, Reason: r.RefusalReason},
			ClockAhead:  time.Duration(r.ClockAhead) * time.Millisecond,
		})
	}
	return wrap("load status", s.loadDays(ctx))
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
			// The next tick tries again: a failed flush leaves its rows marked.
			if err := s.Flush(ctx, n%int(contactFlushInterval/changeFlushInterval) == 0); err != nil {
				s.presence.logger.Error("device status not written", "error", err)
			}
		}
	}
}

// Flush writes the presence changes and the status of the devices that changed; if all is set, also
// every contact and intake that is not on disk yet.
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
	ids := s.presence.takeChanged(all)
	if all {
		for id := range s.diagnostics.takeDirty() {
			ids[id] = struct{}{}
		}
	}
	rows := make([]statusRow, 0, len(ids))
	var days []dayRow
	for id := range ids {
		// A device that was deleted meanwhile gets no row.
		if e := s.registry.Get(id); e != nil {
			rows = append(rows, s.statusRowOf(e.Ref))
			days = append(days, s.dayRows(e.Ref)...)
		}
	}
	if len(rows) == 0 && len(changes) == 0 {
		s.presenceLog.markWritten()
		return s.sweep(ctx)
	}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		for start := 0; start < len(rows); start += rowsPerStatement {
			batch := rows[start:min(start+rowsPerStatement, len(rows))]
			_, err := tx.NewInsert().Model(&batch).On("CONFLICT (device_id) DO UPDATE").
				Set("online = EXCLUDED.online, last_contact = EXCLUDED.last_contact, " +
					"online_time = EXCLUDED.online_time, offline_time = EXCLUDED.offline_time, " +
					"messages = EXCLUDED.messages, value_count = EXCLUDED.value_count, refused = EXCLUDED.refused, " +
					"refusal_time = EXCLUDED.refusal_time, refusal_identifier = EXCLUDED.refusal_identifier, " +
					"refusal_reason = EXCLUDED.refusal_reason, clock_ahead = EXCLUDED.clock_ahead").
				Exec(ctx)
			if err != nil {
				return err
			}
		}
		if err := writeDays(ctx, tx, days); err != nil {
			return err
		}
		return s.writePresence(ctx, tx, changes)
	})
	if err != nil {
		s.presence.markChanged(ids)
		s.presenceLog.putBack(changes)
		return err
	}
	s.presenceLog.markWritten()
	s.markDaysSaved(days)
	return s.sweep(ctx)
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

// statusRowOf makes a device's row. One statement writes many devices, so a text that one of them
// sent must not make it fail.
func (s *StatusStore) statusRowOf(ref Ref) statusRow {
	st, in := s.presence.Status(ref.Tenant, ref.ID), s.diagnostics.Get(ref.Tenant, ref.ID)
	return statusRow{
		DeviceID:          ref.ID,
		TenantID:          ref.Tenant,
		Online:            st.Online,
		LastContact:       st.LastContact,
		OnlineTime:        st.OnlineTime,
		OfflineTime:       st.OfflineTime,
		Messages:          in.Messages,
		ValueCount:        in.Values,
		Refused:           in.Refused,
		RefusalTime:       in.LastRefusal.Time,
		RefusalIdentifier: SanitizeText(in.LastRefusal.Identifier),
		RefusalReason:     in.LastRefusal.Reason,
		ClockAhead:        in.ClockAhead.Milliseconds(),
	}
}

// OfflineSince counts a tenant's devices that are offline and went offline at or after since (epoch
// milliseconds).
func (s *StatusStore) OfflineSince(ctx context.Context, t tenant.ID, since int64) (int64, error) {
	n, err := s.db.Read(ctx).NewSelect().Model((*statusRow)(nil)).
		Where("tenant_id = ? AND NOT online AND offline_time >= ?", t, since).Count(ctx)
	return n, wrap("count offline", err)
}
