package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"tilth/internal/platform/db"
)

const (
	// logLockID is the number of the advisory lock of shard 0's log; db.OwnerLockID is the writer's.
	logLockID = db.OwnerLockID<<8 | 1
	// lockTimeout is how long one attempt to get the lock waits. A session that waits for longer would
	// keep PostgreSQL from removing dead rows (its backend_xmin).
	lockTimeout = 5 * time.Second
	// lockMargin is how much longer than that PostgreSQL's answer may take.
	lockMargin = 3 * time.Second
	// failoverPatience is how long a standby waits after the database moved, so that the leader, whose
	// session broke as well, mostly stays.
	failoverPatience = time.Second
	// endingTimeout is how long a session that is ended may take to go.
	endingTimeout = 5 * time.Second
)

// AwaitOptions are what a node does on the way to leading.
type AwaitOptions struct {
	// Moves reports whether this process gets on with its work. If it does not, the others take it for
	// silent.
	Moves func() bool
	// MayLead returns why this node must not lead, now that it could: nil if it may, and ErrLater if it
	// shall ask again in a moment. last is the newest position of the log.
	MayLead func(ctx context.Context, last uint64) error
	// Prepare makes the tables of a database that never belonged to a cluster. It fails if a server that
	// is no node uses it.
	Prepare func(ctx context.Context) error
	// BeginLife makes what this node holds the beginning of a new log, and returns the position at which
	// it begins.
	BeginLife func(mark string) (position uint64, err error)
}

// AwaitTerm waits until this node may lead. It returns an error if ctx ends, or if the database is not one
// that this node can lead on.
//
// The order matters: the lock of the log first, then the epoch, then the end of whatever still holds
// the writer's lock.
func (n *Node) AwaitTerm(ctx context.Context, o AwaitOptions) (*Term, error) {
	t := &Term{
		node:    n,
		logger:  n.opts.Logger,
		moves:   o.Moves,
		lost:    make(chan struct{}),
		yield:   make(chan struct{}),
		readers: n.Reader(),
	}
	t.session = newSession(n.config, t.lockLog)
	t.reader = &LogReader{session: t.session}
	// From the lock on, preparing may take longer than standbys are patient.
	go t.beat(context.WithoutCancel(ctx))
	if err := n.acquire(ctx, t, o); err != nil {
		return nil, errors.Join(err, t.End())
	}
	return t, nil
}

