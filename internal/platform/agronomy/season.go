package agronomy

import "math"

// Tally sums up a season, day by day. It depends only on the days and their order.
type Tally interface {
	// Add adds the next day; nil is a day without readings.
	Add(d *Day)
	// Value returns the sum so far; false if too many days are missing.
	Value() (float64, bool)
	// Coverage returns how many days have values, how many of their hours were interpolated, and
	// how many days there were.
	Coverage() (days, filled, total int)
}

const (
	maxMissingDays  = 3   // missing days in a row that a season may have
	maxMissingShare = .05 // share of missing days that a season may have
)

// dayRecord counts the days of a season and the missing ones.
type dayRecord struct {
	days, missing, missingRun int
	filledHours               int
	invalid                   bool
}

// Coverage implements Tally.
func (r *dayRecord) Coverage() (days, filled, total int) {
	return r.days - r.missing, r.filledHours, r.days
}

// hoursOf returns a day's hours, with missing ones interpolated, and counts the interpolated ones.
func (r *dayRecord) hoursOf(d *Day) []float64 {
	_, filled, _ := d.Coverage()
	r.filledHours += filled
	return d.Inputs[0].interpolated()
}

func (r *dayRecord) add(valid bool) {
	r.days++
	if valid {
		r.missingRun = 0
		return
	}
	r.missing++
	if r.missingRun++; r.missingRun > maxMissingDays {
		r.invalid = true
	}
}

func (r *dayRecord) valid() bool {
	return !r.invalid && r.days > 0 && float64(r.missing) <= maxMissingShare*float64(r.days)
}

// degreeTally sums up growing degree days. A missing day counts as the mean of the days around it,
// so a season that ends with a missing day has no value yet.
type degreeTally struct {
	method      int
	base, upper float64

	dayRecord
	sum, previousDay float64
}

func (s *degreeTally) Add(d *Day) {
	value, ok := 0., false
	if d != nil && d.HasEnoughHours() {
		value, ok = DegreeDays(d.Inputs[0].High, d.Inputs[0].Low, s.base, s.upper, s.method)
	}
	gap := s.missingRun
	s.dayRecord.add(ok)
	if !ok {
		return
	}
	if gap > 0 {
		if s.days-gap-1 == 0 {
			s.invalid = true // the season begins with missing days
		}
		s.sum += float64(gap) * (s.previousDay + value) / 2
	}
	s.sum, s.previousDay = s.sum+value, value
}

func (s *degreeTally) Value() (float64, bool) { return s.sum, s.valid() && s.missingRun == 0 }

// chillTally sums up hours or units of chill. A missing hour adds nothing.
type chillTally struct {
	unitsOf func(t float64) float64

	dayRecord
	sum float64
}

func (s *chillTally) Add(d *Day) {
	s.dayRecord.add(d != nil && d.HasEnoughHours())
	if d == nil {
		return
	}
	for _, t := range s.hoursOf(d) {
		if !math.IsNaN(t) {
			s.sum += s.unitsOf(t)
		}
	}
}

func (s *chillTally) Value() (float64, bool) { return s.sum, s.valid() }

// portionTally sums up portions of chill. A missing hour does not change the state.
type portionTally struct {
	dayRecord
	chill Chill
}

func (s *portionTally) Add(d *Day) {
	s.dayRecord.add(d != nil && d.HasEnoughHours())
	if d == nil {
		return
	}
	for _, t := range s.hoursOf(d) {
		s.chill.AddHour(t) // ignores NaN
	}
}

func (s *portionTally) Value() (float64, bool) { return s.chill.Portions, s.valid() }
