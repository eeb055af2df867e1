package device

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
)

// Trace is what tells, beside its contacts, why a device may be silent.
type Trace struct {
	Gateway ID // the gateway that last reported it; 0: it reports by itself
	Refused RefusedSignIns
}

// RefusedSignIns are the sign-ins of a device that were refused for their secret since its last
// contact before the first of them. Times are epoch milliseconds.
type RefusedSignIns struct {
	Count       int64
	First, Last int64
	Retired     int64 // when the secret of the last one stopped being valid; 0: it never was the device's
}

type traceRow struct {
	bun.BaseModel `bun:"table:device_traces"`
	DeviceID      ID `bun:",pk"`
	TenantID      tenant.ID
	GatewayID     ID
	RefusedCount  int64
	RefusedFirst  int64
	RefusedLast   int64
	SecretRetired int64
}

// TraceStore keeps the Trace of every device in memory and writes it behind, so that neither a
// message nor a refused sign-in costs a transaction.
type TraceStore struct {
	db       *db.DB
	registry *Registry
	presence *Presence
	logger   *slog.Logger

	mu     sync.RWMutex
	traces map[Ref]Trace
	dirty  map[Ref]struct{}
}

// NewTraceStore makes an empty store; Load fills it.
func NewTraceStore(d *db.DB, r *Registry, p *Presence, logger *slog.Logger) *TraceStore {
	return &TraceStore{
		db: d, registry: r, presence: p, logger: logger,
		traces: map[Ref]Trace{}, dirty: map[Ref]struct{}{},
	}
}

// Load reads the traces after a start.
func (s *TraceStore) Load(ctx context.Context) error {
	var rows []traceRow
	if err := s.db.Read(ctx).NewSelect().Model(&rows).Scan(ctx); err != nil {
		return wrap("load traces", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range rows {
		s.traces[Ref{Tenant: r.TenantID, ID: r.DeviceID}] = Trace{
			Gateway: r.GatewayID,
			Refused: RefusedSignIns{
				Count: r.RefusedCount, First: r.RefusedFirst, Last: r.RefusedLast, Retired: r.SecretRetired,
			},
		}
	}
	return nil
}

// Get gives the trace of a tenant's device.
func (s *TraceStore) Get(t tenant.ID, id ID) Trace {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.traces[Ref{Tenant: t, ID: id}]
}

// NoteReporter notes through which gateway a device reported; 0: by itself, as a gateway does that
// names itself.
func (s *TraceStore) NoteReporter(ref Ref, gateway ID) {
	if gateway == ref.ID {
		gateway = 0
	}
	s.mu.RLock()
	same := s.traces[ref].Gateway == gateway
	s.mu.RUnlock()
	if same {
		return // as of nearly every message
	}
	s.change(ref, func(x *Trace) { x.Gateway = gateway })
}

// NoteRefusedSignIn notes that a sign-in of a device was refused at a time (epoch milliseconds).
// retired is when its secret stopped being valid; 0: it never was the device's.
func (s *TraceStore) NoteRefusedSignIn(ref Ref, at, retired int64) {
	contact := s.presence.Status(ref.Tenant, ref.ID).LastContact
	s.change(ref, func(x *Trace) {
		if x.Refused.Last <= contact { // those before the contact do not count any more
			x.Refused = RefusedSignIns{First: at}
		}
		x.Refused.Count++
		x.Refused.Last, x.Refused.Retired = at, retired
	})
}

func (s *TraceStore) change(ref Ref, f func(*Trace)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.traces[ref]
	f(&x)
	s.traces[ref] = x
	s.dirty[ref] = struct{}{}
}

// Run writes periodically until ctx ends, and once more then.
func (s *TraceStore) Run(ctx context.Context) error {
	tick := time.NewTicker(contactFlushInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return s.Flush(context.WithoutCancel(ctx))
		case <-tick.C:
			// The next tick tries again: a failed flush leaves its rows marked.
			if err := s.Flush(ctx); err != nil {
				s.logger.Error("traces of devices not written", "error", err)
			}
		}
	}
}

// Flush writes the traces that are not on disk yet.
func (s *TraceStore) Flush(ctx context.Context) error {
	s.mu.Lock()
	rows := make([]traceRow, 0, len(s.dirty))
	for ref := range s.dirty {
		if s.registry.Get(ref.ID) == nil { // deleted meanwhile
			delete(s.traces, ref)
			continue
		}
		x := s.traces[ref]
		rows = append(rows, traceRow{
			DeviceID: ref.ID, TenantID: ref.Tenant, GatewayID: x.Gateway,
			RefusedCount: x.Refused.Count, RefusedFirst: x.Refused.First, RefusedLast: x.Refused.Last,
			SecretRetired: x.Refused.Retired,
		})
	}
	s.dirty = map[Ref]struct{}{}
	s.mu.Unlock()
	if len(rows) == 0 {
		return nil
	}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		for start := 0; start < len(rows); start += rowsPerStatement {
			batch := rows[start:min(start+rowsPerStatement, len(rows))]
			if _, err := tx.NewInsert().Model(&batch).On("CONFLICT (device_id) DO UPDATE").
				Set("gateway_id = EXCLUDED.gateway_id, refused_count = EXCLUDED.refused_count, " +
					"refused_first = EXCLUDED.refused_first, refused_last = EXCLUDED.refused_last, " +
					"secret_retired = EXCLUDED.secret_retired").Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		for i := range rows {
			s.dirty[Ref{Tenant: rows[i].TenantID, ID: rows[i].DeviceID}] = struct{}{}
		}
	}
	return wrap("flush traces", err)
}

// Forget drops a deleted device.
func (s *TraceStore) Forget(ref Ref) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.traces, ref)
	delete(s.dirty, ref)
}
