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
	maxMissingHours = 4 // that a day may lack
	maxMissingRun   = 3 // in a row, and that are filled in between two good ones
)

// Reading is one value and when it was measured, in milliseconds since the
// day's begin.
type Reading struct {
	At    int64
	Value float64
}

const hour = 3_600_000 // ms

// minHourShare is what share of an hour's readings must have come.
const minHourShare = .75

// NewSeries makes a day of so many hours of its readings, oldest first.
func NewSeries(readings []Reading, hours int) Series {
	g := SeriesBuilder{}
	for _, r := range readings {
		g.Add(r)
	}
	return g.Series(hours)
}

// SeriesBuilder makes a Series of readings that come one by one, oldest first, and
// keeps none of them. The zero one is ready.
type SeriesBuilder struct {
	hasReading bool
	lastAt     int64     // when the newest reading was, ms since the day's begin
	gaps       gapCounts // of the day
	hours      []hourBuilder

	high, low float64
}

// hourBuilder is what is known of an hour.
type hourBuilder struct {
	readings int64
	sum      float64
	usualGap int64     // the usual time between its readings; 0: too few came
	gaps     gapCounts // until the hour is over: of its readings, with the one before it
}

// Add takes in a reading, not older than those before.
func (g *SeriesBuilder) Add(r Reading) {
	for int64(len(g.hours)) <= r.At/hour {
		g.closeHour()
		g.hours = append(g.hours, hourBuilder{})
	}
	h := &g.hours[len(g.hours)-1]
	if g.hasReading {
		g.gaps.add(r.At - g.lastAt)
		h.gaps.add(r.At - g.lastAt)
		g.high, g.low = max(g.high, r.Value), min(g.low, r.Value)
	} else {
		g.high, g.low = r.Value, r.Value
	}
	g.hasReading, g.lastAt = true, r.At
	h.readings++
	h.sum += r.Value
}

// closeHour lets go of the times of the newest hour, which is over.
func (g *SeriesBuilder) closeHour() {
	if n := len(g.hours); n > 0 {
		g.hours[n-1].usualGap, g.hours[n-1].gaps = g.hours[n-1].gaps.median(3), gapCounts{}
	}
}

// Series is the day of what was gathered; it has so many hours.
func (g *SeriesBuilder) Series(hours int) Series {
	g.closeHour()
	s := Series{High: math.Inf(-1), Low: math.Inf(1), Hours: make([]float64, hours), Sums: make([]float64, hours)}
	if g.hasReading {
		s.High, s.Low = g.high, g.low
	}
	usualGap := g.gaps.median(0)
	for i := range s.Hours {
		s.Hours[i] = math.NaN()
		if i >= len(g.hours) {
			continue
		}
		h := &g.hours[i]
		s.Sums[i] = h.sum
		if n := h.readings; n > 0 && float64(n) >= minHourShare*float64(expectedReadings(h.usualGap, usualGap)) {
			s.Hours[i] = roundedMean(s.Sums[i] / float64(n))
		}
	}
	return s
}

// roundedMean is a mean without the dust of its sum: twelve readings of 7.2 are an hour
// of 7.2, which a formula's class may end with.
func roundedMean(mean float64) float64 {
	const scale = 1e9
	return math.Round(mean*scale) / scale
}

// expectedReadings is how many readings an hour has at least, whenever the first comes:
// by the interval that its own readings keep where it has four or more, else by
// the day's. 0: there is none.
func expectedReadings(hourGap, dayGap int64) int64 {
	gap := hourGap
	if gap == 0 {
		gap = dayGap
	}
	if gap == 0 {
		return math.MaxInt64 // one reading a day says nothing of an hour
	}
	return max(1, hour/gap)
}

// gapCounts count how often each time between readings, in milliseconds, came. Of a day
// there are few different ones, however many readings it has: thirteen thousand
// would fill it.
type gapCounts struct {
	counts map[int64]int
	total  int
}

func (g *gapCounts) add(gap int64) {
	if g.counts == nil {
		g.counts = map[int64]int{}
	}
	g.counts[gap]++
	g.total++
}

// median is the median of them, 0 for none or fewer than least.
func (g *gapCounts) median(minGaps int) int64 {
	if g.total == 0 || g.total < minGaps {
		return 0
	}
	seen := 0
	for _, gap := range slices.Sorted(maps.Keys(g.counts)) {
		if seen += g.counts[gap]; seen > g.total/2 {
			return gap
		}
	}
	return 0
}

// hasEnoughHours tells whether enough of the day came.
func (s *Series) hasEnoughHours() bool {
	missing, run := 0, 0
	for _, v := range s.Hours {
		if !math.IsNaN(v) {
			run = 0
			continue
		}
		missing++
		if run++; missing > maxMissingHours || run > maxMissingRun {
			return false
		}
	}
	return true
}

