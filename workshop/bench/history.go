package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"
)

// HistoryOptions are the options of a history run.
type HistoryOptions struct {
	Repeats  int // how often each query runs warm; the devices take turns
	Peers    []Peer
	Years    *Years                        // nil: no questions about years
	Progress func(format string, a ...any) // reports progress to people
}

// Timing is how long a store took for a query, including reading the response.
type Timing struct {
	First, Warm Percentiles // of the first query about each device; of later ones
	Failed      error       // why there are no times
	LeftOut     bool        // the store is not asked this
}

// Percentiles are the durations that half of all, and 95 % of all, do not exceed.
type Percentiles struct{ P50, P95 time.Duration }

// QuestionResult is one query and the times of each store; the first is tilth.
type QuestionResult struct {
	Question string
	Goal     float64 // how many times faster than the fastest peer tilth should be; 0: no goal
	Times    []Timing
}

// History is the result of a history run.
type History struct {
	Records *Records
	Repeats int
	Stores  []string // the first is tilth
	Loading []time.Duration
	Asked   []QuestionResult
	Rows    int // rows of the export
	Export  Percentiles
	Bytes   int // size of the export

	Years        *Years // nil: no questions about years
	LoadingYears []time.Duration
	AskedYears   []QuestionResult
}

// question is a query that every store can answer.
type question struct {
	name  string
	goal  float64
	years bool // about years
	ask   func(ctx context.Context, s *historyStore, device, turn int, into *answer) error
	check func(device, turn int, got *answer) error
}

func questions(r *Records) []question {
	askPoints := func(s func(turn int) span) func(context.Context, *historyStore, int, int, *answer) error {
		return func(ctx context.Context, a *historyStore, device, turn int, into *answer) error {
			return a.points(ctx, device, s(turn), into)
		}
	}
	checkPoints := func(s func(turn int) span) func(int, int, *answer) error {
		return func(device, turn int, got *answer) error { return r.checkPoints(device, s(turn), got) }
	}
	all := func(int) span { return r.all() }
	return []question{
		{name: fmt.Sprintf("%d days, every reading", r.Days), goal: 2, ask: askPoints(all), check: checkPoints(all)},
		{
			name: fmt.Sprintf("%d days in %d buckets (points=%d)", r.Days, r.buckets(), 2*r.buckets()), goal: 5,
			ask: func(ctx context.Context, a *historyStore, device, _ int, into *answer) error {
				return a.minMax(ctx, device, into)
			},
			check: func(device, _ int, got *answer) error { return r.checkBuckets(device, got) },
		},
		{name: "one day, every reading", ask: askPoints(r.day), check: checkPoints(r.day)},
	}
}

// historyStore is a store of a run.
type historyStore struct {
	queryStore
	years  aggregateStore // nil: not compared by the years that were loaded last
	name   string
	failed error // the run makes no more queries to it
	times  [2]histogram
}

// RunHistory writes the records into the peers and runs the same queries on all stores, one after
// the other, so that other load on the machine affects all alike. It compares the answers with what
// was written; a store with a wrong answer gets no more queries. Tilth has the records already.
func RunHistory(ctx context.Context, o HistoryOptions, t Target, r *Records) (_ *History, err error) {
	mine, err := openTilthStore(ctx, t, r)
	if err != nil {
		return nil, err
	}
	stores := []*historyStore{{queryStore: mine, name: t.Name}}
	defer func() {
		for _, s := range stores {
			if c, is := s.queryStore.(io.Closer); is {
				err = errors.Join(err, c.Close())
			}
		}
	}()
	h := &History{Records: r, Repeats: o.Repeats, Loading: []time.Duration{0}}
	for _, p := range o.Peers {
		o.Progress("Loading %s", p.Name)
		began := time.Now()
		s := &historyStore{name: p.Name}
		if s.queryStore, s.failed = openPeer(ctx, p, r); s.failed == nil {
			s.failed = s.load(ctx)
		}
		if s.failed != nil {
			s.failed = fmt.Errorf("%s: load: %w", p.Name, s.failed)
		}
		stores = append(stores, s)
		h.Loading = append(h.Loading, time.Since(began))
	}
	for _, s := range stores {
		h.Stores = append(h.Stores, s.name)
	}
	into := newAnswer(len(r.Properties))
	for _, q := range questions(r) {
		o.Progress("Asking: %s", q.name)
		if err := q.run(ctx, o.Repeats, len(r.Devices), stores, into); err != nil {
			return nil, err
		}
		h.Asked = append(h.Asked, q.result(stores))
	}
	o.Progress("Asking: the month as a spreadsheet")
	if err := h.export(ctx, mine); err != nil {
		return nil, err
	}
	if h.Years = o.Years; h.Years == nil {
		return h, nil
	}
	h.LoadingYears = make([]time.Duration, len(stores))
	return h, h.askYears(ctx, o, stores)
}

