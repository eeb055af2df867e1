package farm

import "math"

// declination is the sun's, in radians; a day of the year may have a fraction.
func declination(yearDay float64) float64 {
	return .409 * math.Sin(2*math.Pi*yearDay/365-1.39)
}

// sunDistance is the inverse relative distance to the sun, squared.
func sunDistance(yearDay float64) float64 {
	return 1 + .033*math.Cos(2*math.Pi*yearDay/365)
}

// equationOfTime is what a sundial is ahead of the mean sun, in hours.
func equationOfTime(yearDay float64) float64 {
	b := 2 * math.Pi * (yearDay - 81) / 364
	return .1645*math.Sin(2*b) - .1255*math.Cos(b) - .025*math.Sin(b)
}

// sunsetAngle is the hour angle of sunset, 0..π; latitude and declination in
// radians.
func sunsetAngle(latitude, declination float64) float64 {
	return math.Acos(max(-1, min(1, -math.Tan(latitude)*math.Tan(declination))))
}

// sunHeight is the sine of the sun's elevation at local hour h of day d;
// negative at night.
func (s *site) sunHeight(d *day, h float64) float64 {
	dec := declination(float64(d.yearDay) + h/24)
	return s.sinLat*math.Sin(dec) + s.cosLat*math.Cos(dec)*math.Cos(math.Pi/12*(h-d.noon))
}

// clearSky is global radiation without a cloud, in W/m² (Haurwitz), where the
// sine of the sun's elevation is c.
func (s *site) clearSky(d *day, c float64) float64 {
	if c <= 0 {
		return 0
	}
	return 1098 * sunDistance(float64(d.yearDay)) * c * math.Exp(-.057/c) * (1 + 3e-5*s.elevation)
}

// cloudTransmission is the share of clear-sky radiation that comes through where the
// share b of the sky before the sun is cloud, on a day of cloudiness c.
func cloudTransmission(b, c float64) float64 {
	return 1 - b*(.42+.33*c)
}

// sunlight is the light at one instant.
type sunlight struct {
	global float64 // W/m²
	clear  float64 // W/m², had there been no cloud
	height float64 // sine of the sun's elevation
}

// sunlight flickers under a broken sky. lag is when, in seconds, a cloud that
// stands over the site's middle gets to the device.
func (s *site) sunlight(m moment, lag float64) sunlight {
	c := s.sunHeight(m.day, m.hour)
	clear := s.clearSky(m.day, c)
	if clear == 0 {
		return sunlight{height: c}
	}
	// A shower brings its own cloud, however bright the day.
	cloud := max(m.day.cloud, s.showerNear(m))
	t := m.seconds - lag
	// Clouds come in flocks: single ones within longer bright and dull spells.
	u := normalShare(.8*s.clouds.smooth(t, 11*60) + .6*s.clouds.smooth(t, 50*60))
	b := clamp01((u-1+cloud)/.12 + .5)
	// Even a closed sky is not evenly grey.
	grey := 1 + .1*b*s.thickness.smooth(t, 17*60)
	return sunlight{global: clear * min(1, cloudTransmission(b, cloud)*grey), clear: clear, height: c}
}
