package alarm

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tilth/internal/clock"
	"tilth/internal/db"
	"tilth/internal/device"
	"tilth/internal/reading"
	"tilth/internal/tenant"
)

// screens are the open ones of each tenant.
type screens interface {
	Watched(t tenant.ID) bool
	Publish(t tenant.ID, name string, data []byte)
}

// EngineOptions say what an Engine works with; all but Teller are needed.
type EngineOptions struct {
	DB        *db.DB
	Catalog   *device.Catalog
	Rules     *RuleStore
	Positions *PositionStore
	Devices   *device.Store
	Registry  *device.Registry
	Presence  *device.Presence
	Readings  *reading.Store
	Screens   screens
	Teller    teller // nil: nobody is told
	Now       func() time.Time
	// Ran is how long the process has run, by a clock that nobody sets; nil: by
	// that of Now, which is such a one where it is time.Now.
	Ran func() time.Duration
	// Until is how far time has come, for what is removed for its age; nil: Now.
	Until func() time.Time
	// NoticesAnHour is how many notices a rule may begin within an hour before one is
	// unsteady; 0: any number.
	NoticesAnHour int
	// Turns are those of work that passes over readings, which finding since when a
	// notice holds does; nil: it waits for nobody.
	Turns *reading.Turns
	// Stopped is until when the process before this one let devices in, by the
	// clock; zero: not known.
	Stopped time.Time
	// Alive writes down that devices are let in now, for the next one's Stopped;
	// nil: nobody does.
	Alive func() error
	// Written puts on disk which devices came and went, before what that led to;
	// nil: that is there already.
	Written func(ctx context.Context) error
	// CaughtUp hears of a tenant whose judging was late and is so no more; nil:
	// nobody does.
	CaughtUp func(t tenant.ID)
	Log      *slog.Logger
}

// Engine judges the running rules. Readings come to it through the journal, those
// of a tenant in their order, tenants in turn; devices that come and go through
// Presence; both, and what people do to rules and notices, one after the other.
// What it decides is on disk, together with how far the journal is judged for the
// tenant, before anybody is told.
type Engine struct {
	o    EngineOptions
	keep *keeper
	find *finder

	// writing is held while the database is written, so whoever holds a
	// transaction must not ask for it. It guards what is known to be on disk:
	// open and each rule's notice. Which rules there are, and what they watch,
	// changes under both locks only.
	writing sync.Mutex
	// mu keeps judging, timers and people's changes apart; after writing.
	mu       sync.Mutex
	rules    map[RuleID][]*running    // of each rule those of its devices, by device
	pairs    int                      // in rules
	byDevice map[device.ID][]*running // on readings
	offline  map[device.ID][]*running // on being offline
	open     map[int64]*running       // by their open notice
	queues   queues
	unkept   []*queue     // that have events which are not on disk yet, the next to be written first
	atOnce   int          // events that one transaction writes
	past     *past        // of a start: what windows are made again from; nil: they are
	beside   bool         // Run writes, beside judging
	short    bool         // a turn is one frame; for tests
	dues     dues         // of rules on being offline
	letIn    bool         // devices can come back
	seen     int64        // what the clock said when it was looked at last, epoch ms
	leaps    *clock.Leaps // of it

	comings  comings
	backlogs backlogs
	changed  chan struct{} // holds one: devices or products are others now, or rules may have other devices
	stale    atomic.Bool   // devices or products are others now
	moved    movedTenants  // whose rules may have other devices now
	write    chan struct{} // holds one: something is pending

	judged, opened, resolved atomic.Uint64
	openNow, rulesNow        atomic.Int64
}

// running is a rule that is judged on a device.
type running struct {
	Rule
	product *device.Product
	// attributes are those of its conditions as the product has them, each once.
	attributes []AttributeCopy
	test       *Test // nil: on being offline
	state      *State
	unlearned  bool    // the state's window is not made again yet
	queue      *queue  // its tenant's
	notice     *Notice // open, and on disk; nil: none
	due        int64   // on being offline: when the entry in dues is of, epoch ms; 0: none
}

// event is something that happened to a rule, with what is to be remembered of
// it.
type event struct {
	rule     *running
	kind     Kind
	time     int64 // of its reading, epoch ms
	samples  []Sample
	reason   Reason
	floor    int64
	waiting  bool
	unsteady bool     // of an unsteady notice
	openings []int64  // when the rule's newest notices began
	changes  int      // of an unsteady notice, how often its conditions changed so far
	place    Position // how far its tenant was judged before
	reading  bool     // a reading led to it
	silent   int64    // of a notice on being offline: since when the device is, epoch ms; 0: not known
}

