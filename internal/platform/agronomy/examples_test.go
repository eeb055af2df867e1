package agronomy

import (
	"math"
	"testing"
)

// checkNear fails unless got is want within tol.
func checkNear(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tol+1e-12 {
		t.Errorf("%s: %v, want %v ± %v", what, got, want, tol)
	}
}

func valueOrNaN(v float64, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return v
}

// The worked examples of the sources, with their tolerances.
func TestWorkedExamples(t *testing.T) {
	for _, c := range []struct {
		what           string
		got, want, tol float64
	}{
		{"dew point 25, 60", valueOrNaN(DewPoint(25, 60)), 16.698, .02},
		{"dew point -5, 80", valueOrNaN(DewPoint(-5, 80)), -7.916, .02},
		{"frost point -5, 80", valueOrNaN(FrostPoint(-5, 80)), -7.015, .02},
		{"frost point 2, 60", valueOrNaN(FrostPoint(2, 60)), -4.383, .02},
		{"deficit 30, 40", valueOrNaN(VaporPressureDeficit(30, 40)), 2.546, .002},
		{"deficit 25, 60, leaf 23", valueOrNaN(LeafVaporPressureDeficit(25, 60, 23)), .909, .002},
		{"absolute humidity 25, 60", valueOrNaN(AbsoluteHumidity(25, 60)), 13.79, .02},
		{"absolute humidity 30, 80", valueOrNaN(AbsoluteHumidity(30, 80)), 24.23, .02},
		{"density 20, 50, 1013.25", valueOrNaN(AirDensity(20, 50, 1013.25)), 1.1988, .0005},
		{"density 35, 20, 906", valueOrNaN(AirDensity(35, 20, 906)), 1.0194, .0005},
		{"wet bulb 35, 20, 906", valueOrNaN(WetBulb(35, 20, 906)), 18.42, .03},
		{"wet bulb 30, 40, 1013.25", valueOrNaN(WetBulb(30, 40, 1013.25)), 20.14, .03},
		{"delta T 30, 40, 1013.25", 30 - valueOrNaN(WetBulb(30, 40, 1013.25)), 9.86, .03},
		{"Stull 20, 50", valueOrNaN(WetBulbSeaLevel(20, 50)), 13.70, .01},
		{"Stull 30, 50", valueOrNaN(WetBulbSeaLevel(30, 50)), 22.30, .01},
		{"heat index 90 °F, 70", valueOrNaN(HeatIndex(32.222, 70)), 41.07, .05},
		{"heat index 90 °F, 70 in °F", valueOrNaN(HeatIndex(32.222, 70))*9/5 + 32, 105.9, .1},
		{"heat index 35, 60", valueOrNaN(HeatIndex(35, 60)), 45.05, .05},
		{"heat index 40, 10", valueOrNaN(HeatIndex(40, 10)), 36.71, .05},
		{"heat index 22, 70", valueOrNaN(HeatIndex(22, 70)), 22.04, .05},
		// Below 80 °F there is no correction for humid air.
		{"heat index 26.1, 95", valueOrNaN(HeatIndex(26.1, 95)), 28.52, .01},
		{"heat index 26.4, 90", valueOrNaN(HeatIndex(26.4, 90)), 29.08, .01},
		{"heat index 26.6, 100", valueOrNaN(HeatIndex(26.6, 100)), 30.43, .01},
		{"heat index 27, 95", valueOrNaN(HeatIndex(27, 95)), 31.99, .01},
		{"sea level 906, 10, 938", valueOrNaN(SeaLevelPressure(906, 10, 938)), 1013.37, .05},
		{"sea level 1000, 15, 100", valueOrNaN(SeaLevelPressure(1000, 15, 100)), 1011.92, .05},
		{"degree days 24/8, method 1", valueOrNaN(DegreeDays(24, 8, 10, 99, 1)), 6, 0},
		{"degree days 24/8, method 2", valueOrNaN(DegreeDays(24, 8, 10, 99, 2)), 7, 0},
		{"degree days 14/4, method 1", valueOrNaN(DegreeDays(14, 4, 10, 99, 1)), 0, 0},
		{"degree days 14/4, method 2", valueOrNaN(DegreeDays(14, 4, 10, 99, 2)), 2, 0},
		{"degree days 36/18 to 30, method 1", valueOrNaN(DegreeDays(36, 18, 10, 30, 1)), 14, 0},
		{"degree days 36/18 to 30, method 2", valueOrNaN(DegreeDays(36, 18, 10, 30, 2)), 14, 0},
		{"light, 16 h of 500", DailyLightIntegral(repeat(500, 16)), 28.80, .01},
		{"light of a day", DailyLightIntegral([]float64{
			50, 200, 450, 750, 1000, 1200, 1300, 1280, 1150, 950, 700, 400, 180, 40,
		}), 34.74, .01},
		{"ppfd of 50,000 lx in the sun", valueOrNaN(PPFDFromLux(50_000, LuxOfSunlight)), 925, 1},
		{"ppfd of 20,000 lx of sodium", valueOrNaN(PPFDFromLux(20_000, LuxOfSodium)), 244, 1},
		{"ppfd of 1 W/m²", valueOrNaN(PPFDFromRadiation(1)), 2.06, .01},
		{"conductivity 1.000 at 15", valueOrNaN(Conductivity25(1, 15, .0191)), 1.236, .001},
		{"conductivity 2.000 at 30", valueOrNaN(Conductivity25(2, 30, .0191)), 1.826, .001},
		{"available water", valueOrNaN(AvailableWater(24, 32, 14)), 55.6, .1},
		{"total water", TotalAvailableWater(32, 14, .6), 108, .1},
		{"depletion fraction", DepletionFraction(.5, 7), .42, .001},
		{"oxygen at 0", valueOrNaN(OxygenSolubility(0)), 14.62, .01},
		{"oxygen at 10", valueOrNaN(OxygenSolubility(10)), 11.29, .01},
		{"oxygen at 20", valueOrNaN(OxygenSolubility(20)), 9.09, .01},
		{"oxygen at 25", valueOrNaN(OxygenSolubility(25)), 8.26, .01},
		{"oxygen at 30", valueOrNaN(OxygenSolubility(30)), 7.56, .01},
		{"oxygen saturation 7.5 at 20, 906", valueOrNaN(OxygenSaturation(7.5, 20, 906)), 92.5, .2},
		{"oxygen at 0, sea level", valueOrNaN(OxygenSolubilityAt(0, 1013.25)), 14.62, .01},
		{"oxygen at 30, sea level", valueOrNaN(OxygenSolubilityAt(30, 1013.25)), 7.56, .01},
		{"oxygen at 20, 906", valueOrNaN(OxygenSolubilityAt(20, 906)), 7.5 / .925, .02},
		{"standard pressure at sea level", StandardPressure(0), 1013, .01},
		{"standard pressure at 938 m", StandardPressure(938), 906, 1},
		{"Ra of example 8", ExtraterrestrialDay(-20, 246), 32.19, .01},
		{"Ra in the polar night", ExtraterrestrialDay(80, 355), 0, 1e-9},
		{"N of example 9", DaylightHours(-20, 246), 11.67, .01},
		{"wind of 10 km/h at 10 m", WindAt2(10/3.6, 10), 2.078, .01},
	} {
		checkNear(t, c.what, c.got, c.want, c.tol)
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
	for _, x := range []float64{
		3, 2, 1, 1.4, 2.4, 2.5, 5, 7.2, 7.3, 9.1, 9.2, 12.4, 12.5, 15.9, 16, 18, 18.1, 14, 10, 8, 6, 4, 0, -1,
	} {
		hours += ChillHour(x, 0)
		units += ChillUnit(x)
	}
	checkNear(t, "chill hours", hours, 11, 0)
	checkNear(t, "chill units", units, 9.5, 0)
	checkNear(t, "without a lower bound", ChillHour(-10, math.Inf(-1)), 1, 0)
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
			if !chill.AddHour(c.at(i)) {
				t.Fatalf("%s: hour %d was refused", c.what, i)
			}
		}
		checkNear(t, c.what, chill.Portions, c.want, .001)
	}
	var chill Chill
	if chill.AddHour(41) || chill.AddHour(-21) || chill != (Chill{}) {
		t.Error("an hour out of range was added")
	}
}

