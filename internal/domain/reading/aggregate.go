package reading

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// Aggregate summarises the numbers of one property in one hour or day.
type Aggregate struct {
	Time            int64 // begin, epoch milliseconds
	Count           int   // at least 1
	Lowest, Highest float64
	Sum             float64
	decimals        int // of the values; -1: unknown
}

// Mean returns the mean of the numbers.
func (a *Aggregate) Mean() float64 { return a.Sum / float64(a.Count) }

// merge adds the numbers of another aggregate. A sum of numbers of a few decimals has no more
// decimals than they.
func (a *Aggregate) merge(b *Aggregate) {
	a.Count += b.Count
	a.Lowest, a.Highest = min(a.Lowest, b.Lowest), max(a.Highest, b.Highest)
	a.Sum += b.Sum
	if a.decimals < 0 || b.decimals < 0 {
		a.decimals = -1
		return
	}
	a.decimals = max(a.decimals, b.decimals)
	if scaled := a.Sum * pow10[a.decimals]; math.Abs(scaled) < maxExact {
		a.Sum = math.RoundToEven(scaled) / pow10[a.decimals]
	}
}

// Step is the length of what an Aggregate summarises.
type Step time.Duration

// The steps of Aggregates. Hours and days are those of UTC.
const (
	Hour = Step(time.Hour)
	Day  = Step(24 * time.Hour)
)

func (s Step) ms() int64 { return time.Duration(s).Milliseconds() }

func (s Step) refuse() error {
	return fmt.Errorf("reading: aggregates of %s: only of an hour or a day", time.Duration(s))
}

func (s Step) bounds(at int64) (begin, end int64) {
	begin = at - floorMod(at, s.ms())
	return begin, begin + s.ms()
}

func (s Step) divideHours(_, _ int64) bool { return false }

// steps are hours or days that follow one another.
type steps interface {
	// bounds gives the begin of a time's step, and of the next one (epoch ms).
	bounds(at int64) (begin, end int64)
	// divideHours reports whether a step begins between two times at another time than that of an
	// hour (UTC).
	divideHours(first, last int64) bool
}

// AggregateReader is the part of the store that reads aggregates, or the readings if there are few.
type AggregateReader interface {
	Aggregates(
		ctx context.Context,
		t tenant.ID,
		d device.ID,
		from, to int64,
		props []device.PropertyID,
		step Step,
	) (map[device.PropertyID][]Aggregate, error)
	ZoneAggregates(
		ctx context.Context,
		t tenant.ID,
		d device.ID,
		from, to int64,
		props []device.PropertyID,
		step Step,
		zone *time.Location,
	) (map[device.PropertyID][]Aggregate, error)
	Range(
		ctx context.Context,
		t tenant.ID,
		d device.ID,
		from, to int64,
		props []device.PropertyID,
		fn func(at int64, fields []Field) error,
	) error
	Span() (from, to int64, ok bool)
}

// Aggregates returns for each of props the aggregates of the hours or days (UTC) that overlap from
// <= time <= to (epoch ms), oldest first; hours and days at the ends count in whole. It leaves out
// hours and days without numbers, and properties without any. Texts and booleans do not count.
//
// Sealed days of dense readings are not read themselves: days come from the daily aggregates, hours
// from the hour sums of the segments.
func (s *Store) Aggregates(ctx context.Context, t tenant.ID, d device.ID, from, to int64, props []device.PropertyID,
	step Step) (map[device.PropertyID][]Aggregate, error) {
	if step != Hour && step != Day {
		return nil, step.refuse()
	}
	return s.aggregates(ctx, device.Ref{Tenant: t, ID: d}, from, to, props, step)
}

func (s *Store) aggregates(ctx context.Context, ref device.Ref, from, to int64, props []device.PropertyID,
	by steps) (map[device.PropertyID][]Aggregate, error) {
	if len(props) == 0 || from > to {
		return map[device.PropertyID][]Aggregate{}, nil
	}
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	_, end := by.bounds(clampTime(to))
	begin, _ := by.bounds(clampTime(from))
	into := &aggregators{steps: by, byProperty: map[device.PropertyID][]Aggregate{}}
	if err := s.aggregateInto(ctx, ref, begin, end-1, sortedProperties(props), into); err != nil {
		return nil, err
	}
	return into.byProperty, nil
}

