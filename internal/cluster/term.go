package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"tilth/internal/domain/reading"
	"tilth/internal/platform/db"
)

const (
	// beatInterval is how often a leader shows the standbys that it is alive.
	beatInterval = time.Second
	// reconnectWait is how long the leader waits between two attempts to connect again.
	reconnectWait = 100 * time.Millisecond
	// tableAge is how old a table of the log gets before the next one begins.
	tableAge = time.Hour
)

// Term is the time during which a node leads, from the moment it got the lock of the log. It
// implements reading.Log.
//
// Safety comes from the session that holds the lock: every entry is committed through it, so nothing
// can be committed once it has ended. The epoch in each statement covers a session that somebody else
// uses.
type Term struct {
	epoch  atomic.Int64 // 0: this node does not lead yet
	reader *LogReader   // over the session that holds the lock, until this node leads
	node   *Node
	logger *slog.Logger
	moves  func() bool // whether this process gets on with its work

	holds   atomic.Bool // the session holds the lock, as far as is known
	begun   atomic.Bool // this node leads: others than the leader itself read the log
	readers *LogReader  // with a session of its own, for those

	session *session
	writing struct { // guarded by appendMu
		made  bool
		first uint64    // the position from which on the table is used
		since time.Time // when the table was made or found
	}
	appendMu sync.Mutex
	// acknowledged is the newest entry that this term has appended; 0: none.
	acknowledged atomic.Uint64
	began        atomic.Int64 // when the append that is under way began, by process time; 0: none is

	once    sync.Once
	lost    chan struct{} // closed once another node leads, or another log was found
	lostErr error
	yield   chan struct{} // closed once somebody asks this node to hand over
	yields  sync.Once
}

// Epoch is the number of the term. No two terms have the same.
func (t *Term) Epoch() int64 { return t.epoch.Load() }

// Lost is closed once this node must not lead any more; Err says why.
func (t *Term) Lost() <-chan struct{} { return t.lost }

// Err is why Lost is closed.
func (t *Term) Err() error {
	select {
	case <-t.lost:
		return t.lostErr
	default:
		return nil
	}
}

// Yield is closed once an operator has asked the leader to hand over.
func (t *Term) Yield() <-chan struct{} { return t.yield }

func (t *Term) lose(err error) error {
	t.once.Do(func() {
		t.lostErr = err
		close(t.lost)
	})
	return err
}

// Life returns the mark of the log's life and where it began.
func (t *Term) Life(ctx context.Context) (mark string, begin uint64, err error) {
	return t.reader.Life(ctx)
}

// Last returns the newest position of the log and its chain.
func (t *Term) Last(ctx context.Context) (pos, chain uint64, err error) { return t.reader.Last(ctx) }

// After calls fn for the entries after a position; see reading.LogReader.
func (t *Term) After(ctx context.Context, pos uint64, fn func(reading.Entry) error) error {
	if t.begun.Load() {
		// A reader that gives up ends its session, which must not be that of the lock.
		return t.readers.After(ctx, pos, fn)
	}
	return t.reader.After(ctx, pos, fn)
}

// Append writes an entry and returns once PostgreSQL and its copy have it. While the database is away
// it tries again, until ctx ends; then the entry may be in the log or not. It returns
// reading.ErrFenced once another node leads.
func (t *Term) Append(ctx context.Context, e reading.Entry) error {
	t.appendMu.Lock()
	defer t.appendMu.Unlock()
	t.began.Store(int64(time.Since(processStart)))
	defer t.began.Store(0)
	if err := t.Err(); err != nil {
		return err
	}
	first, err := t.tableFor(ctx, e.Position)
	if err != nil {
		return err
	}
	err = t.retry(ctx, "append to the log", func(ctx context.Context, c *pgx.Conn) error {
		return t.insert(ctx, c, first, e)
	})
	if err == nil {
		t.acknowledged.Store(e.Position)
	}
	return err
}

// Waiting is for how long the append that is under way has waited for the database; 0: none is.
func (t *Term) Waiting() time.Duration {
	if began := t.began.Load(); began != 0 {
		return time.Since(processStart) - time.Duration(began)
	}
	return 0
}

