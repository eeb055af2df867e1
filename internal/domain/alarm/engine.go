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

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/clock"
	"tilth/internal/platform/db"
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
	Notifier  notifier // nil: nobody is told
	Now       func() time.Time
	// Uptime is how long the process has run, by a clock that nobody sets; nil: by
	// that of Now, which is such a one where it is time.Now.
	Uptime func() time.Duration
	// RetentionClock is how far time has come, for what is removed for its age; nil: Now.
	RetentionClock func() time.Time
	// MaxNoticesPerHour is how many notices a rule may begin within an hour before one is
	// unsteady; 0: any number.
	MaxNoticesPerHour int
	// Turns are those of work that passes over readings, which finding since when a
	// notice holds does; nil: it waits for nobody.
	Turns *reading.WorkScheduler
	// PreviousStop is until when the process before this one let devices in, by the
	// clock; zero: not known.
	PreviousStop time.Time
	// SaveAlive writes down that devices are let in now, for the next one's Stopped;
	// nil: nobody does.
	SaveAlive func() error
	// FlushPresence puts on disk which devices came and went, before what that led to;
	// nil: that is there already.
	FlushPresence func(ctx context.Context) error
	// OnCaughtUp hears of a tenant whose judging was late and is so no more; nil:
	// nobody does.
	OnCaughtUp func(t tenant.ID)
	Logger     *slog.Logger
}

// Engine judges the running rules. Readings come to it through the journal, those
// of a tenant in their order, tenants in turn; devices that come and go through
// Presence; both, and what people do to rules and notices, one after the other.
// What it decides is on disk, together with how far the journal is judged for the
// tenant, before anybody is told.
type Engine struct {
	opts     EngineOptions
	archiver *noticeArchiver
	onsets   *onsetFinder

	// writeMu is held while the database is written, so whoever holds a
	// transaction must not ask for it. It guards what is known to be on disk:
	// open and each rule's notice. Which rules there are, and what they watch,
	// changes under both locks only.
	writeMu sync.Mutex
	// mu keeps judging, timers and people's changes apart; after writing.
	mu               sync.Mutex
	rules            map[RuleID][]*activeRule    // of each rule those of its devices, by device
	activeCount      int                         // in rules
	readingRules     map[device.ID][]*activeRule // on readings
	offlineRules     map[device.ID][]*activeRule // on being offline
	openByNotice     map[int64]*activeRule       // by their open notice
	queues           tenantQueues
	dirtyQueues      []*tenantQueue      // that have events which are not on disk yet, the next to be written first
	batchSize        int                 // events that one transaction writes
	history          *history            // of a start: what windows are made again from; nil: they are
	backgroundWrites bool                // Run writes, beside judging
	singleStep       bool                // a turn is one frame; for tests
	deadlines        deadlineHeap        // of rules on being offline
	letIn            bool                // devices can come back
	lastClock        int64               // what the clock said when it was looked at last, epoch ms
	clockJumps       *clock.JumpDetector // of it

	presenceInbox   presenceInbox
	backlogs        deviceBacklogs
	changed         chan struct{} // holds one: devices or products are others now, or rules may have other devices
	registryChanged atomic.Bool   // devices or products are others now
	regroupTenants  tenantSet     // whose rules may have other devices now
	wakeWriter      chan struct{} // holds one: something is pending

	evaluated, opened, resolved atomic.Uint64
	openNow, rulesNow           atomic.Int64
}

// activeRule is a rule that is judged on a device.
type activeRule struct {
	Rule
	product *device.Product
	// attributes are those of its conditions as the product has them, each once.
	attributes  []AttributeCopy
	predicate   *Predicate // nil: on being offline
	state       *State
	needsReplay bool         // the state's window is not made again yet
	queue       *tenantQueue // its tenant's
	notice      *Notice      // open, and on disk; nil: none
	due         int64        // on being offline: when the entry in dues is of, epoch ms; 0: none
}

// pendingEvent is something that happened to a rule, with what is to be remembered of
// it.
type pendingEvent struct {
	rule        *activeRule
	kind        EventKind
	time        int64 // of its reading, epoch ms
	samples     []Sample
	reason      Reason
	floor       int64
	waiting     bool
	unsteady    bool     // of an unsteady notice
	openings    []int64  // when the rule's newest notices began
	changes     int      // of an unsteady notice, how often its conditions changed so far
	position    Position // how far its tenant was judged before
	fromReading bool     // a reading led to it
	silentSince int64    // of a notice on being offline: since when the device is, epoch ms; 0: not known
}