func TestLeafWetHours(t *testing.T) {
	hours := 0.
	for _, rh := range []float64{90, 89.9, 95, 100} {
		hours += LeafWet(rh, 90, 0)
	}
	checkNear(t, "by humidity", hours, 3, 0)
	checkNear(t, "by rain", LeafWet(80, 90, .2), 1, 0)
	checkNear(t, "by a sensor", LeafWet(50, 50, 0)+LeafWet(49.9, 50, 0), 1, 0)
}

func degrees(d, minutes float64) float64 { return d + minutes/60 }

// Examples of FAO-56 and two of our own.
func TestDailyEvapotranspiration(t *testing.T) {
	bangkok := DayWeather{
		High: 34.8, Low: 25.6, Vapor: 2.85, Wind: 2, SoilHeat: .14, Pressure: StandardPressure(2), Elevation: 2,
		Latitude: degrees(13, 44), YearDay: 105,
	}
	ra, n := ExtraterrestrialDay(bangkok.Latitude, 105), DaylightHours(bangkok.Latitude, 105)
	bangkok.Radiation = RadiationFromSunshine(8.5, n, ra)
	checkNear(t, "17: Ra", ra, 38.06, .01)
	checkNear(t, "17: N", n, 12.31, .01)
	checkNear(t, "17: Rs", bangkok.Radiation, 22.65, .01)
	checkNear(t, "17: Rso", clearSky(2, ra), 28.54, .01)
	checkNear(t, "17: Rn", bangkok.NetRadiation(), 14.33, .01)
	checkNear(t, "17: Δ", slope(30.2), .246, .001)
	checkNear(t, "17: es", (SaturationPressure(34.8)+SaturationPressure(25.6))/2, 4.42, .01)
	checkNear(t, "17", valueOrNaN(bangkok.Evapotranspiration()), 5.716, .01)

	uccle := DayWeather{
		High:      21.5,
		Low:       12.3,
		Wind:      2.078,
		Pressure:  StandardPressure(100),
		Elevation: 100,
		Latitude:  50.8,
		YearDay:   187,
		Vapor:     VaporPressureFromHumidity(21.5, 12.3, 84, 63),
	}
	ra, n = ExtraterrestrialDay(50.8, 187), DaylightHours(50.8, 187)
	uccle.Radiation = RadiationFromSunshine(9.25, n, ra)
	checkNear(t, "18: ea", uccle.Vapor, 1.409, .001)
	checkNear(t, "18: Ra", ra, 41.09, .01)
	checkNear(t, "18: N", n, 16.1, .05)
	checkNear(t, "18: Rs", uccle.Radiation, 22.07, .01)
	checkNear(t, "18: Rso", clearSky(100, ra), 30.90, .01)
	checkNear(t, "18: Rn", uccle.NetRadiation(), 13.28, .01)
	checkNear(t, "18", valueOrNaN(uccle.Evapotranspiration()), 3.880, .01)

	ra = ExtraterrestrialDay(degrees(45, 43), 196)
	lyon := DayWeather{
		High: 26.6, Low: 14.8, Vapor: SaturationPressure(14.8), Wind: 2, Radiation: .16 * math.Sqrt(26.6-14.8) * ra,
		Pressure: StandardPressure(200), Elevation: 200, Latitude: degrees(45, 43), YearDay: 196,
	}
	checkNear(t, "20", valueOrNaN(lyon.Evapotranspiration()), 4.560, .01)
	checkNear(t, "20, Hargreaves", valueOrNaN(Hargreaves(26.6, 14.8, degrees(45, 43), 196)), 5.033, .01)

	ankara := DayWeather{
		High: 31, Low: 15, Vapor: VaporPressureFromHumidity(31, 15, 78, 24), Wind: 2.1, Radiation: 26.5,
		Pressure: StandardPressure(938), Elevation: 938, Latitude: 39.9, YearDay: 196,
	}
	checkNear(t, "Ankara", valueOrNaN(ankara.Evapotranspiration()), 6.430, .01)
	checkNear(t, "an elevation and back", Elevation(StandardPressure(938)), 938, .001)
}

