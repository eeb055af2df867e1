package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"tilth/internal/platform/db"
)

const (
	// watchInterval is how often a standby looks who leads.
	watchInterval = 200 * time.Millisecond
	// silenceInterval is how often it looks whether the leader is alive.
	silenceInterval = time.Second
	// presentInterval is how often a node says that it is there, and presentFor how long that counts.
	presentInterval = 2 * time.Second
	presentFor      = 10 * time.Second
)

// holderQuery finds who holds an advisory lock, and for how long that session has done nothing. A
// session that waits for the copy is active, and not silent. One that waits for its client in the
// middle of a statement is silent.
const holderQuery = `SELECT a.pid, a.backend_start, CASE
		WHEN a.state IS DISTINCT FROM 'active' OR a.wait_event_type = 'Client'
		THEN EXTRACT(EPOCH FROM clock_timestamp() - GREATEST(a.state_change, a.query_start))::float8 ELSE 0 END
	FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
	WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
		AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND l.classid::bigint = ($1::bigint >> 32) AND l.objid::bigint = ($1::bigint & 4294967295)`

// holder is the session that holds a lock.
type holder struct {
	pid    int32
	began  time.Time
	silent time.Duration
}

func findHolder(ctx context.Context, c *pgx.Conn, lock int64) (*holder, error) {
	var h holder
	var seconds float64
	err := c.QueryRow(ctx, holderQuery, lock).Scan(&h.pid, &h.began, &seconds)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	h.silent = time.Duration(seconds * float64(time.Second))
	return &h, err
}

// end ends a session, unless its process number belongs to another one by now.
func (h *holder) end(ctx context.Context, c *pgx.Conn) error {
	const query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start = $2"
	_, err := c.Exec(ctx, query, h.pid, h.began)
	return err
}

// endHolder ends whatever session holds a lock, and waits until it is gone. own is the process number
// of a session of this node that may hold it.
func (n *Node) endHolder(ctx context.Context, lock int64, own uint32) error {
	ctx, cancel := context.WithTimeout(ctx, endingTimeout)
	defer cancel()
	for {
		var h *holder
		err := n.watch.do(ctx, func(ctx context.Context, c *pgx.Conn) (err error) {
			if h, err = findHolder(ctx, c, lock); h == nil || err != nil || uint32(h.pid) == own {
				return err
			}
			return h.end(ctx, c)
		})
		if err != nil || h == nil || uint32(h.pid) == own {
			return wrap("end the former leader's session", err)
		}
		select {
		case <-time.After(5 * time.Millisecond): // PostgreSQL does not say when a session has gone
		case <-ctx.Done():
			return wrap("end the former leader's session", ctx.Err())
		}
	}
}

// Watch follows who leads, says that this node is there, and ends the sessions of a leader that is
// silent for too long, until ctx ends.
func (n *Node) Watch(ctx context.Context) {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	var silence, present time.Time
	told := false
	for {
		now := time.Now()
		lookSilence, say := now.Sub(silence) >= silenceInterval, now.Sub(present) >= presentInterval
		err := n.watch.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
			if err := n.readLeader(ctx, c); err != nil {
				return err
			}
			if say {
				said, err := n.sayPresent(ctx, c)
				if err != nil {
					return err
				}
				if said {
					present = now
				}
				if err := n.readSynchronous(ctx, c); err != nil {
					return err
				}
			}
			if lookSilence && !n.holdsTerm() {
				silence = now
				return n.endSilent(ctx, c)
			}
			return nil
		})
		if err != nil && ctx.Err() == nil && !told {
			n.opts.Logger.Warn("cluster: the database does not answer", "error", err)
		}
		told = err != nil
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// endSilent ends both sessions of a leader that has done nothing for too long, by PostgreSQL's clock.
func (n *Node) endSilent(ctx context.Context, c *pgx.Conn) error {
	h, err := findHolder(ctx, c, logLockID)
	if err == nil {
		n.leader.setLed(h != nil)
	}
	if err != nil || h == nil || h.silent < n.opts.TakeoverAfter {
		return err
	}
	n.opts.Logger.Warn("cluster: the leader is silent; its sessions are ended", "for", h.silent)
	// The writer's first: whoever has the log's lock next finds the writer's free.
	if w, err := findHolder(ctx, c, db.OwnerLockID); err != nil {
		return err
	} else if w != nil {
		if err := w.end(ctx, c); err != nil {
			return err
		}
	}
	return h.end(ctx, c)
}

// holdsTerm reports whether the newest epoch is that of this node.
func (n *Node) holdsTerm() bool {
	l := n.leader.get()
	return l.Local || l.Epoch != 0 && l.Epoch == n.term.Load()
}

// readLeader reads who leads. Whether this node does, its own term says.
func (n *Node) readLeader(ctx context.Context, c *pgx.Conn) error {
	before := n.leader.get()
	var l Leader
	err := c.QueryRow(ctx, "SELECT epoch, leader, address FROM shards WHERE shard = 0").
		Scan(&l.Epoch, &l.Name, &l.Address)
	if errors.Is(asNoLog(err), ErrNoLog) {
		return nil
	}
	// An epoch may be lower than the one before: after a failover to a stale copy.
	if err == nil && l.Epoch != before.Epoch && l.Epoch != n.term.Load() {
		n.leader.replace(before, l)
	}
	return err
}

// readSynchronous reads whether PostgreSQL waits for a copy, which may change at any time.
func (n *Node) readSynchronous(ctx context.Context, c *pgx.Conn) error {
	var names string
	err := c.QueryRow(ctx, "SELECT current_setting('synchronous_standby_names')").Scan(&names)
	if err == nil {
		n.noteSynchronous(names != "")
	}
	return err
}

// noteSynchronous records whether PostgreSQL waits for a copy, and warns whenever it does no more.
func (n *Node) noteSynchronous(yes bool) {
	if n.leader.setSynchronous(yes) {
		n.opts.Logger.Warn(
			"cluster: synchronous_standby_names is empty: what is acknowledged is on one machine only, " +
				"and is lost if that machine is; see docs/cluster.md",
		)
	}
}

// sayPresent records that this node is there, once the first node that leads has made the tables.
func (n *Node) sayPresent(ctx context.Context, c *pgx.Conn) (said bool, err error) {
	if n.leader.get().Epoch == 0 && n.term.Load() == 0 {
		return false, nil
	}
	_, err = c.Exec(ctx, `INSERT INTO nodes (name, address, version, position, trouble, seen_at)
		VALUES ($1, $2, $3, $4, $5, now()) ON CONFLICT (name) DO UPDATE SET address = EXCLUDED.address,
			version = EXCLUDED.version, position = EXCLUDED.position, trouble = EXCLUDED.trouble, seen_at = now()`,
		n.opts.Name, n.opts.Address, n.opts.Version, int64(n.opts.Position()), n.opts.Trouble())
	return err == nil, err
}
