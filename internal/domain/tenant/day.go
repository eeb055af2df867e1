package tenant

import "time"

// DayBounds is the day of an instant by a zone's calendar: its first instant, and
// that of the next (epoch ms).
func DayBounds(at int64, zone *time.Location) (begin, end int64) {
	year, month, day := time.UnixMilli(at).In(zone).Date()
	return StartOfDay(year, month, day, zone).UnixMilli(), StartOfDay(year, month, day+1, zone).UnixMilli()
}

// StartOfDay is when a day of a zone's calendar begins. Where clocks skip
// midnight that is after the jump; where they show it twice, the first time.
func StartOfDay(year int, month time.Month, day int, zone *time.Location) time.Time {
	first := time.Date(year, month, day, 0, 0, 0, 0, zone)
	noon := time.Date(year, month, day, 12, 0, 0, 0, zone)
	changed, _ := noon.ZoneBounds()
	if changed.IsZero() || noon.Sub(changed) > 24*time.Hour {
		return first
	}
	// The clocks were changed in these hours. Midnight by the clock from before
	// is the day's begin if the change came after it.
	_, now := noon.Zone()
	_, before := changed.Add(-time.Millisecond).Zone()
	if old := noon.Add(-12*time.Hour + time.Duration(now-before)*time.Second); old.Before(changed) {
		return old
	}
	// Where midnight was skipped, time.Date may give an instant before the change.
	if first.Before(changed) {
		return changed
	}
	return first
}
