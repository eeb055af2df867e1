package farm

import (
	"testing"
	"time"
)

func TestMonthlyMeansStandInTheMiddleOfTheMonth(t *testing.T) {
	m := monthly{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	for _, c := range []struct {
		month time.Month
		day   int
		want  float64
	}{
		{time.January, 16, 1}, {time.July, 16, 7},
		{time.June, 30, 6.4833}, {time.July, 1, 6.5161},
		// December and January are adjacent.
		{time.December, 31, 6.6774}, {time.January, 1, 6.3226},
	} {
		got := m.at(seasonOf(time.Date(2026, c.month, c.day, 0, 0, 0, 0, time.UTC)))
		assertNear(t, c.month.String(), got, c.want, .001)
	}
}

func TestSeasonsGoOnSmoothlyThroughTheYear(t *testing.T) {
	m := climates["ankara"].high
	day := time.Date(2027, 12, 1, 0, 0, 0, 0, time.UTC)
	for range 800 { // including a leap year
		next := day.AddDate(0, 0, 1)
		step := m.at(seasonOf(next)) - m.at(seasonOf(day))
		assertBetween(t, "a day's step on "+day.Format(time.DateOnly), step, -.3, .3)
		day = next
	}
}

func TestYearWaveFollowsTheTable(t *testing.T) {
	for name, c := range climates {
		w := c.yearWave()
		mean := 0.
		for i := range 12 {
			mean += (c.high[i] + c.low[i]) / 24
		}
		assertNear(t, name+" mean", w.mean, mean, 1e-9)
		assertBetween(t, name+" amplitude", w.amplitude, 10, 15)
		assertBetween(t, name+" hottest day", w.hottest, 190, 210) // July
	}
}

func TestClimatesArePlausible(t *testing.T) {
	for name, c := range climates {
		rain := 0.
		for i := range 12 {
			if c.high[i] <= c.low[i] {
				t.Errorf("%s, month %d: the days are colder than the nights", name, i+1)
			}
			assertBetween(t, name+" sunshine", c.sunshine[i], .2, .9)
			assertBetween(t, name+" rain days", c.rainDays[i], 1, 20)
			assertBetween(t, name+" humidity", c.humidity[i], 30, 90)
			rain += c.rain[i]
		}
		assertBetween(t, name+" rain a year", rain, 350, 550)
	}
}
