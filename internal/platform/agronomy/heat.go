package agronomy

import "math"

// DegreeDays returns the growing degree days, °C·d, of a day with the temperatures high and low,
// °C, for a crop that grows above base and no faster above upper °C. Method 1 averages and then
// cuts off below base; method 2 cuts off both first (McMaster and Wilhelm 1997).
func DegreeDays(high, low, base, upper float64, method int) (float64, bool) {
	if high < low || upper < base {
		return 0, false
	}
	high, low = min(high, upper), min(low, upper)
	switch method {
	case 1:
		return max(0, (high+low)/2-base), true
	case 2:
		return (max(high, base)+max(low, base))/2 - base, true
	}
	return 0, false
}

// ChillHour returns 1 for an hour with a mean of t °C at which buds rest, from low (0 in Weinberger
// 1950) to 7.2 °C, otherwise 0.
func ChillHour(t, low float64) float64 {
	if t >= low && t <= 7.2 {
		return 1
	}
	return 0
}

// ChillUnit returns the chill units of an hour with a mean of t °C in the Utah model; they are
// negative for warm hours (Richardson 1974).
func ChillUnit(t float64) float64 {
	classes := [...]struct{ upTo, units float64 }{{1.4, 0}, {2.4, .5}, {9.1, 1}, {12.4, .5}, {15.9, 0}, {18, -.5}}
	for _, class := range classes {
		if t <= class.upTo {
			return class.units
		}
	}
	return -1
}

// Chill is the state of the Dynamic model (Fishman 1987, Erez 1990); the zero
// value is the state before the season's first hour.
type Chill struct {
	Portions float64 // collected, CP
	level    float64 // amount of the thermally unstable intermediate
	started  bool
}

// AddHour adds an hour with a mean of t °C. Outside of −20..40 °C it adds nothing and returns
// false. The very first hour adds nothing.
func (c *Chill) AddHour(t float64) bool {
	if !within(t, -20, 40) {
		return false
	}
	if !c.started {
		c.started = true
		return true
	}
	k := t + 273
	equilibrium := 139500 / 2.567e18 * math.Exp(8735.3/k)
	rate := 2.567e18 * math.Exp(-12888.8/k)
	c.level = equilibrium - (equilibrium-c.level)*math.Exp(-rate)
	if c.level >= 1 {
		r := math.Exp(1.6 * 277 * (k - 277) / k)
		share := r / (1 + r)
		c.Portions += c.level * share
		c.level *= 1 - share
	}
	return true
}
