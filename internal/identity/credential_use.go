package identity

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/uptrace/bun"
)

// usesEvery is how often the times of last use are written.
const usesEvery = time.Minute

// uses are the times of last use that are not in the database yet: a program
// asks many times a second, and none of that should wait for the disk.
type uses struct {
	mu sync.Mutex
	at map[int64]int64 // epoch milliseconds by credential
}

func (u *uses) note(id, at int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.at[id] = max(u.at[id], at)
}

// last is when a credential was used since the last writing; 0: not at all.
func (u *uses) last(id int64) int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.at[id]
}

func (u *uses) all() map[int64]int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	copied := make(map[int64]int64, len(u.at))
	for id, at := range u.at {
		copied[id] = at
	}
	return copied
}

// written forgets what is in the database now, but not what came since.
func (u *uses) written(was map[int64]int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for id, at := range was {
		if u.at[id] == at {
			delete(u.at, id)
		}
	}
}

// Run writes the times of last use behind until ctx ends, and a last time then.
func (s *CredentialStore) Run(ctx context.Context, log *slog.Logger) error {
	tick := time.NewTicker(usesEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return s.Flush(context.WithoutCancel(ctx))
		case <-tick.C:
			// A database that cannot be written now is tried again: what was to
			// be written is kept.
			if err := s.Flush(ctx); err != nil && ctx.Err() == nil {
				log.Error("last use of credentials not written", "error", err)
			}
		}
	}
}

// Flush writes the times of last use that are not in the database yet.
func (s *CredentialStore) Flush(ctx context.Context) error {
	was := s.uses.all()
	if len(was) == 0 {
		return nil
	}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		for id, at := range was {
			// One deleted meanwhile has no row to write to.
			if _, err := tx.NewUpdate().Model((*credentialRow)(nil)).Set("last_use_time = ?", at).
				Where("c.id = ? AND c.last_use_time < ?", id, at).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.uses.written(was)
	}
	return err
}
