package agronomy

import (
	"math"
	"testing"
)

// seriesEveryTenMinutes returns a day with a reading every ten minutes; value returns the readings
// of an hour, NaN if it has none.
func seriesEveryTenMinutes(hours int, value func(h int) float64) Series {
	var list []Reading
	for h := range hours {
		for n := range 6 {
			if v := value(h); !math.IsNaN(v) {
				list = append(list, Reading{At: int64(h)*hour + int64(n)*hour/6, Value: v})
			}
		}
	}
	return NewSeries(list, hours)
}

func hoursExcept(missing ...int) func(h int) float64 {
	return func(h int) float64 {
		for _, m := range missing {
			if h == m {
				return math.NaN()
			}
		}
		return float64(h)
	}
}

func TestDayNeedsEnoughHours(t *testing.T) {
	for _, c := range []struct {
		what    string
		missing []int
		valid   bool
		sum     float64 // sum of the hours; NaN: an hour is missing
	}{
		{"complete", nil, true, 276},
		{"three in a row", []int{5, 6, 7}, true, 276},
		{"four, apart", []int{2, 5, 6, 10}, true, 276},
		{"four in a row", []int{5, 6, 7, 8}, false, math.NaN()},
		{"five", []int{2, 4, 6, 8, 10}, false, 276},
		{"the last", []int{23}, true, math.NaN()},
		{"the first", []int{0}, true, math.NaN()},
	} {
		s := seriesEveryTenMinutes(24, hoursExcept(c.missing...))
		if got := s.sum(); s.hasEnoughHours() != c.valid || math.Abs(got-c.sum) > 1e-9 ||
			math.IsNaN(got) != math.IsNaN(c.sum) {
			t.Errorf("%s: valid %v, sum %v", c.what, s.hasEnoughHours(), got)
		}
	}
	if s := seriesEveryTenMinutes(24, hoursExcept()); s.High != 23 || s.Low != 0 || s.Hours[7] != 7 || s.Sums[7] != 42 {
		t.Errorf("%+v", s)
	}
}

// An hour is valid with three quarters of its expected readings, at any interval.
func TestHourNeedsThreeQuartersOfReadings(t *testing.T) {
	at := func(minutes ...int64) (list []Reading) {
		for h := range int64(6) { // a reading every five minutes until 6:00
			for m := int64(0); m < 60; m += 5 {
				list = append(list, Reading{At: h*hour + m*60_000, Value: 1})
			}
		}
		for _, m := range minutes {
			list = append(list, Reading{At: 6*hour + m*60_000, Value: 1})
		}
		return list
	}
	for _, c := range []struct {
		what    string
		minutes []int64
		valid   bool
	}{
		{"nine of twelve", []int64{0, 5, 10, 15, 20, 25, 30, 35, 40}, true},
		{"eight of twelve", []int64{0, 5, 10, 15, 20, 25, 30, 35}, false},
		{"two", []int64{55, 59}, false},
		{"longer interval", []int64{0, 15, 30, 45}, true},
		{"shorter interval", []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, false},
	} {
		if s := NewSeries(at(c.minutes...), 7); math.IsNaN(s.Hours[6]) == c.valid {
			t.Errorf("%s: %v", c.what, s.Hours[6])
		}
	}
	if s := NewSeries([]Reading{{At: 0, Value: 1}}, 24); !math.IsNaN(s.Hours[0]) {
		t.Error("an hour is valid with the only reading of a day")
	}
}

