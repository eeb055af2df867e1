package farm

import "math"

// shower is one continuous rain within a day.
type shower struct {
	start, length float64 // hours
	rain          float64 // mm
	lean          float64 // 0..1, how much of it falls in the first half
}

// rainOf returns how much rain falls on a day, and in which showers.
func (s *site) rainOf(d *day) (float64, []shower) {
	if !d.wet {
		return 0, nil
	}
	n := int64(d.number)
	mm := -s.climate.rain.at(d.season) / s.climate.rainDays.at(d.season) * math.Log(s.amount.uniform(n))
	count := 1 + int64(4*s.showers.uniform(n*64))
	if mm < 1 {
		count = 1 // a millimetre does not fall in four showers
	}
	// Summer rain is convective: it falls in the afternoon.
	northern := s.latitude >= 0
	summer := (d.yearDay > 135 && d.yearDay < 260) == northern
	showers := make([]shower, count)
	whole := 0.
	for i := range showers {
		at := n*64 + 8*int64(i+1)
		length := .5 + 3.5*s.showers.uniform(at)
		middle := 24 * s.showers.uniform(at+1)
		if summer {
			middle = 16 + 3*s.showers.normal(at+2)
		}
		share := -math.Log(s.showers.uniform(at + 3))
		showers[i] = shower{
			start:  max(0, min(24-length, middle-length/2)),
			length: length,
			rain:   share,
			lean:   .3 + .5*s.showers.uniform(at+4),
		}
		whole += share
	}
	for i := range showers {
		showers[i].rain *= mm / whole
	}
	return mm, showers
}

// fallen returns how much of a shower has fallen by hour h of its day, in mm.
func (r shower) fallen(h float64) float64 {
	x := (h - r.start) / r.length
	return r.rain * (r.lean*smoothstep(x/.6) + (1-r.lean)*smoothstep((x-.35)/.65))
}

// fallen returns how much rain has fallen on the day by hour h, in mm.
func (d *day) fallen(h float64) float64 {
	mm := 0.
	for _, r := range d.showers {
		mm += r.fallen(h)
	}
	return mm
}

// tipSize is the amount of rain that tips a gauge's bucket, in mm.
const tipSize = .2

// rainfall returns what a tipping bucket reports for the time from since to m, in mm. caught is the
// share of the site's rain that the bucket receives. What the bucket holds at midnight is random
// for each day: this is right on average, and no day depends on all days before it.
func (s *site) rainfall(since, m moment, caught float64) float64 {
	tips := 0.
	for n := since.day.number; n <= m.day.number; n++ {
		d, from, to := s.day(n), 0., 24.
		if n == since.day.number {
			from = since.hour
		}
		if n == m.day.number {
			to = m.hour
		}
		tips += d.tipped(to, caught) - d.tipped(from, caught)
	}
	return tips * tipSize
}

func (d *day) tipped(h, caught float64) float64 {
	return math.Floor(d.fallen(h)*caught/tipSize + d.tips)
}

// nearby calls f with every shower of the day, of the next day and of before days before, and with
// the hours since the shower's start (negative before it).
func (s *site) nearby(m moment, before int, f func(r shower, since float64)) {
	for n := m.day.number - before; n <= m.day.number+1; n++ {
		for _, r := range s.day(n).showers {
			f(r, m.hour-float64(n-m.day.number)*24-r.start)
		}
	}
}

// showerNear returns 1 during a shower and 0 far from all showers. It rises before a shower and
// falls after it, so that quantities that depend on it do not jump.
func (s *site) showerNear(m moment) float64 {
	near := 0.
	s.nearby(m, 1, func(r shower, since float64) {
		x := min(smoothstep((since+1)/1.6), 1-smoothstep((since-r.length)/2.5))
		near = max(near, x*min(1, r.rain/.8))
	})
	return near
}

// leafWetness returns the wetness in %: rain and dew wet a leaf, dry air dries it.
func (s *site) leafWetness(m moment, humidity float64) float64 {
	dew := smoothstep((humidity - 88) / 8)
	wet := 0.
	drying := .5 + 3.5*math.Pow(humidity/100, 3) // hours
	s.nearby(m, 1, func(r shower, since float64) {
		x := smoothstep(since / .25)
		if after := since - r.length; after > 0 {
			x = math.Exp(-after / drying)
		}
		wet = max(wet, x*min(1, r.rain/.5))
	})
	return 100 * max(dew, wet)
}
