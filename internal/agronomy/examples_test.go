package agronomy

import (
	"math"
	"testing"
)

// close fails unless got is want within tol.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tol+1e-12 {
		t.Errorf("%s: %v, want %v ± %v", what, got, want, tol)
	}
}

func one(v float64, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return v
}

// The worked examples, with their tolerances.
func TestWorkedExamples(t *testing.T) {
	for _, c := range []struct {
		what           string
		got, want, tol float64
	}{
		{"dew point 25, 60", one(DewPoint(25, 60)), 16.698, .02},
		{"dew point -5, 80", one(DewPoint(-5, 80)), -7.916, .02},
		{"frost point -5, 80", one(FrostPoint(-5, 80)), -7.015, .02},
		{"frost point 2, 60", one(FrostPoint(2, 60)), -4.383, .02},
		{"deficit 30, 40", one(VaporPressureDeficit(30, 40)), 2.546, .002},
		{"deficit 25, 60, leaf 23", one(LeafDeficit(25, 60, 23)), .909, .002},
		{"absolute humidity 25, 60", one(AbsoluteHumidity(25, 60)), 13.79, .02},
		{"absolute humidity 30, 80", one(AbsoluteHumidity(30, 80)), 24.23, .02},
		{"density 20, 50, 1013.25", one(AirDensity(20, 50, 1013.25)), 1.1988, .0005},
		{"density 35, 20, 906", one(AirDensity(35, 20, 906)), 1.0194, .0005},
		{"wet bulb 35, 20, 906", one(WetBulb(35, 20, 906)), 18.42, .03},
		{"wet bulb 30, 40, 1013.25", one(WetBulb(30, 40, 1013.25)), 20.14, .03},
		{"delta T 30, 40, 1013.25", 30 - one(WetBulb(30, 40, 1013.25)), 9.86, .03},
		{"Stull 20, 50", one(WetBulbSeaLevel(20, 50)), 13.70, .01},
		{"Stull 30, 50", one(WetBulbSeaLevel(30, 50)), 22.30, .01},
		{"heat index 90 °F, 70", one(HeatIndex(32.222, 70)), 41.07, .05},
		{"heat index 90 °F, 70 in °F", one(HeatIndex(32.222, 70))*9/5 + 32, 105.9, .1},
		{"heat index 35, 60", one(HeatIndex(35, 60)), 45.05, .05},
		{"heat index 40, 10", one(HeatIndex(40, 10)), 36.71, .05},
		{"heat index 22, 70", one(HeatIndex(22, 70)), 22.04, .05},
		// Below 80 °F nothing is corrected for damp air.
		{"heat index 26.1, 95", one(HeatIndex(26.1, 95)), 28.52, .01},
		{"heat index 26.4, 90", one(HeatIndex(26.4, 90)), 29.08, .01},
		{"heat index 26.6, 100", one(HeatIndex(26.6, 100)), 30.43, .01},
		{"heat index 27, 95", one(HeatIndex(27, 95)), 31.99, .01},
		{"sea level 906, 10, 938", one(SeaLevelPressure(906, 10, 938)), 1013.37, .05},
		{"sea level 1000, 15, 100", one(SeaLevelPressure(1000, 15, 100)), 1011.92, .05},
		{"degree days 24/8, method 1", one(DegreeDays(24, 8, 10, 99, 1)), 6, 0},
		{"degree days 24/8, method 2", one(DegreeDays(24, 8, 10, 99, 2)), 7, 0},
		{"degree days 14/4, method 1", one(DegreeDays(14, 4, 10, 99, 1)), 0, 0},
		{"degree days 14/4, method 2", one(DegreeDays(14, 4, 10, 99, 2)), 2, 0},
		{"degree days 36/18 to 30, method 1", one(DegreeDays(36, 18, 10, 30, 1)), 14, 0},
		{"degree days 36/18 to 30, method 2", one(DegreeDays(36, 18, 10, 30, 2)), 14, 0},
		{"light, 16 h of 500", DailyLight(repeat(500, 16)), 28.80, .01},
		{"light of a day", DailyLight([]float64{50, 200, 450, 750, 1000, 1200, 1300, 1280, 1150, 950, 700, 400, 180, 40}), 34.74, .01},
		{"ppfd of 50,000 lx in the sun", one(PhotonsOfLux(50_000, LuxOfSunlight)), 925, 1},
		{"ppfd of 20,000 lx of sodium", one(PhotonsOfLux(20_000, LuxOfSodium)), 244, 1},
		{"ppfd of 1 W/m²", one(PhotonsOfRadiation(1)), 2.06, .01},
		{"conductivity 1.000 at 15", one(Conductivity25(1, 15, .0191)), 1.236, .001},
		{"conductivity 2.000 at 30", one(Conductivity25(2, 30, .0191)), 1.826, .001},
		{"available water", one(AvailableWater(24, 32, 14)), 55.6, .1},
		{"total water", TotalWater(32, 14, .6), 108, .1},
		{"stress share", StressShare(.5, 7), .42, .001},
		{"oxygen at 0", one(OxygenSolubility(0)), 14.62, .01},
		{"oxygen at 10", one(OxygenSolubility(10)), 11.29, .01},
		{"oxygen at 20", one(OxygenSolubility(20)), 9.09, .01},
		{"oxygen at 25", one(OxygenSolubility(25)), 8.26, .01},
		{"oxygen at 30", one(OxygenSolubility(30)), 7.56, .01},
		{"oxygen saturation 7.5 at 20, 906", one(OxygenSaturation(7.5, 20, 906)), 92.5, .2},
		{"oxygen at 0, at the sea", one(OxygenUnder(0, 1013.25)), 14.62, .01},
		{"oxygen at 30, at the sea", one(OxygenUnder(30, 1013.25)), 7.56, .01},
		{"oxygen at 20, 906", one(OxygenUnder(20, 906)), 7.5 / .925, .02},
		{"standard pressure at the sea", StandardPressure(0), 1013, .01},
		{"standard pressure at 938 m", StandardPressure(938), 906, 1},
		{"Ra of example 8", ExtraterrestrialDay(-20, 246), 32.19, .01},
		{"Ra in the polar night", ExtraterrestrialDay(80, 355), 0, 1e-9},
		{"N of example 9", DaylightHours(-20, 246), 11.67, .01},
		{"wind of 10 km/h at 10 m", WindAt2(10/3.6, 10), 2.078, .01},
	} {
		near(t, c.what, c.got, c.want, c.tol)
	}
}

