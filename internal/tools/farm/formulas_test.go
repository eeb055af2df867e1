package farm

import (
	"testing"
	"time"
)

// A year of values that depend on formulas of internal/platform/agronomy has the sums that a separate
// computation gives: formulas that this package contained earlier, with the lower bound of clear-sky radiation.
func TestFormulaRegression(t *testing.T) {
	for _, c := range []struct {
		site        *site
		evaporation [12]float64 // mm a month
		pressure    float64     // hPa at noon, summed
	}{
		{ankara(t), [12]float64{
			25.969002992, 33.000710969, 63.607164150, 83.770544474, 135.464251581, 153.574086923,
			195.006071432, 171.120950219, 129.367716699, 75.807738596, 40.368754371, 27.319141878,
		}, 331676.304775879},
		{hebei(t), [12]float64{
			37.415424125, 52.484669472, 78.817313703, 122.968367189, 154.236311953, 168.891212568,
			140.226839293, 126.790488414, 96.070755915, 70.848455730, 45.861692936, 37.029225071,
		}, 367919.001271666},
	} {
		var evaporation [12]float64
		pressure := 0.
		for n := dayOf(2026, 1, 1); n < dayOf(2027, 1, 1); n++ {
			evaporation[time.Unix(int64(n)*secondsADay, 0).UTC().Month()-1] += c.site.day(n).evaporation
			pressure += c.site.pressureAt(at(c.site, n, 12))
		}
		for i, want := range c.evaporation {
			assertNear(t, c.site.name+", "+time.Month(i+1).String(), evaporation[i], want, 1e-8)
		}
		assertNear(t, c.site.name+", pressure", pressure, c.pressure, 1e-6)
	}
	tank, oxygen := testTank(t), 0.
	for n := dayOf(2026, 1, 1); n < dayOf(2027, 1, 1); n++ {
		oxygen += tank.at(at(tank.site, n, 12)).oxygen
	}
	assertNear(t, "oxygen at noon, mg/L", oxygen, 3434.619512438, 1e-8)
}
