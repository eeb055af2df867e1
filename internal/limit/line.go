package limit

import (
	"context"
	"sync"
	"time"
)

// rests is how many times as long as a piece takes is its key's until the next, once
// it has no free work left.
const rests = 3

// LineOptions say how much a key of a Line may do.
type LineOptions struct {
	Free   time.Duration // of work that a key may do without waiting in the line; a third of the time that passes is given back
	AtOnce int           // pieces of it at the same time
	Most   int           // that wait
	Long   time.Duration // a piece in the line that takes longer keeps its place
}

// Line lets each key work freely for a while; one that goes on without a pause then
// works on one piece after the other, and waits after each that takes long for twice
// as long. So it has a third of what would be there, whoever asks now and then feels
// nothing of it, and nobody waits for another key. It remembers keys that have worked
// lately, and no others.
type Line[K comparable] struct {
	LineOptions

	mu      sync.Mutex
	of      map[K]*line
	refused uint64
}

// line is one key's.
type line struct {
	busy    int
	waiting []chan struct{} // closed when it is one's turn, the first come first
	worked  time.Duration   // and not given back, at the time at
	at      time.Time
	passing bool // somebody looks whether it can be forgotten
}

// NewLine makes a line. Of the options Name and Meter are needed.
func NewLine[K comparable](o Options, lo LineOptions) *Line[K] {
	l := &Line[K]{LineOptions: lo, of: map[K]*line{}}
	o.Meter.add(o.Name, l.figures)
	return l
}

// spent is how much a key has worked that is not given back.
func (m *line) spent(now time.Time) time.Duration {
	m.worked = max(0, m.worked-now.Sub(m.at)/rests)
	m.at = now
	return m.worked
}

// room is how many pieces of a key's may be worked on at once.
func (l *Line[K]) room(m *line, now time.Time) int {
	if m.spent(now) < l.Free {
		return l.AtOnce
	}
	return 1
}

// Enter waits until it is the key's turn; leave is to be called then, once. Without
// one too many are waiting, or ctx has ended: Full or NotFull tells which.
func (l *Line[K]) Enter(ctx context.Context, key K) (leave func(), why Full) {
	l.mu.Lock()
	mine, now := l.of[key], time.Now()
	if mine == nil {
		mine = &line{at: now}
		l.of[key] = mine
	}
	switch {
	case len(mine.waiting) == 0 && mine.busy < l.room(mine, now):
		mine.busy++
		l.mu.Unlock()
		return l.leaves(key), NotFull
	case len(mine.waiting) >= l.Most:
		l.refused++
		l.mu.Unlock()
		return nil, FullForKey
	}
	turn := make(chan struct{})
	mine.waiting = append(mine.waiting, turn)
	l.mu.Unlock()
	return l.wait(ctx, key, turn)
}

// leaves is for who has got in just now.
func (l *Line[K]) leaves(key K) func() {
	began := time.Now()
	return func() {
		l.mu.Lock()
		now := time.Now()
		took, mine := now.Sub(began), l.of[key]
		free := mine.spent(now) < l.Free
		mine.worked += took
		l.mu.Unlock()
		if took > l.Long && !free {
			time.AfterFunc((rests-1)*took, func() { l.leave(key) })
			return
		}
		l.leave(key)
	}
}

// wait waits for a turn that was asked for.
func (l *Line[K]) wait(ctx context.Context, key K, turn chan struct{}) (leave func(), why Full) {
	select {
	case <-turn:
		return l.leaves(key), NotFull
	case <-ctx.Done():
	}
	l.mu.Lock()
	mine := l.of[key]
	for i, other := range mine.waiting {
		if other == turn {
			mine.waiting = append(mine.waiting[:i:i], mine.waiting[i+1:]...)
			l.mu.Unlock()
			return nil, NotFull
		}
	}
	l.mu.Unlock()
	l.leave(key) // it was its turn just then
	return nil, NotFull
}

// leave hands the turn on.
func (l *Line[K]) leave(key K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	mine, now := l.of[key], time.Now()
	mine.busy--
	for len(mine.waiting) > 0 && mine.busy < l.room(mine, now) {
		close(mine.waiting[0])
		mine.waiting = mine.waiting[1:]
		mine.busy++
	}
	l.pass(key, mine, now)
}

// pass forgets a key that does nothing, once all that it worked is given back.
func (l *Line[K]) pass(key K, mine *line, now time.Time) {
	switch spent := mine.spent(now); {
	case mine.busy > 0 || mine.passing: // whoever ends last looks
	case spent == 0:
		delete(l.of, key)
	default:
		mine.passing = true
		time.AfterFunc(rests*spent, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			mine.passing = false
			l.pass(key, mine, time.Now())
		})
	}
}

func (l *Line[K]) figures() Figures {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Figures{Refused: l.refused, Kept: len(l.of)}
}
