package alarm

import (
	"context"
	"sync/atomic"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

const (
	// queueBytes is how much of one tenant's readings waits in memory; readings beyond that are
	// read again from the journal. queuesBytes is the limit for all tenants. queueFloor is what a
	// tenant may have however much others have.
	queueBytes  = 8 << 20
	queuesBytes = 64 << 20
	queueFloor  = 16 << 10
	// mostPending is how many events of a tenant may wait for the database before its evaluation
	// waits too.
	mostPending = 2000
	// behindAtMost and waitingAtMost are how far a tenant's evaluation may be behind before the
	// tenant's devices wait.
	behindAtMost  = 10 * time.Minute
	waitingAtMost = 1_000_000
)

// tenantQueue holds a tenant's readings that wait for evaluation. Evaluation serves the tenants
// round robin, so that a tenant with many readings delays no other.
type tenantQueue struct {
	tenant tenant.ID

	// Guarded by tenantQueues.mu.
	waiting     []arrived
	bytes       int           // size of waiting
	count       int           // frames that wait, including those on disk
	since       int64         // when the oldest waiting frame arrived, epoch ms
	inJournal   bool          // frames after waiting are in the journal only
	rereadFrom  Position      // with inJournal: from where
	scheduled   bool          // in tenantQueues.ready
	blocked     bool          // waits for the database, or for a retry
	late        bool          // behind since the start, or since more frames waited than memory holds
	unthrottled chan struct{} // closed when its devices may go on; nil: they may

	// Guarded by Engine.mu.
	position Position       // evaluated up to there, while anything waits
	replay   []*activeRule  // rules whose windows are to be rebuilt, at the latest for their devices' next readings
	pending  []pendingEvent // happened and not on disk yet
	writing  []pendingEvent // before pending: being written
	rules    int
}

// arrived is a frame with its place in the journal.
type arrived struct {
	reading.Arrival
	entry uint64
	index int
}

// position is the evaluated position before the frame.
func (a *arrived) position() Position { return Position{Entry: a.entry - 1, Index: a.index} }

// after is the evaluated position after the frame.
func (a *arrived) after() Position { return Position{Entry: a.entry - 1, Index: a.index + 1} }

// tenantQueues are the queues of all tenants that have rules.
type tenantQueues struct {
	mu        orderedMutex[queuesRank]
	byTenant  map[tenant.ID]*tenantQueue
	ready     []*tenantQueue // tenants that have work, the next one first
	work      chan struct{}
	taken     uint64 // position of the newest entry that was handed over
	bytes     int
	watched   map[device.ID]int // rules on readings, by device
	throttled atomic.Int32      // tenants whose devices wait
	began     int64             // when evaluation began, epoch ms
	most      int               // maximum bytes of a tenant
	mostAll   int               // maximum bytes of all
}

func newTenantQueues() tenantQueues {
	return tenantQueues{
		byTenant: map[tenant.ID]*tenantQueue{},
		watched:  map[device.ID]int{},
		work:     make(chan struct{}, 1),
		most:     queueBytes,
		mostAll:  queuesBytes,
	}
}

// Take takes over the batch at a position of the journal, for evaluation soon. Positions only rise;
// Take ignores a batch that it took over already.
func (e *Engine) Take(position uint64, batch []reading.Arrival) {
	q := &e.queues
	q.mu.Lock()
	defer q.mu.Unlock()
	if position <= q.taken {
		return
	}
	for i := range batch {
		a := &batch[i]
		if q.watched[a.Device] == 0 {
			continue
		}
		tq := q.byTenant[a.Tenant]
		if tq == nil {
			continue
		}
		if tq.count == 0 {
			tq.since = a.At
		}
		tq.count++
		if !tq.inJournal && !q.put(tq, position, i, a) {
			tq.inJournal, tq.late, tq.rereadFrom = true, true, Position{Entry: position - 1, Index: i}
		}
		q.schedule(tq)
	}
	q.taken = position
}

// Taken is the position of the newest entry that Take took over.
func (e *Engine) Taken() uint64 {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	return e.queues.taken
}

// put adds a copy of a frame, unless there is no room for it. A tenant may have half of the room
// that the others leave.
func (q *tenantQueues) put(tq *tenantQueue, position uint64, index int, a *reading.Arrival) bool {
	size := weight(a)
	room := max(min(queueFloor, q.most), min(q.most, (q.mostAll-q.bytes+tq.bytes)/2))
	if tq.bytes+size > room && len(tq.waiting) > 0 {
		return false
	}
	own := *a
	// The frame is part of a whole batch, which must not stay in memory because of it.
	own.Fields = append(make([]reading.Field, 0, len(a.Fields)), a.Fields...)
	for i := range own.Fields {
		own.Fields[i].Value = kept(own.Fields[i].Value)
	}
	tq.waiting = append(tq.waiting, arrived{own, position, index})
	tq.bytes += size
	q.bytes += size
	return true
}

// weight is about how many bytes a frame takes.
func weight(a *reading.Arrival) int {
	size := 96 + 40*len(a.Fields)
	for i := range a.Fields {
		if a.Fields[i].Value.Kind() == reading.KindText {
			size += len(a.Fields[i].Value.String())
		}
	}
	return size
}

// schedule appends a tenant to the tenants that wait for a slice. Callers hold mu.
func (q *tenantQueues) schedule(tq *tenantQueue) {
	if tq.scheduled || tq.blocked {
		return
	}
	tq.scheduled = true
	q.ready = append(q.ready, tq)
	signal(q.work)
}

// next is the tenant with the next slice; nil: none.
func (e *Engine) next() *tenantQueue {
	q := &e.queues
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.ready) > 0 {
		tq := q.ready[0]
		q.ready[0] = nil
		q.ready = q.ready[1:]
		tq.scheduled = false
		if !tq.blocked {
			return tq
		}
	}
	q.ready = nil
	return nil
}

