package farm

import "math"

// The FAO-56 reference evapotranspiration of a day, for the soil's and the
// tank's water balance.

// saturationPressure is in kPa, at t °C (FAO-56 eq. 11).
func saturationPressure(t float64) float64 {
	return .6108 * math.Exp(17.27*t/(t+237.3))
}

// standardPressure is in kPa, at elevation m (eq. 7).
func standardPressure(elevation float64) float64 {
	return 101.3 * math.Pow((293-.0065*elevation)/293, 5.26)
}

// extraterrestrial is a day's radiation above the atmosphere, MJ/m²; latitude
// in radians (eq. 21 to 25).
func extraterrestrial(latitude float64, yearDay int) float64 {
	dec := declination(float64(yearDay))
	ws := sunsetAngle(latitude, dec)
	return 37.586 * sunDistance(float64(yearDay)) *
		(ws*math.Sin(latitude)*math.Sin(dec) + math.Cos(latitude)*math.Cos(dec)*math.Sin(ws))
}

// evaporationDay is what a day's evapotranspiration depends on.
type evaporationDay struct {
	high, low float64 // °C
	vapor     float64 // actual vapour pressure, kPa
	wind      float64 // m/s at 2 m
	radiation float64 // global, MJ/m²
	latitude  float64 // radians
	elevation float64 // m
	yearDay   int
}

// evapotranspiration is of short grass that lacks no water, in mm a day (eq. 6).
func (d evaporationDay) evapotranspiration() float64 {
	mean := (d.high + d.low) / 2
	es := (saturationPressure(d.high) + saturationPressure(d.low)) / 2
	slope := 4098 * saturationPressure(mean) / ((mean + 237.3) * (mean + 237.3))
	gamma := .000665 * standardPressure(d.elevation)
	clear := (.75 + 2e-5*d.elevation) * extraterrestrial(d.latitude, d.yearDay)
	sky := 0.
	if clear > 0 {
		sky = min(1, d.radiation/clear)
	}
	fourth := (math.Pow(d.high+273.16, 4) + math.Pow(d.low+273.16, 4)) / 2
	lost := 4.903e-9 * fourth * (.34 - .14*math.Sqrt(d.vapor)) * (1.35*sky - .35)
	net := .77*d.radiation - lost
	return (.408*slope*net + 900*gamma*d.wind*(es-d.vapor)/(mean+273)) / (slope + gamma*(1+.34*d.wind))
}
