package limit

import (
	"context"
	"slices"
	"sync"
	"time"
)

// TurnOptions say how much of work that takes long is done at once.
type TurnOptions struct {
	AtOnce     int           // pieces of all keys
	EachKey    int           // of a key
	EachMaker  int           // of whoever makes work of a key: a user of a tenant
	KeyWaits   int           // of a key that wait; more are refused
	MakerWaits int           // of a maker
	Slice      time.Duration // after so long a piece lets others go on
}

// Reserved are turns that are kept for some keys, so that those need not wait for
// others, however many come. The remaining turns are others' first: those keys have
// them while no other waits that may have one.
type Reserved[K comparable] struct {
	Turns      int          // of TurnOptions.AtOnce
	For        func(K) bool // the keys they are kept for
	OthersWait int          // of all other keys together; of one no more than there are free places
}

// Turns gives work that takes long its turn: keys one after the other and, of a key,
// makers one after the other, however much one of them asks for. Work that has its
// turn and goes on for long calls Yield now and then; while it waits for something
// else, as for a client who reads, it Rests.
type Turns[K, M comparable] struct {
	TurnOptions
	reserved Reserved[K]

	mu      sync.Mutex
	busy    int
	others  crowd // keys for which nothing is reserved
	keys    map[K]*turnKey[K, M]
	round   []*turnKey[K, M] // those of which something waits, next one first
	refused uint64
}

// crowd counts the work of many keys.
type crowd struct{ busy, waits int }

type turnKey[K, M comparable] struct {
	key    K
	other  bool // nothing is reserved for it
	busy   int
	waits  int
	makers map[M]*turnMaker[K, M]
	round  []*turnMaker[K, M] // those of whom something waits, next one first
}

type turnMaker[K, M comparable] struct {
	maker   M
	of      *turnKey[K, M]
	busy    int
	waiting []*turn[K, M] // next one first: those that have begun, then the others
	begun   int           // of those that wait
}

// Turn is a piece of work's, used by one goroutine.
type Turn interface {
	// Yield lets others go on if the piece has had its slice and any of them waits.
	Yield(ctx context.Context)
	// Rest lets others go on until Again, which waits for the piece's turn.
	Rest()
	Again(ctx context.Context)
	// Leave ends the piece of work.
	Leave()
}

type turn[K, M comparable] struct {
	turns *Turns[K, M]
	maker *turnMaker[K, M]
	began time.Time
	has   bool
	ready chan struct{} // closed when it is its turn; nil: it does not wait
}

// NewTurns makes turns. Of the options Name and Meter are needed.
func NewTurns[K, M comparable](o Options, to TurnOptions) *Turns[K, M] {
	t := &Turns[K, M]{TurnOptions: to, keys: map[K]*turnKey[K, M]{}}
	o.Meter.add(o.Name, t.figures)
	return t
}

// Reserve keeps turns for some keys. It is called before any work is done.
func (t *Turns[K, M]) Reserve(r Reserved[K]) { t.reserved = r }