func (n *Node) acquire(ctx context.Context, t *Term, o AwaitOptions) error {
	told := false
	for {
		err := t.session.do(ctx, func(context.Context, *pgx.Conn) error { return nil })
		if err == nil {
			t.holds.Store(true)
			err = n.begin(ctx, t, o)
		}
		if err != nil {
			t.holds.Store(false)
		}
		switch {
		case err == nil, ctx.Err() != nil, errors.Is(err, errUnfit):
			return err
		case !told && !errors.Is(err, ErrLater):
			told = true
			n.opts.Logger.Warn("cluster: cannot ask for the lock of the log; trying again", "error", err)
		}
		// Whatever was done is done again with a new connection. A raised epoch may have been lost.
		t.epoch.Store(0)
		if err := t.session.drop(); err != nil {
			n.opts.Logger.Debug("cluster: closing a connection failed", "error", err)
		}
		select {
		case <-time.After(failoverPatience):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ErrLater lets others lead first, for a moment.
var ErrLater = errors.New("another node shall lead first")

// errUnfit is wrapped by errors that waiting does not resolve.
var errUnfit = errors.New("this node cannot lead")

// lockLog takes the lock of the log for the lifetime of a connection. A node that has led compares the
// epoch before it waits and again behind the lock: its successor may hold the lock for weeks.
func (t *Term) lockLog(ctx context.Context, c *pgx.Conn) error {
	for {
		got, err := t.tryLock(ctx, c)
		if got || err != nil {
			return err
		}
	}
}

// tryLock is one attempt to get the lock. PostgreSQL's answer is waited for only a little longer than it
// may take, since its machine may answer the network while PostgreSQL hangs.
func (t *Term) tryLock(ctx context.Context, c *pgx.Conn) (got bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout+lockMargin)
	defer cancel()
	if t.Epoch() != 0 {
		if err := t.checkEpoch(ctx, c); err != nil {
			return false, err
		}
	}
	if _, err := c.Exec(ctx, fmt.Sprintf("SET lock_timeout = '%dms'", lockTimeout.Milliseconds())); err != nil {
		return false, err
	}
	if _, err := c.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(logLockID)); err != nil {
		if hasCode(err, lockNotAvailable) {
			return false, nil
		}
		return false, err
	}
	if _, err := c.Exec(ctx, "RESET lock_timeout"); err != nil {
		return false, err
	}
	if t.Epoch() != 0 {
		if err := t.checkEpoch(ctx, c); err != nil {
			return false, err
		}
		return true, t.checkEnd(ctx, c)
	}
	return true, nil
}

// checkEnd refuses to go on if the log has lost what was acknowledged, as after a failover of the
// database to a copy that was behind. The process begins anew and puts it back.
func (t *Term) checkEnd(ctx context.Context, c *pgx.Conn) error {
	acknowledged := t.acknowledged.Load()
	if acknowledged == 0 {
		return nil
	}
	last, _, err := readLast(ctx, c)
	if err != nil {
		return err
	}
	if last < acknowledged {
		return t.lose(fmt.Errorf("cluster: the database has lost entries %d to %d of the log: "+
			"its failover went to a copy that was behind", last+1, acknowledged))
	}
	return nil
}

// begin makes this node, which holds the lock, the leader: from here on nothing of an earlier epoch is
// written.
func (n *Node) begin(ctx context.Context, t *Term, o AwaitOptions) error {
	hasShards, err := n.hasShard(ctx, t)
	if err != nil {
		return err
	}
	if hasShards {
		if err := n.askMayLead(ctx, t, o); err != nil {
			return err
		}
	}
	if !hasShards {
		// No node has led on this database. A server that is no node may be using it: it is not ended.
		if err := o.Prepare(ctx); err != nil {
			return fmt.Errorf("%w: %w", errUnfit, err)
		}
		mark := newMark()
		position, err := o.BeginLife(mark)
		if err != nil {
			return fmt.Errorf("%w: %w", errUnfit, err)
		}
		err = t.session.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
			_, err := c.Exec(ctx, `INSERT INTO shards (shard, epoch, leader, address, life, begin_position)
				VALUES (0, 0, '', '', $1, $2)`, mark, int64(position))
			return err
		})
		if err != nil {
			return wrap("begin the log", err)
		}
	}
	err = t.session.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
		var epoch int64
		// By a random number: after a failover to a stale copy, two nodes may raise the same one.
		err := c.QueryRow(ctx, `UPDATE shards SET epoch = epoch + 1 + floor(random() * 1000000)::bigint,
			leader = $1, address = $2 WHERE shard = 0 RETURNING epoch`, n.opts.Name, n.opts.Address).Scan(&epoch)
		t.epoch.Store(epoch)
		n.term.Store(epoch)
		return err
	})
	if err != nil {
		return wrap("raise the epoch", err)
	}
	return n.endHolder(ctx, db.OwnerLockID, t.session.pid.Load())
}

func (n *Node) askMayLead(ctx context.Context, t *Term, o AwaitOptions) error {
	last, _, err := t.reader.Last(ctx)
	if err != nil {
		return err
	}
	err = o.MayLead(ctx, last)
	if err != nil && !errors.Is(err, ErrLater) {
		err = fmt.Errorf("%w: %w", errUnfit, err)
	}
	return err
}

// Leads says that this node leads now: it has everything in the log, and takes clients.
func (t *Term) Leads() {
	t.begun.Store(true)
	o := &t.node.opts
	t.node.leader.set(Leader{Name: o.Name, Address: o.Address, Epoch: t.Epoch(), Local: true})
}

// hasShard reports whether a node has led on the database.
func (n *Node) hasShard(ctx context.Context, t *Term) (has bool, err error) {
	err = t.session.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
		err := c.QueryRow(ctx, "SELECT COUNT(*) > 0 FROM shards WHERE shard = 0").Scan(&has)
		if hasCode(err, undefinedTable) {
			has, err = false, nil
		}
		return err
	})
	return has, wrap("look for a leader", err)
}