// aggregateInto adds a device's readings of props (sorted) with from <= time <= to (epoch ms, whole
// steps).
func (s *Store) aggregateInto(
	ctx context.Context,
	ref device.Ref,
	from, to int64,
	props []device.PropertyID,
	into *aggregators,
) (err error) {
	complete := s.aggregatedFrom.Load() // before the snapshot, which then has them
	r, err := s.newRows(ctx, ref, from, to, props)
	if err != nil {
		return err
	}
	defer closeInto(&err, r)
	r.takeSummary = into.takeSummary
	if into.steps == Day {
		if r.days, err = into.takeDays(r, complete); err != nil {
			return err
		}
	}
	recorded := into.byProperty
	into.byProperty = map[device.PropertyID][]Aggregate{}
	if err := into.addRows(r); err != nil {
		return err
	}
	for p, list := range recorded {
		if read := into.byProperty[p]; len(read) > 0 {
			list = append(list, read...)
			slices.SortFunc(list, func(a, b Aggregate) int { return cmp.Compare(a.Time, b.Time) })
		}
		into.byProperty[p] = list
	}
	return nil
}

// aggregators holds the aggregates of each property with numbers so far.
type aggregators struct {
	steps
	byProperty map[device.PropertyID][]Aggregate
}

// add merges an aggregate that is not before the last one of its property and lies in one step.
func (g *aggregators) add(p device.PropertyID, a Aggregate) {
	a.Time, _ = g.bounds(a.Time)
	list := g.byProperty[p]
	if n := len(list); n > 0 && list[n-1].Time == a.Time {
		list[n-1].merge(&a)
		return
	}
	g.byProperty[p] = append(list, a)
}

// addRows adds the remaining rows.
func (g *aggregators) addRows(r *rows) error {
	for {
		b, begin, end, err := r.nextBlock()
		if err != nil {
			return err
		}
		if b != nil {
			for i := range b.columns {
				g.addColumn(b, &b.columns[i], begin, end)
			}
			continue
		}
		ok, err := r.next()
		if err != nil || !ok {
			return err
		}
		for _, f := range r.frame {
			if f.Value.kind == KindNumber {
				g.add(f.Property, aggregateOf(r.time, f.Value.num))
			}
		}
	}
}

// aggregateOf returns the aggregate of one number.
func aggregateOf(at int64, num float64) Aggregate {
	return Aggregate{Time: at, Count: 1, Lowest: num, Highest: num, Sum: num, decimals: decimalsOf(num)}
}

// addColumn adds a column's numbers in the rows [begin, end).
func (g *aggregators) addColumn(b *block, c *column, begin, end int) {
	n, _ := slices.BinarySearch(c.rows, int32(begin))
	after, _ := slices.BinarySearch(c.rows, int32(end))
	for n < after {
		at := b.times[c.rows[n]]
		_, until := g.bounds(at)
		last := n + 1
		for last < after && b.times[c.rows[last]] < until {
			last++
		}
		if a, ok := aggregateOfColumn(c, n, last); ok {
			a.Time = at
			g.add(c.property, a)
		}
		n = last
	}
}

// aggregateOfColumn returns the aggregate of the numbers among a column's values [from, to).
func aggregateOfColumn(c *column, from, to int) (a Aggregate, ok bool) {
	if c.numbers {
		return aggregateOfDigits(c.digits[from:to], c.decimals)
	}
	return aggregateOfValues(c.values[from:to])
}

func aggregateOfValues(values []Value) (a Aggregate, ok bool) {
	for i := range values {
		if v := &values[i]; v.kind == KindNumber {
			one := aggregateOf(0, v.num)
			if a.Count == 0 {
				a = one
			} else {
				a.merge(&one)
			}
		}
	}
	return a, a.Count > 0
}

func aggregateOfDigits(digits []int64, decimals int) (a Aggregate, ok bool) {
	if len(digits) == 0 {
		return a, false
	}
	lowest, highest, sum := digits[0], digits[0], 0.0
	exact := int64(0)
	for _, d := range digits {
		lowest, highest = min(lowest, d), max(highest, d)
		exact += d
		sum += float64(d)
	}
	if lowest > -maxSummedDigits && highest < maxSummedDigits {
		sum = float64(exact)
	}
	scale := pow10[decimals]
	return Aggregate{
		Count:    len(digits),
		Lowest:   float64(lowest) / scale,
		Highest:  float64(highest) / scale,
		Sum:      sum / scale,
		decimals: decimals,
	}, true
}

// takeSummary takes the hours of a column from its minmax and its hour sums. It returns false if the
// segment has no hour sums of the column, or holds an hour of two steps.
func (g *aggregators) takeSummary(p device.PropertyID, times *rowTimes, minmax, sums []byte) (bool, error) {
	first := times.at(0)
	if len(sums) == 0 || g.divideHours(first, times.at(int32(times.count-1))) {
		return false, nil
	}
	decimals := int(minmax[0])
	return true, forEachHour(times, minmax, sums, func(begin int64, h *hourTotal, scale float64) {
		g.add(p, Aggregate{
			Time:     max(begin, first), // a step may begin in the hour, before the segment
			Count:    h.count,
			Lowest:   float64(h.lowest) / scale,
			Highest:  float64(h.highest) / scale,
			Sum:      float64(h.sum) / scale,
			decimals: decimals,
		})
	})
}