// NewEngine makes an engine; Start must come before its first Judge.
func NewEngine(o EngineOptions) *Engine {
	if o.Teller == nil {
		o.Teller = silence{}
	}
	if o.CaughtUp == nil {
		o.CaughtUp = func(tenant.ID) {}
	}
	e := &Engine{
		o: o, rules: map[RuleID][]*running{}, byDevice: map[device.ID][]*running{}, offline: map[device.ID][]*running{},
		open: map[int64]*running{}, seen: math.MaxInt64, leaps: clock.NewLeaps(o.Now(), o.Ran),
		changed: make(chan struct{}, 1), write: make(chan struct{}, 1), comings: newComings(), keep: newKeeper(&o),
		queues: newQueues(), atOnce: fewestAtOnce,
	}
	e.find = newFinder(e)
	e.queues.began = o.Now().UnixMilli()
	o.Presence.OnChange(e.comings.note)
	o.Registry.Watch(func() {
		e.stale.Store(true)
		signal(e.changed)
	})
	return e
}

// Recorded is the position of the journal up to which everything that it led to
// is on disk, for all tenants.
func (e *Engine) Recorded() uint64 {
	_, _, recorded := e.positions()
	return recorded
}

// positions are up to which entry of the journal all is taken over, judged, and on
// disk with what it led to.
func (e *Engine) positions() (taken, judged, recorded uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	q := &e.queues
	q.mu.Lock()
	defer q.mu.Unlock()
	judged, recorded = q.taken, q.taken
	for _, of := range q.of {
		judged = min(judged, q.placeOf(of).Entry)
		recorded = min(recorded, q.recorded(of).Entry)
	}
	return q.taken, judged, recorded
}

