package tenant

import "time"

// DayBounds gives the day of an instant in a zone: its first instant, and that of the next day
// (epoch ms).
func DayBounds(at int64, zone *time.Location) (begin, end int64) {
	year, month, day := time.UnixMilli(at).In(zone).Date()
	return StartOfDay(year, month, day, zone).UnixMilli(), StartOfDay(year, month, day+1, zone).UnixMilli()
}

// StartOfDay gives when a day begins in a zone. If the clocks skip midnight, the day begins after
// the jump; if they show midnight twice, it begins at the first.
func StartOfDay(year int, month time.Month, day int, zone *time.Location) time.Time {
	first := time.Date(year, month, day, 0, 0, 0, 0, zone)
	noon := time.Date(year, month, day, 12, 0, 0, 0, zone)
	changed, _ := noon.ZoneBounds()
	if changed.IsZero() || noon.Sub(changed) > 24*time.Hour {
		return first
	}
	// The offset changed within these hours. The day begins at midnight by the old offset if the
	// change came after it.
	_, now := noon.Zone()
	_, before := changed.Add(-time.Millisecond).Zone()
	if old := noon.Add(-12*time.Hour + time.Duration(now-before)*time.Second); old.Before(changed) {
		return old
	}
	// If midnight was skipped, time.Date may give an instant before the change.
	if first.Before(changed) {
		return changed
	}
	return first
}