// NewEngine makes an engine; Start must come before its first Judge.
func NewEngine(o EngineOptions) *Engine {
	if o.Notifier == nil {
		o.Notifier = noopNotifier{}
	}
	if o.OnCaughtUp == nil {
		o.OnCaughtUp = func(tenant.ID) {}
	}
	e := &Engine{
		opts:         o,
		rules:        map[RuleID][]*activeRule{},
		readingRules: map[device.ID][]*activeRule{},
		offlineRules: map[device.ID][]*activeRule{},
		openByNotice: map[int64]*activeRule{},
		lastClock:    math.MaxInt64,
		clockJumps:   clock.NewJumpDetector(o.Now(), o.Uptime),
		changed: make(
			chan struct{},
			1,
		),
		wakeWriter:    make(chan struct{}, 1),
		presenceInbox: newPresenceInbox(),
		archiver:      newNoticeArchiver(&o),
		queues:        newTenantQueues(),
		batchSize:     fewestAtOnce,
	}
	e.onsets = newOnsetFinder(e)
	e.queues.began = o.Now().UnixMilli()
	o.Presence.OnChange(e.presenceInbox.add)
	o.Registry.OnStructureChange(func() {
		e.registryChanged.Store(true)
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
func (e *Engine) positions() (taken, evaluated, recorded uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	q := &e.queues
	q.mu.Lock()
	defer q.mu.Unlock()
	evaluated, recorded = q.taken, q.taken
	for _, tq := range q.byTenant {
		evaluated = min(evaluated, q.positionOf(tq).Entry)
		recorded = min(recorded, q.recorded(tq).Entry)
	}
	return q.taken, evaluated, recorded
}

// recorded is up to where everything that a tenant's readings led to is on disk.
func (q *tenantQueues) recorded(tq *tenantQueue) Position {
	switch {
	case len(tq.writing) > 0:
		return tq.writing[0].position
	case len(tq.pending) > 0:
		return tq.pending[0].position
	default:
		return q.positionOf(tq)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (e *Engine) evaluateFrame(f *arrived) {
	list := e.readingRules[f.Device]
	if len(list) == 0 {
		return
	}
	e.backlogs.note(&f.Arrival)
	for _, r := range list {
		if r.Tenant != f.Tenant {
			continue
		}
		if happened, ok := Step(r.predicate, r.state, f.Time, f.At, f.Fields); ok {
			e.addReadingEvent(r, happened, f.position())
		}
	}
	e.evaluated.Add(uint64(len(list)))
}

// addReadingEvent takes note of what the reading at a place led to; settle makes it known.
func (e *Engine) addReadingEvent(r *activeRule, h Event, at Position) {
	ev := pendingEvent{
		rule:        r,
		kind:        h.Kind,
		time:        h.Time,
		samples:     h.Samples,
		unsteady:    h.Unsteady,
		position:    at,
		fromReading: true,
	}
	if h.Kind == Resolved {
		ev.reason = Recovered
	}
	e.enqueueEvent(ev)
}

// addEvent takes note of an event that no reading led to.
func (e *Engine) addEvent(ev pendingEvent) {
	ev.position = e.positionOf(ev.rule.queue)
	e.enqueueEvent(ev)
}

// enqueueEvent takes note of an event with what its rule remembers from then on.
func (e *Engine) enqueueEvent(ev pendingEvent) {
	tq, s := ev.rule.queue, ev.rule.state
	ev.floor, ev.waiting, ev.openings, ev.changes = s.Floor, s.Waiting, slices.Clone(s.Openings), s.Changes
	if len(tq.pending)+len(tq.writing) == 0 {
		e.dirtyQueues = append(e.dirtyQueues, tq)
	}
	tq.pending = append(tq.pending, ev)
	if e.backgroundWrites {
		signal(e.wakeWriter)
	}
}

// Stats is what an Engine has counted. Counters begin with the process.
type Stats struct {
	Evaluated uint64        // rules by frames of their devices
	Opened    uint64        // notices
	Resolved  uint64        // notices
	Open      int           // notices now
	Rules     int           // that are judged now, each once for each of its devices
	Lag       time.Duration // since the arrival of the oldest reading that waits to be judged
	// Unevaluated is how many entries of the journal are taken over and not judged for
	// all tenants yet.
	Unevaluated      uint64
	ThrottledTenants int // tenants whose devices wait until it has caught up
	// Unrecorded is how many entries of the journal are judged while the notices
	// that they led to are not on disk yet.
	Unrecorded uint64
}

// Stats is what the engine has counted so far.
func (e *Engine) Stats() Stats {
	taken, judged, recorded := e.positions()
	return Stats{
		ThrottledTenants: int(e.queues.throttled.Load()), Unevaluated: taken - judged, Unrecorded: judged - recorded,
		Evaluated: e.evaluated.Load(), Opened: e.opened.Load(), Resolved: e.resolved.Load(),
		Open: int(e.openNow.Load()), Rules: int(e.rulesNow.Load()), Lag: e.lag(),
	}
}

// lag is since when the oldest reading that waits to be judged has been here.
func (e *Engine) lag() (lag time.Duration) {
	now := e.now()
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	for _, tq := range e.queues.byTenant {
		if tq.count > 0 {
			lag = max(lag, time.Duration(now-tq.since)*time.Millisecond)
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
func (e *Engine) Progress(t tenant.ID, pair Pair) (Progress, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.lookupOwned(t, pair)
	if r == nil || r.predicate == nil || r.state.Open || r.needsReplay {
		return Progress{}, false
	}
	return Progress{Hits: r.state.hits(r.predicate), Waits: r.state.Waiting}, true
}

// put makes r one of what is judged, in place of what there was of its rule and
// device.
func (e *Engine) put(r *activeRule) {
	if old := e.lookup(r.pair()); old != nil {
		e.remove(old)
	}
	list := e.rules[r.ID]
	i, _ := slices.BinarySearchFunc(list, r.Device, byDevice)
	e.rules[r.ID] = slices.Insert(list, i, r)
	e.activeCount++
	r.queue = e.queueOf(r.Tenant)
	r.queue.rules++
	if r.predicate == nil {
		e.offlineRules[r.Device] = insertByRule(e.offlineRules[r.Device], r)
		e.presenceInbox.watch(r.Device, true)
	} else {
		e.readingRules[r.Device] = insertByRule(e.readingRules[r.Device], r)
		e.queues.watch(r.Device, 1)
	}
	if r.notice != nil {
		e.openByNotice[r.notice.ID] = r
	}
	e.count()
	if r.predicate == nil {
		e.schedule(r)
	}
}

func byDevice(r *activeRule, id device.ID) int { return cmp.Compare(r.Device, id) }

// lookup is what is judged of a rule and a device; nil: nothing.
func (e *Engine) lookup(pair Pair) *activeRule {
	list := e.rules[pair.Rule]
	if i, found := slices.BinarySearchFunc(list, pair.Device, byDevice); found {
		return list[i]
	}
	return nil
}

// remove ends the judging of a rule on a device.
func (e *Engine) remove(r *activeRule) {
	list := e.rules[r.ID]
	i, found := slices.BinarySearchFunc(list, r.Device, byDevice)
	if !found || list[i] != r {
		return
	}
	if e.rules[r.ID] = slices.Delete(list, i, i+1); len(list) == 1 {
		delete(e.rules, r.ID)
	}
	e.activeCount--
	if r.notice != nil {
		delete(e.openByNotice, r.notice.ID)
	}
	r.due = 0
	if r.predicate == nil {
		if removeFromDevice(e.offlineRules, r) {
			e.presenceInbox.watch(r.Device, false)
		}
	} else {
		removeFromDevice(e.readingRules, r)
		e.queues.watch(r.Device, -1)
	}
	r.queue.rules--
	e.dropQueue(r.queue)
	e.count()
}

// insertByRule adds r to its device's list, which is by number: so that what happens
// at the same time is recorded in the same order after a restart too.
func insertByRule(list []*activeRule, r *activeRule) []*activeRule {
	i, _ := slices.BinarySearchFunc(list, r, func(a, b *activeRule) int { return cmp.Compare(a.ID, b.ID) })
	return slices.Insert(list, i, r)
}

// removeFromDevice takes r out of its device's list, and tells whether that is empty
// now.
func removeFromDevice(by map[device.ID][]*activeRule, r *activeRule) bool {
	var left []*activeRule
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
	e.openNow.Store(int64(len(e.openByNotice)))
	e.rulesNow.Store(int64(e.activeCount))
}
