package bench

import (
	"context"
	"fmt"
	"math"
	"time"
)

// Years are the readings of years, and how the stores are asked about them: the year by hour and by
// day, the ten years by day.
type Years struct {
	Year, Ten *Records
	Repeats   int // how often each query runs warm; the devices take turns
}

const (
	yearDays    = 365
	tenDays     = 3650
	dayStep     = 24 * time.Hour
	hourStep    = time.Hour
	meanRounded = 1e-8 // of a mean, at most; tilth gives nine significant digits
)

// NewYears makes Years without values that end before now: a year of all properties with a reading
// at each step, and ten years of the first property with a reading at each longer step. Both steps
// must divide an hour.
func NewYears(year, ten, properties []string, step, longer time.Duration, now time.Time) (*Years, error) {
	for _, s := range []time.Duration{step, longer} {
		if s < time.Minute || s%time.Minute != 0 || hourStep%s != 0 {
			return nil, fmt.Errorf("a step of %s: full minutes that fill an hour are needed", s)
		}
	}
	if len(year) == 0 || len(ten) == 0 || len(properties) == 0 {
		return nil, fmt.Errorf("no devices, or none of their properties")
	}
	end := now.UTC().Truncate(dayStep)
	records := func(devices, properties []string, days int, step time.Duration) *Records {
		r := &Records{Devices: devices, Properties: properties, Days: days, Step: step}
		r.Start = end.Add(-time.Duration(days) * dayStep)
		r.makeValues()
		return r
	}
	return &Years{
		Year: records(year, properties, yearDays, step),
		Ten:  records(ten, properties[:1], tenDays, longer),
	}, nil
}

// aggregate is the lowest value, the mean and the highest value within an hour or a day.
type aggregate struct{ low, mean, high float64 }

// missingAggregate is what no store answers.
var missingAggregate = aggregate{math.NaN(), math.NaN(), math.NaN()}

// is tells whether an answer is right. The lowest and the highest are numbers that were written; means
// are rounded, and stores add in different orders.
func (g aggregate) is(want aggregate) bool {
	return g.low == want.low && g.high == want.high &&
		math.Abs(g.mean-want.mean) <= meanRounded*max(math.Abs(want.mean), 0.1)
}

// steps returns the number of hours or days of the range.
func (r *Records) steps(step time.Duration) int { return int(time.Duration(r.Days) * dayStep / step) }

// aggregates returns the aggregates of a device's property in each hour or day of the range.
func (r *Records) aggregates(device, property int, step time.Duration) []aggregate {
	all, each := make([]aggregate, r.steps(step)), int(step/r.Step)
	for n := range all {
		values := r.Values[device][property][n*each : (n+1)*each]
		sum, g := 0.0, aggregate{low: values[0], high: values[0]}
		for _, v := range values {
			sum += v
			g.low, g.high = min(g.low, v), max(g.high, v)
		}
		g.mean = sum / float64(each)
		all[n] = g
	}
	return all
}

// newAggregateAnswer returns an answer for the hours or days of the records.
func newAggregateAnswer(r *Records, step time.Duration) *answer {
	a := &answer{aggregates: make([][]aggregate, len(r.Properties))}
	for p := range a.aggregates {
		a.aggregates[p] = make([]aggregate, r.steps(step))
	}
	a.clear()
	return a
}

// checkAggregates returns an error if an answer by hour or by day differs.
func (r *Records) checkAggregates(device int, step time.Duration, a *answer) error {
	for p, name := range r.Properties {
		for n, want := range r.aggregates(device, p, step) {
			if got := a.aggregates[p][n]; !got.is(want) {
				return fmt.Errorf(
					"%s of %s: low, mean and high of %s from %s are %v, written were %v",
					name,
					r.Devices[device],
					step,
					r.Start.Add(time.Duration(n)*step),
					got,
					want,
				)
			}
		}
	}
	return nil
}

// yearQuestion is a question about years.
type yearQuestion struct {
	question

	records *Records
	step    time.Duration
}

func (y *Years) questions() []yearQuestion {
	ask := func(name string, r *Records, step time.Duration) yearQuestion {
		return yearQuestion{
			records: r,
			step:    step,
			question: question{
				name:  name,
				years: true,
				ask: func(ctx context.Context, s *historyStore, device, _ int, into *answer) error {
					return s.years.aggregates(ctx, device, step, into)
				},
				check: func(device, _ int, got *answer) error { return r.checkAggregates(device, step, got) },
			},
		}
	}
	properties := len(y.Year.Properties)
	return []yearQuestion{
		ask(fmt.Sprintf("a year of %d properties by hour", properties), y.Year, hourStep),
		ask(fmt.Sprintf("a year of %d properties by day", properties), y.Year, dayStep),
		ask("ten years of a property by day", y.Ten, dayStep),
	}
}

// askYears writes the years into the peers and asks all stores about them. Tilth has them already.
func (h *History) askYears(ctx context.Context, o HistoryOptions, stores []*historyStore) error {
	var loaded *Records
	for _, q := range o.Years.questions() {
		if q.records != loaded {
			loaded = q.records
			if len(o.Peers) > 0 {
				o.Progress("Loading %d days into the peers", loaded.Days)
			}
			for i, s := range stores {
				h.LoadingYears[i] += s.loadYears(ctx, loaded)
			}
		}
		o.Progress("Asking: %s", q.name)
		into := newAggregateAnswer(q.records, q.step)
		if err := q.run(ctx, o.Years.Repeats, len(q.records.Devices), stores, into); err != nil {
			return err
		}
		h.AskedYears = append(h.AskedYears, q.result(stores))
	}
	return nil
}

// loadYears writes the records if the store is compared by them, and returns how long that took.
func (s *historyStore) loadYears(ctx context.Context, r *Records) time.Duration {
	if s.failed != nil {
		return 0
	}
	if s.years = s.withYears(r); s.years == nil {
		return 0
	}
	began := time.Now()
	if err := s.years.load(ctx); err != nil {
		s.failed = fmt.Errorf("%s: load %d days: %w", s.name, r.Days, err)
	}
	return time.Since(began)
}
