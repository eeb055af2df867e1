// Package agronomy holds the formulas by which one quantity follows from others: dew point,
// vapour-pressure deficit, growing degree days, evapotranspiration and the like. All functions are
// pure. The second result of a formula is false if an input is outside the range that the formula's
// source gives; the number is then meaningless.
package agronomy

import "math"

const (
	kelvin      = 273.15
	minHumidity = 1.   // %; a lower reading is a fault of the sensor
	maxHumidity = 103. // %; a reading from 100 up to this counts as 100
)

// validHumidity returns a relative humidity (%) as formulas use it: sensors show a little over 100
// in fog.
func validHumidity(rh float64) (float64, bool) {
	return min(rh, 100), rh >= minHumidity && rh <= maxHumidity
}

func within(x, low, high float64) bool { return x >= low && x <= high }

// magnus returns the saturation vapour pressure over water at t °C, in hPa (Alduchov and Eskridge
// 1996).
func magnus(t float64) float64 { return 6.1094 * math.Exp(17.625*t/(243.04+t)) }

// SaturationPressure returns the saturation vapour pressure at t °C, in kPa (FAO-56 eq. 11).
func SaturationPressure(t float64) float64 { return .6108 * math.Exp(17.27*t/(t+237.3)) }

// DewPoint returns the temperature, °C, to which air of t °C (−40..50) and rh % must cool for dew
// to form (Magnus with the constants of Alduchov and Eskridge 1996; Lawrence 2005).
func DewPoint(t, rh float64) (float64, bool) {
	rh, ok := validHumidity(rh)
	if !ok || !within(t, -40, 50) {
		return 0, false
	}
	g := math.Log(rh/100) + 17.625*t/(243.04+t)
	return 243.04 * g / (17.625 - g), true
}

// FrostPoint returns the temperature, °C, at which frost forms from air of t °C (−40 or more) and
// rh %. There is none unless the dew point is below zero (Alduchov and Eskridge 1996, constants
// over ice).
func FrostPoint(t, rh float64) (float64, bool) {
	dew, ok := DewPoint(t, rh)
	if !ok || dew >= 0 {
		return 0, false
	}
	rh, _ = validHumidity(rh)
	x := math.Log(magnus(t) * rh / 100 / 6.1121)
	return 273.86 * x / (22.587 - x), true
}

// VaporPressureDeficit returns how much more water vapour air of t °C (−20..50) and rh % could
// hold, in kPa (FAO-56 eq. 11).
func VaporPressureDeficit(t, rh float64) (float64, bool) {
	return LeafVaporPressureDeficit(t, rh, t)
}

// LeafVaporPressureDeficit returns the deficit, kPa, between a leaf of leaf °C and the air around
// it of t °C (both −20..50) and rh %. It is negative if dew forms on the leaf.
func LeafVaporPressureDeficit(t, rh, leaf float64) (float64, bool) {
	rh, ok := validHumidity(rh)
	if !ok || !within(t, -20, 50) || !within(leaf, -20, 50) {
		return 0, false
	}
	return SaturationPressure(leaf) - SaturationPressure(t)*rh/100, true
}

// AbsoluteHumidity returns the water vapour in air of t °C (−40..50) and rh %, in g/m³ (WMO-No. 8).
func AbsoluteHumidity(t, rh float64) (float64, bool) {
	rh, ok := validHumidity(rh)
	if !ok || !within(t, -40, 50) {
		return 0, false
	}
	return 216.679 * magnus(t) * rh / 100 / (t + kelvin), true
}

// AirDensity returns the density of moist air of t °C (−40..50) and rh % at a station pressure of p
// hPa (500..1100), in kg/m³ (gas law; CIPM-2007 agrees to 0.001).
func AirDensity(t, rh, p float64) (float64, bool) {
	rh, ok := validHumidity(rh)
	if !ok || !within(t, -40, 50) || !within(p, 500, 1100) {
		return 0, false
	}
	e, k := magnus(t)*rh/100, t+kelvin
	return 100*(p-e)/(287.058*k) + 100*e/(461.495*k), true
}

// WetBulb returns the temperature, °C, that a ventilated wet thermometer shows in air of t °C
// (−5..50) and rh % at a station pressure of p hPa (500..1100): the root of the psychrometer's
// equation (FAO-56 eq. 15 and 16).
func WetBulb(t, rh, p float64) (float64, bool) {
	dew, ok := DewPoint(t, rh)
	if !ok || !within(t, -5, 50) || !within(p, 500, 1100) {
		return 0, false
	}
	rh, _ = validHumidity(rh)
	actual := SaturationPressure(t) * rh / 100
	low, high := dew-1, t
	for range 60 { // more precise than a float64
		w := (low + high) / 2
		if SaturationPressure(w)-.000662*(p/10)*(t-w) < actual {
			low = w
		} else {
			high = w
		}
	}
	return (low + high) / 2, true
}

// WetBulbSeaLevel is WetBulb without a barometer. It is valid near sea level, for t of −20..50 °C
// and rh of 5..99 %, with an error of −1 to +0.65 °C (Stull 2011).
func WetBulbSeaLevel(t, rh float64) (float64, bool) {
	if !within(rh, 5, 99) || !within(t, -20, 50) {
		return 0, false
	}
	return t*math.Atan(.151977*math.Sqrt(rh+8.313659)) + math.Atan(t+rh) - math.Atan(rh-1.676331) +
		.00391838*math.Pow(rh, 1.5)*math.Atan(.023101*rh) - 4.686035, true
}

// HeatIndex returns how warm air of t °C (20..50) and rh % feels, in °C, up to 60 (Steadman 1979;
// Rothfusz, NWS SR 90-23).
func HeatIndex(t, rh float64) (float64, bool) {
	rh, ok := validHumidity(rh)
	if !ok || !within(t, 20, 50) {
		return 0, false
	}
	f := t*9/5 + 32
	index := (.5*(f+61+1.2*(f-68)+.094*rh) + f) / 2
	if index >= 80 {
		index = rothfusz(f, rh)
	}
	c := (index - 32) * 5 / 9
	return c, c <= 60
}

// rothfusz takes and returns °F.
func rothfusz(f, rh float64) float64 {
	index := -42.379 + 2.04901523*f + 10.14333127*rh - .22475541*f*rh - .00683783*f*f - .05481717*rh*rh +
		.00122874*f*f*rh + .00085282*f*rh*rh - .00000199*f*f*rh*rh
	switch {
	case rh < 13 && within(f, 80, 112):
		index -= (13 - rh) / 4 * math.Sqrt((17-math.Abs(f-95))/17)
	case rh > 85 && within(f, 80, 87):
		index += (rh - 85) / 10 * (87 - f) / 5
	}
	return index
}

// SeaLevelPressure returns the pressure, in hPa, that a barometer which shows p hPa (500..1100) in
// air of t °C (−40..50) at an elevation of h m (−100..3000) would show at sea level (standard
// atmosphere).
func SeaLevelPressure(p, t, h float64) (float64, bool) {
	if !within(p, 500, 1100) || !within(t, -40, 50) || !within(h, -100, 3000) {
		return 0, false
	}
	return p * math.Pow(1-.0065*h/(t+.0065*h+kelvin), -5.257), true
}
