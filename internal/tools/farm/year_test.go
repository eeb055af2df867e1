package farm

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// monthOfYear is what hourly values of a property are in a month.
type monthOfYear struct {
	count, sum, low, high float64
}

func (m monthOfYear) mean() float64 { return m.sum / m.count }

// deviceYear is a year of a device's hourly values: by property, and by month of its site's clock.
type deviceYear map[string]*[12]monthOfYear

// hourlyYear measures the year before demoNow. It fails the test if a value is not a number.
func hourlyYear(t *testing.T, d *Device) deviceYear {
	t.Helper()
	y := deviceYear{}
	for at := demoNow.AddDate(-1, 0, 0); at.Before(demoNow); at = at.Add(time.Hour) {
		values, ok := d.At(at, time.Hour)
		if !ok {
			t.Fatalf("%s is dark at %v", d.Name, at)
		}
		month := at.UTC().Add(d.site.zone).Month() - 1
		for _, v := range values {
			x, ok := v.Value.(float64)
			if v.Value == true {
				x, ok = 1, true
			} else if v.Value == false {
				ok = true
			}
			if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("%s: %s is %v at %v", d.Name, v.Identifier, v.Value, at)
			}
			months := y[v.Identifier]
			if months == nil {
				months = &[12]monthOfYear{}
				for i := range months {
					months[i].low, months[i].high = math.Inf(1), math.Inf(-1)
				}
				y[v.Identifier] = months
			}
			m := &months[month]
			m.count++
			m.sum += x
			m.low, m.high = min(m.low, x), max(m.high, x)
		}
	}
	return y
}

// lowest and highest return the extremes of a property in months, January is 0.
func (y deviceYear) lowest(identifier string, months ...int) float64 {
	low := math.Inf(1)
	for _, i := range months {
		low = min(low, y[identifier][i].low)
	}
	return low
}

func (y deviceYear) highest(identifier string, months ...int) float64 {
	high := math.Inf(-1)
	for _, i := range months {
		high = max(high, y[identifier][i].high)
	}
	return high
}

// sum returns the sum of a property's hourly values in months.
func (y deviceYear) sum(identifier string, months ...int) float64 {
	sum := 0.
	for _, i := range months {
		sum += y[identifier][i].sum
	}
	return sum
}

var (
	winter    = []int{11, 0, 1}
	summer    = []int{5, 6, 7}
	wholeYear = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
)

// The year that `tilth demo --history 365d` writes must look like a year to somebody who knows the
// place, whatever the weather's seed.
func TestYearIsBelievable(t *testing.T) {
	t.Parallel()
	seeds := []uint64{1, 2, 3}
	if testing.Short() {
		seeds = seeds[:1]
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			f := New(seed, demoNow)
			// Ankara has dry summers and frost from November to April; the plain of Hebei has hot
			// summers with most of the rain, and dry winters.
			ankara := hourlyYear(t, findDevice(t, f, "WS-0417"))
			checkAir(t, "Ankara", ankara, climates["ankara"], -24, 40)
			checkRain(t, "Ankara", ankara, climates["ankara"], 0, .3)
			hebei := hourlyYear(t, findDevice(t, f, "HB-WS-01"))
			checkAir(t, "Hebei", hebei, climates["hebei"], -24, 44)
			checkRain(t, "Hebei", hebei, climates["hebei"], .35, .9)
			ridge := hourlyYear(t, findDevice(t, f, "WS-0422"))
			assertBetween(t, "the strongest gust of the ridge", ridge.highest("windGust", wholeYear...), 15, 34)

			checkDays(t, f)
			checkSoil(t, f)
			checkGreenhouse(t, f)
			checkOutages(t, f)
		})
	}
}

func checkAir(t *testing.T, name string, y deviceYear, c *climate, lowest, highest float64) {
	t.Helper()
	air := y["airTemperature"]
	for i := range air {
		month := name + " " + time.Month(i+1).String()
		// The weather of one month may differ from the normal by some degrees; what it is on average,
		// TestWeatherMatchesClimate checks.
		assertNear(t, month+" mean °C", air[i].mean(), (c.high[i]+c.low[i])/2, 6)
		assertNear(t, month+" mean humidity", y["airHumidity"][i].mean(), c.humidity[i], 15)
		if air[i].high-air[i].low < 12 {
			t.Errorf("%s: all hours are within %v °C", month, air[i].high-air[i].low)
		}
	}
	assertBetween(t, name+" July over January, °C", air[6].mean()-air[0].mean(), 17, 33)
	assertBetween(t, name+" coldest hour", y.lowest("airTemperature", wholeYear...), lowest, -5)
	assertBetween(t, name+" hottest hour", y.highest("airTemperature", wholeYear...), 30, highest)
	assertBetween(t, name+" coldest hour of summer", y.lowest("airTemperature", summer...), -1, 20)
	sun := y["solarRadiation"]
	assertBetween(t, name+" sunlight, June over December", sun[5].mean()/sun[11].mean(), 2.2, 7)
	assertBetween(t, name+" brightest hour", y.highest("solarRadiation", wholeYear...), 850, 1200)
	assertBetween(t, name+" lowest humidity", y.lowest("airHumidity", wholeYear...), 8, 35)
	assertBetween(t, name+" highest humidity", y.highest("airHumidity", wholeYear...), 97, 100)
}

// checkRain checks the sum of a year, and summer's share of it.
func checkRain(t *testing.T, name string, y deviceYear, c *climate, least, most float64) {
	t.Helper()
	normal := 0.
	for _, mm := range c.rain {
		normal += mm
	}
	year := y.sum("rainfall", wholeYear...)
	assertBetween(t, name+" rain of the year over the normal", year/normal, .55, 1.6)
	assertBetween(t, name+" share of the rain in summer", y.sum("rainfall", summer...)/year, least, most)
	assertBetween(t, name+" most rain in an hour, mm", y.highest("rainfall", wholeYear...), 3, 60)
}

