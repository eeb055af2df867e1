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
	// Noise in °C from gusts that mix warmer and cooler air; the sun makes the air more restless.
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

// nightDecay is the length of the night in time constants of the cooling. It gives the curve its
// shape; nightCourse scales the curve so that it ends at the low of the next day.
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

// peakDelay is how long after the middle of the day the temperature peaks, in hours (Parton and
// Logan's a). The sine is that much longer than the day on both sides of its peak.
const peakDelay = 1.86

// warmth returns the temperature by day, at a local hour from sunrise to sunset.
func (d *day) warmth(h float64) float64 {
	return d.low + (d.high-d.low)*math.Sin(math.Pi*(h-d.rise)/(d.set-d.rise+2*peakDelay))
}

// nightCourse returns the temperature a number of hours after the sunset of before, in the night that
// leads to after.
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

// poolDepth returns the depth of the cold pool at dawn in the night from before to after, 0..3 °C: full
// below a cloud cover of .1 and .9 m/s of wind, none above .3 and 1.5 m/s. The wind is that of the night,
// at its nightly share draught(0); the cloud is that of the day which the clear night leads to.
func (s *site) poolDepth(before, after *day) float64 {
	midnight := s.start(after.number)
	wind := s.meanWind(midnight) * (windOf(before) + windOf(after)) / 2 * draught(0)
	return 3 * clamp01((.3-after.cloud)/.2) * clamp01((1.5-wind)/.6)
}
