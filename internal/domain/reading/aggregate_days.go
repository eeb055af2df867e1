package reading

import (
	"context"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// DailyAggregates is Aggregates by the days of a zone: the aggregates of those that overlap from <=
// time <= to (epoch ms), each with the time of its midnight. An hour (UTC) counts in whole to the day
// in which it begins; that matters only in zones whose offset is not whole hours.
func (s *Store) DailyAggregates(ctx context.Context, t tenant.ID, d device.ID, from, to int64,
	props []device.PropertyID, zone *time.Location) (map[device.PropertyID][]Aggregate, error) {
	if zone == time.UTC || zone.String() == time.UTC.String() {
		return s.Aggregates(ctx, t, d, from, to, props, Day)
	}
	days := localDays{zone: zone}
	from, to = clampTime(from), clampTime(to)
	from = days.begin(from)
	days.begin(to)
	to = days.end - 1
	hours, err := s.Aggregates(ctx, t, d, from, to, props, Hour)
	if err != nil {
		return nil, err
	}
	for p, list := range hours {
		days.end = from // begin anew
		merged := list[:0]
		for i := range list {
			a := list[i]
			if a.Time < from || a.Time > to {
				continue // the part of an hour at an end that belongs to another day
			}
			a.Time = days.begin(a.Time)
			if n := len(merged); n > 0 && merged[n-1].Time == a.Time {
				merged[n-1].merge(&a)
			} else {
				merged = append(merged, a)
			}
		}
		if hours[p] = merged; len(merged) == 0 {
			delete(hours, p)
		}
	}
	return hours, nil
}

// localDays finds the days of a zone; it keeps the last one.
type localDays struct {
	zone       *time.Location
	first, end int64 // midnight of the last day, and of the next one; epoch milliseconds
}

// begin returns the midnight with which the day of a time begins, epoch milliseconds.
func (d *localDays) begin(at int64) int64 {
	if at < d.first || at >= d.end {
		year, month, day := time.UnixMilli(at).In(d.zone).Date()
		d.first = time.Date(year, month, day, 0, 0, 0, 0, d.zone).UnixMilli()
		d.end = time.Date(year, month, day+1, 0, 0, 0, 0, d.zone).UnixMilli()
	}
	return d.first
}

// Span returns the begin of the first day (UTC) with readings of any device and the end of the last
// one, epoch milliseconds; ok is false if there are none.
func (s *Store) Span() (from, to int64, ok bool) {
	days := s.calendar.now()
	if len(days) == 0 {
		return 0, 0, false
	}
	return int64(days[0].day) * msPerDay, int64(days[len(days)-1].day+1)*msPerDay - 1, true
}
