package agronomy

import "math"

// Kind says when a formula has a value.
type Kind uint8

// The kinds of formula.
const (
	Instant Kind = iota + 1 // at each instant at which an input was measured
	Daily                   // one for each day, when the day is over
	Season                  // one for each day, from all days since the season began
)

// Input is one input of a formula.
type Input struct {
	Name     string
	Units    []string // units that the input may have
	Optional bool     // a thing model may omit it, and then all after it
}

// Parameter is a number that a thing model may set.
type Parameter struct {
	Name      string
	Default   float64 // NaN: the thing model must set it
	Low, High float64
}

// Place is where a device stands, as far as known.
type Place struct {
	Latitude, Longitude *float64 // degrees
	Elevation           *float64 // m
}

// Pressure returns the standard pressure at the place, hPa; false without an elevation.
func (p Place) Pressure() (float64, bool) {
	if p.Elevation == nil {
		return 0, false
	}
	return StandardPressure(*p.Elevation), true
}

// Formula is a formula that thing models refer to by name.
type Formula struct {
	Name       string
	Kind       Kind
	Unit       string // unit of its value
	Decimals   int    // meaningful decimals of its value
	Inputs     []Input
	Parameters []Parameter
	MustExceed [2]string // the first parameter must be above the second; empty: no such pair

	isEstimate func(inputs int) bool                // nil: never
	unmetNeed  func(inputs int, at Place) PlaceNeed // nil: nothing

	// Kind determines which one of these is set. x are the inputs that the thing model names, in
	// the order of Inputs, and p the parameters in the order of Parameters.
	instant  func(x, p []float64, at Place) (float64, bool)
	daily    func(d *Day, p []float64, at Place) (float64, bool)
	newTally func(p []float64) Tally
}

// PlaceNeed is a fact about a device's place without which a formula has no value.
type PlaceNeed string

// The facts about a place that a formula may need.
const (
	NeedsPosition  PlaceNeed = "position"
	NeedsElevation PlaceNeed = "elevation"
)

// UnmetNeed returns the unknown fact about a place that the formula, with that many inputs, needs;
// empty: none.
func (f *Formula) UnmetNeed(inputs int, at Place) PlaceNeed {
	if f.unmetNeed == nil {
		return ""
	}
	return f.unmetNeed(inputs, at)
}

// IsEstimate reports whether the formula, with that many inputs, is an estimate however precise
// these are.
func (f *Formula) IsEstimate(inputs int) bool { return f.isEstimate != nil && f.isEstimate(inputs) }

func always(int) bool { return true }

// needsElevation returns the unmetNeed of a formula that needs the elevation unless it has
// enoughInputs.
func needsElevation(enoughInputs int) func(inputs int, at Place) PlaceNeed {
	return func(inputs int, at Place) PlaceNeed {
		if inputs < enoughInputs && at.Elevation == nil {
			return NeedsElevation
		}
		return ""
	}
}

// Parameter finds a parameter by name; nil if the formula has none with that name.
func (f *Formula) Parameter(name string) *Parameter {
	for i := range f.Parameters {
		if f.Parameters[i].Name == name {
			return &f.Parameters[i]
		}
	}
	return nil
}

// InstantValue returns the value of an instant formula.
func (f *Formula) InstantValue(x, p []float64, at Place) (float64, bool) {
	return finite(f.instant(x, p, at))
}

// DailyValue returns a daily formula's value for a day.
func (f *Formula) DailyValue(d *Day, p []float64, at Place) (float64, bool) {
	return finite(f.daily(d, p, at))
}

// NewTally returns a season formula's state before the season's first day.
func (f *Formula) NewTally(p []float64) Tally { return f.newTally(p) }