// Silent is for how long the database has not answered this term. From TakeoverAfter on another node may
// lead, without this one knowing.
func (t *Term) Silent() time.Duration {
	return time.Since(processStart) - time.Duration(t.session.answered.Load())
}

// processStart is a moment before every append, from which their times are measured.
var processStart = time.Now()

// insert writes an entry. If it is there already, because an earlier attempt ended without an answer,
// insert makes certain that the copy has it: the earlier commit may be on one machine only, but a
// later one is confirmed only with everything before it.
func (t *Term) insert(ctx context.Context, c *pgx.Conn, first uint64, e reading.Entry) error {
	tag, err := c.Exec(ctx, fmt.Sprintf(`INSERT INTO log_0_%d (shard, position, chain, epoch, version, kind, entry)
		SELECT 0, $1, $2, $3, $4, $5, $6 WHERE EXISTS (SELECT FROM shards WHERE shard = 0 AND epoch = $3)
		ON CONFLICT DO NOTHING`, first),
		int64(e.Position), int64(e.Chain), t.Epoch(), int16(entryVersion), int16(e.Kind), e.Body)
	if hasCode(err, undefinedTable) {
		return t.lose(fmt.Errorf("cluster: the database has lost the table %s of the log: "+
			"its failover went to a copy that was behind", tableName(first)))
	}
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 1 {
		return nil
	}
	if err := t.checkEpoch(ctx, c); err != nil {
		return err
	}
	var chain int64
	query := "SELECT chain FROM " + tableName(first) + " WHERE shard = 0 AND position = $1"
	err = c.QueryRow(ctx, query, int64(e.Position)).Scan(&chain)
	if err != nil {
		return err
	}
	if uint64(chain) != e.Chain {
		return t.lose(fmt.Errorf("cluster: the log already has another entry %d: %w", e.Position, reading.ErrFenced))
	}
	return t.confirm(ctx, c)
}

// confirm commits something of no meaning, and so makes certain that the copy has everything before it.
func (t *Term) confirm(ctx context.Context, c *pgx.Conn) error {
	tag, err := c.Exec(ctx, "SELECT "+db.EmptyCommit+" FROM shards WHERE shard = 0 AND epoch = $1", t.Epoch())
	if err == nil && tag.RowsAffected() == 0 {
		return t.fenced()
	}
	return err
}

// tableFor returns the table for a position. A new one begins when the newest is an hour old; entries
// whose end is unknown are repeated in the table that they were first written to.
func (t *Term) tableFor(ctx context.Context, pos uint64) (first uint64, err error) {
	if t.writing.made && time.Since(t.writing.since) < tableAge {
		return t.writing.first, nil
	}
	name := tableName(pos)
	err = t.retry(ctx, "make a table of the log", func(ctx context.Context, c *pgx.Conn) error {
		tx, err := c.Begin(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback(ctx) }() // after a commit there is nothing to undo
		if err := t.checkEpoch(ctx, tx); err != nil {
			return err
		}
		for _, statement := range []string{
			"CREATE TABLE IF NOT EXISTS " + name + ` (
				shard BIGINT NOT NULL, position BIGINT NOT NULL, chain BIGINT NOT NULL, epoch BIGINT NOT NULL,
				version SMALLINT NOT NULL, kind SMALLINT NOT NULL, entry BYTEA NOT NULL,
				PRIMARY KEY (shard, position))`,
			"ALTER TABLE " + name + " ALTER COLUMN entry SET STORAGE EXTERNAL", // not compressed
		} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, `INSERT INTO log_tables (shard, first_position, name, made_at) VALUES (0, $1, $2, now())
			ON CONFLICT DO NOTHING`, int64(pos), name)
		if err != nil {
			return err
		}
		return tx.Commit(ctx)
	})
	if err != nil {
		return 0, err
	}
	t.writing.made, t.writing.first, t.writing.since = true, pos, time.Now()
	return pos, nil
}

// tableName is the name of the table that is used from a position on.
func tableName(first uint64) string { return fmt.Sprintf("log_0_%d", first) }

// rowQuerier is a connection or a transaction.
type rowQuerier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// checkEpoch returns reading.ErrFenced if another node leads.
func (t *Term) checkEpoch(ctx context.Context, c rowQuerier) error {
	var now int64
	if err := c.QueryRow(ctx, "SELECT epoch FROM shards WHERE shard = 0").Scan(&now); err != nil {
		return err
	}
	if now != t.Epoch() {
		return t.fenced()
	}
	return nil
}

