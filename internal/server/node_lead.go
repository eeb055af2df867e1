package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"tilth/internal/cluster"
	"tilth/internal/platform/datafolder"
	"tilth/internal/platform/db"
)

const (
	// unconfirmedMost is how long the database may take to confirm an entry of the log before this node
	// says that it is not ready.
	unconfirmedMost = 3 * time.Second
	// flushTimeout is how long a process that begins anew may take to write out its readings.
	flushTimeout = time.Second
)

// errNotAsLeft says that another node has written to the database, or that its failover went to a copy
// that was behind.
var errNotAsLeft = errors.New("cluster: the database is not as this node left it")

// lead runs the server until ctx ends, or this node must not lead any more.
func (n *node) lead(ctx context.Context, term *cluster.Term) error {
	n.base.term = term
	archive := term.NewArchive(n.base.archive)
	n.base.readings.SetArchive(archive) // before anybody erases a device
	d, err := db.OpenPostgresToLead(ctx, n.set.DataDir, n.set.DatabaseURL, term.Epoch())
	if err == nil {
		n.base.db = d
		err = datafolder.CheckKey(ctx, d, n.base.key, n.set.DataDir)
	}
	if err == nil {
		err = n.openClientPorts(ctx) // clients that connect from here on wait until they are served
	}
	if err == nil {
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
		return errors.Join(err, n.closeAll(), archive.Close(), term.End())
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	go n.writeArchive(running, archive)
	done := make(chan error, 1)
	go func() { done <- n.Run(running, nil, nil) }()
	again, yield := false, term.Yield()
	for {
		select {
		case err := <-done: // the stores are closed
			err = errors.Join(
				err,
				archive.Close(),
				n.base.archive.Close(),
				term.End(),
				n.cluster.Close(),
				n.follow.Close(),
			)
			if again {
				err = errors.Join(ErrBeginAnew, err)
			}
			return err
		case <-yield:
			n.logger.Info("cluster: an operator asks this node to hand over")
			again, yield = true, nil // it is asked once
			stop()
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
