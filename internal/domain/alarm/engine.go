package alarm

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/clock"
	"tilth/internal/platform/db"
)

// screens are the open browser pages of each tenant.
type screens interface {
	Watched(t tenant.ID) bool
	Publish(t tenant.ID, name string, data []byte)
}

// EngineOptions are what an Engine works with. The fields with a remark about nil or zero are
// optional.
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
	Notifier  Notifier // nil: people are not notified
	Now       func() time.Time
	// Uptime is how long the process has run, by a clock that nobody sets; nil: by that of Now,
	// which must then include such a clock, as time.Now does.
	Uptime func() time.Duration
	// RetentionClock is the current time for removing what is too old; nil: Now.
	RetentionClock func() time.Time
	// Retention is how long readings are kept; 0: forever.
	Retention time.Duration
	// MaxNoticesPerHour is how many notices a rule may begin within an hour before the next one is
	// unsteady; 0: any number.
	MaxNoticesPerHour int
	// Turns schedules work that passes over readings, such as finding since when a notice holds;
	// nil: that work does not wait.
	Turns *reading.WorkScheduler
	// PreviousStop is until when the previous process let devices in, by the clock; zero: not
	// known.
	PreviousStop time.Time
	// SaveAlive records that devices are let in now, for the next process's PreviousStop; nil:
	// nothing is recorded.
	SaveAlive func() error
	// FlushPresence puts presence changes on disk, before the events that they led to; nil: they
	// are there already.
	FlushPresence func(ctx context.Context) error
	// OnCaughtUp is called with a tenant whose evaluation was late and no longer is; nil: no call.
	OnCaughtUp func(t tenant.ID)
	Logger     *slog.Logger
}

// Engine evaluates the running rules. Readings reach it through the journal, each tenant's in their
// order, round robin over the tenants. Presence changes reach it through Presence. It handles both,
// and people's changes of rules and notices, one after the other. It notifies people of a decision
// only when the decision is on disk, together with the evaluated position of the tenant.
type Engine struct {
	opts     EngineOptions
	archiver *noticeArchiver
	onsets   *onsetFinder

	// writeMu is held while the engine writes to the database, so a goroutine that holds a
	// transaction must not lock it. It guards what is known to be on disk: openByNotice and each
	// rule's notice. The set of rules, and what they watch, changes under both locks only.
	writeMu orderedMutex[writeRank]
	// mu serializes evaluation, timers and people's changes.
	mu               orderedMutex[engineRank]
	rules            map[RuleID][]*activeRule    // by rule; the entries of a rule are sorted by device
	activeCount      int                         // number of entries in rules
	readingRules     map[device.ID][]*activeRule // on readings
	offlineRules     map[device.ID][]*activeRule // on being offline
	openByNotice     map[int64]*activeRule       // by their open notice
	queues           tenantQueues
	dirtyQueues      []*tenantQueue      // those with events that are not on disk yet, the next to be written first
	batchSize        int                 // number of events that one transaction writes
	history          *history            // from which windows are rebuilt after a start; nil: that is done
	backgroundWrites bool                // Run writes, in parallel with evaluation
	singleStep       bool                // a slice is one frame; for tests
	deadlines        deadlineHeap        // of rules on being offline
	letIn            bool                // devices can come back
	lastClock        int64               // what the clock showed when it was read last, epoch ms
	clockJumps       *clock.JumpDetector // of the clock

	presenceInbox   presenceInbox
	backlogs        deviceBacklogs
	changed         chan struct{} // holds one: devices or products changed, or rules may have other devices
	registryChanged atomic.Bool   // devices or products changed
	regroupTenants  tenantSet     // whose rules may have other devices now
	wakeWriter      chan struct{} // holds one: an event is pending

	evaluated, opened, resolved atomic.Uint64
	openNow, rulesNow           atomic.Int64
}

// activeRule is a rule that is evaluated on a device.
type activeRule struct {
	Rule
	product *device.Product
	// attributes are those of its conditions as the product has them, each once.
	attributes  []AttributeCopy
	predicate   *Predicate // nil: on being offline
	state       *State
	needsReplay bool         // the state's window is not rebuilt yet
	queue       *tenantQueue // its tenant's
	notice      *Notice      // open, and on disk; nil: none
	due         int64        // on being offline: the time of its entry in deadlines, epoch ms; 0: none
}

// pendingEvent is something that happened to a rule, with the state that is stored with it.
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
	position    Position // how far its tenant was evaluated before
	fromReading bool     // a reading led to it
	silentSince int64    // of a notice on being offline: since when the device is, epoch ms; 0: not known
}

