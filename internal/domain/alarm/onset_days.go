package alarm

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/comparator"
)

const (
	oneDay = 24 * time.Hour
	// onsetDays is how far before a notice's start findOnsetDay looks.
	onsetDays = 365 * oneDay
	// maxReadDays is how many days findOnsetDay reads whose lowest and highest values do not tell
	// whether the conditions held all day.
	maxReadDays = 31
	// expiryMargin keeps the search away from the days that are about to expire.
	expiryMargin = 2 * oneDay
)

// onsetSource gives stored readings and their daily aggregates.
type onsetSource interface {
	readingSource
	Aggregates(ctx context.Context, t tenant.ID, d device.ID, from, to int64, props []device.PropertyID,
		step reading.Step) (map[device.PropertyID][]reading.Aggregate, error)
}

// onsetTime is since when conditions hold.
type onsetTime struct {
	since     int64 // epoch ms; 0: not known
	precision alertmsg.Precision
}

// findOnsetDay continues findOnset, which found the conditions not over from a time (since) on within
// heldAtMost. It goes back day by day, the newest first: a day's lowest and highest values tell
// whether the conditions were not over all day. Only the samples of the days that do not tell, and of
// the days after them, are read, and those of the day on which the conditions began to hold. It looks
// back onsetDays, and not at days that may expire meanwhile. If the conditions were not over before
// that either, or their kind cannot be told from the lowest and highest values, the time is the one
// up to which it looked, with the precision alertmsg.BeforeThat.
func findOnsetDay(
	ctx context.Context,
	from onsetSource,
	t *Predicate,
	ref device.Ref,
	at, since int64,
	retention time.Duration,
) (onsetTime, error) {
	reach := onsetDays
	if retention > 0 {
		reach = min(reach, retention-expiryMargin)
	}
	farthest := at - reach.Milliseconds()
	if since <= farthest {
		return onsetTime{since, alertmsg.BeforeThat}, nil
	}
	begin := at - heldAtMost.Milliseconds()
	switch over, err := overAsOf(ctx, from, t, ref, begin-1); {
	case err != nil:
		return onsetTime{}, err
	case over:
		return onsetTime{since: since}, nil
	case !t.toldByDays():
		return onsetTime{begin, alertmsg.BeforeThat}, nil
	}
	first := startOfDay(farthest)
	days, err := daysOf(ctx, from, t, ref, first, begin-1)
	if err != nil {
		return onsetTime{}, err
	}
	skipped := days[:0:0] // the days that were not read, the newest first
	to, read := begin-1, 0
	for i, d := range days {
		until := to
		to = min(to, d.end())
		// The oldest day is read even if the conditions lasted all day, to find its first sample.
		if i < len(days)-1 && t.lastsAllDay(d.values) {
			skipped = append(skipped, d)
			continue
		}
		// With the day after it, whose first samples may have values of this day.
		run, err := lastHoldingRun(ctx, from, t, ref, d.begin, until)
		if err != nil {
			return onsetTime{}, err
		}
		since = cmp.Or(run.since, since)
		if run.over {
			since, err = firstHolding(ctx, from, t, ref, skipped, since, begin-1)
			return toTheDay(since, begin), err
		}
		if read++; read > maxReadDays {
			return onsetTime{since, alertmsg.BeforeThat}, nil
		}
	}
	over, err := overAsOf(ctx, from, t, ref, first-1)
	if err != nil {
		return onsetTime{}, err
	}
	if !over {
		return onsetTime{farthest, alertmsg.BeforeThat}, nil
	}
	since, err = firstHolding(ctx, from, t, ref, skipped, since, begin-1)
	return toTheDay(since, begin), err
}

// firstHolding finds the first sample up to a time (to, epoch ms) for which the conditions hold, among
// days (the newest first) on which they were never over; if all of those are later than since, or on
// none of maxReadDays they hold, that is since.
func firstHolding(
	ctx context.Context,
	from readingSource,
	t *Predicate,
	ref device.Ref,
	days []dayValues,
	since, to int64,
) (int64, error) {
	read := 0
	for _, d := range slices.Backward(days) {
		if d.begin > since || read == maxReadDays {
			break
		}
		if !t.mayHold(d.values) {
			continue
		}
		run, err := lastHoldingRun(ctx, from, t, ref, d.begin, min(d.end(), to))
		if err != nil || run.since != 0 {
			return run.since, err
		}
		read++
	}
	return since, nil
}

