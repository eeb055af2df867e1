package reading

import (
	"context"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// Resolution is how finely the numbers of a range are answered.
type Resolution string

// The resolutions, from the finest to the coarsest. Days are those of a zone, hours those of UTC within its days.
const (
	ByReading Resolution = "raw"
	ByHour    Resolution = "hour"
	ByDay     Resolution = "day"
)

// maxStretchHours is how many hours of properties are read at a time.
const maxStretchHours = 16_000

// Stretches reads the aggregates of a device's numbers over a range of any length, one stretch of it
// after the other, so that memory grows neither with the range nor with the number of properties.
type Stretches struct {
	Store      AggregateReader
	Device     device.Ref
	From, To   int64               // epoch milliseconds, both included
	Properties []device.PropertyID // numeric
	Zone       *time.Location
	Steps      int // the most hours or days of a stretch; 0: as many as may be read at a time

	first *stretch // the hours with which the range begins, if ChooseResolution has read them
}

// stretch is the aggregates of a part of a range.
type stretch struct {
	aggregates map[device.PropertyID][]Aggregate
	end        int64 // epoch milliseconds, not included
}

// Each calls fn with the hours or days of one stretch after the other, oldest first. It stops on an
// error of fn.
func (s *Stretches) Each(
	ctx context.Context,
	by Resolution,
	fn func(aggregates map[device.PropertyID][]Aggregate) error,
) error {
	from, to := s.span()
	for from <= to {
		read := s.first
		s.first = nil
		if read == nil || by != ByHour {
			var err error
			if read, err = s.read(ctx, by, from, to, s.Steps); err != nil {
				return err
			}
		}
		if err := fn(read.aggregates); err != nil {
			return err
		}
		from = read.end
	}
	return nil
}

// span returns the part of the range that may have readings: outside the days with readings of any
// device there is nothing to look for. If there is none, from is after to.
func (s *Stretches) span() (from, to int64) {
	first, last, some := s.Store.Span()
	if !some || len(s.Properties) == 0 {
		return 0, -1
	}
	return max(s.From, first), min(s.To, last)
}

// read reads the stretch that begins with the hour or day of from and has at most so many of them;
// 0: as many as may be read at a time. The days of a zone are made from hours, or from readings.
func (s *Stretches) read(ctx context.Context, by Resolution, from, to int64, steps int) (read *stretch, err error) {
	most := max(1, maxStretchHours/len(s.Properties))
	if by == ByDay {
		most = max(1, most/24)
	}
	if steps > 0 {
		most = min(most, steps)
	}
	read = &stretch{}
	step := Hour
	if by == ByDay {
		step = Day
		begin, _ := tenant.DayBounds(from, s.Zone)
		year, month, day := time.UnixMilli(begin).In(s.Zone).Date()
		read.end = tenant.StartOfDay(year, month, day+most, s.Zone).UnixMilli()
	} else {
		read.end = from - floorMod(from, msPerHour) + int64(most)*msPerHour
	}
	read.aggregates, err = s.Store.ZoneAggregates(
		ctx, s.Device.Tenant, s.Device.ID, from, min(to, read.end-1), s.Properties, step, s.Zone,
	)
	return read, err
}