// interpolated are the hours with those that are missing between two good ones
// interpolated; hours missing at either end of the day stay so.
func (s *Series) interpolated() []float64 {
	hours := slices.Clone(s.Hours)
	before := -1
	for h, v := range hours {
		if math.IsNaN(v) {
			continue
		}
		if before >= 0 && h-before-1 <= maxMissingRun {
			for i := before + 1; i < h; i++ {
				hours[i] = roundedMean(hours[before] + (v-hours[before])*float64(i-before)/float64(h-before))
			}
		}
		before = h
	}
	return hours
}

// meanOfHours is of the good hours.
func (s *Series) meanOfHours() float64 {
	sum, n := 0., 0
	for _, v := range s.interpolated() {
		if !math.IsNaN(v) {
			sum += v
			n++
		}
	}
	return sum / float64(n)
}

// sum is of all hours; no number where one is missing.
func (s *Series) sum() (sum float64) {
	for _, v := range s.interpolated() {
		sum += v
	}
	return sum
}

// Coverage are how many of the day's hours have a value of every input, how many more
// were filled in between two such, and how many the day has.
func (d *Day) Coverage() (measured, filled, total int) {
	for i := range d.Inputs {
		s := &d.Inputs[i]
		measuredHours, filledHours := 0, 0
		for h, v := range s.interpolated() {
			if !math.IsNaN(s.Hours[h]) {
				measuredHours++
			} else if !math.IsNaN(v) {
				filledHours++
			}
		}
		if i == 0 || measuredHours < measured {
			measured, filled, total = measuredHours, filledHours, len(s.Hours)
		}
	}
	return measured, filled, total
}

// HasEnoughHours tells whether enough hours of every input came for a value of the day.
func (d *Day) HasEnoughHours() bool {
	for i := range d.Inputs {
		if !d.Inputs[i].hasEnoughHours() {
			return false
		}
	}
	return len(d.Inputs) > 0
}

func dailyLight(d *Day, _ []float64, _ Place) (float64, bool) {
	if !d.HasEnoughHours() {
		return 0, false
	}
	// An hour that is missing at the day's end makes the sum no number.
	return DailyLightIntegral(d.Inputs[0].interpolated()), true
}

// wetHours needs a gauge that was not silent either: no rain is not what nobody
// measured. The few hours that a day may lack the leaves decide alone.
func wetHours(d *Day, p []float64, _ Place) (float64, bool) {
	if !d.HasEnoughHours() {
		return 0, false
	}
	wet := 0.
	for h, mean := range d.Inputs[0].interpolated() {
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
	inputAir = iota
	inputHumidity
	inputWind
	inputRadiation
	inputPressure
)

// temperatureOnly tells whether so many inputs are too few for FAO-56.
func temperatureOnly(inputs int) bool { return inputs <= inputRadiation }

func referenceUnmetNeed(inputs int, at Place) PlaceNeed {
	if at.Latitude == nil {
		return NeedsPosition
	}
	if temperatureOnly(inputs) {
		return ""
	}
	return needsElevation(inputPressure+1)(inputs, at)
}

// referenceEvapotranspiration is by FAO-56 where humidity, wind and radiation are inputs, by
// Hargreaves where temperature alone is.
func referenceEvapotranspiration(d *Day, p []float64, at Place) (float64, bool) {
	if !d.HasEnoughHours() || at.Latitude == nil {
		return 0, false
	}
	t := &d.Inputs[inputAir]
	if temperatureOnly(len(d.Inputs)) {
		return Hargreaves(t.High, t.Low, *at.Latitude, d.YearDay)
	}
	w := DayWeather{
		High: t.High, Low: t.Low, Latitude: *at.Latitude, YearDay: d.YearDay,
		Wind: WindAt2(d.Inputs[inputWind].meanOfHours(), p[0]),
		// An hour that is missing at the day's end makes the sum no number.
		Radiation: d.Inputs[inputRadiation].sum() * MegajoulesPerWattHour,
	}
	high, ok := validHumidity(d.Inputs[inputHumidity].High)
	low, ok2 := validHumidity(d.Inputs[inputHumidity].Low)
	if !ok || !ok2 {
		return 0, false
	}
	w.Vapor = VaporPressureFromHumidity(t.High, t.Low, high, low)
	switch {
	case len(d.Inputs) > inputPressure:
		w.Pressure = d.Inputs[inputPressure].meanOfHours()
	case at.Elevation != nil:
		w.Pressure = StandardPressure(*at.Elevation)
	}
	if w.Elevation = Elevation(w.Pressure); at.Elevation != nil {
		w.Elevation = *at.Elevation
	}
	return w.Evapotranspiration()
}
