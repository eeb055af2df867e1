package farm

import (
	"math"

	"tilth/internal/platform/agronomy"
)

// wind is the wind at one instant.
type wind struct {
	speed     float64 // m/s at 2 m
	gust      float64 // m/s
	direction float64 // degrees, 0 <= direction < 360
}

func (s *site) windAt(m moment) wind {
	turbulence := 1 + .25*s.breeze.smooth(m.seconds, 10*60) + .12*s.gust.smooth(m.seconds, 60)
	speed := max(0, s.meanWind(m.seconds)*s.between(m, windOf)*draught(m.hour)*turbulence)
	if above := speed - strongWind; above > 0 {
		speed = strongWind + above/(1+above/(strongestWind-strongWind))
	}
	burst := max(-1, min(1, s.gust.smooth(m.seconds, 5*60)/2))
	bearing := s.prevailing + 60*s.bearing.smooth(m.seconds, 6*3600) + 20*s.gust.smooth(m.seconds, 10*60)
	bearing = math.Mod(bearing, 360)
	if bearing < 0 {
		bearing += 360
	}
	return wind{speed: speed, gust: speed * (1.65 + .25*burst), direction: bearing}
}

// Strong winds grow more and more slowly, in m/s. Otherwise rare gusts on a ridge would be those of a
// hurricane.
const (
	strongWind    = 7.
	strongestWind = 12.
)

// meanWind returns the wind averaged over some days, without the effect of the time of day.
func (s *site) meanWind(seconds float64) float64 {
	return s.climate.wind * math.Exp(.35*s.wind.smooth(seconds, 2*secondsADay)-.06)
}

// windOf returns a day's factor of the wind: rainy days are windier.
func windOf(d *day) float64 {
	if d.wet {
		return 1.3
	}
	return .95
}

// draught returns the factor of the wind for an hour: nights are calm, afternoons windy.
func draught(h float64) float64 {
	return .6 + .95*max(0, math.Sin(math.Pi*(h-7)/13))
}

// meanDraught is the mean of draught over a day: its sine lasts 13 hours.
const meanDraught = .6 + .95*2/math.Pi*13/24

// pressureAt returns the air pressure at the station's elevation, in hPa.
func (s *site) pressureAt(m moment) float64 {
	wet := s.between(m, func(d *day) float64 {
		if d.wet {
			return 1
		}
		return 0
	})
	winter := 2 + 2*math.Cos(2*math.Pi*(float64(m.day.yearDay)+m.hour/24-15)/365)
	return agronomy.StandardPressure(s.elevation) + 6*s.pressure.smooth(m.seconds, 4*secondsADay) +
		1.2*s.pressure.smooth(m.seconds, secondsADay) - 2*wet + .8*math.Cos(4*math.Pi*(m.hour-10)/24) + winter
}
