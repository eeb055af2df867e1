package farm

import "math"

// vaporPressure is saturation over water at t °C, in hPa (Magnus, with the
// constants of Alduchov and Eskridge).
func vaporPressure(t float64) float64 {
	return 6.1094 * math.Exp(17.625*t/(243.04+t))
}

// dewPoint is in °C; humidity in %.
func dewPoint(t, humidity float64) float64 {
	g := math.Log(humidity/100) + 17.625*t/(243.04+t)
	return 243.04 * g / (17.625 - g)
}

// relativeHumidity is in %, from air temperature and dew point in °C.
func relativeHumidity(t, dew float64) float64 {
	return 100 * vaporPressure(dew) / vaporPressure(t)
}

// absoluteHumidity is in g/m³, from air temperature and dew point in °C.
func absoluteHumidity(t, dew float64) float64 {
	return 216.679 * vaporPressure(dew) / (t + 273.15)
}

// saturationDensity is the most water vapour that air of t °C holds, in g/m³.
func saturationDensity(t float64) float64 {
	return 216.679 * vaporPressure(t) / (t + 273.15)
}