// NewEngine makes an engine. Start must come before its first Evaluate or Take.
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
		openByNotice: map[int64]*activeRule{}, lastClock: math.MaxInt64,
		clockJumps: clock.NewJumpDetector(o.Now(), o.Uptime),
		changed:    make(chan struct{}, 1), wakeWriter: make(chan struct{}, 1), presenceInbox: newPresenceInbox(),
		archiver: newNoticeArchiver(&o),
		queues:   newTenantQueues(), batchSize: fewestAtOnce,
	}
	e.onsets = newOnsetFinder(e)
	e.queues.began = o.Now().UnixMilli()
	return e
}

// PresenceChanged hands a change of presence to the engine.
func (e *Engine) PresenceChanged(c device.StatusChange) { e.presenceInbox.add(c) }

// StructureChanged says that devices or products changed. Run handles it.
func (e *Engine) StructureChanged() {
	e.registryChanged.Store(true)
	signal(e.changed)
}

// Recorded is the position of the journal up to which all resulting events are on disk, for all
// tenants.
func (e *Engine) Recorded() uint64 {
	_, _, recorded := e.positions()
	return recorded
}

// positions are up to which entry the journal is taken over, is evaluated, and has its resulting
// events on disk.
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

// recorded is up to where all events of a tenant's readings are on disk.
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
	fields := e.opts.Readings.Curves(f.Ref()).Correct(f.Time, f.Fields)
	for _, r := range list {
		if r.Tenant != f.Tenant {
			continue
		}
		if happened, ok := Step(r.predicate, r.state, f.Time, f.At, fields); ok {
			e.addReadingEvent(r, happened, f.position())
		}
	}
	e.evaluated.Add(uint64(len(list)))
}

// addReadingEvent queues an event that a reading at a position led to.
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

// addEvent queues an event that no reading led to.
func (e *Engine) addEvent(ev pendingEvent) {
	ev.position = e.positionOf(ev.rule.queue)
	e.enqueueEvent(ev)
}

// enqueueEvent queues an event with the state that its rule has from then on.
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
	Evaluated uint64        // rules, once per frame of their devices
	Opened    uint64        // notices
	Resolved  uint64        // notices
	Open      int           // notices that are open now
	Rules     int           // active rules, each once for each of its devices
	Lag       time.Duration // since the arrival of the oldest reading that waits for evaluation
	// Unevaluated is how many entries of the journal are taken over and not yet evaluated for all
	// tenants.
	Unevaluated      uint64
	ThrottledTenants int // tenants whose devices wait until the evaluation has caught up
	// Unrecorded is how many entries of the journal are evaluated while their resulting events are
	// not on disk yet.
	Unrecorded uint64
}

// Stats is what the engine has counted so far.
func (e *Engine) Stats() Stats {
	taken, evaluated, recorded := e.positions()
	return Stats{
		Unevaluated: taken - evaluated, Unrecorded: evaluated - recorded,
		ThrottledTenants: int(e.queues.throttled.Load()),
		Evaluated:        e.evaluated.Load(), Opened: e.opened.Load(), Resolved: e.resolved.Load(),
		Open: int(e.openNow.Load()), Rules: int(e.rulesNow.Load()), Lag: e.lag(),
	}
}

// lag is for how long the oldest reading that waits for evaluation has been here.
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

// Progress is how far a rule on readings is on its way to a notice.
type Progress struct {
	Hits  int  // samples of its window that count
	Waits bool // resolved manually, and not armed again yet
}

// Progress gives the progress of a tenant's running rule on readings, on a device without an open
// notice. It returns false for any other pair.
func (e *Engine) Progress(t tenant.ID, pair Pair) (Progress, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.lookupOwned(t, pair)
	if r == nil || r.predicate == nil || r.state.Open || r.needsReplay {
		return Progress{}, false
	}
	return Progress{Hits: r.state.hits(r.predicate), Waits: r.state.Waiting}, true
}

// put adds r to the active rules, in place of the earlier entry of its rule and device.
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

// lookup is the active rule of a rule and a device; nil: none.
func (e *Engine) lookup(pair Pair) *activeRule {
	list := e.rules[pair.Rule]
	if i, found := slices.BinarySearchFunc(list, pair.Device, byDevice); found {
		return list[i]
	}
	return nil
}

// remove takes a rule off a device.
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

// insertByRule adds r to its device's list, which is sorted by rule: so events of the same time are
// recorded in the same order after a restart too.
func insertByRule(list []*activeRule, r *activeRule) []*activeRule {
	i, _ := slices.BinarySearchFunc(list, r, func(a, b *activeRule) int { return cmp.Compare(a.ID, b.ID) })
	return slices.Insert(list, i, r)
}

// removeFromDevice takes r out of its device's list, and tells whether the list is empty now.
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
