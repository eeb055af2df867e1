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
	// changeFlushInterval is how soon a device that came or went is on disk, where
	// the lists filter by it.
	changeFlushInterval = time.Second
	// contactFlushInterval is how far the last contact may be behind on disk; the
	// contract allows ten seconds.
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

// StatusStore writes contact and intake behind, so that a message costs no
// database transaction.
type StatusStore struct {
	db             *db.DB
	registry       *Registry
	presence       *Presence
	diagnostics    *Diagnostics
	presenceLog    presenceLog
	retentionClock func() time.Time // how far time has come, for what is removed for its age

	flushMu   sync.Mutex // held by who writes; guards what follows
	sinceTrim map[ID]int // comings written since a device's were trimmed
	lastSweep Day        // when what is not kept any more was removed last
}

// NewStatusStore makes a store that writes what presence and diagnostics know.
// until is how far time has come, for what is removed for its age.
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

// Load fills presence and diagnostics after a start. Silence is not counted
// while the server was down: each device that was online gets a fresh
// OfflineAfter, so a restart makes no storm.
func (s *StatusStore) Load(ctx context.Context) error {
	var rows []statusRow
	if err := s.db.Read(ctx).NewSelect().Model(&rows).Scan(ctx); err != nil {
		return err
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
	return s.loadDays(ctx)
}

// Run writes behind until ctx ends, and a last time then.
func (s *StatusStore) Run(ctx context.Context) error {
	tick := time.NewTicker(changeFlushInterval)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return s.Flush(context.WithoutCancel(ctx), true)
		case <-tick.C:
			// A database that cannot be written now is tried again: what was
			// to be written stays marked.
			if err := s.Flush(ctx, n%int(contactFlushInterval/changeFlushInterval) == 0); err != nil {
				s.presence.logger.Error("device status not written", "error", err)
			}
		}
	}
}

// Flush writes the devices that came or went, and when, and, if all is set,
// every contact and intake that is not on disk yet.
func (s *StatusStore) Flush(ctx context.Context, all bool) error {
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	changes, lost := s.presenceLog.takePending()
	if lost > 0 {
		s.presence.logger.Error(
			"comings and goings of devices are lost: the database could not be written for too long",
			"changes",
			lost,
		)
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
		// A device deleted meanwhile has no row to write to.
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
			if _, err := tx.NewInsert().Model(&batch).On("CONFLICT (device_id) DO UPDATE").
				Set(
					"online = EXCLUDED.online, last_contact = EXCLUDED.last_contact, online_time = EXCLUDED.online_time, " +
						"offline_time = EXCLUDED.offline_time, messages = EXCLUDED.messages, value_count = EXCLUDED.value_count, " +
						"refused = EXCLUDED.refused, refusal_time = EXCLUDED.refusal_time, " +
						"refusal_identifier = EXCLUDED.refusal_identifier, refusal_reason = EXCLUDED.refusal_reason, " +
						"clock_ahead = EXCLUDED.clock_ahead",
				).
				Exec(ctx); err != nil {
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

// sweep removes, once a day, what is not kept any more.
func (s *StatusStore) sweep(ctx context.Context) error {
	now := s.retentionClock()
	today := DayOf(now.UnixMilli())
	if s.lastSweep == today {
		return nil
	}
	overfull, err := s.overfullDevices(ctx) // looked for without keeping others from writing
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

// statusRowOf is what is written of a device. All devices are written together, so
// what one of them sent must not keep the others from it.
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

// OfflineSince counts a tenant's devices that are offline and went so at or
// after the given time (epoch milliseconds).
func (s *StatusStore) OfflineSince(ctx context.Context, t tenant.ID, since int64) (int64, error) {
	return s.db.Read(ctx).NewSelect().Model((*statusRow)(nil)).
		Where("tenant_id = ? AND NOT online AND offline_time >= ?", t, since).Count(ctx)
}
