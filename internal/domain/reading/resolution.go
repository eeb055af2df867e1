package reading

import (
	"context"
	"errors"

	"tilth/internal/domain/device"
)

// ChooseResolution returns the finest resolution with which no property has more than points values
// over the whole range; if even days are more, it is ByDay. If it is ByHour, Each need not read the
// first hours again.
func (s *Stretches) ChooseResolution(ctx context.Context, points int) (Resolution, error) {
	from, to := s.span()
	count := valueCount{from: from, to: to, points: points, readings: map[device.PropertyID]int{}}
	hours := map[device.PropertyID]int{}
	// A range of so few hours has no property with more of them. An hour in which a day begins is two, at
	// most each 23rd.
	most := (to-floorMod(to, msPerHour)-(from-floorMod(from, msPerHour)))/msPerHour + 1
	if days := (zoneDays{zone: s.Zone}); days.divideHours(from, to) {
		most += most/23 + 1
	}
	hoursFit := most <= int64(points)
	tooManyHours := false
	var first *stretch
	// The first stretch is no longer than it takes to see that there are too many hours.
	for at, steps := from, points+1; at <= to; steps = 0 {
		read, err := s.read(ctx, ByHour, at, to, steps)
		if err != nil {
			return "", err
		}
		if first == nil {
			first = read
		}
		for p, list := range read.aggregates {
			hours[p] += len(list)
			tooManyHours = tooManyHours || hours[p] > points
			count.addHours(p, list)
		}
		if count.exceeded && (hoursFit || tooManyHours) {
			break
		}
		at = read.end
	}
	if !count.exceeded {
		if err := s.countAtEnds(ctx, &count); err != nil {
			return "", err
		}
	}
	switch {
	case !count.exceeded:
		return ByReading, nil
	case tooManyHours:
		return ByDay, nil
	}
	s.first = first
	return ByHour, nil
}

// valueCount counts the readings of each property in a range.
type valueCount struct {
	from, to int64 // epoch milliseconds, both included
	points   int
	readings map[device.PropertyID]int
	exceeded bool // a property has more readings than points
}

func (c *valueCount) add(p device.PropertyID, n int) {
	c.readings[p] += n
	c.exceeded = c.exceeded || c.readings[p] > c.points
}

// addHours counts the readings of the hours (UTC) that lie in the range in whole.
func (c *valueCount) addHours(p device.PropertyID, list []Aggregate) {
	for i := range list {
		if begin, end := Hour.bounds(list[i].Time); begin >= c.from && end-1 <= c.to {
			c.add(p, list[i].Count)
		}
	}
}

// errEnough ends a range when enough is known.
var errEnough = errors.New("enough is known")

// countAtEnds counts the readings of the hours of which only a part lies in the range: those at its
// ends.
func (s *Stretches) countAtEnds(ctx context.Context, c *valueCount) error {
	count := func(from, to int64) error {
		err := s.Store.Range(ctx, s.Device.Tenant, s.Device.ID, from, to, s.Properties,
			func(_ int64, fields []Field) error {
				for _, f := range fields {
					if f.Value.Kind() == KindNumber {
						c.add(f.Property, 1)
					}
				}
				if c.exceeded {
					return errEnough
				}
				return nil
			})
		if errors.Is(err, errEnough) {
			return nil
		}
		return err
	}
	hour := Hour.ms()
	first, last := c.from-floorMod(c.from, hour), c.to-floorMod(c.to, hour)
	if c.from > first || c.to < first+hour-1 {
		if err := count(c.from, min(c.to, first+hour-1)); err != nil || c.exceeded {
			return err
		}
	}
	if last > first && c.to < last+hour-1 {
		return count(last, c.to)
	}
	return nil
}
