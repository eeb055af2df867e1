package limit

import (
	"context"
	"slices"
	"sync"
	"time"
)

// SchedulerOptions say how much of work that takes long is done at once.
type SchedulerOptions struct {
	MaxRunning             int           // pieces of all keys
	MaxRunningPerKey       int           // of a key
	MaxRunningPerSubmitter int           // of whoever makes work of a key: a user of a tenant
	MaxWaitingPerKey       int           // of a key that wait; more are refused
	MaxWaitingPerSubmitter int           // of a maker
	TimeSlice              time.Duration // after so long a piece lets others go on
}

// Reservation are turns that are kept for some keys, so that those need not wait for
// others, however many come. The remaining turns are others' first: those keys have
// them while no other waits that may have one.
type Reservation[K comparable] struct {
	Running          int          // of SchedulerOptions.MaxConcurrent
	For              func(K) bool // the keys they are kept for
	MaxOthersWaiting int          // of all other keys together; of one no more than there are free places
}

// Scheduler gives work that takes long its turn: keys one after the other and, of a key,
// makers one after the other, however much one of them asks for. Work that has its
// turn and goes on for long calls Yield now and then; while it waits for something
// else, as for a client who reads, it Rests.
type Scheduler[K, M comparable] struct {
	SchedulerOptions
	reserved Reservation[K]

	mu      sync.Mutex
	busy    int
	others  load // keys for which nothing is reserved
	keys    map[K]*keyQueue[K, M]
	round   []*keyQueue[K, M] // those of which something waits, next one first
	refused uint64
}

// load counts the work of many keys.
type load struct{ busy, waiting int }

type keyQueue[K, M comparable] struct {
	key        K
	other      bool // nothing is reserved for it
	busy       int
	waiting    int
	submitters map[M]*submitterQueue[K, M]
	round      []*submitterQueue[K, M] // those of whom something waits, next one first
}

type submitterQueue[K, M comparable] struct {
	id      M
	parent  *keyQueue[K, M]
	busy    int
	waiting []*task[K, M] // next one first: those that have begun, then the others
	started int           // of those that wait
}

// Task is a piece of work's, used by one goroutine.
type Task interface {
	// Yield lets others go on if the piece has had its slice and any of them waits.
	Yield(ctx context.Context)
	// Pause lets others go on until Again, which waits for the piece's turn.
	Pause()
	Resume(ctx context.Context)
	// Leave ends the piece of work.
	Leave()
}

type task[K, M comparable] struct {
	scheduler *Scheduler[K, M]
	submitter *submitterQueue[K, M]
	startedAt time.Time
	running   bool
	ready     chan struct{} // closed when it is its turn; nil: it does not wait
}

// NewScheduler makes turns. Of the options Name and Meter are needed.
func NewScheduler[K, M comparable](o Options, to SchedulerOptions) *Scheduler[K, M] {
	t := &Scheduler[K, M]{SchedulerOptions: to, keys: map[K]*keyQueue[K, M]{}}
	o.Meter.add(o.Name, t.stats)
	return t
}

// Reserve keeps turns for some keys. It is called before any work is done.
func (t *Scheduler[K, M]) Reserve(r Reservation[K]) { t.reserved = r }

// Enter waits for a turn. nil: as many of the maker's wait as may, or ctx has ended;
// Full or NotFull tells which.
func (t *Scheduler[K, M]) Enter(ctx context.Context, key K, submitter M) (Task, Full) {
	t.mu.Lock()
	m := t.queueFor(key, submitter)
	if m.parent.waiting >= t.MaxWaitingPerKey || len(m.waiting) >= t.MaxWaitingPerSubmitter ||
		m.parent.other && m.parent.waiting >= t.reserved.MaxOthersWaiting-t.others.waiting {
		t.refused++
		t.forget(m)
		t.mu.Unlock()
		return nil, FullForKey
	}
	mine := &task[K, M]{scheduler: t, submitter: m}
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

// queueFor finds or remembers one.
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

// enqueue lets a piece wait at a place of its maker's line.
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
	t.addWaiting(m.parent, 1)
}

