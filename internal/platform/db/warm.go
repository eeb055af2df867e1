package db

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// Mark is a moment of a PostgreSQL database: whoever read a table then has to read later only the rows that
// were written since. The zero Mark is before everything.
type Mark struct {
	// history identifies the server, the database, its tables and its timeline. After a failover another
	// one goes on, and transactions that were seen may be missing in it: then no mark holds.
	history string
	// oldest is a transaction number: whatever transactions with smaller numbers did was visible.
	oldest string
}

// SameHistory tells whether rows that were read at an earlier mark are still to be found at m, unless they
// were written since.
func (m Mark) SameHistory(earlier Mark) bool {
	return earlier.history != "" && m.history == earlier.history
}

// ReadMark gives the current moment, for what is read afterwards. It is for PostgreSQL only.
func ReadMark(ctx context.Context, q bun.IDB) (m Mark, err error) {
	err = q.QueryRowContext(ctx, `SELECT concat_ws('/',
			(SELECT system_identifier FROM pg_control_system()),
			(SELECT oid FROM pg_database WHERE datname = current_database()),
			(SELECT MAX(version_id) FROM goose_db_version WHERE is_applied),
			left(pg_walfile_name(pg_current_wal_lsn()), 8)),
		pg_snapshot_xmin(pg_current_snapshot())::xid::text`).Scan(&m.history, &m.oldest)
	return m, err
}

// WrittenSince is a condition: a row, of the table or alias of that name, was written since a mark of the
// same history. It may hold for others too.
func (m Mark) WrittenSince(alias string) schema.QueryWithArgs {
	return bun.SafeQuery("age(?.xmin) <= age(?::xid)", bun.Ident(alias), m.oldest)
}

// WarmTable keeps rows of a PostgreSQL table in memory, in the form V by the key K, so that bringing them
// up to date reads only what changed. R is the row's model. It is not safe for concurrent use.
type WarmTable[K comparable, R, V any] struct {
	keys   []string // the columns of the key
	filter func(*bun.SelectQuery) *bun.SelectQuery
	key    func(*R) K
	keep   func(*R) (V, error)

	mark Mark
	rows map[K]V
}

// NewWarmTable makes an empty one. keys are the columns of the key, and key makes it of a row with those
// columns. filter, which may be nil, limits the rows. keep makes what is kept of a row.
func NewWarmTable[K comparable, R, V any](
	keys []string,
	filter func(*bun.SelectQuery) *bun.SelectQuery,
	key func(*R) K,
	keep func(*R) (V, error),
) *WarmTable[K, R, V] {
	if filter == nil {
		filter = func(sel *bun.SelectQuery) *bun.SelectQuery { return sel }
	}
	return &WarmTable[K, R, V]{keys: keys, filter: filter, key: key, keep: keep}
}

// Rows are the rows as of the newest Refresh. Callers do not change the map.
func (w *WarmTable[K, R, V]) Rows() map[K]V { return w.rows }

// Refresh brings the rows up to date. While others write, the rows may be of different moments afterwards,
// which the next Refresh corrects: the last one belongs to whoever alone may write.
func (w *WarmTable[K, R, V]) Refresh(ctx context.Context, q bun.IDB) error {
	// After an error the mark is the former one, so that the next Refresh reads again what this one read.
	if err := w.refresh(ctx, q); err != nil {
		return fmt.Errorf("db: refresh %T: %w", *new(R), err)
	}
	return nil
}

func (w *WarmTable[K, R, V]) refresh(ctx context.Context, q bun.IDB) error {
	now, err := ReadMark(ctx, q) // before the rows: what is written meanwhile is read twice
	if err != nil {
		return err
	}
	since, rows := w.mark, w.rows
	all := !now.SameHistory(since)
	if all {
		w.mark, w.rows, rows = Mark{}, nil, map[K]V{}
	}
	err = w.each(ctx, q, func(sel *bun.SelectQuery) *bun.SelectQuery {
		if all {
			return sel
		}
		return sel.Where("age(?TableAlias.xmin) <= age(?::xid)", since.oldest)
	}, func(r *R) error {
		v, err := w.keep(r)
		rows[w.key(r)] = v
		return err
	})
	if err != nil {
		return err
	}
	if !all {
		if err := w.dropGone(ctx, q); err != nil {
			return err
		}
	}
	w.mark, w.rows = now, rows
	return nil
}

// dropGone drops the rows that the table has no more. The others are complete, so their number tells
// whether there are any.
func (w *WarmTable[K, R, V]) dropGone(ctx context.Context, q bun.IDB) error {
	n, err := w.filter(q.NewSelect().Model((*R)(nil))).Count(ctx)
	if err != nil || int(n) == len(w.rows) {
		return err
	}
	there := make(map[K]struct{}, len(w.rows))
	err = w.each(ctx, q, func(sel *bun.SelectQuery) *bun.SelectQuery { return sel.Column(w.keys...) },
		func(r *R) error { there[w.key(r)] = struct{}{}; return nil })
	if err != nil {
		return err
	}
	maps.DeleteFunc(w.rows, func(k K, _ V) bool { _, is := there[k]; return !is })
	return nil
}

// each calls f for each row of a selection. It decodes row by row: all at once would take twice the
// memory.
func (w *WarmTable[K, R, V]) each(
	ctx context.Context,
	q bun.IDB,
	selected func(*bun.SelectQuery) *bun.SelectQuery,
	f func(*R) error,
) (err error) {
	sel := selected(w.filter(q.NewSelect().Model((*R)(nil))))
	rows, err := sel.Rows(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var r R
		if err := sel.DB().ScanRow(ctx, rows, &r); err != nil {
			return err
		}
		if err := f(&r); err != nil {
			return err
		}
	}
	return rows.Err()
}
