package server

import (
	"context"
	"errors"
	"time"

	"tilth/internal/cluster"
	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/db"
)

const (
	// followInterval is how often a standby reads the log.
	followInterval = 100 * time.Millisecond
	// judgedInterval is how often a standby reads how far the log is evaluated, to drop what it needs no
	// more.
	judgedInterval = 15 * time.Second
	// mostLettingPass is how often a node that has more than the log lets the one that led before go
	// first, a second each time. It is generous: with many devices, a process takes a while to begin anew.
	mostLettingPass = 20
	// retryInterval is how long a node that may not lead now waits before it asks again.
	retryInterval = 5 * time.Second
)

// standBy follows the log until this node leads. It returns no term if ctx ended.
func (n *node) standBy(ctx context.Context) (*cluster.Term, error) {
	n.logger.Info(
		"tilth is a standby",
		"version", Version,
		"node", n.set.Cluster.Name,
		"admin", listenAddr(n.adminListener()),
		"data", n.set.DataDir,
	)
	for ctx.Err() == nil {
		term, err := n.tryLead(ctx)
		switch {
		case term != nil:
			return term, nil
		case ctx.Err() != nil:
			continue
		}
		n.noteTrouble(err)
		switch {
		case n.base.readings.Broken() != nil:
			return nil, n.awaitDisk(ctx)
		case needsSeed(err):
			<-ctx.Done() // it says so until somebody does that
		default:
			select {
			case <-time.After(retryInterval):
			case <-ctx.Done():
			}
		}
	}
	return nil, nil
}

// needsSeed reports whether the readings of this node must be replaced by another node's.
func needsSeed(err error) bool {
	for _, is := range []error{reading.ErrGap, reading.ErrDiverged, reading.ErrOtherLife} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}

// awaitDisk waits until the disk of the data folder can be written again.
func (n *node) awaitDisk(ctx context.Context) error {
	if err := n.disk.run(ctx); err != nil {
		return errors.Join(ErrBeginAnew, err)
	}
	return nil
}

// tryLead follows the log until this node has its lock and everything in it.
func (n *node) tryLead(ctx context.Context) (*cluster.Term, error) {
	if err := n.follow.CheckVersion(ctx); err != nil {
		return nil, err
	}
	following, stop := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := n.followLog(following); err != nil {
			stop(err) // a node that does not have the log cannot lead
		}
	}()
	n.catchUp(following)
	term, err := n.cluster.AwaitTerm(following, cluster.AwaitOptions{
		Moves:   n.moves(),
		MayLead: n.mayLead,
		Prepare: func(ctx context.Context) error {
			return db.PrepareCluster(ctx, n.set.DataDir, n.set.DatabaseURL, n.base.readings.Position() == 0)
		},
		BeginLife: func(mark string) (uint64, error) {
			return n.base.readings.Position(), n.base.readings.BeginLife(mark)
		},
	})
	if cause := context.Cause(following); err != nil && cause != nil {
		err = cause
	}
	stop(nil)
	<-done
	if err != nil {
		return nil, err
	}
	mended, err := n.base.readings.Lead(ctx, term)
	if err != nil {
		return nil, errors.Join(err, term.End())
	}
	if mended != (reading.Mended{}) {
		n.logger.Warn(
			"cluster: the database had lost readings, which this node has put back: its failover went to a copy that was "+
				"behind. What people changed meanwhile is lost; see docs/cluster.md",
			"from",
			mended.From,
			"to",
			mended.To,
		)
	}
	term.Leads()
	n.clearTrouble()
	return term, nil
}

// followLog applies the log, and drops what is evaluated, until ctx ends.
func (n *node) followLog(ctx context.Context) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan struct{}, 2)
	go func() {
		defer func() { ended <- struct{}{} }()
		n.trimJudged(running)
	}()
	go func() {
		defer func() { ended <- struct{}{} }()
		// Its own errors are logged and retried.
		_ = n.base.readings.Run(running)
	}()
	defer func() {
		stop()
		<-ended
		<-ended
	}()
	for { // a new cluster has no log before somebody leads
		l, changed := n.cluster.Leader()
		if l.Epoch != 0 {
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
	log := n.cluster.Reader()
	defer func() { _ = log.Close() }() // it only reads
	err := n.base.readings.Follow(ctx, log, followInterval)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// catchUp waits until this node has what the log had when it asked, or ctx ends. A node that lacks much
// would otherwise keep everybody waiting when it gets the lock.
func (n *node) catchUp(ctx context.Context) {
	log := n.cluster.Reader()
	defer func() { _ = log.Close() }() // it only reads
	tick := time.NewTicker(followInterval)
	defer tick.Stop()
	var last uint64
	known := false
	for {
		if !known {
			pos, _, err := log.Last(ctx)
			if errors.Is(err, cluster.ErrNoLog) {
				return
			}
			last, known = pos, err == nil
		}
		if known && n.base.readings.Position() >= last {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// trimJudged tells the readings how far the log is evaluated.
func (n *node) trimJudged(ctx context.Context) {
	tick := time.NewTicker(judgedInterval)
	defer tick.Stop()
	positions := alarm.NewPositionStore(n.follow)
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		at, err := positions.Load(ctx)
		if err != nil {
			if ctx.Err() == nil {
				n.logger.Debug("cluster: how far readings are evaluated is not known now", "error", err)
			}
			continue
		}
		n.base.readings.Trim(at)
		n.noteArchived(ctx)
	}
}

// mayLead lets the node that led before go first if the log has lost its end: it alone has everything
// that was acknowledged. It returns why this node must not lead.
func (n *node) mayLead(ctx context.Context, last uint64) error {
	if err := n.follow.CheckVersion(ctx); err != nil {
		return err
	}
	if n.led || last >= n.base.readings.Position() || n.lettingPass >= mostLettingPass {
		n.lettingPass = 0
		return nil
	}
	n.lettingPass++
	return cluster.ErrLater
}