func finite(v float64, ok bool) (float64, bool) {
	return v, ok && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// Values returns the parameters in order: the given ones, and the defaults of the others.
func (f *Formula) Values(given map[string]float64) []float64 {
	values := make([]float64, len(f.Parameters))
	for i, p := range f.Parameters {
		v, ok := given[p.Name]
		if !ok {
			v = p.Default
		}
		values[i] = v
	}
	return values
}

// Find finds a formula by name; nil if there is none.
func Find(name string) *Formula { return byName[name] }

// Names returns the names of all formulas.
func Names() []string {
	names := make([]string, len(formulas))
	for i := range formulas {
		names[i] = formulas[i].Name
	}
	return names
}

// Units with their accepted spellings.
var (
	celsius             = []string{"°C", "℃"}
	percent             = []string{"%", "%RH"}
	hectopascal         = []string{"hPa", "mbar"}
	metresPerSecond     = []string{"m/s"}
	wattsPerSquareMetre = []string{"W/m²", "W/m2"}
	photonFlux          = []string{"µmol/m²/s", "μmol/m²/s", "umol/m2/s"}
	lux                 = []string{"lx", "lux"}
	millimetres         = []string{"mm"}
	milligrams          = []string{"mg/L", "mg/l"}
	siemens             = []string{"mS/cm"}

	air      = Input{Name: "airTemperature", Units: celsius}
	humidity = Input{Name: "airHumidity", Units: percent}
	pressure = Input{Name: "airPressure", Units: hectopascal}
)

func optional(r Input) Input {
	r.Optional = true
	return r
}

var byName = func() map[string]*Formula {
	all := map[string]*Formula{}
	for i := range formulas {
		all[formulas[i].Name] = &formulas[i]
	}
	return all
}()

var formulas = []Formula{
	{
		Name: "dewPoint", Kind: Instant, Unit: "°C", Decimals: 1, Inputs: []Input{air, humidity},
		instant: func(x, _ []float64, _ Place) (float64, bool) { return DewPoint(x[0], x[1]) },
	},
	{
		Name: "frostPoint", Kind: Instant, Unit: "°C", Decimals: 1, Inputs: []Input{air, humidity},
		instant: func(x, _ []float64, _ Place) (float64, bool) { return FrostPoint(x[0], x[1]) },
	},
	{
		Name: "vaporPressureDeficit", Kind: Instant, Unit: "kPa", Decimals: 2,
		Inputs: []Input{air, humidity, {Name: "leafTemperature", Units: celsius, Optional: true}},
		instant: func(x, _ []float64, _ Place) (float64, bool) {
			if len(x) == 3 {
				return LeafVaporPressureDeficit(x[0], x[1], x[2])
			}
			return VaporPressureDeficit(x[0], x[1])
		},
	},
	{
		Name: "absoluteHumidity", Kind: Instant, Unit: "g/m³", Decimals: 1, Inputs: []Input{air, humidity},
		instant: func(x, _ []float64, _ Place) (float64, bool) { return AbsoluteHumidity(x[0], x[1]) },
	},
	{
		Name: "airDensity", Kind: Instant, Unit: "kg/m³", Decimals: 3, Inputs: []Input{air, humidity, pressure},
		instant: func(x, _ []float64, _ Place) (float64, bool) { return AirDensity(x[0], x[1], x[2]) },
	},
	{
		Name:     "wetBulbTemperature",
		Kind:     Instant,
		Unit:     "°C",
		Decimals: 1,
		Inputs:   []Input{air, humidity, optional(pressure)},
		instant:  wetBulb,
	},
	{
		Name: "deltaT", Kind: Instant, Unit: "°C", Decimals: 1, Inputs: []Input{air, humidity, optional(pressure)},
		instant: func(x, p []float64, at Place) (float64, bool) {
			wet, ok := wetBulb(x, p, at)
			return x[0] - wet, ok
		},
	},
	{
		Name: "heatIndex", Kind: Instant, Unit: "°C", Decimals: 1, Inputs: []Input{air, humidity},
		instant: func(x, _ []float64, _ Place) (float64, bool) { return HeatIndex(x[0], x[1]) },
	},
	{
		Name: "seaLevelPressure", Kind: Instant, Unit: "hPa", Decimals: 1, Inputs: []Input{pressure, air},
		unmetNeed: needsElevation(3),
		instant: func(x, _ []float64, at Place) (float64, bool) {
			if at.Elevation == nil {
				return 0, false
			}
			return SeaLevelPressure(x[0], x[1], *at.Elevation)
		},
	},
	{
		Name: "ppfdOfIlluminance", Kind: Instant, Unit: "µmol/m²/s", Inputs: []Input{{Name: "illuminance", Units: lux}},
		Parameters: []Parameter{{"factor", LuxOfSunlight, .005, .05}}, isEstimate: always,
		instant: func(x, p []float64, _ Place) (float64, bool) { return PPFDFromLux(x[0], p[0]) },
	},
	{
		Name:       "ppfdOfRadiation",
		Kind:       Instant,
		Unit:       "µmol/m²/s",
		Inputs:     []Input{{Name: "solarRadiation", Units: wattsPerSquareMetre}},
		isEstimate: always,
		instant:    func(x, _ []float64, _ Place) (float64, bool) { return PPFDFromRadiation(x[0]) },
	},
	{
		Name: "availableWater", Kind: Instant, Unit: "%", Inputs: []Input{{Name: "soilMoisture", Units: percent}},
		Parameters: []Parameter{{"fieldCapacity", math.NaN(), 1, 100}, {"wiltingPoint", math.NaN(), 0, 99}},
		MustExceed: [2]string{"fieldCapacity", "wiltingPoint"},
		instant:    func(x, p []float64, _ Place) (float64, bool) { return AvailableWater(x[0], p[0], p[1]) },
	},
	{
		Name: "conductivity25", Kind: Instant, Unit: "mS/cm", Decimals: 2,
		Inputs:     []Input{{Name: "conductivity", Units: siemens}, {Name: "waterTemperature", Units: celsius}},
		Parameters: []Parameter{{"coefficient", .0191, .001, .05}},
		instant:    func(x, p []float64, _ Place) (float64, bool) { return Conductivity25(x[0], x[1], p[0]) },
	},
	{
		Name: "oxygenSaturation",
		Kind: Instant,
		Unit: "%",
		Inputs: []Input{
			{Name: "dissolvedOxygen", Units: milligrams},
			{Name: "waterTemperature", Units: celsius},
			optional(pressure),
		},
		unmetNeed: needsElevation(3),
		instant: func(x, _ []float64, at Place) (float64, bool) {
			if len(x) == 3 {
				return OxygenSaturation(x[0], x[1], x[2])
			}
			p, ok := at.Pressure()
			if !ok {
				return 0, false
			}
			return OxygenSaturation(x[0], x[1], p)
		},
	},
	{
		Name:     "dailyLightIntegral",
		Kind:     Daily,
		Unit:     "mol/m²/d",
		Decimals: 1,
		Inputs:   []Input{{Name: "ppfd", Units: photonFlux}},
		daily:    dailyLight,
	},
	{
		Name: "referenceEvapotranspiration", Kind: Daily, Unit: "mm", Decimals: 2,
		Inputs: []Input{
			air, optional(humidity), {Name: "windSpeed", Units: metresPerSecond, Optional: true},
			{Name: "solarRadiation", Units: wattsPerSquareMetre, Optional: true}, optional(pressure),
		},
		Parameters: []Parameter{{"windHeight", 2, .5, 50}}, isEstimate: temperatureOnly, unmetNeed: referenceUnmetNeed,
		daily: referenceEvapotranspiration,
	},
	{
		Name: "leafWetnessHours",
		Kind: Daily,
		Unit: "h",
		Inputs: []Input{
			{Name: "leafWetness", Units: percent},
			{Name: "rainfall", Units: millimetres, Optional: true},
		},
		Parameters: []Parameter{{"threshold", 50, 1, 100}},
		daily:      wetHours,
	},
	{
		Name:     "growingDegreeDays",
		Kind:     Season,
		Unit:     "°C·d",
		Decimals: 1,
		Inputs:   []Input{air},
		Parameters: append(
			[]Parameter{{"method", 2, 1, 2}, {"base", 10, -10, 30}, {"upper", 30, 0, 60}},
			seasonStartParameters(1)...),
		MustExceed: [2]string{"upper", "base"},
		newTally:   func(p []float64) Tally { return &degreeTally{method: int(p[0]), base: p[1], upper: p[2]} },
	},
	{
		Name: "chillHours", Kind: Season, Unit: "h", Inputs: []Input{air},
		Parameters: append([]Parameter{{"lowerBound", 0, -60, 7}}, seasonStartParameters(10)...),
		newTally: func(p []float64) Tally {
			return &chillTally{unitsOf: func(t float64) float64 { return ChillHour(t, p[0]) }}
		},
	},
	{
		Name:       "chillUnits",
		Kind:       Season,
		Unit:       "CU",
		Decimals:   1,
		Inputs:     []Input{air},
		Parameters: seasonStartParameters(10),
		newTally:   func([]float64) Tally { return &chillTally{unitsOf: ChillUnit} },
	},
	{
		Name:       "chillPortions",
		Kind:       Season,
		Unit:       "CP",
		Decimals:   1,
		Inputs:     []Input{air},
		Parameters: seasonStartParameters(10),
		newTally:   func([]float64) Tally { return &portionTally{} },
	},
}

// seasonStartParameters returns the parameters for the begin of a season: a month and a day. The
// default month is for the northern hemisphere; in the southern one the season begins half a year
// later unless the thing model sets a month. In a shorter month the season begins on the last day.
func seasonStartParameters(month float64) []Parameter {
	return []Parameter{{"startMonth", month, 1, 12}, {"startDay", 1, 1, 31}}
}

func wetBulb(x, _ []float64, _ Place) (float64, bool) {
	if len(x) == 3 {
		return WetBulb(x[0], x[1], x[2])
	}
	return WetBulbSeaLevel(x[0], x[1])
}
