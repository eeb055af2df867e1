package agronomy

import "math"

// AvailableWater returns how much of the water that plants can draw from a soil it holds at a
// content of theta %, as a share in %: 100 at field capacity, 0 at the wilting point (both %, by
// volume). The result is above 100 or negative if the soil is wetter or drier than these (FAO-56
// eq. 82).
func AvailableWater(theta, capacity, wilting float64) (float64, bool) {
	if capacity <= wilting || !within(theta, 0, 100) {
		return 0, false
	}
	return 100 * (theta - wilting) / (capacity - wilting), true
}

// TotalAvailableWater returns how much water a root zone of depth m can hold for plants, mm, from
// its field capacity and wilting point, % by volume (FAO-56 eq. 82).
func TotalAvailableWater(capacity, wilting, depth float64) float64 {
	return 10 * (capacity - wilting) * depth
}

// DepletionFraction returns the share, 0.1..0.8, of TotalAvailableWater that a crop may use up
// before it suffers, on a day when it evaporates etc mm; usual is the crop's share at 5 mm (FAO-56,
// note to table 22).
func DepletionFraction(usual, etc float64) float64 { return min(max(usual+.04*(5-etc), .1), .8) }

// Conductivity25 returns the conductivity, in the unit of ec, that water of t °C (0..40) would have
// at 25 °C; change is the coefficient per degree, .0191 for most waters (ISO 7888; Hayashi 2004).
func Conductivity25(ec, t, change float64) (float64, bool) {
	return ec / (1 + change*(t-25)), within(t, 0, 40) && ec >= 0
}

// OxygenSolubility returns the oxygen, mg/L, that fresh water of t °C (0..40) absorbs at 1013.25
// hPa (Benson and Krause 1984).
func OxygenSolubility(t float64) (float64, bool) {
	k := t + kelvin
	ln := -139.34411 + 1.575701e5/k - 6.642308e7/(k*k) + 1.2438e10/(k*k*k) - 8.621949e11/(k*k*k*k)
	return math.Exp(ln), within(t, 0, 40)
}

// OxygenSolubilityAt returns the oxygen, mg/L, that fresh water of t °C (0..40) absorbs at p hPa
// (500..1100).
func OxygenSolubilityAt(t, p float64) (float64, bool) {
	full, ok := OxygenSolubility(t)
	vapor := SaturationPressure(t)
	return full * (p/10 - vapor) / (101.325 - vapor), ok && within(p, 500, 1100)
}

// OxygenSaturation returns the oxygen in fresh water of t °C (0..40), content mg/L, as a share, %,
// of what it absorbs at p hPa (500..1100).
func OxygenSaturation(content, t, p float64) (float64, bool) {
	full, ok := OxygenSolubilityAt(t, p)
	if !ok || content < 0 {
		return 0, false
	}
	return 100 * content / full, true
}

// LeafWet returns 1 for an hour in which leaves are wet, otherwise 0. They are wet if the hour's
// mean of a leaf wetness sensor, % (or of the relative humidity, with a threshold of its own),
// reaches threshold %, or if it rained (Sentelhas 2008).
func LeafWet(mean, threshold, rain float64) float64 {
	if mean >= threshold || rain > 0 {
		return 1
	}
	return 0
}