func repeat(x float64, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = x
	}
	return list
}

func TestChillOfADay(t *testing.T) {
	hours, units := 0., 0.
	for _, x := range []float64{3, 2, 1, 1.4, 2.4, 2.5, 5, 7.2, 7.3, 9.1, 9.2, 12.4, 12.5, 15.9, 16, 18, 18.1, 14, 10, 8, 6, 4, 0, -1} {
		hours += ChillHour(x, 0)
		units += ChillUnit(x)
	}
	near(t, "chill hours", hours, 11, 0)
	near(t, "chill units", units, 9.5, 0)
	near(t, "without a lower bound", ChillHour(-10, math.Inf(-1)), 1, 0)
}

func TestChillPortions(t *testing.T) {
	for _, c := range []struct {
		what  string
		hours int
		at    func(i int) float64
		want  float64
	}{
		{"at 6", 240, func(int) float64 { return 6 }, 7.821},
		{"at 12", 240, func(int) float64 { return 12 }, 6.000},
		{"in waves", 720, func(i int) float64 { return 6 + 6*math.Sin(2*math.Pi*float64(i-8)/24) }, 21.512},
	} {
		var chill Chill
		for i := range c.hours {
			if !chill.Hour(c.at(i)) {
				t.Fatalf("%s: hour %d was not taken in", c.what, i)
			}
		}
		near(t, c.what, chill.Portions, c.want, .001)
	}
	var chill Chill
	if chill.Hour(41) || chill.Hour(-21) || chill != (Chill{}) {
		t.Error("an hour out of range was taken in")
	}
}