// head gives the oldest waiting frames of a tenant, at most so many.
func (q *tenantQueues) head(tq *tenantQueue, most int) []arrived {
	q.mu.Lock()
	defer q.mu.Unlock()
	return tq.waiting[:min(most, len(tq.waiting))]
}

// drop removes the oldest n frames, which are evaluated. Callers hold mu.
func (q *tenantQueues) drop(tq *tenantQueue, n int) {
	for i := range tq.waiting[:n] {
		size := weight(&tq.waiting[i].Arrival)
		tq.bytes -= size
		q.bytes -= size
		tq.waiting[i] = arrived{}
	}
	tq.count = max(0, tq.count-n)
	tq.waiting = tq.waiting[n:]
	switch {
	case len(tq.waiting) > 0:
		tq.since = tq.waiting[0].At
	case !tq.inJournal:
		tq.waiting, tq.count, tq.since = nil, 0, 0
	}
}

// idle tells whether a tenant needs no slice: no reading waits, and no window. Callers hold both
// locks.
func (tq *tenantQueue) idle() bool { return !tq.waits() && len(tq.replay) == 0 }

// waits tells whether readings of a tenant wait for evaluation. Callers hold tenantQueues.mu.
func (tq *tenantQueue) waits() bool { return len(tq.waiting) > 0 || tq.inJournal }

// positionOf is how far a tenant is evaluated. Callers hold Engine.mu.
func (e *Engine) positionOf(tq *tenantQueue) Position {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	return e.queues.positionOf(tq)
}

// positionOf is Engine.positionOf for callers that also hold mu.
func (q *tenantQueues) positionOf(tq *tenantQueue) Position {
	if tq.idle() {
		return Position{Entry: q.taken}
	}
	return tq.position
}

// queueOf is a tenant's queue; it makes one where there is none. Callers hold Engine.mu.
func (e *Engine) queueOf(t tenant.ID) *tenantQueue {
	q := &e.queues
	q.mu.Lock()
	defer q.mu.Unlock()
	tq := q.byTenant[t]
	if tq == nil {
		tq = &tenantQueue{tenant: t}
		q.byTenant[t] = tq
	}
	return tq
}

