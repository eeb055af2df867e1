// Package listen takes connections in, for every listener of the process: never
// more than there are file descriptors for beside those of files, on and on
// whatever accepting one fails of, and in the names of those for whom a balancer
// speaks.
package listen

import (
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"
)

const (
	// readyAfter is for how long nothing may have been held up before there counts as
	// room again: a crowd that comes and goes does not make the server ready and not
	// ready by turns.
	readyAfter = 10 * time.Second

	logEvery = time.Minute // of what goes on
)

// errFull says that there are as many connections as there may be.
var errFull = errors.New("as many connections are open as the limit of open files leaves room for")

// Options say how connections are taken in.
type Options struct {
	MaxConnections int // connections at once; 0: any number
	Now            func() time.Time
	Logger         *slog.Logger
}

// Limiter is how many connections there may be, and how it stands with them.
type Limiter struct {
	Options

	mu               sync.Mutex
	changed          *sync.Cond
	open             int       // connections, and listeners that wait for one
	waitingListeners int       // listeners that wait for room
	lastHeldUp       time.Time // when something was held up last
	lastErr          error     // by what
	acceptFailures   uint64    // how often accepting a connection failed
	badHeaders       uint64    // connections of balancers without a right header

	troubleLog, badHeaderLog logLimiter
}

// NewLimiter makes a room without listeners.
func NewLimiter(o Options) *Limiter {
	r := &Limiter{Options: o}
	r.changed = sync.NewCond(&r.mu)
	return r
}

// Stats are those of a room.
type Stats struct {
	Open           int    // connections that are open
	MaxConnections int    // that there may be; 0: any number
	Failed         uint64 // times that accepting one failed
	BadHeaders     uint64 // connections of balancers that began without a right PROXY header
}

// Stats tells how it stands.
func (r *Limiter) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Stats{Open: r.open, MaxConnections: r.MaxConnections, Failed: r.acceptFailures, BadHeaders: r.badHeaders}
}

// Ready is nil while connections can be taken in and nobody was held up lately; else
// it says why not, to whomever asks.
func (r *Limiter) Ready() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waitingListeners == 0 && (r.lastErr == nil || r.Now().Sub(r.lastHeldUp) >= readyAfter) {
		return nil
	}
	return errors.New("not every connection can be taken in: " + publicError(r.lastErr))
}

// NoteRejected notes that a connection was turned away for want of room, for a reason of
// whoever took it in.
func (r *Limiter) NoteRejected(listener string, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.noteHeldUp(listener, why)
}

// noteHeldUp remembers what held a connection up, and tells the log now and then. Callers
// hold the lock.
func (r *Limiter) noteHeldUp(listener string, why error) {
	now := r.Now()
	r.lastHeldUp, r.lastErr = now, why
	if times := r.troubleLog.due(now); times > 0 {
		r.Logger.Warn(
			"connections wait or are turned away, since there is no room for more: raise the limit of open files if this is no attack",
			"listener",
			listener,
			"error",
			why,
			"times",
			times,
			"open",
			r.open,
			"most",
			r.MaxConnections,
		)
	}
}

// acquire waits until there is room for one more connection beside those that are kept
// for others; false: the listener was closed.
func (r *Limiter) acquire(l *Listener) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.MaxConnections > 0 && r.open >= r.MaxConnections-l.ReservedForOthers && !l.closed {
		r.waitingListeners++
		for r.open >= r.MaxConnections-l.ReservedForOthers && !l.closed {
			r.noteHeldUp(l.Name, errFull)
			r.changed.Wait()
		}
		r.waitingListeners--
		r.lastHeldUp = r.Now()
	}
	if !l.closed {
		r.open++
	}
	return !l.closed
}

// release gives a place back.
func (r *Limiter) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
	if r.waitingListeners > 0 {
		r.changed.Broadcast()
	}
}

// logLimiter tells of what happens again and again, once in a while.
type logLimiter struct {
	loggedAt time.Time
	times    int
}

// due counts one more time; not 0: so often since it was told last, and it is to be
// told now.
func (p *logLimiter) due(now time.Time) (times int) {
	p.times++
	if !p.loggedAt.IsZero() && now.Sub(p.loggedAt) < logEvery {
		return 0
	}
	times = p.times
	p.loggedAt, p.times = now, 0
	return times
}

// publicError is an error without where it happened: it is told to strangers.
func publicError(err error) string {
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		err = op.Err
	}
	return err.Error()
}
