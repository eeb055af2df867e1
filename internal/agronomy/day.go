package agronomy

import (
	"maps"
	"math"
	"slices"
)

// Day is a civil day's readings of the inputs of a formula, an element for each
// input that the model names.
type Day struct {
	YearDay int // 1 is 1 January
	Inputs  []Series
}

// Series is one input over a day of 23 to 25 hours.
type Series struct {
	High, Low float64   // extremes of the readings themselves
	Hours     []float64 // mean of each hour; NaN: too few readings came
	Sums      []float64 // sum of each hour
}

const (
	missingHours = 4 // that a day may lack
	missingRun   = 3 // in a row, and that are filled in between two good ones
)

// Reading is one value and when it was measured, in milliseconds since the
// day's begin.
type Reading struct {
	At    int64
	Value float64
}

const hour = 3_600_000 // ms

// hourShare is what share of an hour's readings must have come.
const hourShare = .75

// NewSeries makes a day of so many hours of its readings, oldest first.
func NewSeries(readings []Reading, hours int) Series {
	g := Gathering{}
	for _, r := range readings {
		g.Add(r)
	}
	return g.Series(hours)
}

// Gathering makes a Series of readings that come one by one, oldest first, and
// keeps none of them. The zero one is ready.
type Gathering struct {
	some  bool
	last  int64 // when the newest reading was, ms since the day's begin
	gaps  gaps  // of the day
	hours []gatheredHour

	high, low float64
}

// gatheredHour is what is known of an hour.
type gatheredHour struct {
	readings int64
	sum      float64
	own      int64 // the usual time between its readings; 0: too few came
	gaps     gaps  // until the hour is over: of its readings, with the one before it
}

// Add takes in a reading, not older than those before.
func (g *Gathering) Add(r Reading) {
	for int64(len(g.hours)) <= r.At/hour {
		g.endHour()
		g.hours = append(g.hours, gatheredHour{})
	}
	h := &g.hours[len(g.hours)-1]
	if g.some {
		g.gaps.add(r.At - g.last)
		h.gaps.add(r.At - g.last)
		g.high, g.low = max(g.high, r.Value), min(g.low, r.Value)
	} else {
		g.high, g.low = r.Value, r.Value
	}
	g.some, g.last = true, r.At
	h.readings++
	h.sum += r.Value
}

// endHour lets go of the times of the newest hour, which is over.
func (g *Gathering) endHour() {
	if n := len(g.hours); n > 0 {
		g.hours[n-1].own, g.hours[n-1].gaps = g.hours[n-1].gaps.median(3), gaps{}
	}
}

// Series is the day of what was gathered; it has so many hours.
func (g *Gathering) Series(hours int) Series {
	g.endHour()
	s := Series{High: math.Inf(-1), Low: math.Inf(1), Hours: make([]float64, hours), Sums: make([]float64, hours)}
	if g.some {
		s.High, s.Low = g.high, g.low
	}
	usual := g.gaps.median(0)
	for i := range s.Hours {
		s.Hours[i] = math.NaN()
		if i >= len(g.hours) {
			continue
		}
		h := &g.hours[i]
		s.Sums[i] = h.sum
		if n := h.readings; n > 0 && float64(n) >= hourShare*float64(expected(h.own, usual)) {
			s.Hours[i] = exact(s.Sums[i] / float64(n))
		}
	}
	return s
}

// exact is a mean without the dust of its sum: twelve readings of 7.2 are an hour
// of 7.2, which a formula's class may end with.
func exact(mean float64) float64 {
	const scale = 1e9
	return math.Round(mean*scale) / scale
}

// expected is how many readings an hour has at least, whenever the first comes:
// by the interval that its own readings keep where it has four or more, else by
// the day's. 0: there is none.
func expected(own, usual int64) int64 {
	gap := own
	if gap == 0 {
		gap = usual
	}
	if gap == 0 {
		return math.MaxInt64 // one reading a day says nothing of an hour
	}
	return max(1, hour/gap)
}

// gaps count how often each time between readings, in milliseconds, came. Of a day
// there are few different ones, however many readings it has: thirteen thousand
// would fill it.
type gaps struct {
	counts map[int64]int
	all    int
}

func (g *gaps) add(gap int64) {
	if g.counts == nil {
		g.counts = map[int64]int{}
	}
	g.counts[gap]++
	g.all++
}

// median is the median of them, 0 for none or fewer than least.
func (g *gaps) median(least int) int64 {
	if g.all == 0 || g.all < least {
		return 0
	}
	before := 0
	for _, gap := range slices.Sorted(maps.Keys(g.counts)) {
		if before += g.counts[gap]; before > g.all/2 {
			return gap
		}
	}
	return 0
}