// watch adds more (1 or -1) to the number of a device's rules on readings.
func (q *tenantQueues) watch(id device.ID, more int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.watched[id] += more; q.watched[id] == 0 {
		delete(q.watched, id)
	}
}

// dropQueue removes the queue of a tenant that has neither rules nor anything to evaluate or write.
// Callers hold Engine.mu.
func (e *Engine) dropQueue(tq *tenantQueue) {
	q := &e.queues
	q.mu.Lock()
	defer q.mu.Unlock()
	if tq.rules == 0 && tq.idle() && !tq.scheduled && len(tq.pending)+len(tq.writing) == 0 &&
		q.byTenant[tq.tenant] == tq {
		q.unthrottle(tq)
		delete(q.byTenant, tq.tenant)
	}
}

// updateThrottle makes a tenant's devices wait when too much of it waits, and lets them go on
// again. Callers hold mu.
func (q *tenantQueues) updateThrottle(tq *tenantQueue, now int64) {
	behind := tq.count > 0 && now-max(tq.since, q.began) > behindAtMost.Milliseconds()
	switch {
	case tq.count <= waitingAtMost && !behind:
		q.unthrottle(tq)
	case tq.unthrottled == nil:
		tq.unthrottled = make(chan struct{})
		q.throttled.Add(1)
	}
}

// unthrottle lets a tenant's devices go on. Callers hold mu.
func (q *tenantQueues) unthrottle(tq *tenantQueue) {
	if tq.unthrottled != nil {
		close(tq.unthrottled)
		tq.unthrottled = nil
		q.throttled.Add(-1)
	}
}

// LateTenants are the tenants whose evaluation has not yet caught up with what waited at the start,
// or with more than memory holds: notices may be over by the time at which they are found.
func (e *Engine) LateTenants() (late []tenant.ID) {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	for t, tq := range e.queues.byTenant {
		if tq.late {
			late = append(late, t)
		}
	}
	return late
}

// Admit waits until a tenant's readings may come in: while its evaluation is more than ten minutes
// or a million readings behind, its own devices wait for it.
func (e *Engine) Admit(ctx context.Context, t tenant.ID) error {
	if e.queues.throttled.Load() == 0 {
		return nil
	}
	for {
		e.queues.mu.Lock()
		tq := e.queues.byTenant[t]
		if tq == nil || tq.unthrottled == nil {
			e.queues.mu.Unlock()
			return nil
		}
		opened := tq.unthrottled
		e.queues.mu.Unlock()
		select {
		case <-opened:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Behind says how many tenants' evaluation is late, and by how much at most.
type Behind struct {
	Tenants  int
	Lag      time.Duration // since the oldest reading that waits arrived, or since the start
	Readings int           // that wait, of all of these tenants
}

// lateFrom is how long a reading waits for evaluation before people are told that alarms are
// behind.
const lateFrom = 5 * time.Second

// Behind is how far evaluation is behind for all tenants; TenantBehind is for one.
func (e *Engine) Behind() (b Behind) {
	now := e.opts.Now().UnixMilli()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	for _, tq := range e.queues.byTenant {
		b.add(tq, e.queues.began, now, e.backlogUnknown())
	}
	return b
}

// TenantBehind is how far evaluation is behind for a tenant.
func (e *Engine) TenantBehind(t tenant.ID) (b Behind) {
	now := e.opts.Now().UnixMilli()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	if tq := e.queues.byTenant[t]; tq != nil {
		b.add(tq, e.queues.began, now, e.backlogUnknown())
	}
	return b
}

// add counts a tenant if it is late. After a start it is not known at first which readings wait.
func (b *Behind) add(tq *tenantQueue, began, now int64, unknown bool) {
	since := max(tq.since, began)
	if tq.count == 0 {
		since = began
		if len(tq.replay) == 0 || !unknown {
			return
		}
	}
	if lag := time.Duration(now-since) * time.Millisecond; lag >= lateFrom {
		b.Tenants++
		b.Readings += tq.count
		b.Lag = max(b.Lag, lag)
	}
}
