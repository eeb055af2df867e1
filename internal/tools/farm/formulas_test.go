package farm

import (
	"testing"
	"time"
)

// A year of values that depend on formulas of internal/platform/agronomy has the sums that it had
// when this package contained the formulas.
func TestFormulaRegression(t *testing.T) {
	for _, c := range []struct {
		site        *site
		evaporation [12]float64 // mm a month
		pressure    float64     // hPa at noon, summed
	}{
		{ankara(t), [12]float64{
			26.129410538, 33.143630690, 63.607164150, 84.082935865, 135.464251581, 153.715526763,
			195.124582954, 171.120950219, 129.367716699, 75.807738596, 40.687941908, 27.843834983,
		}, 331676.304775879},
		{hebei(t), [12]float64{
			37.415424125, 52.484669472, 78.909942175, 122.968367189, 154.338924316, 168.891212568,
			140.420045889, 126.971869528, 96.147899580, 70.881152878, 45.956578396, 37.062309240,
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