// valid tells whether enough of the day came.
func (s *Series) valid() bool {
	missing, run := 0, 0
	for _, v := range s.Hours {
		if !math.IsNaN(v) {
			run = 0
			continue
		}
		missing++
		if run++; missing > missingHours || run > missingRun {
			return false
		}
	}
	return true
}

// filled are the hours with those that are missing between two good ones
// interpolated; hours missing at either end of the day stay so.
func (s *Series) filled() []float64 {
	hours := slices.Clone(s.Hours)
	before := -1
	for h, v := range hours {
		if math.IsNaN(v) {
			continue
		}
		if before >= 0 && h-before-1 <= missingRun {
			for i := before + 1; i < h; i++ {
				hours[i] = exact(hours[before] + (v-hours[before])*float64(i-before)/float64(h-before))
			}
		}
		before = h
	}
	return hours
}

// mean is of the good hours.
func (s *Series) mean() float64 {
	sum, n := 0., 0
	for _, v := range s.filled() {
		if !math.IsNaN(v) {
			sum += v
			n++
		}
	}
	return sum / float64(n)
}

// sum is of all hours; no number where one is missing.
func (s *Series) sum() (sum float64) {
	for _, v := range s.filled() {
		sum += v
	}
	return sum
}

// Came are how many of the day's hours have a value of every input, how many more
// were filled in between two such, and how many the day has.
func (d *Day) Came() (came, filled, of int) {
	for i := range d.Inputs {
		s := &d.Inputs[i]
		good, whole := 0, 0
		for h, v := range s.filled() {
			if !math.IsNaN(s.Hours[h]) {
				good++
			} else if !math.IsNaN(v) {
				whole++
			}
		}
		if i == 0 || good < came {
			came, filled, of = good, whole, len(s.Hours)
		}
	}
	return came, filled, of
}

// Enough tells whether enough hours of every input came for a value of the day.
func (d *Day) Enough() bool {
	for i := range d.Inputs {
		if !d.Inputs[i].valid() {
			return false
		}
	}
	return len(d.Inputs) > 0
}

func dailyLight(d *Day, _ []float64, _ Place) (float64, bool) {
	if !d.Enough() {
		return 0, false
	}
	// An hour that is missing at the day's end makes the sum no number.
	return DailyLight(d.Inputs[0].filled()), true
}

// wetHours needs a gauge that was not silent either: no rain is not what nobody
// measured. The few hours that a day may lack the leaves decide alone.
func wetHours(d *Day, p []float64, _ Place) (float64, bool) {
	if !d.Enough() {
		return 0, false
	}
	wet := 0.
	for h, mean := range d.Inputs[0].filled() {
		rain := 0.
		if len(d.Inputs) > 1 {
			rain = d.Inputs[1].Sums[h]
		}
		if math.IsNaN(mean) && rain == 0 {
			return 0, false
		}
		wet += LeafWet(mean, p[0], rain)
	}
	return wet, true
}

// The inputs of the reference evapotranspiration.
const (
	ofAir = iota
	ofHumidity
	ofWind
	ofRadiation
	ofPressure
)

// byTemperature tells whether so many inputs are too few for FAO-56.
func byTemperature(inputs int) bool { return inputs <= ofRadiation }

func referenceLacks(inputs int, at Place) Need {
	if at.Latitude == nil {
		return NeedsPosition
	}
	if byTemperature(inputs) {
		return ""
	}
	return withoutElevation(ofPressure+1)(inputs, at)
}

// reference is by FAO-56 where humidity, wind and radiation are inputs, by
// Hargreaves where temperature alone is.
func reference(d *Day, p []float64, at Place) (float64, bool) {
	if !d.Enough() || at.Latitude == nil {
		return 0, false
	}
	t := &d.Inputs[ofAir]
	if byTemperature(len(d.Inputs)) {
		return Hargreaves(t.High, t.Low, *at.Latitude, d.YearDay)
	}
	w := Weather{
		High: t.High, Low: t.Low, Latitude: *at.Latitude, YearDay: d.YearDay,
		Wind: WindAt2(d.Inputs[ofWind].mean(), p[0]),
		// An hour that is missing at the day's end makes the sum no number.
		Radiation: d.Inputs[ofRadiation].sum() * MegajoulesAnHour,
	}
	high, ok := humid(d.Inputs[ofHumidity].High)
	low, ok2 := humid(d.Inputs[ofHumidity].Low)
	if !ok || !ok2 {
		return 0, false
	}
	w.Vapor = VaporOfHumidity(t.High, t.Low, high, low)
	switch {
	case len(d.Inputs) > ofPressure:
		w.Pressure = d.Inputs[ofPressure].mean()
	case at.Elevation != nil:
		w.Pressure = StandardPressure(*at.Elevation)
	}
	if w.Elevation = Elevation(w.Pressure); at.Elevation != nil {
		w.Elevation = *at.Elevation
	}
	return w.Evapotranspiration()
}
