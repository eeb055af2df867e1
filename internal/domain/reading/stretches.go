package reading

import (
	"context"
	"time"

	"tilth/internal/domain/device"
)

// Resolution is how finely the numbers of a range are answered.
type Resolution string

// The resolutions, from the finest to the coarsest. Hours are those of UTC, days those of a zone.
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
	Zone       *time.Location      // of the days
	Steps      int                 // the most hours or days of a stretch; 0: as many as may be read at a time

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
// 0: as many as may be read at a time. The days of most zones are made from hours.
func (s *Stretches) read(ctx context.Context, by Resolution, from, to int64, steps int) (read *stretch, err error) {
	most := max(1, maxStretchHours/len(s.Properties))
	if by == ByDay {
		most = max(1, most/24)
	}
	if steps > 0 {
		most = min(most, steps)
	}
	read = &stretch{}
	at := time.UnixMilli(from)
	if by == ByDay {
		year, month, day := at.In(s.Zone).Date()
		read.end = time.Date(year, month, day+most, 0, 0, 0, 0, s.Zone).UnixMilli()
		read.aggregates, err = s.Store.DailyAggregates(
			ctx, s.Device.Tenant, s.Device.ID, from, min(to, read.end-1), s.Properties, s.Zone,
		)
		return read, err
	}
	read.end = at.Truncate(time.Hour).Add(time.Duration(most) * time.Hour).UnixMilli()
	read.aggregates, err = s.Store.Aggregates(
		ctx, s.Device.Tenant, s.Device.ID, from, min(to, read.end-1), s.Properties, Hour,
	)
	return read, err
}
