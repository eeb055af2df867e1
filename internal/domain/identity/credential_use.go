package identity

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/uptrace/bun"
)

const (
	// usesFlushInterval is how often uses are written.
	usesFlushInterval = time.Minute

	millisPerHour = int64(time.Hour / time.Millisecond)

	// How far back use counts go, and how long uses are kept.
	millisPerDay        = 24 * millisPerHour
	millisPer30Days     = 30 * millisPerDay
	usesRetentionMillis = 31 * millisPerDay
)

// usesRow counts the uses of a credential in one hour.
type usesRow struct {
	bun.BaseModel `bun:"table:credential_hours,alias:h"`
	CredentialID  int64
	Hour          int64 // when it began, epoch milliseconds
	Requests      int64
}

// useKey names a credential and an hour.
type useKey struct{ credential, hour int64 }

// pendingUses holds the uses that are not in the database yet: a program sends many requests a
// second, and none should wait for the disk.
type pendingUses struct {
	mu      sync.Mutex
	lastUse map[int64]int64 // epoch milliseconds, by credential
	counts  map[useKey]int64
}

func newPendingUses() pendingUses {
	return pendingUses{lastUse: map[int64]int64{}, counts: map[useKey]int64{}}
}

func (u *pendingUses) add(id, at int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.lastUse[id] = max(u.lastUse[id], at)
	u.counts[useKey{id, at - at%millisPerHour}]++
}

// lastUseOf gives when a credential was last used since the last flush; 0: not at all.
func (u *pendingUses) lastUseOf(id int64) int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.lastUse[id]
}

func (u *pendingUses) snapshot() (at map[int64]int64, counts map[useKey]int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.lastUse), maps.Clone(u.counts)
}

// markWritten removes the uses that are in the database now, but not those that came since the
// snapshot.
func (u *pendingUses) markWritten(at map[int64]int64, counts map[useKey]int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for id, was := range at {
		if u.lastUse[id] == was {
			delete(u.lastUse, id)
		}
	}
	for key, n := range counts {
		if u.counts[key] -= n; u.counts[key] == 0 {
			delete(u.counts, key)
		}
	}
}

// fillUseCounts sets the use counts of each credential, from the database and from the pending
// uses.
func (s *CredentialStore) fillUseCounts(ctx context.Context, list []Credential) error {
	if len(list) == 0 {
		return nil
	}
	now := s.now().UnixMilli()
	byID := make(map[int64]*Credential, len(list))
	ids := make([]int64, len(list))
	for i := range list {
		byID[list[i].ID], ids[i] = &list[i], list[i].ID
	}
	var rows []struct{ CredentialID, Day, Month int64 }
	err := s.db.Read(ctx).NewSelect().Model((*usesRow)(nil)).ColumnExpr("h.credential_id").
		ColumnExpr("SUM(CASE WHEN h.hour > ? THEN h.requests ELSE 0 END) AS day", now-millisPerDay).
		ColumnExpr("SUM(h.requests) AS month").
		Where("h.credential_id IN (?) AND h.hour > ?", bun.List(ids), now-millisPer30Days).
		GroupExpr("h.credential_id").Scan(ctx, &rows)
	if err != nil {
		return err
	}
	for _, r := range rows {
		byID[r.CredentialID].Uses24h, byID[r.CredentialID].Uses30d = r.Day, r.Month
	}
	_, counts := s.pendingUses.snapshot()
	for key, n := range counts {
		c := byID[key.credential]
		if c == nil {
			continue
		}
		if key.hour > now-millisPerDay {
			c.Uses24h += n
		}
		if key.hour > now-millisPer30Days {
			c.Uses30d += n
		}
	}
	return nil
}

// Run flushes periodically until ctx ends, and once more then.
func (s *CredentialStore) Run(ctx context.Context, logger *slog.Logger) error {
	tick := time.NewTicker(usesFlushInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return s.Flush(context.WithoutCancel(ctx))
		case <-tick.C:
			// The next tick tries again: a failed flush keeps the uses.
			if err := s.Flush(ctx); err != nil && ctx.Err() == nil {
				logger.Error("uses of credentials not written", "error", err)
			}
		}
	}
}

// Flush writes the pending uses to the database, and removes those past their retention.
func (s *CredentialStore) Flush(ctx context.Context) error {
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	at, counts := s.pendingUses.snapshot()
	if len(at) == 0 && len(counts) == 0 {
		return nil
	}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		for id, last := range at {
			// A credential that was deleted meanwhile has no row.
			if _, err := tx.NewUpdate().Model((*credentialRow)(nil)).Set("last_use_time = ?", last).
				Where("c.id = ? AND c.last_use_time < ?", id, last).Exec(ctx); err != nil {
				return err
			}
		}
		for key, n := range counts {
			// Select from the credential's row: one that was deleted meanwhile gets no hours.
			if _, err := tx.NewRaw(`INSERT INTO credential_hours (credential_id, hour, requests)
				SELECT c.id, ?, ? FROM credentials AS c WHERE c.id = ?
								ON CONFLICT (credential_id, hour) DO UPDATE
				SET requests = credential_hours.requests + EXCLUDED.requests`,
				key.hour, n, key.credential).Exec(ctx); err != nil {
				return err
			}
		}
		_, err := tx.NewDelete().Model((*usesRow)(nil)).
			Where("h.hour < ?", s.now().UnixMilli()-usesRetentionMillis).Exec(ctx)
		return err
	})
	if err == nil {
		s.pendingUses.markWritten(at, counts)
	}
	return wrap("flush credential uses", err)
}
