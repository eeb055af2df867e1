package farm

import "math"

// vaporPressure returns the saturation pressure over water at t °C, in hPa (Magnus, with the
// constants of Alduchov and Eskridge).
func vaporPressure(t float64) float64 {
	return 6.1094 * math.Exp(17.625*t/(243.04+t))
}

// dewPoint returns the dew point in °C; humidity is in %.
func dewPoint(t, humidity float64) float64 {
	g := math.Log(humidity/100) + 17.625*t/(243.04+t)
	return 243.04 * g / (17.625 - g)
}

// relativeHumidity returns the humidity in %, from air temperature and dew point in °C.
func relativeHumidity(t, dew float64) float64 {
	return 100 * vaporPressure(dew) / vaporPressure(t)
}

// absoluteHumidity returns the humidity in g/m³, from air temperature and dew point in °C.
func absoluteHumidity(t, dew float64) float64 {
	return 216.679 * vaporPressure(dew) / (t + 273.15)
}

// saturationDensity returns how much water vapour air of t °C can hold, in g/m³.
func saturationDensity(t float64) float64 {
	return 216.679 * vaporPressure(t) / (t + 273.15)
}