// toTheDay is a time of which only the day counts, unless it lies in the stretch of which all
// samples were read, which begins at begin.
func toTheDay(since, begin int64) onsetTime {
	if since >= begin {
		return onsetTime{since: since}
	}
	return onsetTime{since, alertmsg.ToTheDay}
}

// overAsOf tells whether the conditions were over by a device's values as of a time (epoch ms).
func overAsOf(ctx context.Context, from readingSource, t *Predicate, ref device.Ref, at int64) (bool, error) {
	values, err := valuesAsOf(ctx, from, t, ref, at)
	return !t.holds(values, true), err
}

// startOfDay is the begin of the day (UTC) of a time, epoch ms.
func startOfDay(at int64) int64 { return time.UnixMilli(at).UTC().Truncate(oneDay).UnixMilli() }

// dayValues holds the aggregates of a day (UTC), one per property of a predicate; the Count of one
// without numbers is 0.
type dayValues struct {
	begin  int64 // epoch ms
	values []reading.Aggregate
}

// end is the last millisecond of the day.
func (d dayValues) end() int64 { return d.begin + oneDay.Milliseconds() - 1 }

// daysOf gives the days of a device with numbers of the predicate's properties that overlap from <=
// time <= to (epoch ms), the newest first.
func daysOf(
	ctx context.Context,
	source onsetSource,
	t *Predicate,
	ref device.Ref,
	from, to int64,
) ([]dayValues, error) {
	found, err := source.Aggregates(ctx, ref.Tenant, ref.ID, from, to, t.properties, reading.Day)
	if err != nil {
		return nil, err
	}
	byDay := map[int64]dayValues{}
	for i, p := range t.properties {
		for _, a := range found[p] {
			d, known := byDay[a.Time]
			if !known {
				d = dayValues{a.Time, make([]reading.Aggregate, len(t.properties))}
				byDay[a.Time] = d
			}
			d.values[i] = a
		}
	}
	return slices.SortedFunc(maps.Values(byDay), func(a, b dayValues) int { return cmp.Compare(b.begin, a.begin) }), nil
}

// toldByDays tells whether the lowest and highest values of a day may tell that the conditions held
// all day.
func (t *Predicate) toldByDays() bool {
	return !slices.ContainsFunc(t.comparisons, func(c comparison) bool {
		return c.comparator.Side == comparator.NoSide || c.value.Kind() != reading.KindNumber
	})
}

// lastsAllDay tells whether the conditions were certainly not over with any values of a day.
func (t *Predicate) lastsAllDay(values []reading.Aggregate) bool {
	return t.foldDay(values, func(one *comparison, day *reading.Aggregate) bool {
		worst, limit := day.Lowest, one.value
		if one.comparator.Side == comparator.Beneath {
			worst = day.Highest
		}
		if one.recovery.Kind() != reading.KindNone {
			limit = one.recovery
		}
		return day.Count > 0 && one.holds(reading.Number(worst), limit)
	})
}

// mayHold tells whether the conditions may have held for a sample of a day. With several properties
// they may: a sample may lack one, which then has its value of an earlier day.
func (t *Predicate) mayHold(values []reading.Aggregate) bool {
	return len(t.properties) > 1 || t.foldDay(values, func(one *comparison, day *reading.Aggregate) bool {
		best := day.Highest
		if one.comparator.Side == comparator.Beneath {
			best = day.Lowest
		}
		return day.Count > 0 && one.holds(reading.Number(best), one.value)
	})
}

// foldDay folds what is held of each condition, by the values of a day, as evaluation does.
func (t *Predicate) foldDay(values []reading.Aggregate, held func(one *comparison, day *reading.Aggregate) bool) bool {
	result := true
	for i := range t.comparisons {
		one := &t.comparisons[i]
		holds := held(one, &values[one.property])
		if one.or {
			result = result || holds
		} else {
			result = result && holds
		}
	}
	return result
}
