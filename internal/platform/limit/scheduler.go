package limit

import (
	"context"
	"slices"
	"sync"
	"time"
)

// SchedulerOptions limit how many long tasks run and wait at the same time.
type SchedulerOptions struct {
	MaxRunning             int           // tasks of all keys
	MaxRunningPerKey       int           // tasks of one key
	MaxRunningPerSubmitter int           // tasks of one submitter of a key: of a user of a tenant
	MaxWaitingPerKey       int           // waiting tasks of one key; further ones are refused
	MaxWaitingPerSubmitter int           // waiting tasks of one submitter
	TimeSlice              time.Duration // a task that ran this long yields to others
}

// Reservation keeps some running tasks for some keys, so that those keys need not wait for others,
// however many tasks those submit. The rest goes to the other keys first: the reserved keys get it
// only while no other key waits for a task that it may run.
type Reservation[K comparable] struct {
	Running          int          // of SchedulerOptions.MaxRunning
	For              func(K) bool // the keys with the reservation
	MaxOthersWaiting int          // waiting tasks of all other keys together; one key has at most the places left
	// OthersBetween is how many tasks of the other keys start between two of one reserved key while
	// other keys wait: the reservation is for keys that come now and then.
	OthersBetween int
	// OthersBeforeSkip is how many tasks of the other keys may wait, and of the reserved keys none, before
	// optional tasks are skipped. MaxOptionalWaiting is how many of the other keys' tasks may wait with
	// the optional ones, which do not count for MaxOthersWaiting.
	OthersBeforeSkip, MaxOptionalWaiting int
}

// Scheduler runs long tasks in round robin over the keys and, within a key, over its submitters,
// however many tasks one of them submits. A long-running task calls Yield now and then; while it
// waits for something else, such as a client that reads slowly, it calls Pause.
type Scheduler[K, M comparable] struct {
	SchedulerOptions
	reserved Reservation[K]

	mu            sync.Mutex
	busy          int
	others        load   // keys without a reservation
	waiting       int    // tasks of all keys
	othersStarted uint64 // their tasks so far
	keys          map[K]*keyQueue[K, M]
	round         []*keyQueue[K, M] // keys with waiting tasks, the next one first
	refused       uint64
}

// load counts the tasks of many keys.
type load struct{ busy, waiting, optional int } // optional: of those that wait

type keyQueue[K, M comparable] struct {
	key        K
	other      bool   // the key has no reservation
	notBefore  uint64 // with a reservation: the tasks of others that start before its next one, if others wait
	busy       int
	waiting    int
	submitters map[M]*submitterQueue[K, M]
	round      []*submitterQueue[K, M] // submitters with waiting tasks, the next one first
}

type submitterQueue[K, M comparable] struct {
	id      M
	parent  *keyQueue[K, M]
	busy    int
	waiting []*task[K, M] // the next one first: tasks that have begun, then new ones
	started int           // how many of the waiting tasks have begun
}

// Task is one task. One goroutine uses it.
type Task interface {
	// Yield lets waiting tasks run if this one has used up its time slice.
	Yield(ctx context.Context)
	// Pause lets waiting tasks run until Resume, which waits until this task may run again.
	Pause()
	Resume(ctx context.Context)
	// Leave ends the task.
	Leave()
}

type task[K, M comparable] struct {
	scheduler *Scheduler[K, M]
	submitter *submitterQueue[K, M]
	startedAt time.Time
	running   bool
	optional  bool
	skipped   bool          // it runs, and another task may run in its place
	ready     chan struct{} // closed when the task may run; nil: it does not wait
}

// NewScheduler makes a scheduler. Of the Options it needs Name and Meter.
func NewScheduler[K, M comparable](o Options, to SchedulerOptions) *Scheduler[K, M] {
	t := &Scheduler[K, M]{SchedulerOptions: to, keys: map[K]*keyQueue[K, M]{}}
	o.Meter.add(o.Name, t.stats)
	return t
}

// Reserve sets the reservation. It is called before the first task.
func (t *Scheduler[K, M]) Reserve(r Reservation[K]) { t.reserved = r }

// Enter waits until a task may run. Without a task, Full tells why: FullForKey if too many tasks
// wait already, NotFull if ctx has ended.
func (t *Scheduler[K, M]) Enter(ctx context.Context, key K, submitter M) (Task, Full) {
	p, why := t.enter(ctx, key, submitter, false)
	if p == nil {
		return nil, why
	}
	return p, why
}

// EnterOptional is Enter for a task whose work can be left out while others wait. It waits for its turn
// and is refused as others are, but takes no place from them. skip tells that its turn has come and
// others wait: it does not work, and until Leave counts only for its key and its submitter.
func (t *Scheduler[K, M]) EnterOptional(ctx context.Context, key K, submitter M) (_ Task, skip bool, _ Full) {
	p, why := t.enter(ctx, key, submitter, true)
	if p == nil {
		return nil, false, why
	}
	return p, p.skipped, why
}