// Enter waits for a turn. nil: as many of the maker's wait as may, or ctx has ended;
// Full or NotFull tells which.
func (t *Turns[K, M]) Enter(ctx context.Context, key K, maker M) (Turn, Full) {
	t.mu.Lock()
	m := t.maker(key, maker)
	if m.of.waits >= t.KeyWaits || len(m.waiting) >= t.MakerWaits || m.of.other && m.of.waits >= t.reserved.OthersWait-t.others.waits {
		t.refused++
		t.forget(m)
		t.mu.Unlock()
		return nil, FullForKey
	}
	mine := &turn[K, M]{turns: t, maker: m}
	t.queue(mine, len(m.waiting))
	t.give()
	t.mu.Unlock()
	mine.await(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !mine.has {
		return nil, NotFull
	}
	return mine, NotFull
}

// maker finds or remembers one.
func (t *Turns[K, M]) maker(key K, maker M) *turnMaker[K, M] {
	k := t.keys[key]
	if k == nil {
		k = &turnKey[K, M]{key: key, other: t.reserved.For != nil && !t.reserved.For(key), makers: map[M]*turnMaker[K, M]{}}
		t.keys[key] = k
	}
	m := k.makers[maker]
	if m == nil {
		m = &turnMaker[K, M]{maker: maker, of: k}
		k.makers[maker] = m
	}
	return m
}

// queue lets a piece wait at a place of its maker's line.
func (t *Turns[K, M]) queue(p *turn[K, M], place int) {
	p.ready = make(chan struct{})
	m := p.maker
	m.waiting = slices.Insert(m.waiting, place, p)
	if !slices.Contains(m.of.round, m) {
		m.of.round = append(m.of.round, m)
	}
	if !slices.Contains(t.round, m.of) {
		t.round = append(t.round, m.of)
	}
	t.waits(m.of, 1)
}

// give gives turns to those that wait, as long as there are any.
func (t *Turns[K, M]) give() {
	for t.busy < t.AtOnce {
		m := t.next()
		if m == nil {
			return
		}
		p := m.waiting[0]
		m.waiting = m.waiting[1:]
		m.begun = max(0, m.begun-1)
		t.waits(m.of, -1)
		p.has, p.began = true, time.Now()
		close(p.ready)
		p.ready = nil
		t.works(m, 1)
		m.of.round = afterAll(m.of.round, m, len(m.waiting) > 0)
		t.round = afterAll(t.round, m.of, len(m.of.round) > 0)
	}
}

// waits counts pieces of a key that wait.
func (t *Turns[K, M]) waits(k *turnKey[K, M], n int) {
	k.waits += n
	if k.other {
		t.others.waits += n
	}
}

// works counts pieces of a maker that have their turn.
func (t *Turns[K, M]) works(m *turnMaker[K, M], n int) {
	m.busy += n
	m.of.busy += n
	t.busy += n
	if m.of.other {
		t.others.busy += n
	}
}

// next is whose turn it is; nil: nobody's who waits. Others go first as long as they have
// not all the turns that are not reserved.
func (t *Turns[K, M]) next() *turnMaker[K, M] {
	if t.others.waits > 0 && t.others.busy < t.AtOnce-t.reserved.Turns {
		if m := t.first(true); m != nil {
			return m
		}
	}
	return t.first(false)
}

// first is the first that may have a turn, of the others or of the rest.
func (t *Turns[K, M]) first(other bool) *turnMaker[K, M] {
	for _, k := range t.round {
		if k.other != other || k.busy >= t.EachKey {
			continue
		}
		for _, m := range k.round {
			if m.busy < t.EachMaker {
				return m
			}
		}
	}
	return nil
}

// afterAll is a round in which one stands last, if it is still of it.
func afterAll[T comparable](round []T, one T, still bool) []T {
	if i := slices.Index(round, one); i >= 0 {
		round = slices.Delete(round, i, i+1)
	}
	if still {
		round = append(round, one)
	}
	return round
}

// await waits for the turn of a piece that was queued.
func (p *turn[K, M]) await(ctx context.Context) {
	t := p.turns
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
	m := p.maker
	if i := slices.Index(m.waiting, p); i >= 0 {
		m.waiting = slices.Delete(m.waiting, i, i+1)
		if i < m.begun {
			m.begun--
		}
		t.waits(m.of, -1)
		p.ready = nil
		if len(m.waiting) == 0 {
			m.of.round = afterAll(m.of.round, m, false)
		}
		if len(m.of.round) == 0 {
			t.round = afterAll(t.round, m.of, false)
		}
		t.forget(m)
		return
	}
	if p.has { // it was its turn just then
		t.end(p)
	}
}

// take takes a piece's turn. Those who came while it had it go before others of its
// key and maker.
func (t *Turns[K, M]) take(p *turn[K, M]) {
	p.has = false
	m, k := p.maker, p.maker.of
	t.works(m, -1)
	k.round = afterAll(k.round, m, len(m.waiting) > 0)
	t.round = afterAll(t.round, k, len(k.round) > 0)
}

// end takes a piece's turn, and gives it to the next.
func (t *Turns[K, M]) end(p *turn[K, M]) {
	t.take(p)
	t.give()
	t.forget(p.maker)
}

// forget drops what is remembered of a maker who has nothing to do. Should one of
// its pieces rest, it is remembered anew by Again.
func (t *Turns[K, M]) forget(m *turnMaker[K, M]) {
	k := m.of
	if m.busy == 0 && len(m.waiting) == 0 && k.makers[m.maker] == m {
		delete(k.makers, m.maker)
	}
	if len(k.makers) == 0 && t.keys[k.key] == k {
		delete(t.keys, k.key)
	}
}

func (p *turn[K, M]) Yield(ctx context.Context) {
	t := p.turns
	t.mu.Lock()
	if !p.has || len(t.round) == 0 || time.Since(p.began) < t.Slice {
		t.mu.Unlock()
		return
	}
	t.take(p)
	t.back(p)
	t.mu.Unlock()
	p.await(ctx)
}

// back lets a piece that has begun wait before those of its maker that have not.
func (t *Turns[K, M]) back(p *turn[K, M]) {
	p.maker = t.maker(p.maker.of.key, p.maker.maker)
	t.queue(p, p.maker.begun)
	p.maker.begun++
	t.give()
}

func (p *turn[K, M]) Rest() {
	p.turns.mu.Lock()
	defer p.turns.mu.Unlock()
	if p.has {
		p.turns.end(p)
	}
}

func (p *turn[K, M]) Again(ctx context.Context) {
	t := p.turns
	t.mu.Lock()
	if !p.has && ctx.Err() == nil {
		t.back(p)
	}
	t.mu.Unlock()
	p.await(ctx)
}

func (p *turn[K, M]) Leave() { p.Rest() }

func (t *Turns[K, M]) figures() Figures {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Figures{Refused: t.refused, Kept: len(t.keys)}
}

type turnOf struct{}

// WithTurn carries a piece of work's turn to whoever does the work.
func WithTurn(ctx context.Context, t Turn) context.Context {
	return context.WithValue(ctx, turnOf{}, t)
}

// HasTurn tells whether what ctx is of has a turn.
func HasTurn(ctx context.Context) bool { return ctx.Value(turnOf{}) != nil }

// Yield lets others go on, where the work of ctx has a turn.
func Yield(ctx context.Context) {
	if t, ok := ctx.Value(turnOf{}).(Turn); ok {
		t.Yield(ctx)
	}
}