func TestLeafWetHours(t *testing.T) {
	hours := 0.
	for _, rh := range []float64{90, 89.9, 95, 100} {
		hours += LeafWet(rh, 90, 0)
	}
	near(t, "by humidity", hours, 3, 0)
	near(t, "by rain", LeafWet(80, 90, .2), 1, 0)
	near(t, "by a sensor", LeafWet(50, 50, 0)+LeafWet(49.9, 50, 0), 1, 0)
}

func degrees(d, minutes float64) float64 { return d + minutes/60 }

// FAO-56's own examples and two of ours.
func TestEvapotranspirationOfDays(t *testing.T) {
	bangkok := Weather{
		High: 34.8, Low: 25.6, Vapor: 2.85, Wind: 2, Ground: .14, Pressure: StandardPressure(2), Elevation: 2,
		Latitude: degrees(13, 44), YearDay: 105,
	}
	ra, n := ExtraterrestrialDay(bangkok.Latitude, 105), DaylightHours(bangkok.Latitude, 105)
	bangkok.Radiation = RadiationOfSunshine(8.5, n, ra)
	near(t, "17: Ra", ra, 38.06, .01)
	near(t, "17: N", n, 12.31, .01)
	near(t, "17: Rs", bangkok.Radiation, 22.65, .01)
	near(t, "17: Rso", clearSky(2, ra), 28.54, .01)
	near(t, "17: Rn", bangkok.Net(), 14.33, .01)
	near(t, "17: Δ", slope(30.2), .246, .001)
	near(t, "17: es", (Saturation(34.8)+Saturation(25.6))/2, 4.42, .01)
	near(t, "17", one(bangkok.Evapotranspiration()), 5.716, .01)

	uccle := Weather{
		High: 21.5, Low: 12.3, Wind: 2.078, Pressure: StandardPressure(100), Elevation: 100, Latitude: 50.8, YearDay: 187,
		Vapor: VaporOfHumidity(21.5, 12.3, 84, 63),
	}
	ra, n = ExtraterrestrialDay(50.8, 187), DaylightHours(50.8, 187)
	uccle.Radiation = RadiationOfSunshine(9.25, n, ra)
	near(t, "18: ea", uccle.Vapor, 1.409, .001)
	near(t, "18: Ra", ra, 41.09, .01)
	near(t, "18: N", n, 16.1, .05)
	near(t, "18: Rs", uccle.Radiation, 22.07, .01)
	near(t, "18: Rso", clearSky(100, ra), 30.90, .01)
	near(t, "18: Rn", uccle.Net(), 13.28, .01)
	near(t, "18", one(uccle.Evapotranspiration()), 3.880, .01)

	ra = ExtraterrestrialDay(degrees(45, 43), 196)
	lyon := Weather{
		High: 26.6, Low: 14.8, Vapor: Saturation(14.8), Wind: 2, Radiation: .16 * math.Sqrt(26.6-14.8) * ra,
		Pressure: StandardPressure(200), Elevation: 200, Latitude: degrees(45, 43), YearDay: 196,
	}
	near(t, "20", one(lyon.Evapotranspiration()), 4.560, .01)
	near(t, "20, Hargreaves", one(Hargreaves(26.6, 14.8, degrees(45, 43), 196)), 5.033, .01)

	ankara := Weather{
		High: 31, Low: 15, Vapor: VaporOfHumidity(31, 15, 78, 24), Wind: 2.1, Radiation: 26.5,
		Pressure: StandardPressure(938), Elevation: 938, Latitude: 39.9, YearDay: 196,
	}
	near(t, "Ankara", one(ankara.Evapotranspiration()), 6.430, .01)
}

