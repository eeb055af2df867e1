package agronomy

import (
	"maps"
	"math"
	"slices"
)

// Day holds the readings of a formula's inputs on one civil day: a Series for each input that the
// thing model names.
type Day struct {
	YearDay int // 1 is 1 January
	Inputs  []Series
}

// Series is one input over a day of 23 to 25 hours.
type Series struct {
	High, Low float64   // extremes of the readings themselves
	Hours     []float64 // mean of each hour; NaN: too few readings
	Sums      []float64 // sum of each hour
}

const (
	maxMissingHours = 4 // missing hours that a day may have
	maxMissingRun   = 3 // missing hours in a row that are interpolated
)

// Reading is one value with its time, in milliseconds since the day's begin.
type Reading struct {
	At    int64
	Value float64
}

const hour = 3_600_000 // ms

// minHourShare is the share of an hour's expected readings that must exist.
const minHourShare = .75

// NewSeries creates the Series of a day with that many hours from its readings, oldest first.
func NewSeries(readings []Reading, hours int) Series {
	g := SeriesBuilder{}
	for _, r := range readings {
		g.Add(r)
	}
	return g.Series(hours)
}

// SeriesBuilder creates a Series from readings that are added one by one, oldest first, and stores
// none of them. The zero value is ready.
type SeriesBuilder struct {
	hasReading bool
	lastAt     int64     // time of the newest reading, ms since the day's begin
	gaps       gapCounts // gaps of the day
	hours      []hourBuilder

	high, low float64
}

// hourBuilder collects the readings of one hour.
type hourBuilder struct {
	readings int64
	sum      float64
	usualGap int64     // the usual time between its readings; 0: too few readings
	gaps     gapCounts // gaps before each of its readings; empty once the hour is over
}

// Add adds a reading that is not older than the previous ones.
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

// closeHour computes the usual gap of the newest hour, which is over, and drops its gaps.
func (g *SeriesBuilder) closeHour() {
	if n := len(g.hours); n > 0 {
		g.hours[n-1].usualGap, g.hours[n-1].gaps = g.hours[n-1].gaps.median(3), gapCounts{}
	}
}

// Series returns the Series of the added readings for a day with that many hours.
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

// roundedMean removes the rounding error of a mean: twelve readings of 7.2 give an hour of exactly
// 7.2, which may be the limit of a formula's class.
func roundedMean(mean float64) float64 {
	const scale = 1e9
	return math.Round(mean*scale) / scale
}

// expectedReadings returns how many readings an hour has at least, wherever its first one lies: by
// the usual gap of its own readings if it has four or more, otherwise by the day's. A gap of 0 is
// unknown.
func expectedReadings(hourGap, dayGap int64) int64 {
	gap := hourGap
	if gap == 0 {
		gap = dayGap
	}
	if gap == 0 {
		return math.MaxInt64 // one reading a day does not suffice for an hour
	}
	return max(1, hour/gap)
}

// gapCounts counts how often each time between readings, in milliseconds, occurs. A day has few
// different ones, however many readings it has: at most about thirteen thousand.
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

// median returns the median gap, 0 if there are none or fewer than minGaps.
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

// hasEnoughHours reports whether few enough hours of the day are missing.
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

// interpolated returns the hours with missing ones interpolated between two valid ones; missing
// hours at either end of the day stay missing.
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

// meanOfHours returns the mean of the valid hours.
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

// sum returns the sum of all hours; NaN if one is missing.
func (s *Series) sum() (sum float64) {
	for _, v := range s.interpolated() {
		sum += v
	}
	return sum
}

// Coverage returns how many of the day's hours have a value of every input, how many more were
// interpolated between two such hours, and how many hours the day has.
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

// HasEnoughHours reports whether few enough hours of every input are missing for a value of the
// day.
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
	// A missing hour at the day's end makes the sum NaN.
	return DailyLightIntegral(d.Inputs[0].interpolated()), true
}

// wetHours also requires enough hours of the rain gauge: a gauge that sent nothing did not measure
// zero rain. In the few hours that may be missing, leaf wetness alone decides.
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

// temperatureOnly reports whether the inputs are too few for FAO-56.
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

// referenceEvapotranspiration uses FAO-56 if humidity, wind and radiation are inputs, and
// Hargreaves if only temperature is.
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
		// A missing hour at the day's end makes the sum NaN.
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
