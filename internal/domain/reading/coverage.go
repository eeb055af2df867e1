package reading

import (
	"context"
	"slices"
	"sort"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// CoveredDay is a day on which a device has readings.
type CoveredDay struct {
	Year        int
	Month       time.Month
	Day         int
	Frames      int64 // instants with at least one reading of any property
	First, Last int64 // epoch milliseconds
}

// String formats the day as 2026-11-21.
func (d CoveredDay) String() string {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// Coverage returns the days of a time zone on which a device has readings with from <= time <= to
// (epoch ms), oldest first. It reads no values. It counts a sealed day by the heads of its
// segments; it reads the times of a segment that does not lie within one day of the zone. It counts
// any other day by its keys.
func (s *Store) Coverage(
	ctx context.Context,
	t tenant.ID,
	d device.ID,
	from, to int64,
	zone *time.Location,
) (_ []CoveredDay, err error) {
	if from > to {
		return nil, nil
	}
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	r, err := s.newRows(ctx, device.Ref{Tenant: t, ID: d}, from, to, nil)
	if err != nil {
		return nil, err
	}
	defer closeInto(&err, r)
	r.query.timesOnly = true
	c := &coverageCounter{rows: r, zone: zone}
	for len(r.days) > 0 {
		day := r.days[0]
		r.days = r.days[1:]
		if err := c.countDay(day); err != nil {
			return nil, err
		}
	}
	return c.days, nil
}

// coverageCounter counts frames by days of a zone.
type coverageCounter struct {
	rows *rows
	zone *time.Location
	days []CoveredDay
}

// countDay counts one day of UTC.
func (c *coverageCounter) countDay(day dayState) error {
	r := c.rows
	if err := r.yieldOrStop(); err != nil {
		return err
	}
	r.active = r.active[:0]
	if day.hot {
		if err := r.startHot(day); err != nil {
			return err
		}
	}
	if day.sealed {
		if err := r.placeSegment(day, nil); err != nil {
			return err
		}
		if len(r.active) == 0 {
			return c.countSealed()
		}
		if err := r.start(&r.segment); err != nil {
			return err
		}
	}
	for len(r.active) > 0 {
		if r.frameCount++; r.frameCount%yieldEvery == 0 {
			if err := r.yieldOrStop(); err != nil {
				return err
			}
		}
		if err := r.takeFrame(); err != nil {
			return err
		}
		c.add(r.time, r.time, 1)
	}
	return nil
}

// countSealed counts a day that is in segments only.
func (c *coverageCounter) countSealed() error {
	segment, query := &c.rows.segment, &c.rows.query
	for {
		if ok, err := segment.nextHead(); err != nil || !ok {
			return err
		}
		if err := c.rows.yieldOrStop(); err != nil {
			return err
		}
		// When a zone sets its clock back, the date stays the same, so everything between two times
		// of one date has that date.
		h := &segment.head
		if h.first >= query.from && h.last <= query.to && c.dayOf(h.first).sameDay(c.dayOf(h.last)) {
			c.add(h.first, h.last, h.count)
			continue
		}
		if _, err := segment.decode(); err != nil {
			return err
		}
		times := segment.block.times
		begin, _ := slices.BinarySearch(times, query.from)
		end, _ := slices.BinarySearch(times, query.to+1)
		for times = times[begin:end]; len(times) > 0; {
			day := c.dayOf(times[0])
			n := sort.Search(len(times), func(i int) bool { return !c.dayOf(times[i]).sameDay(day) })
			c.add(times[0], times[n-1], n)
			times = times[n:]
		}
	}
}

// add counts frames of one day of the zone that are later than the previous ones.
func (c *coverageCounter) add(first, last int64, frames int) {
	day := c.dayOf(first)
	if n := len(c.days); n > 0 && c.days[n-1].sameDay(day) {
		c.days[n-1].Frames += int64(frames)
		c.days[n-1].Last = last
		return
	}
	day.Frames, day.First, day.Last = int64(frames), first, last
	c.days = append(c.days, day)
}

func (c *coverageCounter) dayOf(at int64) (d CoveredDay) {
	d.Year, d.Month, d.Day = time.UnixMilli(at).In(c.zone).Date()
	return d
}

func (d CoveredDay) sameDay(e CoveredDay) bool {
	return d.Day == e.Day && d.Month == e.Month && d.Year == e.Year
}
