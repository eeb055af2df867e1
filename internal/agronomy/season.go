package agronomy

import "math"

// Tally adds up a season, day by day. What it is given and in which order is
// all that it depends on.
type Tally interface {
	// Add takes in the next day; nil is a day of which nothing came.
	Add(d *Day)
	// Value is the sum so far; false where too many days are missing.
	Value() (float64, bool)
	// Came are how many days came, how many hours of them were filled in, and how
	// many days there were.
	Came() (days, filled, of int)
}

const (
	missingDays  = 3   // in a row, that their neighbours stand in for
	missingShare = .05 // of all days
)

// record counts the days of a season that are missing.
type record struct {
	days, missing, run int
	filled             int // hours
	broken             bool
}

// Came is the Tally's.
func (r *record) Came() (days, filled, of int) { return r.days - r.missing, r.filled, r.days }

// fill are a day's hours as they are added up.
func (r *record) fill(d *Day) []float64 {
	_, filled, _ := d.Came()
	r.filled += filled
	return d.Inputs[0].filled()
}

func (r *record) add(valid bool) {
	r.days++
	if valid {
		r.run = 0
		return
	}
	r.missing++
	if r.run++; r.run > missingDays {
		r.broken = true
	}
}

func (r *record) good() bool {
	return !r.broken && r.days > 0 && float64(r.missing) <= missingShare*float64(r.days)
}

// degreeTally adds growing degree days. A day that is missing takes the mean of
// the days around it, so a season that ends with one has no value yet.
type degreeTally struct {
	method      int
	base, upper float64

	record
	sum, before float64
}

func (s *degreeTally) Add(d *Day) {
	value, ok := 0., false
	if d != nil && d.Enough() {
		value, ok = DegreeDays(d.Inputs[0].High, d.Inputs[0].Low, s.base, s.upper, s.method)
	}
	open := s.run
	s.record.add(ok)
	if !ok {
		return
	}
	if open > 0 {
		if s.days-open-1 == 0 {
			s.broken = true // the season begins with days that nobody knows
		}
		s.sum += float64(open) * (s.before + value) / 2
	}
	s.sum, s.before = s.sum+value, value
}

func (s *degreeTally) Value() (float64, bool) { return s.sum, s.good() && s.run == 0 }

// chillTally adds hours or units of chill. An hour that is missing adds nothing.
type chillTally struct {
	of func(t float64) float64

	record
	sum float64
}

func (s *chillTally) Add(d *Day) {
	s.record.add(d != nil && d.Enough())
	if d == nil {
		return
	}
	for _, t := range s.fill(d) {
		if !math.IsNaN(t) {
			s.sum += s.of(t)
		}
	}
}

func (s *chillTally) Value() (float64, bool) { return s.sum, s.good() }

// portionTally adds portions of chill. An hour that is missing leaves the state.
type portionTally struct {
	record
	chill Chill
}

func (s *portionTally) Add(d *Day) {
	s.record.add(d != nil && d.Enough())
	if d == nil {
		return
	}
	for _, t := range s.fill(d) {
		s.chill.Hour(t) // which leaves out what is no temperature
	}
}

func (s *portionTally) Value() (float64, bool) { return s.chill.Portions, s.good() }
