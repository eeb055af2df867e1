package torture

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tilth/internal/tools/pgpair"
)

const (
	slowDelay = 200 * time.Millisecond
	slowFor   = 5 * time.Second
	// copyPatience is how long a lost copy keeps commits waiting, until whoever watches PostgreSQL lets go
	// of it.
	copyPatience = 3 * time.Second
	// aheadFor is how long the primary goes on without its copy, before it is lost.
	aheadFor = 2 * time.Second
)

// leaderCutOff cuts the leader off from PostgreSQL until another leads.
func leaderCutOff(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	place := leader.log.end()
	var late *lateDevice
	err = b.round(ctx, r, func(ctx context.Context) error {
		if late, err = connectLate(ctx, leader.mqtt, b.probe); err != nil {
			return err
		}
		leader.eachProxy((*pgpair.Proxy).Swallow)
		if err := late.publish(); err != nil {
			return err
		}
		_, err := b.awaitLeader(ctx, leader)
		return err
	})
	leader.eachProxy((*pgpair.Proxy).Pass)
	if err != nil {
		return err
	}
	if err := late.expectNoAnswer(); err != nil {
		return fmt.Errorf("%s, connected again after another node took over: %w", leader.name, err)
	}
	return b.awaitAnew(ctx, leader, place)
}

// databaseSlow makes everything between the leader and PostgreSQL later. The leader stays.
func databaseSlow(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	place := leader.log.end()
	err = b.round(ctx, r, func(ctx context.Context) error {
		leader.eachProxy(func(p *pgpair.Proxy) { p.Delay(slowDelay) })
		select {
		case <-time.After(slowFor):
		case <-ctx.Done():
		}
		return ctx.Err()
	})
	leader.eachProxy((*pgpair.Proxy).Pass)
	if err != nil {
		return err
	}
	if now := b.leader(ctx); now != leader || strings.Contains(leader.log.since(place), "begins anew") {
		return fmt.Errorf("%s does not lead any more because PostgreSQL was slow", leader.name)
	}
	return nil
}

// primaryLost kills PostgreSQL's primary and promotes its copy. The limit is what promoting took and the
// limit of taking over.
func primaryLost(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	if err := b.round(ctx, r, func(ctx context.Context) error {
		began := time.Now()
		err := b.pair.Failover(ctx)
		took := time.Since(began)
		r.Limit = took + takeOverLimit
		r.Remark = fmt.Sprintf("killing and promoting took %.2f s", took.Seconds())
		return err
	}); err != nil {
		return err
	}
	return b.pair.NewCopy(ctx)
}

// copyLost kills PostgreSQL's copy. Commits wait, and nobody is answered, until PostgreSQL waits for no
// copy any more.
func copyLost(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	if err := b.round(ctx, r, func(ctx context.Context) error {
		if err := b.pair.Copy().Kill(); err != nil {
			return err
		}
		time.Sleep(copyPatience / 2) // what was under way is answered or waits
		before := b.acks.total()
		time.Sleep(copyPatience / 2)
		if now := b.acks.total(); now != before {
			return fmt.Errorf("%d messages were acknowledged that no copy has", now-before)
		}
		r.Limit = copyPatience + takeOverLimit
		r.Remark = fmt.Sprintf("commits wait; %s later PostgreSQL waits for no copy any more", copyPatience)
		return b.pgExec(ctx, "ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()")
	}); err != nil {
		return err
	}
	if err := b.pgExec(ctx, "ALTER SYSTEM RESET synchronous_standby_names"); err != nil {
		return err
	}
	return b.pair.NewCopy(ctx)
}

// pgExec runs statements at the primary as superuser.
func (b *clusterBed) pgExec(ctx context.Context, statements ...string) error {
	conn, err := b.pair.Primary().Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // the statements have been answered
	for _, s := range statements {
		if _, err := conn.Exec(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// staleCopyPromoted loses a primary whose copy was behind: the database has lost acknowledged readings,
// and the leader puts them back.
func staleCopyPromoted(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	stop := b.publish(ctx) // so that the copy has the table to which the leader writes
	err := b.warmUp(ctx, r)
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	return b.promoteStale(ctx, r, b.pair.DetachCopy)
}

// staleCopyWithoutTable is the same with a copy that lacks a table of the log: the leader began it since.
func staleCopyWithoutTable(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	return b.promoteStale(ctx, r, func(ctx context.Context) error {
		// The next leader makes its table with the first entry.
		return errors.Join(b.handOver(ctx), b.pair.DetachCopy(ctx))
	})
}

// staleCopyOfFormerEpoch is the same with a copy on which another node led.
func staleCopyOfFormerEpoch(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	return b.promoteStale(ctx, r, func(ctx context.Context) error {
		return errors.Join(b.pair.DetachCopy(ctx), b.handOver(ctx))
	})
}

// promoteStale detaches the copy, lets the primary go on under load, kills it, and promotes the copy.
func (b *clusterBed) promoteStale(ctx context.Context, r *ClusterRow, detach func(ctx context.Context) error) error {
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	if err := b.awaitAllMails(ctx, leader); err != nil {
		return err
	}
	if err := detach(ctx); err != nil {
		return err
	}
	alarms := b.world.alarms.alarms
	places := map[*clusterNode]int{}
	for _, n := range b.nodes {
		places[n] = n.log.end()
	}
	err = b.round(ctx, r, func(ctx context.Context) error {
		time.Sleep(aheadFor)
		began := time.Now()
		err := b.pair.Failover(ctx)
		r.Limit = time.Since(began) + takeOverLimit
		return err
	})
	if err != nil {
		return err
	}
	// The database has forgotten which mails were sent meanwhile.
	r.InFlight += (b.world.alarms.alarms - alarms) * b.world.alarms.messagesPerAlarm
	if err := b.pair.NewCopy(ctx); err != nil {
		return err
	}
	const mended = "the database had lost readings, which this node has put back"
	for _, n := range b.nodes {
		if strings.Contains(n.log.since(places[n]), mended) {
			r.Remark = n.name + " has put readings back"
			return nil
		}
	}
	return fmt.Errorf("%w: no node says that it has put readings back", errBroken)
}
