package alarm

import (
	"math"
	"time"

	"tilth/internal/domain/device"
)

// Coordinates is where a device stands, in degrees. Night lasts from sunset to sunrise there.
// Without coordinates, night is from 20:00 to 06:00.
type Coordinates struct{ Latitude, Longitude float64 }

// coordinatesOf is where a device stands. It is nil where nobody entered that.
func coordinatesOf(d *device.Device) *Coordinates {
	if d.Latitude == nil || d.Longitude == nil {
		return nil
	}
	return &Coordinates{Latitude: *d.Latitude, Longitude: *d.Longitude}
}

// sunset is the height of the sun's middle at its rise and set, in degrees: its rim is at the
// horizon, and the air refracts it upwards.
const sunset = -0.833

// night tells whether an instant (epoch ms) lies in the night.
func night(at int64, zone *time.Location, place *Coordinates) bool {
	if place == nil {
		hour := time.UnixMilli(at).In(zone).Hour()
		return hour >= 20 || hour < 6
	}
	return sunHeight(at, *place) < sunset
}

// sunHeight is how high the sun stands, in degrees, good to a few hundredths between 1950 and 2050
// (the Astronomical Almanac's low-precision formulas).
func sunHeight(at int64, place Coordinates) float64 {
	const radian = math.Pi / 180
	days := float64(at-946_728_000_000) / 86_400_000 // since noon of 1 January 2000
	anomaly := (357.528 + .9856003*days) * radian
	longitude := (280.460 + .9856474*days + 1.915*math.Sin(anomaly) + .020*math.Sin(2*anomaly)) * radian
	tilt := (23.439 - .0000004*days) * radian
	ascension := math.Atan2(math.Cos(tilt)*math.Sin(longitude), math.Cos(longitude))
	declination := math.Asin(math.Sin(tilt) * math.Sin(longitude))
	sidereal := (280.46062 + 360.98564737*days + place.Longitude) * radian
	latitude := place.Latitude * radian
	height := math.Sin(latitude)*math.Sin(declination) +
		math.Cos(latitude)*math.Cos(declination)*math.Cos(sidereal-ascension)
	return math.Asin(height) / radian
}
