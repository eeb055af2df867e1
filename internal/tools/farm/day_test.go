package farm

import (
	"math"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"tilth/internal/platform/agronomy"
)

// years is how many years of weather the tests average; fewer would not show a climate.
const years = 10

// month is the sums of a calendar month over the years.
type month struct {
	days, high, low, humidity, rain, radiation, expected float64
}

func weatherByMonth(s *site) [12]month {
	var sums [12]month
	for n := dayOf(2026-years, 1, 1); n < dayOf(2026, 1, 1); n++ {
		d := s.day(n)
		high, low, humidity := math.Inf(-1), math.Inf(1), 0.
		const steps = 48
		for i := range steps {
			a := s.air(at(s, n, 24*float64(i)/steps), false)
			high, low = max(high, a.temperature), min(low, a.temperature)
			humidity += a.humidity / steps
		}
		m := &sums[time.Unix(int64(n)*secondsADay, 0).UTC().Month()-1]
		m.days++
		m.high += high
		m.low += low
		m.humidity += humidity
		m.rain += d.rain
		m.radiation += d.sunshine
		m.expected += (.25 + .5*s.climate.sunshine.at(d.season)) * agronomy.ExtraterrestrialDay(s.latitude, d.yearDay)
	}
	return sums
}

// The weather has the averages of the climate tables.
func TestWeatherMatchesClimate(t *testing.T) {
	for _, s := range []*site{ankara(t), hebei(t)} {
		t.Run(s.name, func(t *testing.T) {
			rain, normal := 0., 0.
			for i, m := range weatherByMonth(s) {
				name := time.Month(i + 1).String()
				assertNear(t, name+" high", m.high/m.days, s.climate.high[i], 2.5)
				assertNear(t, name+" low", m.low/m.days, s.climate.low[i], 2.5)
				assertNear(t, name+" humidity", m.humidity/m.days, s.climate.humidity[i], 6)
				assertBetween(t, name+" radiation", m.radiation/m.expected, .88, 1.08)
				rain += m.rain / years
				normal += s.climate.rain[i]
			}
			assertNear(t, "rain a year", rain/normal, 1, .2)
		})
	}
}

func TestFrostNightsInTheHollow(t *testing.T) {
	s := ankara(t)
	var hollow, open [13]float64
	for n := dayOf(2016, 1, 1); n < dayOf(2026, 1, 1); n++ {
		low, lowOpen := math.Inf(1), math.Inf(1)
		for h := 0.; h < 24; h += .5 {
			m := at(s, n, h)
			low = min(low, s.air(m, true).temperature)
			lowOpen = min(lowOpen, s.air(m, false).temperature)
		}
		i := time.Unix(int64(n)*secondsADay, 0).UTC().Month()
		if low < 0 {
			hollow[i] += .1
		}
		if lowOpen < 0 {
			open[i] += .1
		}
	}
	assertBetween(t, "frost nights in April", hollow[time.April], 2, 4.5)
	assertBetween(t, "frost nights in January", hollow[time.January], 21, 27)
	assertNear(t, "frost nights in July", hollow[time.July], 0, 0)
	if hollow[time.April] <= open[time.April] {
		t.Errorf("%v frosts in the hollow, %v outside it", hollow[time.April], open[time.April])
	}
}

func TestWetDaysCluster(t *testing.T) {
	s := ankara(t)
	var wet, afterWet, wetAfterWet, days float64
	for n := dayOf(2006, 1, 1); n < dayOf(2026, 1, 1); n++ {
		if s.day(n).season.before != 0 { // January to February
			continue
		}
		days++
		if s.day(n).wet {
			wet++
		}
		if s.day(n - 1).wet {
			afterWet++
			if s.day(n).wet {
				wetAfterWet++
			}
		}
	}
	chance := wet / days
	assertNear(t, "share of wet days", chance, 11.5/30.4, .08)
	assertNear(t, "persistence", (wetAfterWet/afterWet-chance)/(1-chance), persistence, .12)
}

func TestDaysAreTheSameInAnyOrder(t *testing.T) {
	place := ankara(t).place
	forward, random := newSite(9, "x", place), newSite(9, "x", place)
	first, last := dayOf(2019, 12, 1), dayOf(2020, 2, 1)
	order := rand.New(rand.NewPCG(1, 2)).Perm(last - first)
	for _, i := range order {
		random.day(first + i)
	}
	for n := first; n < last; n++ {
		if !reflect.DeepEqual(forward.day(n), random.day(n)) {
			t.Fatalf("day %d differs", n)
		}
	}
}

func TestSitesAndSeedsHaveTheirOwnWeather(t *testing.T) {
	place := ankara(t).place
	a, b, c := newSite(1, "x", place), newSite(2, "x", place), newSite(1, "y", place)
	n := dayOf(2026, 3, 3)
	if a.day(n).anomaly == b.day(n).anomaly || a.day(n).anomaly == c.day(n).anomaly {
		t.Error("two sites have the same weather")
	}
}

func TestDaysBefore1970(t *testing.T) {
	s := ankara(t)
	for n := -100; n < 5; n++ {
		if d := s.day(n); d.number != n {
			t.Fatalf("day %d has the number %d", n, d.number)
		}
	}
}

func TestDaysFromManyGoroutines(t *testing.T) {
	s := newSite(4, "x", ankara(t).place)
	var wg sync.WaitGroup
	highs := make([]float64, 8)
	for i := range highs {
		wg.Go(func() {
			for n := 20000; n < 20100; n++ {
				highs[i] += s.day(n).high
			}
		})
	}
	wg.Wait()
	for _, h := range highs {
		if h != highs[0] {
			t.Fatalf("%v", highs)
		}
	}
}

func TestClearDaysVaryMoreThanDullOnes(t *testing.T) {
	s := ankara(t)
	var clear, dull, clearDays, dullDays float64
	for n := dayOf(2020, 1, 1); n < dayOf(2026, 1, 1); n++ {
		d := s.day(n)
		switch {
		case d.cloud < .2:
			clear += d.high - d.low
			clearDays++
		case d.cloud > .8:
			dull += d.high - d.low
			dullDays++
		}
	}
	if clear/clearDays < 1.4*dull/dullDays {
		t.Errorf("%v °C on clear days, %v on dull ones", clear/clearDays, dull/dullDays)
	}
}

func TestMomentsAreLocal(t *testing.T) {
	s := hebei(t)
	m := s.moment(time.Date(2026, 11, 20, 22, 30, 0, 0, time.UTC))
	if m.day.number != dayOf(2026, 11, 21) || m.hour != 6.5 {
		t.Errorf("day %d, %v h", m.day.number-dayOf(2026, 11, 21), m.hour)
	}
	assertNear(t, "the start of the day", s.start(m.day.number)+6.5*3600, m.seconds, 0)
}
