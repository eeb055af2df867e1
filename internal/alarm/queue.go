package alarm

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"tilth/internal/device"
	"tilth/internal/reading"
	"tilth/internal/tenant"
)

const (
	// queueBytes is how much of one tenant's readings waits in memory; what is
	// beyond that is read again from the journal. queuesBytes is that of all.
	// queueFloor is what a tenant may have however much others have.
	queueBytes  = 8 << 20
	queuesBytes = 64 << 20
	queueFloor  = 16 << 10
	// mostPending is how many events of a tenant may wait for the database before
	// its judging waits too.
	mostPending = 2000
	// behindAtMost and waitingAtMost are how far a tenant's judging may be behind
	// before its own devices wait.
	behindAtMost  = 10 * time.Minute
	waitingAtMost = 1_000_000
)

// queue is what of one tenant waits to be judged. Judging serves the tenants in
// turn, so that one who has much keeps nobody else waiting.
type queue struct {
	tenant tenant.ID

	// Guarded by queues.mu.
	waiting []arrived
	bytes   int           // of waiting
	count   int           // frames that wait, those on disk included
	since   int64         // when the oldest that waits arrived, epoch ms
	onDisk  bool          // what comes after waiting is in the journal alone
	reread  Position      // of onDisk: from where
	listed  bool          // among those that wait for their turn
	held    bool          // waits for the database, or for what failed to be tried again
	late    bool          // behind since the start, or since more waited than memory holds
	opened  chan struct{} // closed when its devices may go on; nil: they may

	// Guarded by Engine.mu.
	place   Position   // judged up to there, while anything waits
	learn   []*running // rules whose windows are to be made again before anything is judged
	pending []event    // happened and not on disk yet
	writing []event    // before pending: being written
	rules   int
}

// arrived is a frame with its place in the journal.
type arrived struct {
	reading.Arrival
	position uint64
	index    int
}

// place is where an arrived frame is the next to be judged.
func (a *arrived) place() Position { return Position{Entry: a.position - 1, Index: a.index} }

// after is where it is judged.
func (a *arrived) after() Position { return Position{Entry: a.position - 1, Index: a.index + 1} }

// queues are those of all tenants that have rules.
type queues struct {
	mu      sync.Mutex // after Engine.mu
	of      map[tenant.ID]*queue
	turns   []*queue // those that have work, the next one first
	work    chan struct{}
	taken   uint64 // position of the newest entry that was handed over
	bytes   int
	watched map[device.ID]int // rules on readings, by device
	closed  atomic.Int32      // tenants whose devices wait
	began   int64             // when judging began, epoch ms
	most    int               // bytes of a tenant, at most
	mostAll int               // bytes of all, at most
}

func newQueues() queues {
	return queues{of: map[tenant.ID]*queue{}, watched: map[device.ID]int{}, work: make(chan struct{}, 1), most: queueBytes, mostAll: queuesBytes}
}

// Take takes over the batch at a position of the journal, to be judged soon;
// positions only rise, and one that was taken over already is passed over.
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
		of := q.of[a.Tenant]
		if of == nil {
			continue
		}
		if of.count == 0 {
			of.since = a.At
		}
		of.count++
		if !of.onDisk && !q.put(of, position, i, a) {
			of.onDisk, of.late, of.reread = true, true, Position{Entry: position - 1, Index: i}
		}
		q.list(of)
	}
	q.taken = position
}

// Taken is the position of the newest entry that Take took over.
func (e *Engine) Taken() uint64 {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	return e.queues.taken
}

// put adds a copy of a frame, unless there is no room for it. A tenant may have
// half of what the others leave of all the room.
func (q *queues) put(of *queue, position uint64, index int, a *reading.Arrival) bool {
	size := weight(a)
	room := max(min(queueFloor, q.most), min(q.most, (q.mostAll-q.bytes+of.bytes)/2))
	if of.bytes+size > room && len(of.waiting) > 0 {
		return false
	}
	own := *a
	// The frame is part of a whole batch, which must not stay in memory for it.
	own.Fields = append(make([]reading.Field, 0, len(a.Fields)), a.Fields...)
	for i := range own.Fields {
		own.Fields[i].Value = kept(own.Fields[i].Value)
	}
	of.waiting = append(of.waiting, arrived{own, position, index})
	of.bytes += size
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

// list puts a tenant behind the others that wait for their turn. Callers hold mu.
func (q *queues) list(of *queue) {
	if of.listed || of.held {
		return
	}
	of.listed = true
	q.turns = append(q.turns, of)
	signal(q.work)
}

// next is whose turn it is; nil: nobody's.
func (e *Engine) next() *queue {
	q := &e.queues
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.turns) > 0 {
		of := q.turns[0]
		q.turns[0] = nil
		q.turns = q.turns[1:]
		of.listed = false
		if !of.held {
			return of
		}
	}
	q.turns = nil
	return nil
}

// head is the oldest of what waits of a tenant, so many at most.
func (q *queues) head(of *queue, most int) []arrived {
	q.mu.Lock()
	defer q.mu.Unlock()
	return of.waiting[:min(most, len(of.waiting))]
}