// dispatch gives turns to those that wait, as long as there are any.
func (t *Scheduler[K, M]) dispatch() {
	for t.busy < t.MaxRunning {
		m := t.next()
		if m == nil {
			return
		}
		p := m.waiting[0]
		m.waiting = m.waiting[1:]
		m.started = max(0, m.started-1)
		t.addWaiting(m.parent, -1)
		p.running, p.startedAt = true, time.Now()
		close(p.ready)
		p.ready = nil
		t.addRunning(m, 1)
		m.parent.round = moveToBack(m.parent.round, m, len(m.waiting) > 0)
		t.round = moveToBack(t.round, m.parent, len(m.parent.round) > 0)
	}
}

// addWaiting counts pieces of a key that wait.
func (t *Scheduler[K, M]) addWaiting(k *keyQueue[K, M], n int) {
	k.waiting += n
	if k.other {
		t.others.waiting += n
	}
}

// addRunning counts pieces of a maker that have their turn.
func (t *Scheduler[K, M]) addRunning(m *submitterQueue[K, M], n int) {
	m.busy += n
	m.parent.busy += n
	t.busy += n
	if m.parent.other {
		t.others.busy += n
	}
}

// next is whose turn it is; nil: nobody's who waits. Others go first as long as they have
// not all the turns that are not reserved.
func (t *Scheduler[K, M]) next() *submitterQueue[K, M] {
	if t.others.waiting > 0 && t.others.busy < t.MaxRunning-t.reserved.Running {
		if m := t.firstReady(true); m != nil {
			return m
		}
	}
	return t.firstReady(false)
}

// firstReady is the first that may have a turn, of the others or of the rest.
func (t *Scheduler[K, M]) firstReady(other bool) *submitterQueue[K, M] {
	for _, k := range t.round {
		if k.other != other || k.busy >= t.MaxRunningPerKey {
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

// moveToBack is a round in which one stands last, if it is still of it.
func moveToBack[T comparable](round []T, one T, still bool) []T {
	if i := slices.Index(round, one); i >= 0 {
		round = slices.Delete(round, i, i+1)
	}
	if still {
		round = append(round, one)
	}
	return round
}

// await waits for the turn of a piece that was queued.
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
		t.addWaiting(m.parent, -1)
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
	if p.running { // it was its turn just then
		t.finish(p)
	}
}

// suspend takes a piece's turn. Those who came while it had it go before others of its
// key and maker.
func (t *Scheduler[K, M]) suspend(p *task[K, M]) {
	p.running = false
	m, k := p.submitter, p.submitter.parent
	t.addRunning(m, -1)
	k.round = moveToBack(k.round, m, len(m.waiting) > 0)
	t.round = moveToBack(t.round, k, len(k.round) > 0)
}

// finish takes a piece's turn, and gives it to the next.
func (t *Scheduler[K, M]) finish(p *task[K, M]) {
	t.suspend(p)
	t.dispatch()
	t.forget(p.submitter)
}

// forget drops what is remembered of a maker who has nothing to do. Should one of
// its pieces rest, it is remembered anew by Again.
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

// requeue lets a piece that has begun wait before those of its maker that have not.
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

func (t *Scheduler[K, M]) stats() Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Stats{Refused: t.refused, Keys: len(t.keys)}
}

type taskKey struct{}

// WithTask carries a piece of work's turn to whoever does the work.
func WithTask(ctx context.Context, t Task) context.Context {
	return context.WithValue(ctx, taskKey{}, t)
}

// HasTask tells whether what ctx is of has a turn.
func HasTask(ctx context.Context) bool { return ctx.Value(taskKey{}) != nil }

// Yield lets others go on, where the work of ctx has a turn.
func Yield(ctx context.Context) {
	if t, ok := ctx.Value(taskKey{}).(Task); ok {
		t.Yield(ctx)
	}
}
