package torture

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// What is promised (docs/cluster.md).
const (
	takeOverLimit = 10 * time.Second // a leader is killed, frozen or cut off
	orderlyLimit  = time.Second      // a leader hands over
	// An orderly end takes twice as long as a kill, on fast machines and on slow ones.
	orderlyPerKill = 4
	unnoticed      = time.Second     // something goes that devices need not notice, but to connect again
	slowLimit      = 4 * time.Second // nobody takes over
)

// clusterFault is one fault of a cluster.
type clusterFault struct {
	name     string
	repeats  bool
	limit    time.Duration
	inFlight int // mails that a round may repeat
	make     func(ctx context.Context, b *clusterBed, r *ClusterRow) error
	remark   string
}

var clusterFaults = []clusterFault{
	{"leader killed", true, takeOverLimit, maxMailsInFlight, leaderKilled, ""},
	{"leader frozen", true, takeOverLimit, maxMailsInFlight, leaderFrozen,
		"thawed, it answers nobody and begins anew as a standby"},
	{"leader ends in order", true, orderlyLimit, 0, leaderTerminated, "SIGTERM"},
	{"leader hands over", true, orderlyLimit, 0, leaderYields, "tilth cluster yield"},
	{"all nodes killed", false, takeOverLimit, maxMailsInFlight, allKilled, "all started again at once"},
	{"standby killed", false, unnoticed, 0, standbyKilled, "nobody is connected to it"},
	{"leader cut off", false, takeOverLimit, maxMailsInFlight, leaderCutOff,
		"from PostgreSQL; connected again, it begins anew as a standby"},
	{"PostgreSQL slow", false, slowLimit, 0, databaseSlow, "200 ms later in each direction, for the leader; it stays"},
	{"leader cannot write", false, takeOverLimit, maxMailsInFlight, leaderCannotWrite, ""},
	{"primary lost", false, takeOverLimit, maxMailsInFlight, primaryLost, ""},
	{"copy lost", false, takeOverLimit, 0, copyLost, ""},
	{"node older than the log", false, unnoticed, 0, nodeTooOld, ""},
	{"stale copy promoted", false, takeOverLimit, maxMailsInFlight, staleCopyPromoted, ""},
	{"stale copy without table", false, takeOverLimit, maxMailsInFlight, staleCopyWithoutTable, ""},
	{"stale copy of former epoch", false, takeOverLimit, maxMailsInFlight, staleCopyOfFormerEpoch, ""},
	{"nodes' disks lost", false, disksLimit, maxMailsInFlight, disksLost, ""},
	{"a standby's disk lost", false, unnoticed, 0, standbyDiskLost, ""},
	{"archive held up", false, unnoticed, 0, archiveHeldUp, ""},
	{"archive damaged", false, orderlyLimit, 0, archiveDamaged, ""},
	{"retention while away", false, orderlyLimit, 0, retentionWhileAway, ""},
	{"database set back", false, 0, 0, databaseSetBack, ""},
	{"each node leads", false, orderlyLimit, 0, eachLeads, "everything is read back from each"},
}

// round is one round of a fault under load: devices publish, a storm of alarms sends mails, and the fault
// comes among them, while another storm is sent. It returns once every device has been answered again.
func (b *clusterBed) round(ctx context.Context, r *ClusterRow, fault func(ctx context.Context) error) (err error) {
	stop := b.publish(ctx)
	defer func() { err = errors.Join(err, stop()) }()
	if err := b.warmUp(ctx, r); err != nil {
		return err
	}
	_, mails := b.world.mail.counts()
	if err := b.storm(ctx); err != nil {
		return err
	}
	if err := b.awaitMails(ctx, mails); err != nil {
		return err
	}
	return b.strike(ctx, r, fault)
}

// warmUp waits until devices have been answered for a while, and measures how often.
func (b *clusterBed) warmUp(ctx context.Context, r *ClusterRow) error {
	if err := b.await(ctx, "the first acknowledgements", func() (bool, error) {
		return b.acks.total() > loadDevices*clusterWindow, nil
	}); err != nil {
		return err
	}
	const measured = time.Second
	before := b.acks.total()
	select {
	case <-time.After(measured):
	case <-ctx.Done():
		return ctx.Err()
	}
	rate := float64(b.acks.total()-before) / measured.Seconds()
	if r.Before == 0 || rate < r.Before {
		r.Before = rate
	}
	return nil
}