func (t *Scheduler[K, M]) enter(ctx context.Context, key K, submitter M, optional bool) (*task[K, M], Full) {
	t.mu.Lock()
	m := t.queueFor(key, submitter)
	if m.parent.waiting >= t.MaxWaitingPerKey || len(m.waiting) >= t.MaxWaitingPerSubmitter ||
		m.parent.other && (m.parent.waiting >= t.reserved.MaxOthersWaiting-t.others.waiting+t.others.optional ||
			t.others.waiting >= max(t.reserved.MaxOthersWaiting, t.reserved.MaxOptionalWaiting)) {
		t.refused++
		t.forget(m)
		t.mu.Unlock()
		return nil, FullForKey
	}
	mine := &task[K, M]{scheduler: t, submitter: m, optional: optional}
	t.enqueue(mine, len(m.waiting))
	t.dispatch()
	t.mu.Unlock()
	mine.await(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !mine.running {
		return nil, NotFull
	}
	return mine, NotFull
}

// queueFor finds or creates the queue of a submitter.
func (t *Scheduler[K, M]) queueFor(key K, submitter M) *submitterQueue[K, M] {
	k := t.keys[key]
	if k == nil {
		k = &keyQueue[K, M]{
			key:        key,
			other:      t.reserved.For != nil && !t.reserved.For(key),
			submitters: map[M]*submitterQueue[K, M]{},
		}
		t.keys[key] = k
	}
	m := k.submitters[submitter]
	if m == nil {
		m = &submitterQueue[K, M]{id: submitter, parent: k}
		k.submitters[submitter] = m
	}
	return m
}

// enqueue puts a task at a place in its submitter's queue.
func (t *Scheduler[K, M]) enqueue(p *task[K, M], place int) {
	p.ready = make(chan struct{})
	m := p.submitter
	m.waiting = slices.Insert(m.waiting, place, p)
	if !slices.Contains(m.parent.round, m) {
		m.parent.round = append(m.parent.round, m)
	}
	if !slices.Contains(t.round, m.parent) {
		t.round = append(t.round, m.parent)
	}
	t.addWaiting(p, 1)
}

// dispatch starts waiting tasks while there is room.
func (t *Scheduler[K, M]) dispatch() {
	for t.busy < t.MaxRunning {
		m := t.next()
		if m == nil {
			return
		}
		p := m.waiting[0]
		m.waiting = m.waiting[1:]
		m.started = max(0, m.started-1)
		t.addWaiting(p, -1)
		p.running, p.startedAt = true, time.Now()
		p.skipped = p.optional && m.parent.other &&
			(t.others.waiting > t.reserved.OthersBeforeSkip || t.waiting > t.others.waiting)
		close(p.ready)
		p.ready = nil
		t.addRunning(m, 1)
		if !p.skipped {
			t.addBusy(m.parent, 1)
		}
		if m.parent.other {
			t.othersStarted++
		} else {
			m.parent.notBefore = t.othersStarted + uint64(t.reserved.OthersBetween)
		}
		m.parent.round = moveToBack(m.parent.round, m, len(m.waiting) > 0)
		t.round = moveToBack(t.round, m.parent, len(m.parent.round) > 0)
	}
}

// addWaiting counts a waiting task.
func (t *Scheduler[K, M]) addWaiting(p *task[K, M], n int) {
	k := p.submitter.parent
	k.waiting += n
	t.waiting += n
	if k.other {
		t.others.waiting += n
		if p.optional {
			t.others.optional += n
		}
	}
}

// addRunning counts running tasks of a submitter.
func (t *Scheduler[K, M]) addRunning(m *submitterQueue[K, M], n int) {
	m.busy += n
	m.parent.busy += n
}

// addBusy counts the running tasks of a key that are not skipped.
func (t *Scheduler[K, M]) addBusy(k *keyQueue[K, M], n int) {
	t.busy += n
	if k.other {
		t.others.busy += n
	}
}

// next returns the queue whose task runs next; nil if no waiting task may run. Keys without a
// reservation go first until they have used all that is not reserved.
func (t *Scheduler[K, M]) next() *submitterQueue[K, M] {
	if t.others.waiting > 0 && t.others.busy < t.MaxRunning-t.reserved.Running {
		if m := t.firstReady(true); m != nil {
			return m
		}
	}
	return t.firstReady(false)
}

// firstReady returns the first queue whose task may run, among the keys without a reservation or
// among the rest.
func (t *Scheduler[K, M]) firstReady(other bool) *submitterQueue[K, M] {
	for _, k := range t.round {
		if k.other != other || k.busy >= t.MaxRunningPerKey || t.others.waiting > 0 && t.othersStarted < k.notBefore {
			continue
		}
		for _, m := range k.round {
			if m.busy < t.MaxRunningPerSubmitter {
				return m
			}
		}
	}
	return nil
}

// moveToBack removes one from the round and, if still is true, appends it at the end.
func moveToBack[T comparable](round []T, one T, still bool) []T {
	if i := slices.Index(round, one); i >= 0 {
		round = slices.Delete(round, i, i+1)
	}
	if still {
		round = append(round, one)
	}
	return round
}

// await waits until a queued task may run.
func (p *task[K, M]) await(ctx context.Context) {
	t := p.scheduler
	t.mu.Lock()
	ready := p.ready
	t.mu.Unlock()
	if ready == nil {
		return
	}
	select {
	case <-ready:
		return
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	m := p.submitter
	if i := slices.Index(m.waiting, p); i >= 0 {
		m.waiting = slices.Delete(m.waiting, i, i+1)
		if i < m.started {
			m.started--
		}
		t.addWaiting(p, -1)
		p.ready = nil
		if len(m.waiting) == 0 {
			m.parent.round = moveToBack(m.parent.round, m, false)
		}
		if len(m.parent.round) == 0 {
			t.round = moveToBack(t.round, m.parent, false)
		}
		t.forget(m)
		return
	}
	if p.running { // it was started just then
		t.finish(p)
	}
}

// suspend stops a running task. Submitters and keys that joined while it ran come before others of
// its submitter and key.
func (t *Scheduler[K, M]) suspend(p *task[K, M]) {
	p.running = false
	m, k := p.submitter, p.submitter.parent
	t.addRunning(m, -1)
	if !p.skipped {
		t.addBusy(k, -1)
	}
	p.skipped = false
	k.round = moveToBack(k.round, m, len(m.waiting) > 0)
	t.round = moveToBack(t.round, k, len(k.round) > 0)
}

// finish stops a running task and starts the next.
func (t *Scheduler[K, M]) finish(p *task[K, M]) {
	t.suspend(p)
	t.dispatch()
	t.forget(p.submitter)
}

// forget drops the queue of a submitter without tasks. If one of its tasks is paused, Resume
// creates the queue again.
func (t *Scheduler[K, M]) forget(m *submitterQueue[K, M]) {
	k := m.parent
	if m.busy == 0 && len(m.waiting) == 0 && k.submitters[m.id] == m {
		delete(k.submitters, m.id)
	}
	if len(k.submitters) == 0 && t.keys[k.key] == k {
		delete(t.keys, k.key)
	}
}

func (p *task[K, M]) Yield(ctx context.Context) {
	t := p.scheduler
	t.mu.Lock()
	if !p.running || len(t.round) == 0 || time.Since(p.startedAt) < t.TimeSlice {
		t.mu.Unlock()
		return
	}
	t.suspend(p)
	t.requeue(p)
	t.mu.Unlock()
	p.await(ctx)
}

// requeue queues a task that has begun before the new tasks of its submitter.
func (t *Scheduler[K, M]) requeue(p *task[K, M]) {
	p.submitter = t.queueFor(p.submitter.parent.key, p.submitter.id)
	t.enqueue(p, p.submitter.started)
	p.submitter.started++
	t.dispatch()
}

func (p *task[K, M]) Pause() {
	p.scheduler.mu.Lock()
	defer p.scheduler.mu.Unlock()
	if p.running {
		p.scheduler.finish(p)
	}
}

func (p *task[K, M]) Resume(ctx context.Context) {
	t := p.scheduler
	t.mu.Lock()
	if !p.running && ctx.Err() == nil {
		t.requeue(p)
	}
	t.mu.Unlock()
	p.await(ctx)
}

func (p *task[K, M]) Leave() { p.Pause() }

// OthersWaiting gives how many tasks of keys without a reservation wait, those that are optional apart.
func (t *Scheduler[K, M]) OthersWaiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.others.waiting - t.others.optional
}

func (t *Scheduler[K, M]) stats() Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Stats{Refused: t.refused, Keys: len(t.keys)}
}

type taskKey struct{}

// WithTask adds a task to the context of the work.
func WithTask(ctx context.Context, t Task) context.Context {
	return context.WithValue(ctx, taskKey{}, t)
}

// HasTask tells whether ctx belongs to a task.
func HasTask(ctx context.Context) bool { return ctx.Value(taskKey{}) != nil }

// Yield calls Task.Yield if ctx belongs to a task.
func Yield(ctx context.Context) {
	if t, ok := ctx.Value(taskKey{}).(Task); ok {
		t.Yield(ctx)
	}
}