// recorded is up to where everything that a tenant's readings led to is on disk.
func (q *queues) recorded(of *queue) Position {
	switch {
	case len(of.writing) > 0:
		return of.writing[0].place
	case len(of.pending) > 0:
		return of.pending[0].place
	default:
		return q.placeOf(of)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (e *Engine) step(f *arrived) {
	list := e.byDevice[f.Device]
	if len(list) == 0 {
		return
	}
	e.backlogs.note(&f.Arrival)
	for _, r := range list {
		if r.Tenant != f.Tenant {
			continue
		}
		if happened, ok := Step(r.test, r.state, f.Time, f.At, f.Fields); ok {
			e.happen(r, happened, f.place())
		}
	}
	e.judged.Add(uint64(len(list)))
}

// happen takes note of what the reading at a place led to; settle makes it known.
func (e *Engine) happen(r *running, h Event, at Position) {
	ev := event{rule: r, kind: h.Kind, time: h.Time, samples: h.Samples, unsteady: h.Unsteady, place: at, reading: true}
	if h.Kind == Resolved {
		ev.reason = Recovered
	}
	e.note(ev)
}

// happenBeside takes note of an event that no reading led to.
func (e *Engine) happenBeside(ev event) {
	ev.place = e.placeOf(ev.rule.queue)
	e.note(ev)
}

// note takes note of an event with what its rule remembers from then on.
func (e *Engine) note(ev event) {
	of, s := ev.rule.queue, ev.rule.state
	ev.floor, ev.waiting, ev.openings, ev.changes = s.Floor, s.Waiting, slices.Clone(s.Openings), s.Changes
	if len(of.pending)+len(of.writing) == 0 {
		e.unkept = append(e.unkept, of)
	}
	of.pending = append(of.pending, ev)
	if e.beside {
		signal(e.write)
	}
}

// Stats is what an Engine has counted. Counters begin with the process.
type Stats struct {
	Judged   uint64        // rules by frames of their devices
	Opened   uint64        // notices
	Resolved uint64        // notices
	Open     int           // notices now
	Rules    int           // that are judged now, each once for each of its devices
	Lag      time.Duration // since the arrival of the oldest reading that waits to be judged
	// Unjudged is how many entries of the journal are taken over and not judged for
	// all tenants yet.
	Unjudged uint64
	Closed   int // tenants whose devices wait until it has caught up
	// Unrecorded is how many entries of the journal are judged while the notices
	// that they led to are not on disk yet.
	Unrecorded uint64
}

// Stats is what the engine has counted so far.
func (e *Engine) Stats() Stats {
	taken, judged, recorded := e.positions()
	return Stats{
		Closed: int(e.queues.closed.Load()), Unjudged: taken - judged, Unrecorded: judged - recorded,
		Judged: e.judged.Load(), Opened: e.opened.Load(), Resolved: e.resolved.Load(),
		Open: int(e.openNow.Load()), Rules: int(e.rulesNow.Load()), Lag: e.lag(),
	}
}

// lag is since when the oldest reading that waits to be judged has been here.
func (e *Engine) lag() (lag time.Duration) {
	now := e.now()
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	for _, of := range e.queues.of {
		if of.count > 0 {
			lag = max(lag, time.Duration(now-of.since)*time.Millisecond)
		}
	}
	return lag
}

// Progress is how far a rule on readings has come on its way to a notice.
type Progress struct {
	Hits  int  // samples of its window that count
	Waits bool // resolved by hand, and not armed again yet
}

// Progress tells of a tenant's running rule on readings, on a device without an open
// notice; false of any other.
func (e *Engine) Progress(t tenant.ID, of Pair) (Progress, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.mine(t, of)
	if r == nil || r.test == nil || r.state.Open || r.unlearned {
		return Progress{}, false
	}
	return Progress{Hits: r.state.hits(r.test), Waits: r.state.Waiting}, true
}

// put makes r one of what is judged, in place of what there was of its rule and
// device.
func (e *Engine) put(r *running) {
	if old := e.at(r.pair()); old != nil {
		e.remove(old)
	}
	list := e.rules[r.ID]
	i, _ := slices.BinarySearchFunc(list, r.Device, byDevice)
	e.rules[r.ID] = slices.Insert(list, i, r)
	e.pairs++
	r.queue = e.queueOf(r.Tenant)
	r.queue.rules++
	if r.test == nil {
		e.offline[r.Device] = with(e.offline[r.Device], r)
		e.comings.watch(r.Device, true)
	} else {
		e.byDevice[r.Device] = with(e.byDevice[r.Device], r)
		e.queues.watch(r.Device, 1)
	}
	if r.notice != nil {
		e.open[r.notice.ID] = r
	}
	e.count()
	if r.test == nil {
		e.schedule(r)
	}
}

func byDevice(r *running, id device.ID) int { return cmp.Compare(r.Device, id) }

// at is what is judged of a rule and a device; nil: nothing.
func (e *Engine) at(of Pair) *running {
	list := e.rules[of.Rule]
	if i, there := slices.BinarySearchFunc(list, of.Device, byDevice); there {
		return list[i]
	}
	return nil
}

// remove ends the judging of a rule on a device.
func (e *Engine) remove(r *running) {
	list := e.rules[r.ID]
	i, there := slices.BinarySearchFunc(list, r.Device, byDevice)
	if !there || list[i] != r {
		return
	}
	if e.rules[r.ID] = slices.Delete(list, i, i+1); len(list) == 1 {
		delete(e.rules, r.ID)
	}
	e.pairs--
	if r.notice != nil {
		delete(e.open, r.notice.ID)
	}
	r.due = 0
	if r.test == nil {
		if without(e.offline, r) {
			e.comings.watch(r.Device, false)
		}
	} else {
		without(e.byDevice, r)
		e.queues.watch(r.Device, -1)
	}
	r.queue.rules--
	e.forget(r.queue)
	e.count()
}

// with adds r to its device's list, which is by number: so that what happens
// at the same time is recorded in the same order after a restart too.
func with(list []*running, r *running) []*running {
	i, _ := slices.BinarySearchFunc(list, r, func(a, b *running) int { return cmp.Compare(a.ID, b.ID) })
	return slices.Insert(list, i, r)
}

// without takes r out of its device's list, and tells whether that is empty
// now.
func without(by map[device.ID][]*running, r *running) bool {
	var left []*running
	for _, other := range by[r.Device] {
		if other != r {
			left = append(left, other)
		}
	}
	if len(left) == 0 {
		delete(by, r.Device)
		return true
	}
	by[r.Device] = left
	return false
}

func (e *Engine) count() {
	e.openNow.Store(int64(len(e.open)))
	e.rulesNow.Store(int64(e.pairs))
}