// strike makes the fault, with a storm beside it, and waits until every device has been answered.
func (b *clusterBed) strike(ctx context.Context, r *ClusterRow, fault func(ctx context.Context) error) error {
	former, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	resets := b.page.watch()
	b.acks.begin()
	began := time.Now()
	stormed := make(chan error, 1)
	go func() { stormed <- b.storm(ctx) }()
	err = fault(ctx)
	if err == nil {
		b.acks.made()
		err = b.await(ctx, "every device to be answered again", func() (bool, error) { return b.acks.allAfter(), nil })
	}
	if err == nil {
		err = b.awaitPage(ctx, r, began, former, resets)
	}
	f := b.acks.end()
	r.note(&f)
	return errors.Join(err, <-stormed)
}

// awaitPage waits until the page shows what was acknowledged after the longest silence. If another node
// leads, the page must have been told to fetch everything anew.
func (b *clusterBed) awaitPage(
	ctx context.Context,
	r *ClusterRow,
	began time.Time,
	former *clusterNode,
	resets int,
) error {
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	sameLeads := leader == former
	over := b.acks.over()
	err = b.await(ctx, "the page to show readings again", func() (bool, error) {
		first, now := b.page.shownAfter(over)
		if first.IsZero() || !sameLeads && now == resets {
			return false, nil
		}
		r.Page = max(r.Page, first.Sub(began))
		return true, nil
	})
	if first, now := b.page.shownAfter(over); err != nil && !first.IsZero() && now == resets {
		return fmt.Errorf("%w: another node leads, and the page was not told to fetch everything anew", errBroken)
	}
	if err != nil {
		err = fmt.Errorf("%w; %s", err, b.page.lastEndings())
	}
	return err
}

func leaderKilled(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	if err := b.round(ctx, r, func(context.Context) error { return leader.kill() }); err != nil {
		return err
	}
	return leader.start(ctx)
}

func leaderTerminated(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	if err := b.round(ctx, r, func(context.Context) error { return leader.terminate() }); err != nil {
		return err
	}
	return leader.start(ctx)
}

func leaderYields(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	return b.round(ctx, r, func(ctx context.Context) error { return b.handOverFrom(ctx, leader) })
}

// handOver makes another node lead, and waits until all nodes are well.
func (b *clusterBed) handOver(ctx context.Context) error {
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	return errors.Join(b.handOverFrom(ctx, leader), b.awaitWhole(ctx))
}

func (b *clusterBed) handOverFrom(ctx context.Context, leader *clusterNode) error {
	if err := b.yield(ctx, leader); err != nil {
		return err
	}
	_, err := b.awaitLeader(ctx, leader)
	return err
}

// yield asks the leader to hand over. The command runs at another machine as well as at the leader's.
func (b *clusterBed) yield(ctx context.Context, leader *clusterNode) error {
	_, err := b.standbys(leader)[0].run(ctx, "cluster", "yield", "--database-url", b.pair.URL())
	return err
}

// leaderFrozen halts the leader until another leads. What was sent to it meanwhile must not be answered
// when it goes on.
func leaderFrozen(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	place := leader.log.end()
	var late *lateDevice
	if err := b.round(ctx, r, func(ctx context.Context) error {
		if late, err = connectLate(ctx, leader.mqtt, b.probe); err != nil {
			return err
		}
		if err := leader.freeze(ctx); err != nil {
			return err
		}
		if err := late.publish(); err != nil {
			return err
		}
		_, err := b.awaitLeader(ctx, leader)
		return err
	}); err != nil {
		return errors.Join(err, leader.thaw())
	}
	if err := leader.thaw(); err != nil {
		return err
	}
	if err := late.expectNoAnswer(); err != nil {
		return fmt.Errorf("%s, thawed after another node took over: %w", leader.name, err)
	}
	return b.awaitAnew(ctx, leader, place)
}

// awaitAnew waits until a node that led before has begun anew.
func (b *clusterBed) awaitAnew(ctx context.Context, n *clusterNode, place int) error {
	return n.await(ctx, n.name+" to begin anew as a standby", func() (bool, error) {
		return beganAnew(n.log.since(place)) && !n.leads(ctx), nil
	})
}

func allKilled(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	return b.round(ctx, r, func(ctx context.Context) error {
		var errs []error
		for _, n := range b.nodes {
			errs = append(errs, n.cmd.Process.Kill())
		}
		for _, n := range b.nodes {
			<-n.ended
			errs = append(errs, n.launch(ctx))
		}
		for _, n := range b.nodes {
			errs = append(errs, n.awaitStarted(ctx))
		}
		return errors.Join(errs...)
	})
}

func standbyKilled(ctx context.Context, b *clusterBed, r *ClusterRow) error {
	leader, err := b.awaitLeader(ctx, nil)
	if err != nil {
		return err
	}
	standby := b.standbys(leader)[0]
	if err := b.round(ctx, r, func(context.Context) error { return standby.kill() }); err != nil {
		return err
	}
	return standby.start(ctx)
}
