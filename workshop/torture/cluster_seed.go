package torture

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// leaderCannotWrite makes every write of the leader to its files fail, as a full disk does, until another
// leads.
func leaderCannotWrite(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	if err := b.round(ctx, r, func(ctx context.Context) error {
		if err := limitFiles(ctx, leader.cmd.Process, "0"); err != nil {
			return err
		}
		_, err := b.awaitLeader(ctx, leader)
		return err
	}); err != nil {
		return err
	}
	if !leader.runs() {
		// Its service manager starts it again.
		r.Remark = "a limit on files in place of a full disk; the process ends, and is started again"
		return leader.start(ctx)
	}
	r.Remark = "a limit on files in place of a full disk; it stays until it can write again"
	return limitFiles(ctx, leader.cmd.Process, "unlimited")
}

// nodeTooOld starts a node that lacks what the log has dropped. It must say so, and be well again with
// another node's readings.
func nodeTooOld(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	away := b.standbys(leader)[0]
	if err := away.terminate(); err != nil {
		return err
	}
	// What is written now, the node lacks. The next leader begins a new table of the log.
	if err := b.round(ctx, r, func(context.Context) error { return nil }); err != nil {
		return err
	}
	if err := b.yield(ctx, leader); err != nil {
		return err
	}
	if err := b.round(ctx, r, func(context.Context) error { return nil }); err != nil {
		return err
	}
	if err := b.dropOldLog(ctx); err != nil {
		return err
	}
	if err := away.start(ctx); err != nil {
		return err
	}
	if err := away.await(ctx, away.name+" to say that it lacks what the log has dropped", func() (bool, error) {
		trouble, err := away.metric(ctx, "tilth_cluster_trouble")
		if err != nil || trouble == 0 {
			return false, nil //nolint:nilerr // it is starting
		}
		status, err := away.run(ctx, "cluster", "status", "--database-url", b.pair.URL())
		return strings.Contains(status, away.name+" cannot lead"), err
	}); err != nil {
		return err
	}
	if err := away.terminate(); err != nil {
		return err
	}
	began := time.Now()
	if _, err := b.awaitLeader(ctx, nil); err != nil {
		return err
	}
	if err := away.join(ctx, b.balancer, "--again"); err != nil {
		return err
	}
	if err := away.start(ctx); err != nil {
		return err
	}
	if err := b.awaitWhole(ctx); err != nil {
		return err
	}
	r.Remark = fmt.Sprintf("it says so; join --again, and it follows %.1f s later", time.Since(began).Seconds())
	return nil
}

// dropOldLog drops all tables of the log but the newest, as a leader does after --log-keep.
func (b *clusterBed) dropOldLog(ctx context.Context) error {
	conn, err := b.pair.Primary().Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // the statements have been answered
	rows, err := conn.Query(ctx, `DELETE FROM log_tables WHERE shard = 0 AND first_position <
		(SELECT max(first_position) FROM log_tables WHERE shard = 0) RETURNING name`)
	if err != nil {
		return err
	}
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if len(names) == 0 {
		return errors.New("the log has one table only: nothing of it is old")
	}
	for _, name := range names {
		if _, err := conn.Exec(ctx, "DROP TABLE "+name); err != nil {
			return err
		}
	}
	return nil
}

// databaseSetBack sets PostgreSQL back to an earlier time, as an operator does, and begins a new life of
// the log with the readings of the node that led.
func databaseSetBack(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	if err := b.awaitAllMails(ctx, leader); err != nil {
		return err
	}
	if err := b.pair.DetachCopy(ctx); err != nil {
		return err
	}
	stop := b.publish(ctx)
	err = b.warmUp(ctx, r)
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	for _, n := range append(b.standbys(leader), leader) {
		if err := n.terminate(); err != nil {
			return err
		}
	}
	if err := b.pair.Failover(ctx); err != nil { // to what it was when the copy was detached
		return err
	}
	began := time.Now()
	newLife := []string{"cluster", "new-life", "--data-dir", leader.dir, "--database-url", leader.database}
	if _, err := leader.run(ctx, newLife...); err != nil {
		return err
	}
	if err := leader.start(ctx); err != nil {
		return err
	}
	if _, err := b.awaitLeader(ctx, nil); err != nil {
		return err
	}
	took := time.Since(began)
	if err := b.expectOtherLife(ctx, leader); err != nil {
		return err
	}
	if err := b.pair.NewCopy(ctx); err != nil {
		return err
	}
	if err := b.awaitWhole(ctx); err != nil {
		return err
	}
	r.Remark = fmt.Sprintf("new-life, and it leads %.1f s later; the others join --again", took.Seconds())
	stop = b.publish(ctx)
	err = b.warmUp(ctx, r)
	return errors.Join(err, stop())
}

// expectOtherLife starts the other nodes, which must say that the log is another one, and seeds them.
func (b *clusterBed) expectOtherLife(ctx context.Context, leader *clusterNode) error {
	for _, n := range b.nodes {
		if n == leader {
			continue
		}
		if err := n.start(ctx); err != nil {
			return err
		}
		if err := n.await(ctx, n.name+" to say that the log is another one", func() (bool, error) {
			trouble, err := n.metric(ctx, "tilth_cluster_trouble")
			return err == nil && trouble == 1, nil
		}); err != nil {
			return err
		}
		if err := n.terminate(); err != nil {
			return err
		}
		if err := n.join(ctx, b.balancer, "--again"); err != nil {
			return err
		}
		if err := n.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// eachLeads makes every node lead once, and reads everything back from it.
func eachLeads(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	for _, next := range b.nodes {
		leader, err := b.awaitLeader(ctx, nil)
		if err != nil {
			return err
		}
		if leader != next {
			if err := b.makeLead(ctx, r, leader, next); err != nil {
				return err
			}
		}
		if err := b.verifyReadings(ctx, next, r); err != nil {
			return err
		}
	}
	return nil
}

// makeLead makes one node take over from another; the third is away meanwhile.
func (b *clusterBed) makeLead(ctx context.Context, r *ClusterRow, leader, next *clusterNode) error {
	var third *clusterNode
	for _, n := range b.standbys(leader) {
		if n != next {
			third = n
		}
	}
	if err := third.terminate(); err != nil {
		return err
	}
	if err := b.round(ctx, r, func(ctx context.Context) error {
		if err := b.yield(ctx, leader); err != nil {
			return err
		}
		now, err := b.awaitLeader(ctx, leader)
		if err == nil && now != next {
			err = fmt.Errorf("%s leads in place of %s", now.name, next.name)
		}
		return err
	}); err != nil {
		return err
	}
	if err := third.start(ctx); err != nil {
		return err
	}
	return b.awaitWhole(ctx)
}