func TestEvapotranspirationGrowsWithSunAndWind(t *testing.T) {
	w := DayWeather{
		High:      28,
		Low:       14,
		Vapor:     1.2,
		Wind:      1,
		Radiation: 15,
		Pressure:  StandardPressure(900),
		Elevation: 900,
		Latitude:  40,
		YearDay:   180,
	}
	calm := valueOrNaN(w.Evapotranspiration())
	w.Wind = 4
	windy := valueOrNaN(w.Evapotranspiration())
	w.Radiation = 28
	if bright := valueOrNaN(w.Evapotranspiration()); !(calm < windy && windy < bright) {
		t.Errorf("calm %v, windy %v, bright %v mm", calm, windy, bright)
	}
}

// On dark days the share of clear-sky radiation counts as .3 (ASCE-EWRI 2005, eq. 18; FAO-56 as revised in 2025).
//
// By hand, Example 18 of FAO-56 (Rso 30.90, σT⁴ 34.76, .34-.14√ea .1738, Δ .1221, γ .0666, es-ea .5885, u2 2.078)
// with Rs = .15·30.90 = 4.635 MJ/m²:
//
//	Rns = .77·4.635 = 3.569; Rnl = 34.76·.1738·(1.35·.3-.35) = .332; Rn = 3.237
//	ET0 = (.408·.1221·3.237 + .0666·900/(16.9+273)·2.078·.5885)/(.1221+.0666·(1+.34·2.078)) = .4141/.2358 = 1.756
//
// With the share .15 itself, Rnl = 34.76·.1738·(1.35·.15-.35) = -.891, Rn = 4.460 and ET0 = 2.015: .26 too much.
func TestEvapotranspirationOfDarkDays(t *testing.T) {
	uccle := DayWeather{
		High: 21.5, Low: 12.3, Vapor: 1.409, Wind: 2.078, Radiation: .15 * 30.90, Pressure: StandardPressure(100),
		Elevation: 100, Latitude: 50.8, YearDay: 187,
	}
	checkNear(t, "Rn", uccle.NetRadiation(), 3.237, .002)
	checkNear(t, "ET0", valueOrNaN(uccle.Evapotranspiration()), 1.756, .002)

	// Warm and dry: without the bound ET0 is 3.902 (σT⁴ 37.78, .34-.14√ea .2, Rnl -1.171 in place of .416).
	dry := DayWeather{
		High: 28, Low: 18, Vapor: 1, Wind: 2, Radiation: 4.5, Pressure: StandardPressure(100), Elevation: 100,
		Latitude: 40, YearDay: 187,
	}
	checkNear(t, "warm and dry", valueOrNaN(dry.Evapotranspiration()), 3.512, .002)

	// σT⁴ 23.57, .34-.14√ea .2774: the ground loses 23.57·.2774·.055 = .360 MJ/m².
	night := DayWeather{
		High: -5, Low: -15, Vapor: .2, Wind: 2, Pressure: StandardPressure(10), Elevation: 10,
		Latitude: 75, YearDay: 355,
	}
	checkNear(t, "Rn of the polar night", night.NetRadiation(), -.360, .001)
	checkNear(t, "the polar night", valueOrNaN(night.Evapotranspiration()), .335, .002)
}

