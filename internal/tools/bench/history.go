package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"
)

// HistoryOptions say what a history run asks.
type HistoryOptions struct {
	Repeats  int // times that each question is asked while warm; the devices take turns
	Peers    []Peer
	Progress func(format string, a ...any) // progress, for people
}

// Timing is how long a question took to be asked, answered and read.
type Timing struct {
	First, Warm Percentiles // the first time a device is asked about; afterwards
	Failed      error       // why there is none
}

// Percentiles is half of all durations, and all but one in twenty.
type Percentiles struct{ P50, P95 time.Duration }

// QuestionResult is one question and what each store made of it; the first is tilth.
type QuestionResult struct {
	Question string
	Goal     float64 // how many times faster than the fastest peer is wanted; 0: nothing
	Times    []Timing
}

// History is what a history run has shown.
type History struct {
	Records *Records
	Repeats int
	Stores  []string // the first is tilth
	Loading []time.Duration
	Asked   []QuestionResult
	Rows    int // of the export
	Export  Percentiles
	Bytes   int // of the export
}

// question is a question as it is put to any store.
type question struct {
	name  string
	goal  float64
	ask   func(ctx context.Context, a queryStore, device, turn int, into *answer) error
	check func(device, turn int, got *answer) error
}

func questions(r *Records) []question {
	points := func(s func(turn int) span) (func(context.Context, queryStore, int, int, *answer) error, func(int, int, *answer) error) {
		return func(ctx context.Context, a queryStore, device, turn int, into *answer) error {
				return a.points(ctx, device, s(turn), into)
			}, func(device, turn int, got *answer) error {
				return r.checkPoints(device, s(turn), got)
			}
	}
	askAll, checkAll := points(func(int) span { return r.all() })
	askDay, checkDay := points(func(turn int) span { return r.day(turn) })
	return []question{
		{name: fmt.Sprintf("%d days, every reading", r.Days), goal: 2, ask: askAll, check: checkAll},
		{
			name: fmt.Sprintf("%d days in %d buckets (points=%d)", r.Days, r.buckets(), 2*r.buckets()), goal: 5,
			ask: func(ctx context.Context, a queryStore, device, _ int, into *answer) error {
				return a.minMax(ctx, device, into)
			},
			check: func(device, _ int, got *answer) error { return r.checkBuckets(device, got) },
		},
		{name: "one day, every reading", ask: askDay, check: checkDay},
	}
}

// historyStore is a store of a run.
type historyStore struct {
	queryStore
	name   string
	failed error // nothing more is asked of it
	times  [2]histogram
}

// RunHistory puts the records into the peers and asks each store the same, one
// after the other, so that what else the machine does meets all alike. Answers
// are compared with what was written; one that differs is that store's end.
// Tilth has the records already.
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
	for _, k := range questions(r) {
		o.Progress("Asking: %s", k.name)
		if err := k.run(ctx, o.Repeats, len(r.Devices), stores, into); err != nil {
			return nil, err
		}
		h.Asked = append(h.Asked, k.result(stores))
	}
	o.Progress("Asking: the month as a spreadsheet")
	return h, h.export(ctx, mine)
}

// run asks every store for every device once, and then so many times more.
func (k *question) run(ctx context.Context, asks, devices int, stores []*historyStore, into *answer) error {
	for _, s := range stores {
		s.times = [2]histogram{}
	}
	for turn := range devices + asks {
		device, pass := turn%devices, min(1, turn/devices)
		for i := range stores {
			s := stores[(i+turn)%len(stores)] // none always follows the same one
			if s.failed != nil {
				continue
			}
			into.clear()
			runtime.GC() // what the answers before left is not this one's to pay for
			began := time.Now()
			err := k.ask(ctx, s.queryStore, device, turn, into)
			took := time.Since(began)
			if err == nil {
				err = k.check(device, turn, into)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				s.failed = fmt.Errorf("%s: %s: %w", s.name, k.name, err)
				continue
			}
			s.times[pass].add(took)
		}
	}
	return nil
}

func (k *question) result(stores []*historyStore) QuestionResult {
	a := QuestionResult{Question: k.name, Goal: k.goal}
	for _, s := range stores {
		a.Times = append(
			a.Times,
			Timing{First: percentilesOf(&s.times[0]), Warm: percentilesOf(&s.times[1]), Failed: s.failed},
		)
	}
	return a
}

func percentilesOf(h *histogram) Percentiles { return Percentiles{h.quantile(0.50), h.quantile(0.95)} }

const exports = 10

// export times the spreadsheet, which no peer has.
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
			return fmt.Errorf("export: %d rows, a heading and %d were expected", rows, h.Records.Count())
		}
		h.Rows, h.Bytes = rows, len(file)
	}
	h.Export = percentilesOf(&times)
	return nil
}

// Fastest is the peer with the shortest time, and how many times as long as
// tilth it took; warm or the first time. It is -1 where there is none.
func (a *QuestionResult) Fastest(first bool) (store int, ratio float64) {
	store = -1
	of := func(i int) time.Duration {
		if first {
			return a.Times[i].First.P50
		}
		return a.Times[i].Warm.P50
	}
	for i := range a.Times {
		if i > 0 && a.Times[i].Failed == nil && (store < 0 || of(i) < of(store)) {
			store = i
		}
	}
	if store < 0 || a.Times[0].Failed != nil {
		return -1, 0
	}
	return store, of(store).Seconds() / of(0).Seconds()
}

// Err is why the run does not count: a store refused or answered
// otherwise than was written.
func (h *History) Err() error {
	var all []error
	for i := range h.Stores {
		for _, a := range h.Asked {
			if err := a.Times[i].Failed; err != nil {
				all = append(all, err)
				break
			}
		}
	}
	return errors.Join(all...)
}
