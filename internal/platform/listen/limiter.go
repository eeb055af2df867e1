// Package listen accepts connections for every listener of the process. It never accepts more than
// the file descriptors that are left beside those for files, it keeps accepting after an accept has
// failed, and it gives a connection from a load balancer the address of the client that the
// balancer names.
package listen

import (
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"
)

const (
	// readyAfter is how long no connection may have been held up before the limiter is ready again.
	// It keeps a fluctuating number of connections from making the server ready and unready by
	// turns.
	readyAfter = 10 * time.Second

	logEvery = time.Minute // between log lines about a lasting condition
)

// errFull says that the limit of connections is reached.
var errFull = errors.New("as many connections are open as the limit of open files leaves room for")

// Options configure a Limiter.
type Options struct {
	MaxConnections int // connections at once; 0: any number
	Now            func() time.Time
	Logger         *slog.Logger
}

// Limiter limits the number of open connections and counts what happens to them.
type Limiter struct {
	Options

	mu               sync.Mutex
	changed          *sync.Cond
	open             int       // connections, and listeners that wait in accept
	waitingListeners int       // listeners that wait for room
	lastHeldUp       time.Time // when a connection was last held up
	lastErr          error     // by what
	acceptFailures   uint64    // how often accepting a connection failed
	badHeaders       uint64    // connections from balancers without a valid header

	troubleLog, badHeaderLog logLimiter
}

// NewLimiter makes a limiter without listeners.
func NewLimiter(o Options) *Limiter {
	r := &Limiter{Options: o}
	r.changed = sync.NewCond(&r.mu)
	return r
}

// Stats are the statistics of a limiter.
type Stats struct {
	Open           int    // open connections
	MaxConnections int    // how many there may be; 0: any number
	Failed         uint64 // failed accepts
	BadHeaders     uint64 // connections from balancers that began without a valid PROXY header
}

// Stats returns the current statistics.
func (r *Limiter) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Stats{Open: r.open, MaxConnections: r.MaxConnections, Failed: r.acceptFailures, BadHeaders: r.badHeaders}
}

// Ready is nil while connections can be accepted and none was held up lately. Otherwise its error
// gives the reason, fit for strangers.
func (r *Limiter) Ready() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waitingListeners == 0 && (r.lastErr == nil || r.Now().Sub(r.lastHeldUp) >= readyAfter) {
		return nil
	}
	return errors.New("not every connection can be taken in: " + publicError(r.lastErr))
}

// NoteRejected notes that a server rejected an accepted connection for lack of room, with the
// server's reason.
func (r *Limiter) NoteRejected(listener string, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.noteHeldUp(listener, why)
}

// noteHeldUp remembers why a connection was held up, and logs it from time to time. Callers hold
// the lock.
func (r *Limiter) noteHeldUp(listener string, why error) {
	now := r.Now()
	r.lastHeldUp, r.lastErr = now, why
	if times := r.troubleLog.due(now); times > 0 {
		r.Logger.Warn(
			"connections wait or are turned away, since there is no room for more: "+
				"raise the limit of open files if this is no attack",
			"listener", listener, "error", why, "times", times, "open", r.open, "most", r.MaxConnections,
		)
	}
}

// acquire waits until there is room for one more connection, beside the room that is reserved for
// other listeners. It returns false if the listener is closed.
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

// release ends the place of a connection.
func (r *Limiter) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
	if r.waitingListeners > 0 {
		r.changed.Broadcast()
	}
}

// logLimiter logs a lasting condition once in logEvery.
type logLimiter struct {
	loggedAt time.Time
	times    int
}

// due counts one occurrence. It returns 0, or, if it is time to log, the number of occurrences
// since the last log line.
func (p *logLimiter) due(now time.Time) (times int) {
	p.times++
	if !p.loggedAt.IsZero() && now.Sub(p.loggedAt) < logEvery {
		return 0
	}
	times = p.times
	p.loggedAt, p.times = now, 0
	return times
}

// publicError is the text of an error without network addresses: strangers see it.
func publicError(err error) string {
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		err = op.Err
	}
	return err.Error()
}
