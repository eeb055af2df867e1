package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync/atomic"
	"time"

	"tilth/internal/cluster"
	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/datafolder"
	"tilth/internal/platform/db"
	"tilth/internal/settings"
)

const (
	// followInterval is how often a standby reads the log.
	followInterval = 100 * time.Millisecond
	// judgedInterval is how often a standby reads how far the log is evaluated, to drop what it needs no
	// more.
	judgedInterval = 15 * time.Second
	// unconfirmedMost is how long the database may take to confirm an entry of the log before this node
	// says that it is not ready.
	unconfirmedMost = 3 * time.Second
	// flushTimeout is how long a process that begins anew may take to write out its readings.
	flushTimeout = time.Second
	// mostLettingPass is how often a node that has more than the log lets the one that led before go
	// first, a second each time. It is generous: with many devices, a process takes a while to begin anew.
	mostLettingPass = 20
	// ledVariable tells a process that begins anew that it led.
	ledVariable = "TILTH_NODE_LED"
	// retryInterval is how long a node that may not lead now waits before it asks again.
	retryInterval = 5 * time.Second
)

// ErrBeginAnew ends a node that must not lead any more. The process begins anew as a standby.
var ErrBeginAnew = errors.New("this node does not lead any more; it begins anew as a standby")

// errNotAsLeft says that another node has written to the database, or that its failover went to a copy
// that was behind.
var errNotAsLeft = errors.New("cluster: the database is not as this node left it")

// node is what a server of a cluster has beside its own parts.
type node struct {
	*Server
	base    *foundation
	cluster *cluster.Node
	front   *cluster.Front
	follow  *db.DB // reads the database while another node leads
	isNew   bool   // the database had no tables when this process began

	outer   listeners    // the ports; the local server's listeners are behind the front
	peers   net.Listener // for the other nodes
	address string       // at which they reach this node
	admin   *nodeAdmin

	led         bool // the process before this one led until a moment ago
	lettingPass int  // how often this node has let the one that led before go first

	wired   atomic.Bool   // the local server is made
	broken  chan struct{} // closed once the readings cannot be written
	trouble atomic.Pointer[string]
}

// RunNode runs a server of a cluster until ctx ends: it follows the log of readings and passes
// clients on to the node that leads, until it leads itself. ErrBeginAnew says that the process must begin anew.
func RunNode(ctx context.Context, set *settings.Server, logger *slog.Logger) error {
	s, err := openPorts(ctx, set, logger)
	if err != nil {
		return err
	}
	n := &node{Server: s, broken: make(chan struct{}), led: os.Getenv(ledVariable) != ""}
	if err := os.Unsetenv(ledVariable); err != nil {
		return errors.Join(err, s.listeners.close())
	}
	s.node = n
	if err := n.join(ctx); err != nil {
		if ctx.Err() != nil {
			err = nil // a stop is no failure
		}
		return errors.Join(err, n.closeAll())
	}
	admin := n.serveAdmin()
	defer admin.stop()
	// Watch goes on while this node leads: it says that the node is there, and learns who leads after it.
	watching, stopWatching := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWatching()
	go n.cluster.Watch(watching)
	term, err := n.standBy(ctx)
	if err != nil || term == nil {
		return errors.Join(err, n.closeAll())
	}
	return n.lead(ctx, term)
}

// join opens what a standby needs, and checks that this node belongs to the cluster.
func (n *node) join(ctx context.Context) (err error) {
	n.base = &foundation{}
	if n.base.folder, err = datafolder.LockFolder(n.set.DataDir); err != nil {
		return err
	}
	if err := n.listenForPeers(ctx); err != nil {
		return err
	}
	if n.follow, err = db.OpenPostgresToFollow(n.set.DatabaseURL); err != nil {
		return err
	}
	n.cluster, err = cluster.Join(ctx, cluster.Options{
		DatabaseURL:   n.set.DatabaseURL,
		Name:          n.set.Cluster.Name,
		Address:       n.address,
		Version:       Version,
		TakeoverAfter: n.set.Cluster.TakeoverAfter,
		LogKeep:       n.set.Cluster.LogKeep,
		Logger:        n.logger,
		Position:      func() uint64 { return n.base.readings.Position() },
		Trouble:       n.troubleText,
	})
	if err != nil {
		return err
	}
	if n.isNew, err = n.follow.CheckFolder(ctx, n.set.DataDir); err != nil {
		return err
	}
	if n.base.key, err = datafolder.JoinedKey(n.set.DataDir, n.isNew); err != nil {
		return err
	}
	if err := reading.RefuseNewer(readingsDir(n.set)); err != nil {
		return ExplainDamage(n.set.DataDir, err)
	}
	if err := n.base.openReadings(ctx, n.set, n.logger, func(error) { close(n.broken) }); err != nil {
		return err
	}
	n.disk = newDisk(n.set.DataDir, n.base.readings.Broken, n.refusedWrites, n.logger)
	if err := n.openFront(ctx); err != nil {
		return err
	}
	n.describeProcess(n.isReadyToServe)
	n.describeNode()
	return nil
}

