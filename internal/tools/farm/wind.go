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
	burst := max(-1, min(1, s.gust.smooth(m.seconds, 5*60)/2))
	bearing := s.prevailing + 60*s.bearing.smooth(m.seconds, 6*3600) + 20*s.gust.smooth(m.seconds, 10*60)
	bearing = math.Mod(bearing, 360)
	if bearing < 0 {
		bearing += 360
	}
	return wind{speed: speed, gust: speed * (1.65 + .25*burst), direction: bearing}
}

// meanWind is the wind of these days, before the time of day counts.
func (s *site) meanWind(seconds float64) float64 {
	return s.climate.wind * math.Exp(.35*s.wind.smooth(seconds, 2*secondsADay)-.06)
}

// windOf is a day's share in the wind: rain comes with wind.
func windOf(d *day) float64 {
	if d.wet {
		return 1.3
	}
	return .95
}

// draught is the time of day's share in the wind: calm nights, afternoons that
// stir.
func draught(h float64) float64 {
	return .6 + .95*max(0, math.Sin(math.Pi*(h-7)/13))
}

// meanDraught is the mean of draught over a day: its sine stands over 13 hours.
const meanDraught = .6 + .95*2/math.Pi*13/24

// pressureAt is the station's air pressure in hPa.
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