func TestEvapotranspirationGrowsWithSunAndWind(t *testing.T) {
	w := Weather{High: 28, Low: 14, Vapor: 1.2, Wind: 1, Radiation: 15, Pressure: StandardPressure(900), Elevation: 900, Latitude: 40, YearDay: 180}
	calm := one(w.Evapotranspiration())
	w.Wind = 4
	windy := one(w.Evapotranspiration())
	w.Radiation = 28
	if bright := one(w.Evapotranspiration()); !(calm < windy && windy < bright) {
		t.Errorf("calm %v, windy %v, bright %v mm", calm, windy, bright)
	}
}

func TestEvapotranspirationOfHours(t *testing.T) {
	dakar := HourWeather{
		Mean: 38, Humidity: 52, Wind: 3.3, Radiation: 2.45, Pressure: StandardPressure(8), Elevation: 8,
		Latitude: degrees(16, 13), Longitude: -degrees(16, 15), YearDay: 274, UTC: 15.5,
	}
	angle, _ := dakar.position()
	near(t, "19: ω", angle, .682, .003)
	near(t, "19: Ra", dakar.Extraterrestrial(), 3.543, .01)
	near(t, "19, day", one(dakar.Evapotranspiration()), .627, .003)
	dakar.Mean, dakar.Humidity, dakar.Wind, dakar.Radiation, dakar.UTC, dakar.NightSky = 28, 90, 1.9, 0, 3.5, .8
	near(t, "19, night", one(dakar.Evapotranspiration()), .004, .003)
	hebei := HourWeather{
		Mean: 32, Humidity: 55, Wind: 1.8, Radiation: 2.6, Pressure: StandardPressure(60), Elevation: 60,
		Latitude: 36.6, Longitude: 114.5, YearDay: 190, UTC: 5.5,
	}
	near(t, "Hebei", one(hebei.Evapotranspiration()), .571, .01)
	near(t, "an elevation and back", Elevation(StandardPressure(938)), 938, .001)
}

// Outside of its range a formula says nothing.
func TestNothingToSay(t *testing.T) {
	nan := math.NaN()
	for what, ok := range map[string]bool{
		"dry":             second(DewPoint(20, .9)),
		"too humid":       second(DewPoint(20, 103.1)),
		"not a number":    second(DewPoint(nan, 50)),
		"no humidity":     second(DewPoint(20, nan)),
		"hot":             second(DewPoint(50.1, 50)),
		"frost in summer": second(FrostPoint(20, 60)),
		"cold leaf":       second(LeafDeficit(20, 60, -21)),
		"high up":         second(AirDensity(20, 60, 499)),
		"wet bulb frozen": second(WetBulb(-5.1, 60, 1000)),
		"Stull saturated": second(WetBulbSeaLevel(20, 99.5)),
		"cool heat":       second(HeatIndex(19.9, 50)),
		"beyond 60":       second(HeatIndex(48, 90)),
		"mountain":        second(SeaLevelPressure(600, 0, 3001)),
		"extremes":        second(DegreeDays(4, 5, 10, 30, 2)),
		"method":          second(DegreeDays(5, 4, 10, 30, 3)),
		"capacity":        second(AvailableWater(20, 14, 14)),
		"boiling":         second(OxygenSolubility(41)),
		"boiling pond":    second(OxygenUnder(41, 1000)),
		"high pond":       second(OxygenUnder(20, 499)),
		"dark lux":        second(PhotonsOfLux(-1, LuxOfSunlight)),
		"radiation":       second(PhotonsOfRadiation(1501)),
		"ice":             second(Conductivity25(1, -1, .0191)),
		"a day reversed":  second(Weather{High: 1, Low: 2, Pressure: 1000}.Evapotranspiration()),
		"no pressure":     second(Weather{High: 2, Low: 1}.Evapotranspiration()),
		"hour":            second(HourWeather{Humidity: 0, Pressure: 1000}.Evapotranspiration()),
		"Hargreaves":      second(Hargreaves(1, 2, 0, 1)),
	} {
		if ok {
			t.Errorf("%s: something was said", what)
		}
	}
	near(t, "fog counts as 100", one(DewPoint(20, 102)), 20, 1e-9)
}

func second(_ float64, ok bool) bool { return ok }
