package silence

import (
	"context"
	"math"
	"slices"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

const (
	// lastHours is how long before its last contact a device's readings tell why it fell silent; of
	// one that reports less often than a few times in it, lastDay.
	lastHours = 3 * time.Hour
	lastDay   = 26 * time.Hour
	// fewReadings are too few to tell how often a device reports.
	fewReadings = 3

	// A night begins and ends at these hours of the farm's clocks. It is long, so that it has the
	// dark hours of every season, and the first one of the morning, when a battery is lowest.
	nightBegins, nightEnds = 18, 9
	nightsLookedAt         = 5

	// clockTolerance is how far the time of a reading may be after its arrival.
	clockTolerance = 10 * time.Minute
)

// lastReadings are the times of a device's readings before its silence, and the lowest value of its
// battery among them.
type lastReadings struct {
	times    []int64
	battery  bool    // the battery was among them
	lowest   float64 // of the battery
	lowestAt int64
}

// lastHours reads the readings of the last hours before the last contact: those of the battery, else
// those of the first measured property.
func (s *search) lastHours(ctx context.Context, t tenant.ID) (found lastReadings, err error) {
	p := s.Catalog.Product(s.device.ProductID)
	battery := s.Catalog.Battery(p)
	watched := battery
	if p != nil && watched == nil {
		if i := slices.IndexFunc(p.Properties, func(x device.Property) bool { return !x.Derived() }); i >= 0 {
			watched = &p.Properties[i]
		}
	}
	if watched == nil {
		return lastReadings{}, nil
	}
	to := s.status.LastContact + clockTolerance.Milliseconds()
	for _, window := range []time.Duration{lastHours, lastDay} {
		found = lastReadings{lowest: math.Inf(1)}
		err = s.Readings.Range(ctx, t, s.device.ID, to-window.Milliseconds(), to, []device.PropertyID{watched.ID},
			func(at int64, fields []reading.Field) error {
				found.times = append(found.times, at)
				for _, f := range fields {
					if battery != nil && f.Value.Kind() == reading.KindNumber && f.Value.Float() <= found.lowest {
						found.battery, found.lowest, found.lowestAt = true, f.Value.Float(), at
					}
				}
				return nil
			})
		if err != nil || len(found.times) >= fewReadings {
			return found, err
		}
	}
	return found, nil
}

// interval is the usual time between two readings: the median, so that a gap does not matter.
func (r *lastReadings) interval() time.Duration {
	if len(r.times) < 2 {
		return 0
	}
	gaps := make([]int64, len(r.times)-1)
	for i := range gaps {
		gaps[i] = r.times[i+1] - r.times[i]
	}
	slices.Sort(gaps)
	return time.Duration(gaps[len(gaps)/2]) * time.Millisecond
}

// lowBattery gives the evidence that the device's battery was below its limit when the device fell
// silent; nil: it was not, or nothing is known. A battery that was low at night and had recovered by
// the last contact does not explain the silence.
func (s *search) lowBattery(ctx context.Context, t tenant.ID, before *lastReadings) (*BatteryEvidence, error) {
	if !before.battery {
		return nil, nil
	}
	p := s.Catalog.Product(s.device.ProductID)
	battery := s.Catalog.Battery(p)
	nights := s.nights()
	from, to := nights[len(nights)-1].from, s.status.LastContact+clockTolerance.Milliseconds()
	hours, err := s.Readings.Aggregates(ctx, t, s.device.ID, from, to, []device.PropertyID{battery.ID}, reading.Hour)
	if err != nil {
		return nil, err
	}
	highest := before.lowest
	for _, h := range hours[battery.ID] {
		highest = max(highest, h.Highest)
	}
	limit, known := s.Catalog.BatteryLimit(p, highest)
	if !known || before.lowest >= limit {
		return nil, nil
	}
	found := &BatteryEvidence{
		Identifier: battery.Identifier, Unit: s.Catalog.Unit(battery), Precision: battery.Precision,
		Value: before.lowest, Time: before.lowestAt, Limit: limit,
	}
	for _, n := range nights {
		measured, low := false, false
		for _, h := range hours[battery.ID] {
			if h.Time >= n.from && h.Time < n.to {
				measured, low = true, low || h.Lowest < limit
			}
		}
		if measured {
			found.Nights++
		}
		if low {
			found.NightsLow++
		}
	}
	return found, nil
}

// night is a night, in epoch milliseconds; to is not included.
type night struct{ from, to int64 }

// nights gives the last nights that had begun at the last contact, newest first.
func (s *search) nights() []night {
	last := time.UnixMilli(s.status.LastContact).In(s.zone)
	day := last.Day()
	if last.Hour() < nightBegins {
		day--
	}
	list := make([]night, nightsLookedAt)
	for i := range list {
		list[i] = night{
			from: time.Date(last.Year(), last.Month(), day-i, nightBegins, 0, 0, 0, s.zone).UnixMilli(),
			to:   time.Date(last.Year(), last.Month(), day-i+1, nightEnds, 0, 0, 0, s.zone).UnixMilli(),
		}
	}
	return list
}
