package farm

import "math"

// air is the true state of the air at one instant, without sensors' errors.
type air struct {
	temperature float64 // °C
	dewPoint    float64 // °C, below the temperature
	humidity    float64 // %
}

// air returns the state of the air at a device in a hollow, or on open ground.
func (s *site) air(m moment, hollow bool) air {
	t := s.dailyCourse(m)
	daylight := max(0, s.sunHeight(m.day, m.hour))
	t += (.06 + .1*daylight) * s.breeze.smooth(m.seconds, 3600)
	dew := s.between(m, func(d *day) float64 { return d.dew })

	// Rain cools the air and adds vapour to it.
	near := s.showerNear(m)
	t -= near * max(0, min(2.6, .3*(t-dew)))
	if hollow {
		t -= s.coldPool(m)
	}
	dew += near * .7 * max(0, t-dew)
	dew = min(dew, t-.3)
	return air{temperature: t, dewPoint: dew, humidity: relativeHumidity(t, dew)}
}

// nightDecay is how many times the temperature excess of sunset falls to 1/e until dawn.
const nightDecay = 2.2

// dailyCourse returns the temperature of the open air by Parton and Logan: a sine by day, an
// exponential by night.
func (s *site) dailyCourse(m moment) float64 {
	d := m.day
	switch {
	case m.hour < d.rise:
		before := s.day(d.number - 1)
		return nightCourse(before, d, m.hour+24-before.set)
	case m.hour <= d.set:
		return d.warmth(m.hour)
	default:
		return nightCourse(d, s.day(d.number+1), m.hour-d.set)
	}
}

func (d *day) warmth(h float64) float64 {
	return d.low + (d.high-d.low)*math.Sin(math.Pi*(h-d.rise)/(d.set-d.rise+3.72))
}

// nightCourse returns the temperature so many hours after the sunset of the day before the night.
func nightCourse(before, after *day, hours float64) float64 {
	length := after.rise + 24 - before.set
	sunset := before.warmth(before.set)
	end := math.Exp(-nightDecay)
	return (after.low - sunset*end + (sunset-after.low)*math.Exp(-nightDecay*hours/length)) / (1 - end)
}

// coldPool returns how much colder a hollow is, in °C: in clear nights without wind cold air
// gathers there until dawn, and the sun needs hours to mix it.
func (s *site) coldPool(m moment) float64 {
	d := m.day
	switch {
	case m.hour < d.rise:
		before := s.day(d.number - 1)
		return s.poolDepth(before, d) * coldPoolShare((m.hour+24-before.set)/(d.rise+24-before.set))
	case m.hour < d.rise+poolLife:
		return s.poolDepth(s.day(d.number-1), d) * (1 - smoothstep((m.hour-d.rise)/poolLife))
	case m.hour > d.set:
		after := s.day(d.number + 1)
		return s.poolDepth(d, after) * coldPoolShare((m.hour-d.set)/(after.rise+24-d.set))
	default:
		return 0
	}
}

// poolLife is how long a cold pool lasts after sunrise, in hours.
const poolLife = 2.5

// coldPoolShare returns the share of its depth that a cold pool has at a share x of the night.
func coldPoolShare(x float64) float64 {
	return math.Sin(math.Pi / 2 * clamp01(x))
}

func (s *site) poolDepth(before, after *day) float64 {
	midnight := s.start(after.number)
	wind := s.meanWind(midnight) * (windOf(before) + windOf(after)) / 2 * draught(0)
	return 3 * clamp01((.3-after.cloud)/.2) * clamp01((1.5-wind)/.6)
}
