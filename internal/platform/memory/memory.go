// Package memory budgets the memory of the process: how much it may use, how much is in use, and
// which work is refused, or waits, when the use nears the limit. The kernel kills a process that uses more
// than it may, and all work in progress is lost; so the gauge refuses work before that, the
// heaviest first and messages from devices last.
package memory

import (
	"log/slog"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// Work is a kind of work that needs memory.
type Work uint8

// The kinds of work, in the order in which they are refused.
const (
	Heavy  Work = iota // passes over history: long answers, spreadsheets, rehearsals, recomputed derived values
	Call               // any other call of a signed-in user
	Intake             // messages from devices, and calls without sign-in
	workKinds
)

// WorkNames are the names of the kinds of work in the metrics.
var WorkNames = [workKinds]string{Heavy: "heavy", Call: "call", Intake: "intake"}

// refuseAtPercent is the share of the limit, in percent, at which each kind of work is refused.
var refuseAtPercent = [workKinds]uint64{Heavy: 80, Call: 92, Intake: 97}

const (
	// sampleEvery is the maximum age of a sample far below the limits.
	sampleEvery = 100 * time.Millisecond
	// collectPauseFactor is how many times the duration of the last forced garbage collection must
	// pass before the next. A collection tells what is in use from what is garbage: until the next
	// one, everything allocated since counts as garbage. So the pause also bounds how much work is
	// admitted beyond the limits.
	collectPauseFactor = 10
	// heavyBytes is what a piece of heavy work may take before the next sample sees it: the buffers
	// and rows of an answer whose client does not read. If the work admitted since the last sample
	// may exceed the limit, the gauge samples again at once.
	heavyBytes = 256 << 10
)

// RetryAfter is when refused work may be tried again.
func (w Work) RetryAfter() time.Duration {
	if w == Heavy {
		return 5 * time.Second
	}
	return 2 * time.Second
}

// Usage is how much memory of the machine the process holds, in bytes.
type Usage struct {
	Held    uint64 // in use or not collected yet
	Garbage uint64 // the part of Held that may be garbage: allocated since the last collection began
}

// Options configure a Gauge; zero fields take the defaults.
type Options struct {
	Limit   uint64           // bytes; 0: nothing is ever refused
	Read    func() Usage     // default: the runtime's metrics
	Collect func()           // default: runtime.GC
	Now     func() time.Time // default: time.Now
	Logger  *slog.Logger     // default: discard
}

// Gauge tells whether there is memory for a piece of work. A nil gauge never refuses. A Gauge is
// safe for concurrent use, and samples only when a caller asks.
type Gauge struct {
	opts     Options
	refused  [workKinds]atomic.Uint64
	inUse    atomic.Uint64 // by the newest sample
	admitted atomic.Uint64 // pieces of heavy work since the newest sample
	sampled  atomic.Int64  // the time of the newest sample, Unix ns

	mu            sync.Mutex
	collected     time.Time       // when the last forced collection ended
	took          time.Duration   // how long the last forced collection took
	reportedShort [workKinds]bool // what the log says of each kind of work
}

// New makes a gauge; zero options take the defaults.
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

// Limit is how many bytes may be in use; 0: no limit.
func (g *Gauge) Limit() uint64 {
	if g == nil {
		return 0
	}
	return g.opts.Limit
}

// InUse is how many bytes are in use, by a current sample.
func (g *Gauge) InUse() uint64 {
	g.sample(sampleEvery)
	return g.inUse.Load()
}

// Refused is how many pieces of each kind of work were refused, by name.
func (g *Gauge) Refused() map[string]uint64 {
	by := make(map[string]uint64, workKinds)
	for w := range workKinds {
		by[WorkNames[w]] = g.refused[w].Load()
	}
	return by
}

// Refuse reports whether there is too little memory for a piece of work, and if so counts it as
// refused.
func (g *Gauge) Refuse(w Work) bool {
	if !g.IsShort(w) {
		if w == Heavy && g != nil {
			g.admitted.Add(1)
		}
		return false
	}
	g.refused[w].Add(1)
	return true
}

// IsShort is Refuse without the count.
func (g *Gauge) IsShort(w Work) bool {
	if g == nil || g.opts.Limit == 0 {
		return false
	}
	maxAge := sampleEvery
	if over(w, g.inUse.Load()+g.admitted.Load()*heavyBytes, g.opts.Limit) {
		maxAge = 0
	}
	g.sample(maxAge)
	return over(w, g.inUse.Load(), g.opts.Limit)
}

func over(w Work, inUse, limit uint64) bool { return inUse >= limit/100*refuseAtPercent[w] }

// sample measures the memory in use unless the last sample is younger than maxAge. A caller that
// asks while another caller samples uses the previous sample.
func (g *Gauge) sample(maxAge time.Duration) {
	now := g.opts.Now()
	if now.UnixNano()-g.sampled.Load() < int64(maxAge) || !g.mu.TryLock() {
		return
	}
	defer g.mu.Unlock()
	u := g.opts.Read()
	inUse := u.Held
	if over(Heavy, inUse, g.opts.Limit) && g.opts.Limit > 0 {
		// Most of it may be garbage, which the runtime lets grow up to the limit. Collect if the
		// garbage decides whether heavy work is refused, or exceeds 2.5 % of the limit. If collect
		// skips because the last collection is too recent, Held - Garbage is the estimate.
		if !over(Heavy, u.Held-u.Garbage, g.opts.Limit) || u.Garbage > g.opts.Limit/40 {
			u = g.collect(now, u)
		}
		inUse = u.Held - u.Garbage
	}
	g.inUse.Store(inUse)
	g.admitted.Store(0)
	g.sampled.Store(g.opts.Now().UnixNano())
	g.logChanges(inUse)
}

// collect forces a garbage collection unless the last one is too recent, and returns the usage
// afterwards.
func (g *Gauge) collect(now time.Time, u Usage) Usage {
	if now.Sub(g.collected) < max(sampleEvery, collectPauseFactor*g.took) {
		return u
	}
	began := g.opts.Now()
	g.opts.Collect()
	g.collected = g.opts.Now()
	g.took = g.collected.Sub(began)
	return g.opts.Read()
}

// logChanges logs when refusal of a kind of work begins and ends.
func (g *Gauge) logChanges(inUse uint64) {
	if g.opts.Limit == 0 {
		return
	}
	for w := range workKinds {
		short := over(w, inUse, g.opts.Limit)
		if short == g.reportedShort[w] {
			continue
		}
		g.reportedShort[w] = short
		if short {
			g.opts.Logger.Warn("memory is short: work is refused",
				"work", WorkNames[w], "in-use-mib", inUse>>20, "limit-mib", g.opts.Limit>>20)
		} else {
			g.opts.Logger.Info("there is memory again",
				"work", WorkNames[w], "in-use-mib", inUse>>20, "limit-mib", g.opts.Limit>>20)
		}
	}
}

// readRuntime reads the usage from the runtime's metrics. Free pages that the runtime keeps for
// reuse do not count as held.
func readRuntime() Usage {
	s := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/gc/heap/live:bytes"},
	}
	metrics.Read(s)
	total, released, free := s[0].Value.Uint64(), s[1].Value.Uint64(), s[2].Value.Uint64()
	objects, live := s[3].Value.Uint64(), s[4].Value.Uint64()
	u := Usage{Held: total - min(total, released+free)}
	if objects > live {
		u.Garbage = min(objects-live, u.Held)
	}
	return u
}