// checkDays checks day length and warmth of the year.
func checkDays(t *testing.T, f *Farm) {
	t.Helper()
	for name, degreeDays := range map[string][2]float64{"WS-0417": {1250, 2150}, "HB-WS-01": {2200, 3300}} {
		s := findDevice(t, f, name).site
		june, december := s.day(dayOf(2026, 6, 21)), s.day(dayOf(2025, 12, 21))
		assertBetween(t, s.name+" hours of the longest day", june.set-june.rise, 14.2, 15.3)
		assertBetween(t, s.name+" hours of the shortest day", december.set-december.rise, 9, 9.9)
		warmth, evaporation := 0., 0.
		for n := dayOf(2025, 11, 21); n < dayOf(2026, 11, 21); n++ {
			d := s.day(n)
			warmth += max(0, (d.high+d.low)/2-10)
			evaporation += d.evaporation
		}
		assertBetween(t, s.name+" growing degree days over 10 °C", warmth, degreeDays[0], degreeDays[1])
		assertBetween(t, s.name+" reference evapotranspiration, mm", evaporation, 850, 1400)
	}
}

// checkSoil checks that soil dries while no rain falls, and that rain and irrigation wet it.
func checkSoil(t *testing.T, f *Farm) {
	t.Helper()
	meadow, orchard := findDevice(t, f, "SP-1288"), findDevice(t, f, "SP-1203")
	p, s := meadow.plot, meadow.site
	midnight := func(n int) float64 { return p.moisture(at(s, n, 0), 0) }
	spells, wetted, dry := 0, 0, 0
	for n := dayOf(2025, 11, 21); n < dayOf(2026, 11, 21); n++ {
		d := s.day(n)
		if d.rain > 0 {
			dry = 0
		} else if dry++; dry >= 2 && midnight(n+1) > midnight(n) {
			t.Errorf("day %d: the meadow gets wetter on a dry day: %v after %v", n, midnight(n+1), midnight(n))
		}
		if dry == 7 && d.season.before >= 3 && d.season.before <= 8 {
			spells++
			if fell := midnight(n-5) - midnight(n+1); fell <= 0 {
				t.Errorf("day %d: the meadow lost %v %% in a dry week", n, fell)
			}
		}
		if d.rain >= 5 && midnight(n) < fieldCapacity[0]-5 {
			wetted++
			if midnight(n+1) <= midnight(n) {
				t.Errorf("day %d: %v mm of rain, the meadow has %v %% after %v", n, d.rain, midnight(n+1), midnight(n))
			}
		}
	}
	if spells == 0 || wetted == 0 {
		t.Errorf("%d dry weeks in summer, %d rains on dry soil", spells, wetted)
	}

	meadowYear, orchardYear := hourlyYear(t, meadow), hourlyYear(t, orchard)
	upper := meadowYear["soilMoisture10"]
	assertBetween(t, "the meadow's moisture in February", upper[1].mean(), 26, 38)
	assertBetween(t, "the meadow's moisture in August", upper[7].mean(), 12, 24)
	if watered := orchardYear["soilMoisture10"][7].mean(); watered < upper[7].mean()+3 {
		t.Errorf("in August the watered orchard has %v %%, the meadow %v", watered, upper[7].mean())
	}
	// The deeper, the smaller the difference between the seasons.
	last := math.Inf(1)
	for _, depth := range []string{"10", "30", "60"} {
		temperature := meadowYear["soilTemperature"+depth]
		contrast := temperature[6].mean() - temperature[0].mean()
		if contrast < 10 || contrast >= last {
			t.Errorf("at %s cm July is %v °C warmer than January, above that %v", depth, contrast, last)
		}
		last = contrast
	}
	assertBetween(t, "the coldest soil", meadowYear.lowest("soilTemperature10", winter...), -6, 1)
}

func checkGreenhouse(t *testing.T, f *Farm) {
	t.Helper()
	y := hourlyYear(t, findDevice(t, f, "GC-0032"))
	heating, vent := y["heating"], y["ventOpening"]
	assertBetween(t, "the boiler's share of January", heating[0].mean(), .35, .9)
	assertNear(t, "the boiler's share of July", heating[6].mean(), 0, 0)
	assertBetween(t, "the vent in January, %", vent[0].mean(), 0, 5)
	assertBetween(t, "the vent in July, %", vent[6].mean(), 30, 80)
	assertBetween(t, "the coldest hour of winter in the greenhouse", y.lowest("airTemperature", winter...), 5, 16)
	assertBetween(t, "the coldest hour of summer in the greenhouse", y.lowest("airTemperature", summer...), 3, 18)
	assertBetween(t, "the hottest hour in the greenhouse", y.highest("airTemperature", wholeYear...), 30, 45)
}

// checkOutages checks that devices are away now and then.
func checkOutages(t *testing.T, f *Farm) {
	t.Helper()
	outages := 0
	for _, d := range f.devices {
		count := 0
		for n := dayOf(2025, 11, 21); n < dayOf(2026, 11, 21); n++ {
			if _, ok := d.plan.gapOn(d.site, n); ok {
				count++
			}
		}
		if count == 0 || count > 40 {
			t.Errorf("%s was away %d times", d.Name, count)
		}
		outages += count
	}
	assertBetween(t, "outages of a device", float64(outages)/float64(len(f.devices)), 10, 19)
}
