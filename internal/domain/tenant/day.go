package tenant

import "time"

// DayBounds gives the day of an instant in a zone: its first instant, and that of the next day
// (epoch ms). Days do not overlap: where clocks go from a day back to the one before, what they show
// of that one again belongs to the later day.
func DayBounds(at int64, zone *time.Location) (begin, end int64) {
	year, month, day := time.UnixMilli(at).In(zone).Date()
	begin, end = StartOfDay(year, month, day, zone).UnixMilli(), StartOfDay(year, month, day+1, zone).UnixMilli()
	if at >= end {
		begin, end = end, StartOfDay(year, month, day+2, zone).UnixMilli()
	}
	return begin, end
}

// StartOfDay gives when a day begins in a zone. If the clocks skip midnight, the day begins after
// the jump; if they show midnight twice, it begins at the first.
func StartOfDay(year int, month time.Month, day int, zone *time.Location) time.Time {
	midnight := time.Date(year, month, day, 0, 0, 0, 0, zone)
	changed, changes := midnight.ZoneBounds()
	_, offset := midnight.Zone()
	shown := midnight.Unix() + int64(offset)
	switch wanted := time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix(); {
	// No clock shows that midnight: time.Date gives an instant before the jump or after it.
	case shown < wanted:
		return changes
	case shown > wanted:
		return changed
	case changed.IsZero():
		return midnight
	}
	_, before := changed.Add(-time.Millisecond).Zone()
	if first := midnight.Add(time.Duration(offset-before) * time.Second); first.Before(changed) {
		return first
	}
	return midnight
}
