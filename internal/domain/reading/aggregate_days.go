package reading

import (
	"context"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// ZoneAggregates is Aggregates by the days of a zone, or by the hours (UTC) of its days: an hour in
// which a day begins is two.
func (s *Store) ZoneAggregates(ctx context.Context, t tenant.ID, d device.ID, from, to int64, props []device.PropertyID,
	step Step, zone *time.Location) (map[device.PropertyID][]Aggregate, error) {
	if zone == time.UTC || zone.String() == time.UTC.String() {
		return s.Aggregates(ctx, t, d, from, to, props, step)
	}
	by, ref := zoneDays{zone: zone}, device.Ref{Tenant: t, ID: d}
	switch step {
	case Day:
		return s.aggregates(ctx, ref, from, to, props, &by)
	case Hour:
		return s.aggregates(ctx, ref, from, to, props, &zoneHours{by})
	}
	return nil, step.refuse()
}

// zoneDays are the days of a zone. It remembers the last one.
type zoneDays struct {
	zone       *time.Location
	first, end int64 // of the last day, epoch milliseconds
}

func (d *zoneDays) bounds(at int64) (begin, end int64) {
	if at < d.first || at >= d.end {
		d.first, d.end = tenant.DayBounds(at, d.zone)
	}
	return d.first, d.end
}

// divideHours reports whether one of the days begins within an hour (UTC) between two times, not at its
// begin: the hour's readings then belong to two days.
func (d *zoneDays) divideHours(first, last int64) bool {
	for _, end := d.bounds(first); end <= last; _, end = d.bounds(end) {
		if end%msPerHour != 0 {
			return true
		}
	}
	return false
}

// zoneHours are the hours (UTC) of a zone's days: one in which a day begins is two.
type zoneHours struct{ zoneDays }

func (h *zoneHours) bounds(at int64) (begin, end int64) {
	begin, end = Hour.bounds(at)
	first, next := h.zoneDays.bounds(at)
	return max(begin, first), min(end, next)
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
