package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/text"
)

const (
	// DefaultRetention is how long entries are kept: three years.
	DefaultRetention = 3 * 365 * 24 * time.Hour

	rowsPerInsert      = 500  // entries per statement
	rowsPerSweep       = 1000 // entries per transaction
	maxPending         = 1000 // actions that wait to be written
	writeRetryInterval = 10 * time.Second
)

type entryRow struct {
	bun.BaseModel `bun:"table:audit_entries,alias:e"`
	ID            int64     `bun:",pk,autoincrement"`
	TenantID      tenant.ID `bun:",nullzero"`
	Time          int64
	Actor         ActorKind
	ActorID       int64
	ActorName     string
	Address       string
	Request       string
	Kind          string
	Action        string
	ThingID       int64
	ThingName     string
	NameID        int64
	Changes       string // a JSON list of Change
}

// Store keeps the audit log.
type Store struct {
	db        *db.DB
	now       func() time.Time
	retention time.Duration

	maxListed, maxSorted int64

	mu            sync.Mutex
	pending       []pendingAction
	wake          chan struct{} // holds a value while actions wait
	retryInterval time.Duration // how long Run waits after a failed write
}

// NewStore makes a store that keeps entries for retention; now is the server's clock.
func NewStore(d *db.DB, retention time.Duration, now func() time.Time) *Store {
	return &Store{
		db:            d,
		now:           now,
		retention:     retention,
		maxListed:     MaxListed,
		maxSorted:     maxSortedMatches,
		wake:          make(chan struct{}, 1),
		retryInterval: writeRetryInterval,
	}
}

