package farm

import "math"

// declination returns the sun's declination in radians; a day of the year may have a fraction.
func declination(yearDay float64) float64 {
	return .409 * math.Sin(2*math.Pi*yearDay/365-1.39)
}

// sunDistance returns the squared inverse of the relative distance to the sun.
func sunDistance(yearDay float64) float64 {
	return 1 + .033*math.Cos(2*math.Pi*yearDay/365)
}

// equationOfTime returns how much a sundial is ahead of mean solar time, in hours.
func equationOfTime(yearDay float64) float64 {
	b := 2 * math.Pi * (yearDay - 81) / 364
	return .1645*math.Sin(2*b) - .1255*math.Cos(b) - .025*math.Sin(b)
}

// sunsetAngle returns the hour angle of sunset, 0..π; latitude and declination are in radians.
func sunsetAngle(latitude, declination float64) float64 {
	return math.Acos(max(-1, min(1, -math.Tan(latitude)*math.Tan(declination))))
}

// sunHeight returns the sine of the sun's elevation at local hour h of day d; negative at night.
func (s *site) sunHeight(d *day, h float64) float64 {
	dec := declination(float64(d.yearDay) + h/24)
	return s.sinLat*math.Sin(dec) + s.cosLat*math.Cos(dec)*math.Cos(math.Pi/12*(h-d.noon))
}

// clearSky returns the global radiation without clouds, in W/m² (Haurwitz); c is the sine of the
// sun's elevation.
func (s *site) clearSky(d *day, c float64) float64 {
	if c <= 0 {
		return 0
	}
	return 1098 * sunDistance(float64(d.yearDay)) * c * math.Exp(-.057/c) * (1 + 3e-5*s.elevation)
}

// cloudTransmission returns the share of clear-sky radiation that reaches the ground; b is the
// share of the sky before the sun that is cloud, c the cloudiness of the day.
func cloudTransmission(b, c float64) float64 {
	return 1 - b*(.42+.33*c)
}

// sunlight is the light at one instant.
type sunlight struct {
	global float64 // W/m²
	clear  float64 // W/m², without clouds
	height float64 // sine of the sun's elevation
}

// sunlight returns the light at a moment; it varies quickly under a broken sky. lag is how many
// seconds a cloud takes from the middle of the site to the device.
func (s *site) sunlight(m moment, lag float64) sunlight {
	c := s.sunHeight(m.day, m.hour)
	clear := s.clearSky(m.day, c)
	if clear == 0 {
		return sunlight{height: c}
	}
	// A shower has its own cloud, however bright the day is.
	cloud := max(m.day.cloud, s.showerNear(m))
	t := m.seconds - lag
	// Clouds come in groups: single clouds within longer bright and dull periods.
	u := normalShare(.8*s.clouds.smooth(t, 11*60) + .6*s.clouds.smooth(t, 50*60))
	b := clamp01((u-1+cloud)/.12 + .5)
	// The brightness of an overcast sky varies, too.
	grey := 1 + .1*b*s.thickness.smooth(t, 17*60)
	return sunlight{global: clear * min(1, cloudTransmission(b, cloud)*grey), clear: clear, height: c}
}
