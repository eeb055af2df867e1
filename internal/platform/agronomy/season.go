package agronomy

import "math"

// Tally adds up a season, day by day. What it is given and in which order is
// all that it depends on.
type Tally interface {
	// Add takes in the next day; nil is a day of which nothing came.
	Add(d *Day)
	// Value is the sum so far; false where too many days are missing.
	Value() (float64, bool)
	// Coverage are how many days came, how many hours of them were filled in, and how
	// many days there were.
	Coverage() (days, filled, of int)
}

const (
	maxMissingDays  = 3   // in a row, that their neighbours stand in for
	maxMissingShare = .05 // of all days
)

// dayRecord counts the days of a season that are missing.
type dayRecord struct {
	days, missing, missingRun int
	filledHours               int // hours
	invalid                   bool
}

// Coverage is the Tally's.
func (r *dayRecord) Coverage() (days, filled, of int) {
	return r.days - r.missing, r.filledHours, r.days
}

// hoursOf are a day's hours as they are added up.
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

// degreeTally adds growing degree days. A day that is missing takes the mean of
// the days around it, so a season that ends with one has no value yet.
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
			s.invalid = true // the season begins with days that nobody knows
		}
		s.sum += float64(gap) * (s.previousDay + value) / 2
	}
	s.sum, s.previousDay = s.sum+value, value
}

func (s *degreeTally) Value() (float64, bool) { return s.sum, s.valid() && s.missingRun == 0 }

// chillTally adds hours or units of chill. An hour that is missing adds nothing.
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

// portionTally adds portions of chill. An hour that is missing leaves the state.
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
		s.chill.AddHour(t) // which leaves out what is no temperature
	}
}

func (s *portionTally) Value() (float64, bool) { return s.chill.Portions, s.valid() }