type nameRow struct {
	bun.BaseModel `bun:"table:audit_names,alias:n"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	Folded        string
}

// write inserts an entry for each action; e holds the columns that they share.
func (s *Store) write(ctx context.Context, t tenant.ID, e entryRow, actions []Action) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		for part := range slices.Chunk(actions, rowsPerInsert) {
			names, err := nameIDs(ctx, tx, t, part)
			if err != nil {
				return err
			}
			rows := make([]entryRow, len(part))
			for i := range part {
				d := &part[i]
				r := e
				r.TenantID, r.NameID = t, names[searchText(&d.Thing)]
				r.Kind, r.Action, _ = strings.Cut(d.Name, ".")
				r.ThingID, r.ThingName = d.Thing.ID, d.Thing.Name
				if r.Changes, err = encodeChanges(d.Changes); err != nil {
					return fmt.Errorf("%s: %w", d.Name, err)
				}
				rows[i] = r
			}
			if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	return wrap("write entries", err)
}

// searchText gives the text that a search compares for entries of a thing.
func searchText(t *Thing) string { return text.Fold(strings.TrimSpace(t.Name + "\n" + t.SearchAlias)) }

// nameIDs gives the number of each search text of the actions' things, and inserts those that are
// missing. Entries of the platform are not searched and get none.
func nameIDs(ctx context.Context, tx bun.IDB, t tenant.ID, actions []Action) (map[string]int64, error) {
	ids := make(map[string]int64, len(actions))
	if t == 0 {
		return ids, nil
	}
	var rows []nameRow
	for i := range actions {
		folded := searchText(&actions[i].Thing)
		if _, there := ids[folded]; !there {
			ids[folded] = 0
			rows = append(rows, nameRow{TenantID: t, Folded: folded})
		}
	}
	// The update changes nothing: it makes the database return the number of each row.
	_, err := tx.NewInsert().Model(&rows).
		On("CONFLICT (tenant_id, folded) DO UPDATE").Set("folded = EXCLUDED.folded").
		Returning("id, folded").Exec(ctx)
	for i := range rows {
		ids[rows[i].Folded] = rows[i].ID
	}
	return ids, err
}

// encodeChanges gives changes as the database stores them. An empty value counts as none, and a
// change from none to none is omitted.
func encodeChanges(changes []Change) (string, error) {
	list := make([]Change, 0, len(changes))
	for _, c := range changes {
		before, err := marshal(c.Field, c.Before)
		if err != nil {
			return "", err
		}
		after, err := marshal(c.Field, c.After)
		if err != nil {
			return "", err
		}
		if c.Hidden || before != nil || after != nil {
			stored := Change{Field: c.Field, Before: nilIfEmpty(before), After: nilIfEmpty(after), Hidden: c.Hidden}
			list = append(list, stored)
		}
	}
	raw, err := json.Marshal(list)
	return string(raw), err
}

// pendingAction is an action that waits to be written.
type pendingAction struct {
	scope  actorScope
	at     int64
	tenant tenant.ID
	action Action
}

// enqueue adds an action to those that wait.
func (s *Store) enqueue(w pendingAction) {
	s.updatePending(func(pending []pendingAction) []pendingAction { return append(pending, w) })
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// updatePending changes the list of waiting actions and drops the oldest beyond maxPending: a
// client that causes so many actions has left enough entries.
func (s *Store) updatePending(change func(pending []pendingAction) []pendingAction) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = change(s.pending)
	s.pending = s.pending[max(0, len(s.pending)-maxPending):]
}

// Run writes waiting actions until ctx ends, and the rest then.
func (s *Store) Run(ctx context.Context, logger *slog.Logger) error {
	// A failed write must not wait for the next action, which may be hours away: the actions would
	// be lost with the process.
	var again <-chan time.Time
	for {
		select {
		case <-s.wake:
		case <-again:
		case <-ctx.Done():
			return wrap("flush", s.flush(context.WithoutCancel(ctx), logger))
		}
		again = nil
		if err := s.flush(ctx, logger); err != nil && ctx.Err() == nil {
			logger.Error("failed sign-ins are not in the audit log yet", "error", err)
			again = time.After(s.retryInterval)
		}
	}
}

// Flush writes the waiting actions. Those that cannot be written keep waiting.
func (s *Store) Flush(ctx context.Context) error {
	return wrap("flush", s.flush(ctx, slog.New(slog.DiscardHandler)))
}

func (s *Store) flush(ctx context.Context, logger *slog.Logger) error {
	var list []pendingAction
	s.updatePending(func(pending []pendingAction) []pendingAction { list = pending; return nil })
	if len(list) == 0 {
		return nil
	}
	var left []pendingAction
	var failure error // the error of the first action in left
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		for _, w := range list {
			failed, err := inSavepoint(ctx, tx, func() error { return s.writePending(ctx, tx, w, logger) })
			if err != nil {
				return err
			}
			if failed == nil {
				continue
			}
			if left = append(left, w); failure == nil {
				failure = failed
			}
		}
		return nil
	})
	if err != nil {
		left, failure = list, err
	}
	s.updatePending(func(pending []pendingAction) []pendingAction { return append(left, pending...) })
	return failure
}

// writePending writes an action that waited, unless its tenant was deleted meanwhile: then nobody
// is left who could read the entry.
func (s *Store) writePending(ctx context.Context, tx bun.IDB, w pendingAction, logger *slog.Logger) error {
	if w.tenant != 0 {
		there, err := tx.NewSelect().TableExpr("tenants").Where("id = ?", w.tenant).Exists(ctx)
		if err != nil {
			return err
		}
		if !there {
			logger.Debug("the action of a deleted tenant is not written to the audit log",
				"tenant", int64(w.tenant), "action", w.action.Name)
			return nil
		}
	}
	e, err := w.scope.entry(ctx)
	if err != nil {
		return err
	}
	e.Time = w.at
	return s.write(ctx, w.tenant, e, []Action{w.action})
}

// inSavepoint runs a part of a transaction in a savepoint. If the part fails, inSavepoint rolls it
// back and returns its error in failed; the transaction may go on. If err is set, the transaction
// must end.
func inSavepoint(ctx context.Context, tx bun.IDB, part func() error) (failed, err error) {
	if _, err := tx.ExecContext(ctx, "SAVEPOINT apart"); err != nil {
		return nil, err
	}
	if failed = part(); failed != nil {
		if _, err := tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT apart"); err != nil {
			return nil, errors.Join(failed, err)
		}
	}
	_, err = tx.ExecContext(ctx, "RELEASE SAVEPOINT apart")
	return failed, err
}

// Sweep removes the entries past their retention at now, and the search texts that only they had.
func (s *Store) Sweep(ctx context.Context, now time.Time) error {
	oldest := now.Add(-s.retention).UnixMilli()
	for swept := int64(0); ; {
		var removed int64
		err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
			old := tx.NewSelect().Model((*entryRow)(nil)).Column("id").
				Where("e.time < ?", oldest).OrderExpr("e.time").Limit(rowsPerSweep)
			res, err := tx.NewDelete().Model((*entryRow)(nil)).Where("e.id IN (?)", old).Exec(ctx)
			if err != nil {
				return err
			}
			if removed, err = res.RowsAffected(); err != nil || removed == rowsPerSweep || swept+removed == 0 {
				return err
			}
			used := tx.NewSelect().Model((*entryRow)(nil)).ColumnExpr("1").
				Where("e.tenant_id = n.tenant_id AND e.name_id = n.id")
			_, err = tx.NewDelete().Model((*nameRow)(nil)).Where("NOT EXISTS (?)", used).Exec(ctx)
			return err
		})
		if swept += removed; err != nil || removed < rowsPerSweep {
			return wrap("sweep", err)
		}
	}
}
