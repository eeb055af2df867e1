package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"tilth/internal/domain/reading"
	"tilth/internal/platform/db"
)

const (
	// entryVersion is the version of the entries that this program writes. It reads all up to it.
	entryVersion = 1
	// entriesAtOnce is how many entries one statement reads.
	entriesAtOnce = 256
)

// logTable is one of the tables that hold the log.
type logTable struct {
	first uint64 // the position from which on it is used
	name  string
}

// LogReader reads the log. It implements reading.LogReader.
type LogReader struct {
	session *session
	tables  []logTable // as of the last time, oldest first
}

// OpenLog returns a reader of the log of a database, for a program that is no node.
func OpenLog(address string) (*LogReader, error) {
	config, err := db.ParseClusterAddress(address)
	if err != nil {
		return nil, err
	}
	if err := checkAddress(config); err != nil {
		return nil, err
	}
	return &LogReader{session: newSession(config, nil)}, nil
}

// Life returns the mark of the log's life, and the position after which it began.
func (r *LogReader) Life(ctx context.Context) (mark string, begin uint64, err error) {
	err = r.session.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
		var from int64
		err := c.QueryRow(ctx, "SELECT life, begin_position FROM shards WHERE shard = 0").Scan(&mark, &from)
		begin = uint64(from)
		return err
	})
	return mark, begin, wrap("read the log's life", asNoLog(err))
}

// Last returns the newest position and its chain; the position at which the log's life began, and 0,
// if it has no entries.
func (r *LogReader) Last(ctx context.Context) (pos, chain uint64, err error) {
	err = r.session.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
		pos, chain, err = readLast(ctx, c)
		return err
	})
	return pos, chain, wrap("read the end of the log", asNoLog(err))
}

func readLast(ctx context.Context, c *pgx.Conn) (pos, chain uint64, err error) {
	tables, err := listTables(ctx, c)
	if err != nil {
		return 0, 0, err
	}
	for _, t := range slices.Backward(tables) {
		var p, digest int64
		err := c.QueryRow(ctx, "SELECT position, chain FROM "+t.name+
			" WHERE shard = 0 ORDER BY position DESC LIMIT 1").Scan(&p, &digest)
		if !errors.Is(err, pgx.ErrNoRows) {
			return uint64(p), uint64(digest), err
		}
	}
	var begin int64
	err = c.QueryRow(ctx, "SELECT begin_position FROM shards WHERE shard = 0").Scan(&begin)
	return uint64(begin), 0, err
}

// asNoLog turns the errors of missing tables and rows into ErrNoLog.
func asNoLog(err error) error {
	if hasCode(err, undefinedTable) || errors.Is(err, pgx.ErrNoRows) {
		return ErrNoLog
	}
	return err
}

// After calls fn for the entries after a position, in order, until there are no more. Its error wraps
// reading.ErrGap if the log does not have the next one any more.
func (r *LogReader) After(ctx context.Context, pos uint64, fn func(reading.Entry) error) error {
	for {
		entries, err := r.next(ctx, pos)
		if err != nil {
			return wrap(fmt.Sprintf("read the log after %d", pos), err)
		}
		if len(entries) == 0 {
			return nil
		}
		for _, e := range entries {
			if e.Position != pos+1 {
				return fmt.Errorf("cluster: the log has entry %d after %d: %w", e.Position, pos, reading.ErrGap)
			}
			if err := fn(e); err != nil {
				return err
			}
			pos = e.Position
		}
	}
}

// next reads some entries after a position; none if there are none now.
func (r *LogReader) next(ctx context.Context, pos uint64) (entries []reading.Entry, err error) {
	err = r.session.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
		// The newest table first: that is where a follower's next entry almost always is.
		if n := len(r.tables); n > 0 && r.tables[n-1].first <= pos+1 {
			entries, err = readEntries(ctx, c, r.tables[n-1].name, pos)
			if err != nil || len(entries) > 0 {
				return err
			}
		}
		if r.tables, err = listTables(ctx, c); err != nil {
			return err
		}
		if n := len(r.tables); n == 0 || r.tables[0].first > pos+1 {
			return r.explainMissing(ctx, c, pos)
		}
		for i, t := range r.tables {
			if i+1 < len(r.tables) && r.tables[i+1].first <= pos+1 {
				continue // a later table begins at or before the next entry
			}
			entries, err = readEntries(ctx, c, t.name, pos)
			if err != nil || len(entries) > 0 {
				return err
			}
		}
		return nil
	})
	if hasCode(err, undefinedTable) && len(r.tables) > 0 {
		// A table was dropped between two statements, or the database went back to a time before it. The
		// next call lists the tables anew and tells which.
		r.tables = nil
		return nil, nil
	}
	return entries, err
}

// explainMissing returns an error if the log should have the entry after a position and has no table
// for it.
func (r *LogReader) explainMissing(ctx context.Context, c *pgx.Conn, pos uint64) error {
	var begin int64
	if err := c.QueryRow(ctx, "SELECT begin_position FROM shards WHERE shard = 0").Scan(&begin); err != nil {
		return err
	}
	switch {
	case len(r.tables) > 0:
		return fmt.Errorf("the log begins at %d, entry %d is not in it any more: %w",
			r.tables[0].first, pos+1, reading.ErrGap)
	case uint64(begin) > pos:
		return fmt.Errorf("the log begins after %d, entry %d was never in it: %w", begin, pos+1, reading.ErrGap)
	}
	return nil // nothing was written yet
}

// listTables reads which tables hold the log, oldest first.
func listTables(ctx context.Context, c *pgx.Conn) ([]logTable, error) {
	rows, err := c.Query(ctx, "SELECT first_position, name FROM log_tables WHERE shard = 0 ORDER BY first_position")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (t logTable, err error) {
		var first int64
		err = row.Scan(&first, &t.name)
		t.first = uint64(first)
		return t, err
	})
}

func readEntries(ctx context.Context, c *pgx.Conn, table string, pos uint64) ([]reading.Entry, error) {
	rows, err := c.Query(ctx, "SELECT position, chain, kind, version, entry FROM "+table+
		" WHERE shard = 0 AND position > $1 ORDER BY position LIMIT $2", int64(pos), entriesAtOnce)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e reading.Entry, err error) {
		var at, chain int64
		var kind, version int16
		if err = row.Scan(&at, &chain, &kind, &version, &e.Body); err != nil {
			return e, err
		}
		if version > entryVersion {
			return e, fmt.Errorf("entry %d: %w (%w)", at, ErrNewerNode, db.ErrNewer)
		}
		e.Position, e.Chain, e.Kind = uint64(at), uint64(chain), reading.EntryKind(kind)
		return e, nil
	})
}

// wrap names what failed.
func wrap(what string, err error) error {
	if err != nil {
		return fmt.Errorf("cluster: %s: %w", what, err)
	}
	return nil
}
