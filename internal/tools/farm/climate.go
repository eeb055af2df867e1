package farm

import (
	"math"
	"time"
)

// monthly is a quantity's mean for each month, January first.
type monthly [12]float64

// climate is the long-term averages of a place.
type climate struct {
	high, low monthly // mean daily extremes, °C
	rain      monthly // mm a month
	rainDays  monthly // days a month
	humidity  monthly // %
	sunshine  monthly // share of the possible hours, 0..1
	wind      float64 // m/s at 2 m, the year's mean
}

var climates = map[string]*climate{
	"ankara": {
		high:     monthly{4.1, 5.9, 11.1, 17.3, 22.2, 26.4, 29.9, 30, 25.8, 20, 12.9, 6.3},
		low:      monthly{-3.5, -2.8, .2, 5.1, 9.4, 12.6, 15.4, 15.4, 11.3, 6.8, 2.4, -.9},
		rain:     monthly{39, 35, 37, 42, 51, 34, 15, 11, 17, 26, 31, 46},
		rainDays: monthly{12, 11, 11, 11, 12, 9, 4, 2, 4, 7, 8, 12},
		humidity: monthly{79, 75, 65, 58, 57, 51, 43, 41, 46, 56, 70, 78},
		sunshine: monthly{.30, .36, .46, .51, .61, .71, .81, .82, .77, .62, .47, .27},
		wind:     2.1,
	},
	"hebei": {
		high:     monthly{4.2, 8.4, 15, 22, 28, 32.5, 32.4, 30.6, 27.2, 21.3, 12.4, 5.5},
		low:      monthly{-5.6, -2.2, 3.5, 10, 15.6, 20.5, 22.9, 21.6, 16.5, 10.1, 2.7, -3.4},
		rain:     monthly{3, 6, 10, 25, 40, 59, 140, 126, 57, 29, 16, 4},
		rainDays: monthly{2, 3, 3, 5, 6, 8, 11, 10, 7, 5, 4, 2},
		humidity: monthly{54, 50, 47, 53, 57, 57, 72, 76, 69, 63, 61, 57},
		sunshine: monthly{.47, .49, .53, .57, .57, .49, .41, .43, .47, .50, .48, .46},
		wind:     1.9,
	},
}

// season is the position of a date between the middles of two months.
type season struct {
	before, after int     // months, 0 is January
	share         float64 // 0 in the middle of before, 1 in the middle of after
}

func seasonOf(date time.Time) season {
	first := time.Date(date.Year(), date.Month(), 1, 0, 0, 0, 0, time.UTC)
	length := first.AddDate(0, 1, 0).Sub(first).Hours() / 24
	month := int(date.Month()) - 1
	x := (float64(date.Day())-.5)/length - .5
	if x < 0 {
		return season{before: (month + 11) % 12, after: month, share: x + 1}
	}
	return season{before: month, after: (month + 1) % 12, share: x}
}

func (m *monthly) at(s season) float64 {
	return m[s.before]*(1-s.share) + m[s.after]*s.share
}

// yearWave is the annual course of the mean temperature as a cosine, which soil follows, since it
// smooths all shorter changes.
type yearWave struct {
	mean, amplitude float64 // °C
	hottest         float64 // day of the year
}

func (c *climate) yearWave() yearWave {
	var mean, cos, sin float64
	for i := range 12 {
		t := (c.high[i] + c.low[i]) / 2
		s, co := math.Sincos(2 * math.Pi * (float64(i) + .5) / 12)
		mean += t / 12
		cos += t * co / 6
		sin += t * s / 6
	}
	phase := math.Atan2(sin, cos)
	if phase < 0 {
		phase += 2 * math.Pi
	}
	return yearWave{mean: mean, amplitude: math.Hypot(sin, cos), hottest: phase / (2 * math.Pi) * daysInYear}
}

const daysInYear = 365.25