func TestSeasonTallies(t *testing.T) {
	day := func(high, low float64) *Day {
		return &Day{Inputs: []Series{seriesEveryTenMinutes(24, func(h int) float64 {
			if h == 14 {
				return high
			}
			return low
		})}}
	}
	f := Find("growingDegreeDays")
	begin := func() Tally { return f.NewTally(f.Values(map[string]float64{"base": 0, "method": 1})) }
	sum := begin()
	if _, ok := sum.Value(); ok {
		t.Error("a season without days has a value")
	}
	for range 60 {
		sum.Add(day(20, 10))
	}
	checkNear(t, "sixty days", valueOrNaN(sum.Value()), 900, 1e-9)
	sum.Add(nil)
	if _, ok := sum.Value(); ok {
		t.Error("a season that ends with a missing day has a value")
	}
	sum.Add(day(30, 10))
	checkNear(t, "a missing day takes its neighbours' mean", valueOrNaN(sum.Value()), 900+17.5+20, 1e-9)
	for range 4 {
		sum.Add(nil)
	}
	sum.Add(day(20, 10))
	if _, ok := sum.Value(); ok {
		t.Error("four missing days in a row were bridged")
	}
	late := begin()
	late.Add(nil)
	for range 60 {
		late.Add(day(20, 10))
	}
	if _, ok := late.Value(); ok {
		t.Error("a season that begins with a missing day has a value")
	}
	chill := Find("chillHours").NewTally([]float64{0, 10, 1})
	for range 30 {
		chill.Add(day(20, 5))
	}
	chill.Add(nil)
	checkNear(t, "chill of thirty days", valueOrNaN(chill.Value()), 690, 0)
	chill.Add(nil)
	if _, ok := chill.Value(); ok {
		t.Error("two of 32 days missing are more than one in twenty")
	}
}

// A device with a constant interval has every hour, whatever the interval and its begin.
func TestHourMeansAtAnyInterval(t *testing.T) {
	const minute = hour / 60
	for every := int64(1); every <= 60; every++ {
		for phase := int64(0); phase < every; phase++ {
			var list []Reading
			for at := phase * minute; at < 24*hour; at += every * minute {
				list = append(list, Reading{At: at, Value: 20})
			}
			for h, mean := range NewSeries(list, 24).Hours {
				if math.IsNaN(mean) {
					t.Fatalf("every %d minutes from minute %d on: hour %d is missing", every, phase, h)
				}
			}
		}
	}
}

// The mean of equal readings is exactly that reading, so that it belongs to the class whose limit
// it equals.
func TestMeanOfEqualReadingsIsExact(t *testing.T) {
	for tenths := -200; tenths <= 400; tenths++ {
		want := float64(tenths) / 10
		for _, n := range []int64{2, 3, 6, 7, 11, 12, 49, 60, 360} {
			var list []Reading
			for i := range n {
				list = append(list, Reading{At: i * hour / n, Value: want})
			}
			if got := NewSeries(list, 1).Hours[0]; got != want {
				t.Errorf("%d readings of %v: mean %v", n, want, got)
			}
		}
	}
	uneven := NewSeries([]Reading{
		{0, 7.1}, {hour / 6, 7.3}, {hour / 3, 7.1}, {hour / 2, 7.3}, {2 * hour / 3, 7.1}, {5 * hour / 6, 7.3},
	}, 1)
	if got := uneven.Hours[0]; ChillHour(got, 0) != 1 {
		t.Errorf("7.1 and 7.3: mean %v", got)
	}
	between := Series{Hours: []float64{8.9, math.NaN(), 9.3}}
	if got := between.interpolated()[1]; got != 9.1 {
		t.Errorf("between 8.9 and 9.3: %v", got)
	}
}

// A gauge without readings does not mean that no rain fell.
func TestLeafWetnessNeedsRainGauge(t *testing.T) {
	f := Find("leafWetnessHours")
	dry := seriesEveryTenMinutes(24, func(h int) float64 {
		if h < 5 {
			return 95
		}
		return 10
	})
	rain := func(missing ...int) Series {
		known := hoursExcept(missing...)
		return seriesEveryTenMinutes(24, func(h int) float64 { // rain in hour 20
			switch v := known(h); {
			case math.IsNaN(v):
				return v
			case h == 20:
				return .2
			}
			return 0
		})
	}
	for _, c := range []struct {
		what   string
		inputs []Series
		want   float64 // NaN: no value
	}{
		{"no gauge", []Series{dry}, 5},
		{"complete", []Series{dry, rain()}, 6},
		{"gauge missing for three hours", []Series{dry, rain(8, 9, 10)}, 6},
		{"gauge missing for four hours", []Series{dry, rain(8, 9, 10, 11)}, math.NaN()},
		{"gauge missing often", []Series{dry, rain(8, 10, 12, 14, 16)}, math.NaN()},
	} {
		got := valueOrNaN(f.DailyValue(&Day{Inputs: c.inputs}, f.Values(nil), Place{}))
		if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}