// standBy follows the log until this node leads. It returns no term if ctx ended.
func (n *node) standBy(ctx context.Context) (*cluster.Term, error) {
	n.logger.Info(
		"tilth is a standby",
		"version", Version,
		"node", n.set.Cluster.Name,
		"cluster", n.address,
		"http", listenAddr(n.outer.http),
		"https", listenAddr(n.outer.https),
		"mqtt", listenAddr(n.outer.mqtt),
		"mqtt-tls", listenAddr(n.outer.mqttTLS),
		"admin", listenAddr(n.outer.admin),
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
			<-ctx.Done() // it passes clients on
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

// awaitDisk passes clients on until the disk of the data folder can be written again.
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
	}
}

// lead runs the server until ctx ends, or this node must not lead any more.
func (n *node) lead(ctx context.Context, term *cluster.Term) error {
	n.base.term = term
	d, err := db.OpenPostgresToLead(ctx, n.set.DataDir, n.set.DatabaseURL, term.Epoch())
	if err == nil {
		n.base.db = d
		// Whoever put readings back may have ended before this.
		err = jumpNumbers(ctx, d, n.base.readings)
	}
	if err == nil {
		err = n.build(ctx, n.base)
	}
	if err == nil {
		n.wired.Store(true)
		n.admin.leads.Store(&n.Server.admin.Handler)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = nil // a stop is no failure
		}
		return errors.Join(err, n.closeAll(), term.End())
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- n.Run(running, nil, nil) }()
	again := false
	for {
		select {
		case err := <-done: // the stores are closed
			err = errors.Join(err, term.End(), n.cluster.Close(), n.follow.Close())
			if again {
				err = errors.Join(ErrBeginAnew, err)
			}
			return err
		case <-term.Yield():
			if !again {
				n.logger.Info("cluster: an operator asks this node to hand over")
				again = true
				stop()
			}
		case <-n.broken:
			if term.Err() != nil { // an append was refused for that reason
				return n.endTerm(term)
			}
			// What is committed is in the log. The connections end with the process.
			return errors.Join(ErrBeginAnew, n.Stores.Readings.Broken())
		case <-term.Lost():
			return n.endTerm(term)
		case <-d.TakenOver():
			return errors.Join(n.endTerm(term), errNotAsLeft)
		}
	}
}

// endTerm ends a process that must not lead any more. If the database went back to a stale copy, this node
// has more than the log; the next process puts it back, so it must not be lost with this one.
func (n *node) endTerm(term *cluster.Term) error {
	flushed := make(chan error, 1)
	go func() { flushed <- n.Stores.Readings.Flush() }()
	var err error
	select {
	case err = <-flushed:
	case <-time.After(flushTimeout):
		err = fmt.Errorf("the newest readings are not on disk after %s", flushTimeout)
	}
	return errors.Join(ErrBeginAnew, term.Err(), err, os.Setenv(ledVariable, "1"))
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

// moves reports whether messages that wait for their commit get on: nothing waits, or a batch was
// finished since the last time. While the node starts, nothing can wait.
func (n *node) moves() func() bool {
	var before uint64
	return func() bool {
		if !n.wired.Load() {
			return true
		}
		s := n.Pipeline.Stats()
		moved := s.Waiting == 0 || s.Batches != before
		before = s.Batches
		return moved
	}
}

// sharedFiles are the files that nodes of a cluster have in common; none for a server alone.
func (s *Server) sharedFiles() []string {
	if s.node == nil {
		return nil
	}
	return datafolder.SharedFiles
}

// refusedWrites is how many transactions the database's disk has refused.
func (n *node) refusedWrites() uint64 {
	if !n.wired.Load() {
		return 0
	}
	return n.Stores.DB.StorageFailures()
}

// confirms is nil while the database confirms what this node writes.
func (n *node) confirms() error {
	if waiting := n.base.term.Waiting(); waiting > unconfirmedMost {
		return fmt.Errorf("the database has not confirmed readings for %s; devices wait", waiting.Round(time.Second))
	}
	return nil
}

// noteTrouble records why this node cannot lead, and logs it when it changes.
func (n *node) noteTrouble(err error) {
	text := err.Error()
	if before := n.trouble.Swap(&text); before == nil || *before != text {
		n.logger.Error("cluster: this node cannot lead; it passes clients on", "reason", err)
	}
}

func (n *node) clearTrouble() { n.trouble.Store(nil) }

func (n *node) troubleText() string {
	if t := n.trouble.Load(); t != nil {
		return *t
	}
	return ""
}

// closeAll closes what join opened.
func (n *node) closeAll() error {
	err := n.listeners.close()
	err = errors.Join(err, n.outer.close())
	if n.peers != nil {
		if e := n.peers.Close(); !errors.Is(e, net.ErrClosed) {
			err = errors.Join(err, e)
		}
	}
	if n.cluster != nil {
		err = errors.Join(err, n.cluster.Close())
	}
	if n.follow != nil {
		err = errors.Join(err, n.follow.Close())
	}
	if n.base.folder != nil {
		err = errors.Join(err, n.base.close())
	}
	return err
}
