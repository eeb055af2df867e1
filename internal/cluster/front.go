// Package cluster makes several machines one Tilth. One node leads: it is a whole server. The
// others follow its log, and pass their clients on to it.
package cluster

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	defaultHold    = 10 * time.Second
	defaultMaxHeld = 10_000
)

// Leader is the node that leads. If Address is empty and Local is false, nobody is known to lead.
type Leader struct {
	Address string // where other nodes reach it
	Epoch   int64  // of its term; each leader has a larger one than the leader before
	Local   bool   // this node leads
}

func (l Leader) known() bool { return l.Local || l.Address != "" }

// FrontOptions configure a Front.
type FrontOptions struct {
	Trust *Trust
	// Leader returns at once who leads, and a channel that is closed when that may have changed. The
	// front calls it for each connection.
	Leader  func() (l Leader, changed <-chan struct{})
	Hold    time.Duration // how long a client waits for a leader; 0: 10 s
	MaxHeld int           // how many connections may wait; 0: 10,000
	Logger  *slog.Logger
	Now     func() time.Time // for the log; nil: time.Now
}

// Front takes the connections of clients at every node. At the node that leads it hands them to
// the local server; elsewhere it connects each to the leader and passes on what both sides send,
// whatever the protocol. While nobody leads, clients wait. What the front has passed on ends as
// soon as somebody else leads, since the former leader answers for nothing any more.
type Front struct {
	o     FrontOptions
	ctx   context.Context // ends with Close
	end   context.CancelFunc
	ports map[string]*frontPort // never changes
	log   frontLog

	running sync.WaitGroup // all goroutines of the front

	handshakes chan struct{} // one for each connection of another node that begins

	spliced, held  atomic.Int64
	ledOn, refused atomic.Uint64

	mu        sync.Mutex
	closed    bool
	listeners map[net.Listener]struct{} // from which the front accepts
	epoch     int64                     // of the leader's term that began last
	term      context.Context           // ends with that term
	endTerm   context.CancelFunc
}

// NewFront makes a front, which watches who leads until Close.
func NewFront(o FrontOptions) *Front {
	if o.Hold == 0 {
		o.Hold = defaultHold
	}
	if o.MaxHeld == 0 {
		o.MaxHeld = defaultMaxHeld
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	f := &Front{
		o:          o,
		ports:      map[string]*frontPort{},
		listeners:  map[net.Listener]struct{}{},
		handshakes: make(chan struct{}, handshakesAtOnce),
		log:        frontLog{logger: o.Logger, now: o.Now},
	}
	f.ctx, f.end = context.WithCancel(context.Background())
	f.term, f.endTerm = context.WithCancel(f.ctx)
	for _, name := range portNames {
		f.ports[name] = newFrontPort(f, name)
	}
	f.running.Go(f.watch)
	return f
}

// FrontStats are the statistics of a front.
type FrontStats struct {
	Spliced int    // connections that are passed on to the leader now
	Held    int    // connections that wait now: for a leader, or for the local server to accept them
	LedOn   uint64 // connections that were passed on to a leader
	Refused uint64 // connections that were closed since no leader took them, or too many waited
}

// Stats returns the current statistics.
func (f *Front) Stats() FrontStats {
	return FrontStats{
		Spliced: int(f.spliced.Load()),
		Held:    int(f.held.Load()),
		LedOn:   f.ledOn.Load(),
		Refused: f.refused.Load(),
	}
}

// Close closes all listeners and cuts all connections: those that wait, those that are passed on,
// those that Dial returned and those that the local servers still have. It returns once everything
// has ended, or with an error when ctx ends.
func (f *Front) Close(ctx context.Context) error {
	f.mu.Lock()
	f.closed = true
	var all []net.Listener
	for ln := range f.listeners {
		all = append(all, ln)
	}
	f.mu.Unlock()
	for _, ln := range all {
		f.closeListener(ln)
	}
	f.end()
	for _, p := range f.ports {
		p.end()
	}
	done := make(chan struct{})
	go func() {
		f.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("cluster: connections are still ending: %w", context.Cause(ctx))
	}
}

// watch notices every change of the leader, even while no client connects.
func (f *Front) watch() {
	for {
		_, _, changed := f.leader()
		select {
		case <-changed:
		case <-f.ctx.Done():
			return
		}
	}
}

// leader returns who leads, a context that ends when another leads, and a channel that is closed
// when that may have changed. It ends the term before if another has begun. Nobody being known to
// lead ends no term: the leader may go on all the same.
func (f *Front) leader() (l Leader, term context.Context, changed <-chan struct{}) {
	f.mu.Lock()
	l, changed = f.o.Leader() // under the lock: nobody may end a newer term with an older answer
	endFormer := func() {}
	if l.Epoch != f.epoch && (l.known() || l.Epoch > f.epoch) {
		endFormer = f.endTerm
		f.epoch = l.Epoch
		f.term, f.endTerm = context.WithCancel(f.ctx)
	}
	term = f.term
	f.mu.Unlock()
	endFormer()
	return l, term, changed
}

// hold counts a connection that begins to wait, unless too many do.
func (f *Front) hold() bool {
	if f.held.Add(1) <= int64(f.o.MaxHeld) {
		return true
	}
	f.held.Add(-1)
	return false
}

// release counts a connection that waits no longer.
func (f *Front) release() { f.held.Add(-1) }