// run queries every store for every device once, and then asks more times.
func (q *question) run(ctx context.Context, asks, devices int, stores []*historyStore, into *answer) error {
	for _, s := range stores {
		s.times = [2]histogram{}
	}
	for turn := range devices + asks {
		device, pass := turn%devices, min(1, turn/devices)
		for i := range stores {
			s := stores[(i+turn)%len(stores)] // no store always follows the same one
			if s.failed != nil || q.leavesOut(s) {
				continue
			}
			into.clear()
			runtime.GC() // so that the time does not include the garbage of earlier answers
			began := time.Now()
			err := q.ask(ctx, s, device, turn, into)
			took := time.Since(began)
			if err == nil {
				err = q.check(device, turn, into)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				s.failed = fmt.Errorf("%s: %s: %w", s.name, q.name, err)
				continue
			}
			s.times[pass].add(took)
		}
	}
	return nil
}

// leavesOut tells whether a store is not asked this.
func (q *question) leavesOut(s *historyStore) bool {
	return q.years && s.failed == nil && s.years == nil
}

func (q *question) result(stores []*historyStore) QuestionResult {
	a := QuestionResult{Question: q.name, Goal: q.goal}
	for _, s := range stores {
		a.Times = append(a.Times, Timing{
			First:   percentilesOf(&s.times[0]),
			Warm:    percentilesOf(&s.times[1]),
			Failed:  s.failed,
			LeftOut: q.leavesOut(s),
		})
	}
	return a
}

func percentilesOf(h *histogram) Percentiles { return Percentiles{h.quantile(0.50), h.quantile(0.95)} }

const exports = 10

// export measures the export as a spreadsheet, which no peer has.
func (h *History) export(ctx context.Context, mine *tilthStore) error {
	var times histogram
	for n := range exports {
		began := time.Now()
		file, err := mine.export(ctx, n%len(h.Records.Devices))
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		times.add(time.Since(began))
		rows, err := sheetRows(file)
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		if rows != h.Records.Count()+1 {
			return fmt.Errorf("export: %d rows, want a heading and %d", rows, h.Records.Count())
		}
		h.Rows, h.Bytes = rows, len(file)
	}
	h.Export = percentilesOf(&times)
	return nil
}

// Fastest returns the peer with the shortest time, warm or of the first queries, and how many times
// as long as tilth it took. It returns -1 if no peer has times.
func (a *QuestionResult) Fastest(first bool) (store int, ratio float64) {
	store = -1
	of := func(i int) time.Duration {
		if first {
			return a.Times[i].First.P50
		}
		return a.Times[i].Warm.P50
	}
	for i := range a.Times {
		if i > 0 && a.Times[i].Failed == nil && !a.Times[i].LeftOut && (store < 0 || of(i) < of(store)) {
			store = i
		}
	}
	if store < 0 || a.Times[0].Failed != nil {
		return -1, 0
	}
	return store, of(store).Seconds() / of(0).Seconds()
}

// Err returns why the run does not count: a store failed or gave a wrong answer.
func (h *History) Err() error {
	var all []error
	for i := range h.Stores {
		for _, a := range slices.Concat(h.Asked, h.AskedYears) {
			if err := a.Times[i].Failed; err != nil {
				all = append(all, err)
				break
			}
		}
	}
	return errors.Join(all...)
}