// drop takes note that the oldest n are judged. Callers hold mu.
func (q *queues) drop(of *queue, n int) {
	for i := range of.waiting[:n] {
		size := weight(&of.waiting[i].Arrival)
		of.bytes -= size
		q.bytes -= size
		of.waiting[i] = arrived{}
	}
	of.count = max(0, of.count-n)
	of.waiting = of.waiting[n:]
	switch {
	case len(of.waiting) > 0:
		of.since = of.waiting[0].At
	case !of.onDisk:
		of.waiting, of.count, of.since = nil, 0, 0
	}
}

// idle tells whether a tenant has nothing that waits to be judged. Callers hold
// Engine.mu too.
func (of *queue) idle() bool { return len(of.waiting) == 0 && !of.onDisk && len(of.learn) == 0 }

// placeOf is how far a tenant is judged. Callers hold Engine.mu.
func (e *Engine) placeOf(of *queue) Position {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	return e.queues.placeOf(of)
}

// placeOf is Engine.placeOf for who holds mu, too.
func (q *queues) placeOf(of *queue) Position {
	if of.idle() {
		return Position{Entry: q.taken}
	}
	return of.place
}

// queueOf is a tenant's queue, made where there is none. Callers hold Engine.mu.
func (e *Engine) queueOf(t tenant.ID) *queue {
	q := &e.queues
	q.mu.Lock()
	defer q.mu.Unlock()
	of := q.of[t]
	if of == nil {
		of = &queue{tenant: t}
		q.of[t] = of
	}
	return of
}

// watch says that a tenant's device has one rule on readings more, or one less.
func (q *queues) watch(id device.ID, more int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.watched[id] += more; q.watched[id] == 0 {
		delete(q.watched, id)
	}
}

// forget lets the queue of a tenant go that has neither rules nor anything to be
// judged or written. Callers hold Engine.mu.
func (e *Engine) forget(of *queue) {
	q := &e.queues
	q.mu.Lock()
	defer q.mu.Unlock()
	if of.rules == 0 && of.idle() && !of.listed && len(of.pending)+len(of.writing) == 0 && q.of[of.tenant] == of {
		q.open(of)
		delete(q.of, of.tenant)
	}
}

// look closes a tenant to its devices when too much of it waits, and opens it
// again. Callers hold mu.
func (q *queues) look(of *queue, now int64) {
	behind := of.count > 0 && now-max(of.since, q.began) > behindAtMost.Milliseconds()
	switch {
	case of.count <= waitingAtMost && !behind:
		q.open(of)
	case of.opened == nil:
		of.opened = make(chan struct{})
		q.closed.Add(1)
	}
}

// open lets a tenant's devices go on. Callers hold mu.
func (q *queues) open(of *queue) {
	if of.opened != nil {
		close(of.opened)
		of.opened = nil
		q.closed.Add(-1)
	}
}

// Late are the tenants whose judging has not caught up yet with what waited at the
// start, or with more than memory holds: what it led to may be over by then.
func (e *Engine) Late() (late []tenant.ID) {
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	for t, of := range e.queues.of {
		if of.late {
			late = append(late, t)
		}
	}
	return late
}

// Admit waits until a tenant's readings may come in: while its judging is more
// than ten minutes or a million readings behind, its own devices wait for it.
func (e *Engine) Admit(ctx context.Context, t tenant.ID) error {
	if e.queues.closed.Load() == 0 {
		return nil
	}
	for {
		e.queues.mu.Lock()
		of := e.queues.of[t]
		if of == nil || of.opened == nil {
			e.queues.mu.Unlock()
			return nil
		}
		opened := of.opened
		e.queues.mu.Unlock()
		select {
		case <-opened:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Behind tells of judging that is late: how many tenants' is, and by how much
// at most.
type Behind struct {
	Tenants  int
	For      time.Duration // since the oldest reading that waits arrived, or since the start
	Readings int           // that wait, of all of them
}

// lateFrom is how long a reading waits to be judged before people are told that
// alarms are behind.
const lateFrom = 5 * time.Second

// Behind is how far judging is behind for all tenants; BehindOf for one.
func (e *Engine) Behind() (b Behind) {
	now := e.o.Now().UnixMilli()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	for _, of := range e.queues.of {
		b.add(of, e.queues.began, now)
	}
	return b
}

// BehindOf is how far judging is behind for a tenant.
func (e *Engine) BehindOf(t tenant.ID) (b Behind) {
	now := e.o.Now().UnixMilli()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queues.mu.Lock()
	defer e.queues.mu.Unlock()
	if of := e.queues.of[t]; of != nil {
		b.add(of, e.queues.began, now)
	}
	return b
}

func (b *Behind) add(of *queue, began, now int64) {
	since := max(of.since, began)
	if of.count == 0 {
		since = began
		if len(of.learn) == 0 {
			return
		}
	}
	if lag := time.Duration(now-since) * time.Millisecond; lag >= lateFrom {
		b.Tenants++
		b.Readings += of.count
		b.For = max(b.For, lag)
	}
}
