package agronomy

import "math"

// The FAO-56 reference evapotranspiration of a day: that of short grass which lacks no water. Equation
// numbers are those of FAO Irrigation and Drainage Paper 56.

const (
	stefan = 4.903e-9 // MJ/K⁴/m² per day

	// darkestSky is the least share of clear-sky radiation from which eq. 39 estimates clouds (ASCE-EWRI 2005,
	// eq. 18; FAO-56 as revised in 2025). By shares below .26, the sky would warm the ground.
	darkestSky = .3

	// MegajoulesPerWattHour is the energy, MJ/m², of one W/m² during an hour.
	MegajoulesPerWattHour = .0036
)

// StandardPressure returns the standard pressure at an elevation of z m, in hPa (eq. 7).
func StandardPressure(z float64) float64 {
	return 1013 * math.Pow((293-.0065*z)/293, 5.26)
}

// Elevation returns the elevation, m, at which StandardPressure is p hPa. It estimates an unknown
// elevation from a barometer.
func Elevation(p float64) float64 {
	return (1 - math.Pow(p/1013, 1/5.26)) * 293 / .0065
}

// WindAt2 returns the wind at 2 m over grass, in the unit of u, for a wind u at height m, which is
// above 0.1 (eq. 47).
func WindAt2(u, height float64) float64 { return u * 4.87 / math.Log(67.8*height-5.42) }

// sunPosition returns the distance factor and the declination, rad, on a day of the year (eq. 23
// and 24).
func sunPosition(yearDay int) (distance, declination float64) {
	j := 2 * math.Pi * float64(yearDay) / 365
	return 1 + .033*math.Cos(j), .409 * math.Sin(j-1.39)
}

// sunset returns the hour angle of sunset, rad (eq. 25); 0 in the polar night.
func sunset(latitude, declination float64) float64 {
	return math.Acos(min(max(-math.Tan(latitude)*math.Tan(declination), -1), 1))
}

// DaylightHours returns how long a day of the year lasts at a latitude in degrees (eq. 34).
func DaylightHours(latitude float64, yearDay int) float64 {
	_, dec := sunPosition(yearDay)
	return 24 / math.Pi * sunset(latitude*math.Pi/180, dec)
}

// ExtraterrestrialDay returns the radiation of a day above the atmosphere, MJ/m², at a latitude in
// degrees (eq. 21).
func ExtraterrestrialDay(latitude float64, yearDay int) float64 {
	phi := latitude * math.Pi / 180
	distance, dec := sunPosition(yearDay)
	ws := sunset(phi, dec)
	return 37.586 * distance * (ws*math.Sin(phi)*math.Sin(dec) + math.Cos(phi)*math.Cos(dec)*math.Sin(ws))
}

// RadiationFromSunshine returns the global radiation of a day, MJ/m², from its hours of sunshine
// (eq. 35).
func RadiationFromSunshine(hours, daylight, extraterrestrial float64) float64 {
	return (.25 + .5*hours/daylight) * extraterrestrial
}

func clearSky(elevation, extraterrestrial float64) float64 {
	return (.75 + 2e-5*elevation) * extraterrestrial // eq. 37
}

// slope returns the slope of the saturation pressure at t °C, kPa/°C (eq. 13).
func slope(t float64) float64 { return 4098 * SaturationPressure(t) / ((t + 237.3) * (t + 237.3)) }

// penman is the combination equation (eq. 6).
func penman(t, net, wind, deficit, pressure float64) float64 {
	gamma := .000665 * pressure / 10
	return (.408*slope(t)*net + 900*gamma*wind*deficit/(t+273)) / (slope(t) + gamma*(1+.34*wind))
}

// DayWeather holds the inputs of a day's evapotranspiration.
type DayWeather struct {
	High, Low float64 // °C
	Vapor     float64 // actual vapour pressure, kPa
	Wind      float64 // m/s at 2 m
	Radiation float64 // global, MJ/m²
	SoilHeat  float64 // heat that the soil takes up, MJ/m²; 0 for a day
	Pressure  float64 // hPa
	Elevation float64 // m
	Latitude  float64 // degrees, north positive
	YearDay   int     // 1 is 1 January
}

// VaporPressureFromHumidity returns the actual vapour pressure, kPa, of a day with these extremes
// of temperature, °C, and relative humidity, % (eq. 17).
func VaporPressureFromHumidity(high, low, humidHigh, humidLow float64) float64 {
	return (SaturationPressure(low)*humidHigh + SaturationPressure(high)*humidLow) / 200
}

// NetRadiation returns the net radiation of the day, MJ/m² (eq. 38 to 40). In the polar night nothing tells how
// cloudy it is; it counts as dark as the days before it, on which no light is measured any more.
func (w DayWeather) NetRadiation() float64 {
	sky := darkestSky
	if clear := clearSky(w.Elevation, ExtraterrestrialDay(w.Latitude, w.YearDay)); clear > 0 {
		sky = min(max(w.Radiation/clear, darkestSky), 1)
	}
	fourth := (math.Pow(w.High+273.16, 4) + math.Pow(w.Low+273.16, 4)) / 2
	lost := stefan * fourth * (.34 - .14*math.Sqrt(w.Vapor)) * (1.35*sky - .35)
	return .77*w.Radiation - lost
}

// Evapotranspiration returns the evapotranspiration of the day, mm (eq. 6). It returns false if
// High is below Low or an input is impossible.
func (w DayWeather) Evapotranspiration() (float64, bool) {
	if w.High < w.Low || !within(w.Low, -50, 60) || !within(w.High, -50, 60) || w.Vapor < 0 || w.Wind < 0 ||
		w.Radiation < 0 || !within(w.Pressure, 500, 1100) || !within(w.Latitude, -90, 90) {
		return 0, false
	}
	deficit := (SaturationPressure(w.High)+SaturationPressure(w.Low))/2 - w.Vapor
	et := penman((w.High+w.Low)/2, w.NetRadiation()-w.SoilHeat, w.Wind, deficit, w.Pressure)
	return et, true
}

// Hargreaves returns the evapotranspiration of a day, mm, from its temperatures alone, °C (eq. 52):
// an estimate for devices that do not measure humidity, wind and radiation.
func Hargreaves(high, low, latitude float64, yearDay int) (float64, bool) {
	if high < low || !within(latitude, -90, 90) {
		return 0, false
	}
	mean := (high + low) / 2
	return max(0, .0023*(mean+17.8)*math.Sqrt(high-low)*.408*ExtraterrestrialDay(latitude, yearDay)), true
}
