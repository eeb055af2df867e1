// Package memory is the budget of the process' memory: how much there may be, how
// much is in use, and what is refused when it comes near. The kernel ends a process
// that takes more than there is, and everything goes with it; so work is refused
// before, the heaviest first and what devices send last.
package memory

import (
	"log/slog"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// Work is what asks whether there is memory for it.
type Work uint8

// The kinds of work, in the order in which they are refused.
const (
	Heavy  Work = iota // passes over history: long answers, spreadsheets, rehearsals, what is derived anew
	Call               // any other call of somebody who is signed in
	Intake             // what devices send, signing in
	works
)

// WorkNames are the kinds of work, as figures name them.
var WorkNames = [works]string{Heavy: "heavy", Call: "call", Intake: "intake"}

// refuseAtPercent are the shares of the limit from which on a kind of work is refused.
var refuseAtPercent = [works]uint64{Heavy: 80, Call: 92, Intake: 97}

const (
	// sampleEvery is how old a sample may be.
	sampleEvery = 100 * time.Millisecond
	// collectEvery is how often at most a collection is asked for, to tell what is in
	// use from what nobody needs any more; and rests is how many times as long as it
	// took is left to others.
	collectEvery       = time.Second
	collectPauseFactor = 10
)

// RetryAfter is when to try again what was refused.
func (w Work) RetryAfter() time.Duration {
	if w == Heavy {
		return 5 * time.Second
	}
	return 2 * time.Second
}

// Usage is what the process has of the machine's memory, in bytes.
type Usage struct {
	Held    uint64 // in use, or not collected yet
	Garbage uint64 // of it what may be garbage: allocated since the last collection began
}

// Options say how a Gauge works; zero fields take the defaults.
type Options struct {
	Limit   uint64           // bytes; 0: nothing is ever refused
	Read    func() Usage     // default: what the runtime says
	Collect func()           // default: runtime.GC
	Now     func() time.Time // default: time.Now
	Logger  *slog.Logger     // default: discard
}

// Gauge tells whether there is memory for a piece of work. A nil one always says
// so. It is safe for concurrent use, and looks only when somebody asks.
type Gauge struct {
	opts    Options
	refused [works]atomic.Uint64
	inUse   atomic.Uint64 // by the newest sample
	sampled atomic.Int64  // when that was, Unix ns

	mu            sync.Mutex
	collected     time.Time     // when a collection that was asked for ended
	took          time.Duration // it
	reportedShort [works]bool   // as the log knows it
}

// New makes a gauge.
func New(o Options) *Gauge {
	if o.Read == nil {
		o.Read = readRuntime
	}
	if o.Collect == nil {
		o.Collect = runtime.GC
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Gauge{opts: o}
}

// Limit is how many bytes there may be; 0: no limit.
func (g *Gauge) Limit() uint64 { return g.opts.Limit }

// InUse is how many bytes are in use, by a sample of now.
func (g *Gauge) InUse() uint64 {
	g.sample()
	return g.inUse.Load()
}

// Refused is how many pieces of each kind of work were refused, by name.
func (g *Gauge) Refused() map[string]uint64 {
	by := make(map[string]uint64, works)
	for w := range works {
		by[WorkNames[w]] = g.refused[w].Load()
	}
	return by
}

// Refuse tells whether there is too little memory for a piece of work, and counts it
// as refused then.
func (g *Gauge) Refuse(w Work) bool {
	if !g.IsShort(w) {
		return false
	}
	g.refused[w].Add(1)
	return true
}

// IsShort is Short without counting.
func (g *Gauge) IsShort(w Work) bool {
	if g == nil || g.opts.Limit == 0 {
		return false
	}
	g.sample()
	return over(w, g.inUse.Load(), g.opts.Limit)
}

func over(w Work, inUse, limit uint64) bool { return inUse >= limit/100*refuseAtPercent[w] }

// sample looks how much is in use, unless that was done just now. Whoever asks
// while another looks goes by the sample before.
func (g *Gauge) sample() {
	now := g.opts.Now()
	if now.UnixNano()-g.sampled.Load() < int64(sampleEvery) || !g.mu.TryLock() {
		return
	}
	defer g.mu.Unlock()
	u := g.opts.Read()
	inUse := u.Held
	if over(Heavy, inUse, g.opts.Limit) && g.opts.Limit > 0 {
		// Most of it may be garbage, which is let grow up to the limit. Where that makes
		// a difference it is collected, as often as can be afforded; in between, what was
		// in use then counts.
		if !over(Heavy, u.Held-u.Garbage, g.opts.Limit) || u.Garbage > g.opts.Limit/20 {
			u = g.collect(now, u)
		}
		inUse = u.Held - u.Garbage
	}
	g.inUse.Store(inUse)
	g.sampled.Store(g.opts.Now().UnixNano())
	g.logChanges(inUse)
}

// collect has garbage collected if that was not done just now, and gives what is in
// use then.
func (g *Gauge) collect(now time.Time, u Usage) Usage {
	if now.Sub(g.collected) < max(collectEvery, collectPauseFactor*g.took) {
		return u
	}
	began := g.opts.Now()
	g.opts.Collect()
	g.collected = g.opts.Now()
	g.took = g.collected.Sub(began)
	return g.opts.Read()
}

// logChanges tells the log when a kind of work begins to be refused, and when that ends.
func (g *Gauge) logChanges(inUse uint64) {
	if g.opts.Limit == 0 {
		return
	}
	for w := range works {
		short := over(w, inUse, g.opts.Limit)
		if short == g.reportedShort[w] {
			continue
		}
		g.reportedShort[w] = short
		if short {
			g.opts.Logger.Warn(
				"memory is short: work is refused",
				"work",
				WorkNames[w],
				"in-use-mib",
				inUse>>20,
				"limit-mib",
				g.opts.Limit>>20,
			)
		} else {
			g.opts.Logger.Info(
				"there is memory again",
				"work",
				WorkNames[w],
				"in-use-mib",
				inUse>>20,
				"limit-mib",
				g.opts.Limit>>20,
			)
		}
	}
}

// readRuntime is what the runtime says. Pages that lie ready for use again are none
// that are in use.
func readRuntime() Usage {
	s := []metrics.Sample{
		{
			Name: "/memory/classes/total:bytes",
		},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/gc/heap/live:bytes"},
	}
	metrics.Read(s)
	total, released, free, objects, live := s[0].Value.Uint64(), s[1].Value.Uint64(), s[2].Value.Uint64(), s[3].Value.Uint64(), s[4].Value.Uint64()
	u := Usage{Held: total - min(total, released+free)}
	if objects > live {
		u.Garbage = min(objects-live, u.Held)
	}
	return u
}