func (t *Term) fenced() error {
	return t.lose(fmt.Errorf("cluster: another node has taken over: %w", reading.ErrFenced))
}

// retry runs f until it succeeds, this node is fenced, or ctx ends. f may have taken effect whenever
// it fails.
func (t *Term) retry(ctx context.Context, what string, f func(context.Context, *pgx.Conn) error) error {
	told := false
	for {
		err := t.session.do(ctx, f)
		switch {
		case err == nil:
			if told {
				t.logger.Info("cluster: the database answers again", "to", what)
			}
			return nil
		case t.Err() != nil:
			return t.Err()
		case errors.Is(err, errEnded):
			return wrap(what, err)
		case ctx.Err() != nil:
			return wrap(what, errors.Join(ctx.Err(), err))
		}
		if !told {
			told = true
			t.logger.Warn("cluster: the database does not answer; devices wait", "to", what, "error", err)
		}
		select {
		case <-time.After(reconnectWait):
		case <-ctx.Done():
		case <-t.lost:
		}
	}
}

// Forget drops the tables of which every entry is at or before a position and older than the time for
// which the log is kept. It does so apart from the session of the log, which must never wait for somebody
// who reads a table, such as a dump of the database: such a table is dropped the next time.
func (t *Term) Forget(ctx context.Context, upTo uint64) error {
	return wrap("drop old tables of the log", t.node.watch.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
		// A table ends where the next one begins, and its newest entry is as old as the next table.
		rows, err := c.Query(ctx, `SELECT name FROM (SELECT name,
				lead(first_position) OVER w AS next_first, lead(made_at) OVER w AS next_made
			FROM log_tables WHERE shard = 0 WINDOW w AS (ORDER BY first_position)) AS t
			WHERE next_first <= $1 AND next_made < now() - $2 * interval '1 second'`,
			int64(upTo)+1, t.node.opts.LogKeep.Seconds())
		if err != nil {
			return err
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, name := range names {
			err := pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error { return t.dropTable(ctx, tx, name) })
			if err != nil && !hasCode(err, lockNotAvailable) {
				return err
			}
		}
		return nil
	}))
}

// dropTable drops a table of the log unless somebody is using it.
func (t *Term) dropTable(ctx context.Context, tx pgx.Tx, name string) error {
	if err := t.checkEpoch(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = '200ms'"); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "DROP TABLE IF EXISTS "+name); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "DELETE FROM log_tables WHERE shard = 0 AND name = $1", name)
	return err
}

// beat shows the standbys that this node is alive, for as long as it gets on with its work, until the
// term ends or is lost. It also learns here that another node leads or that it is asked to hand over,
// when no device reports.
func (t *Term) beat(ctx context.Context) {
	tick := time.NewTicker(min(beatInterval, t.node.opts.TakeoverAfter/4))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		case <-t.lost:
			return
		}
		if !t.holds.Load() || !t.moves() {
			continue
		}
		// An append that is under way shows as much.
		_, err := t.session.tryDo(ctx, t.readRequests)
		switch {
		case t.Err() != nil, errors.Is(err, errEnded):
			return
		case err != nil && ctx.Err() == nil:
			t.logger.Warn("cluster: the session of the log failed and is made again", "error", err)
		}
	}
}

// readRequests reads whether another node leads, and whether this one is asked to hand over.
func (t *Term) readRequests(ctx context.Context, c *pgx.Conn) error {
	var now, asked int64
	err := c.QueryRow(ctx, "SELECT epoch, yield_epoch FROM shards WHERE shard = 0").Scan(&now, &asked)
	switch mine := t.Epoch(); {
	case errors.Is(asNoLog(err), ErrNoLog), err == nil && mine == 0:
		return nil // this node has only just got the lock
	case err != nil:
		return err
	case now != mine:
		return t.fenced()
	case asked == mine:
		t.yields.Do(func() { close(t.yield) })
	}
	return nil
}

// End releases the lock: the next node takes over. The term writes nothing afterwards.
func (t *Term) End() error { return errors.Join(t.session.close(), t.readers.Close()) }
