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

// findOnsetDay continues findOnset, which found the conditions unbroken from a time (since) on
// within heldAtMost. It goes back day by day, the newest first: a day's lowest and highest values
// tell whether the conditions held all day. Only the samples of the day that does not tell, and of
// the day after it, are read. It looks back onsetDays, and not at days that may expire meanwhile.
// If the conditions held before that too, or their kind cannot be told from the lowest and highest
// values, the time is the one up to which it looked, with the precision alertmsg.BeforeThat.
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
	switch held, err := heldAsOf(ctx, from, t, ref, begin-1); {
	case err != nil:
		return onsetTime{}, err
	case !held:
		return onsetTime{since: since}, nil
	case !t.toldByDays():
		return onsetTime{begin, alertmsg.BeforeThat}, nil
	}
	first := startOfDay(farthest)
	days, err := daysOf(ctx, from, t, ref, first, begin-1)
	if err != nil {
		return onsetTime{}, err
	}
	to, read := begin-1, 0 // to: the end of what is not known to hold yet
	for i, d := range days {
		// The oldest day is read even if it held, to find its first sample.
		if i == len(days)-1 || !t.holdsAllDay(d.values) {
			run, err := lastHoldingRun(ctx, from, t, ref, d.begin, to)
			if err != nil {
				return onsetTime{}, err
			}
			since = cmp.Or(run.since, since)
			if run.broken {
				return toTheDay(since, begin), nil
			}
			if read++; read > maxReadDays {
				return onsetTime{since, alertmsg.BeforeThat}, nil
			}
		}
		to = min(to, d.begin+oneDay.Milliseconds()-1)
	}
	held, err := heldAsOf(ctx, from, t, ref, first-1)
	if held {
		return onsetTime{farthest, alertmsg.BeforeThat}, err
	}
	return toTheDay(since, begin), err
}

// toTheDay is a time of which only the day counts, unless it lies in the stretch of which all
// samples were read, which begins at begin.
func toTheDay(since, begin int64) onsetTime {
	if since >= begin {
		return onsetTime{since: since}
	}
	return onsetTime{since, alertmsg.ToTheDay}
}

// heldAsOf tells whether the conditions held by a device's values as of a time (epoch ms).
func heldAsOf(ctx context.Context, from readingSource, t *Predicate, ref device.Ref, at int64) (bool, error) {
	values, err := valuesAsOf(ctx, from, t, ref, at)
	return err == nil && t.holds(values, false), err
}

// startOfDay is the begin of the day (UTC) of a time, epoch ms.
func startOfDay(at int64) int64 { return time.UnixMilli(at).UTC().Truncate(oneDay).UnixMilli() }

// dayValues holds the aggregates of a day (UTC), one per property of a predicate; the Count of one
// without numbers is 0.
type dayValues struct {
	begin  int64 // epoch ms
	values []reading.Aggregate
}

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

// holdsAllDay tells whether the conditions certainly held with all values of a day.
func (t *Predicate) holdsAllDay(values []reading.Aggregate) bool {
	result := true
	for i := range t.comparisons {
		one := &t.comparisons[i]
		day := &values[one.property]
		worst := day.Lowest
		if one.comparator.Side == comparator.Beneath {
			worst = day.Highest
		}
		held := day.Count > 0 && one.holds(reading.Number(worst), one.value)
		if one.or {
			result = result || held
		} else {
			result = result && held
		}
	}
	return result
}