// A formula has no value outside of its range.
func TestNoValueOutOfRange(t *testing.T) {
	nan := math.NaN()
	for what, ok := range map[string]bool{
		"dry":             isOK(DewPoint(20, .9)),
		"too humid":       isOK(DewPoint(20, 103.1)),
		"not a number":    isOK(DewPoint(nan, 50)),
		"no humidity":     isOK(DewPoint(20, nan)),
		"hot":             isOK(DewPoint(50.1, 50)),
		"frost in summer": isOK(FrostPoint(20, 60)),
		"cold leaf":       isOK(LeafVaporPressureDeficit(20, 60, -21)),
		"high up":         isOK(AirDensity(20, 60, 499)),
		"wet bulb frozen": isOK(WetBulb(-5.1, 60, 1000)),
		"Stull saturated": isOK(WetBulbSeaLevel(20, 99.5)),
		"cool heat":       isOK(HeatIndex(19.9, 50)),
		"beyond 60":       isOK(HeatIndex(48, 90)),
		"mountain":        isOK(SeaLevelPressure(600, 0, 3001)),
		"extremes":        isOK(DegreeDays(4, 5, 10, 30, 2)),
		"method":          isOK(DegreeDays(5, 4, 10, 30, 3)),
		"capacity":        isOK(AvailableWater(20, 14, 14)),
		"boiling":         isOK(OxygenSolubility(41)),
		"boiling pond":    isOK(OxygenSolubilityAt(41, 1000)),
		"high pond":       isOK(OxygenSolubilityAt(20, 499)),
		"dark lux":        isOK(PPFDFromLux(-1, LuxOfSunlight)),
		"radiation":       isOK(PPFDFromRadiation(1501)),
		"ice":             isOK(Conductivity25(1, -1, .0191)),
		"high below low":  isOK(DayWeather{High: 1, Low: 2, Pressure: 1000}.Evapotranspiration()),
		"no pressure":     isOK(DayWeather{High: 2, Low: 1}.Evapotranspiration()),
		"Hargreaves":      isOK(Hargreaves(1, 2, 0, 1)),
	} {
		if ok {
			t.Errorf("%s: there is a value", what)
		}
	}
	checkNear(t, "fog counts as 100", valueOrNaN(DewPoint(20, 102)), 20, 1e-9)
}

func isOK(_ float64, ok bool) bool { return ok }
