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
	// calm is for how long nothing may have been held up before there counts as
	// room again: a crowd that comes and goes does not make the server ready and not
	// ready by turns.
	calm = 10 * time.Second

	toldEvery = time.Minute // of what goes on
)

// errFull says that there are as many connections as there may be.
var errFull = errors.New("as many connections are open as the limit of open files leaves room for")

// Options say how connections are taken in.
type Options struct {
	Most int // connections at once; 0: any number
	Now  func() time.Time
	Log  *slog.Logger
}

// Room is how many connections there may be, and how it stands with them.
type Room struct {
	Options

	mu      sync.Mutex
	changed *sync.Cond
	open    int       // connections, and listeners that wait for one
	held    int       // listeners that wait for room
	last    time.Time // when something was held up last
	why     error     // by what
	failed  uint64    // how often accepting a connection failed
	strange uint64    // connections of balancers without a right header

	trouble, headers periodic
}

// NewRoom makes a room without listeners.
func NewRoom(o Options) *Room {
	r := &Room{Options: o}
	r.changed = sync.NewCond(&r.mu)
	return r
}

// Figures are those of a room.
type Figures struct {
	Open    int    // connections that are open
	Most    int    // that there may be; 0: any number
	Failed  uint64 // times that accepting one failed
	Strange uint64 // connections of balancers that began without a right PROXY header
}

// Figures tells how it stands.
func (r *Room) Figures() Figures {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Figures{Open: r.open, Most: r.Most, Failed: r.failed, Strange: r.strange}
}

// Ready is nil while connections can be taken in and nobody was held up lately; else
// it says why not, to whomever asks.
func (r *Room) Ready() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held == 0 && (r.why == nil || r.Now().Sub(r.last) >= calm) {
		return nil
	}
	return errors.New("not every connection can be taken in: " + plain(r.why))
}

// Turned notes that a connection was turned away for want of room, for a reason of
// whoever took it in.
func (r *Room) Turned(listener string, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(listener, why)
}

// note remembers what held a connection up, and tells the log now and then. Callers
// hold the lock.
func (r *Room) note(listener string, why error) {
	now := r.Now()
	r.last, r.why = now, why
	if times := r.trouble.tell(now); times > 0 {
		r.Log.Warn("connections wait or are turned away, since there is no room for more: raise the limit of open files if this is no attack",
			"listener", listener, "error", why, "times", times, "open", r.open, "most", r.Most)
	}
}

// enter waits until there is room for one more connection beside those that are kept
// for others; false: the listener was closed.
func (r *Room) enter(l *Listener) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Most > 0 && r.open >= r.Most-l.Kept && !l.closed {
		r.held++
		for r.open >= r.Most-l.Kept && !l.closed {
			r.note(l.Name, errFull)
			r.changed.Wait()
		}
		r.held--
		r.last = r.Now()
	}
	if !l.closed {
		r.open++
	}
	return !l.closed
}

// leave gives a place back.
func (r *Room) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
	if r.held > 0 {
		r.changed.Broadcast()
	}
}

// periodic tells of what happens again and again, once in a while.
type periodic struct {
	told  time.Time
	times int
}

// tell counts one more time; not 0: so often since it was told last, and it is to be
// told now.
func (p *periodic) tell(now time.Time) (times int) {
	p.times++
	if !p.told.IsZero() && now.Sub(p.told) < toldEvery {
		return 0
	}
	times = p.times
	p.told, p.times = now, 0
	return times
}

// plain is an error without where it happened: it is told to strangers.
func plain(err error) string {
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		err = op.Err
	}
	return err.Error()
}
