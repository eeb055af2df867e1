package rain

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// names are what a test calls the counters.
var names = map[string]Counter{
	"total": Total, "year": Yearly, "month": Monthly, "week": Weekly, "day": Daily,
	"piezoYear": PiezoYearly, "piezoDay": PiezoDaily,
}

// report reads counts in inches, as "total 1.5 day 0.2"; a number alone is the total.
func report(t *testing.T, text string) (counts Counts) {
	t.Helper()
	words := strings.Fields(text)
	if len(words) == 1 {
		words = []string{"total", words[0]}
	}
	for i := 0; i < len(words); i += 2 {
		c, known := names[words[i]]
		var inches float64
		if _, err := fmt.Sscan(words[i+1], &inches); err != nil || !known {
			t.Fatal(text)
		}
		counts[c] = Count{MM: inches * 25.4, Shown: true}
	}
	return counts
}

// fall writes what a report tells: mm, – for nothing, ! for a counter that grew too fast.
func (f Fall) String() string {
	text := "–"
	if f.Known {
		text = fmt.Sprint(math.Round(f.MM*100) / 100)
	}
	if f.TooFast {
		text += "!"
	}
	return text
}

func TestRainOfCounts(t *testing.T) {
	for _, test := range []struct {
		name, reports string // one a minute; in inches
		want          string // in mm
	}{
		{"growth", "1, 1.01, 1.02, 1.02", "– 0.25 0.25 0"},

		// Steps down.
		{"a glitch", "193.5988, 193.5988, 52.4764, 193.5988, 193.6025", "– 0 0 0 0.09"},
		{"rounded", "12.51, 12.50, 12.51", "– 0 0"},
		{"rounded, of a young counter", "0.51, 0.50, 0.51, 0.52", "– 0 0 0.25"},
		{"rain while it is lower", "12.51, 12.50, 12.53", "– 0 0.51"},
		{"a restart", "1.00, 1.04, 0.28", "– 1.02 7.11"},
		{"a restart of a count of one tip", "0.02, 0.01", "– 0.25"},
		{"the most that a restart may show", "30, 1, 1.01", "– 25.4 0.25"},
		{"more than that", "30, 1.01, 1.02", "– 0 0"},
		{"two restarts", "0.5, 0.1, 0, 0.02", "– 2.54 0 0.51"},
		{"a restart after another count", "30, 20, 0.1, 0.11", "– 0 2.54 0.25"},
		{"a lower count that stays", "30, 20, 20, 20.01, 20.02", "– 0 0 0 0.25"},
		{"it returns in time", "30, 20, 20, 30.01, 20, 20, 30.02", "– 0 0 0.25 0 0 0.25"},
		{"it returns too late", "30, 20, 20, 20, 30, 30.01", "– 0 0 0 –! –!"},

		// Restarts that were none.
		{"to nothing and back", "12.50, 0.00, 12.50", "– 0 0"},
		{"and on", "12.50, 0.00, 12.50, 12.51", "– 0 0 0.25"},
		{"and on at once", "12.50, 0.00, 12.52", "– 0 0.51"},
		{"of a young counter", "0.50, 0.00, 0.50, 0.51", "– 0 0 0.25"},
		{"what was told is not told again", "12.50, 0.10, 12.50, 12.70", "– 2.54 0 5.08"},
		{"nor twice", "12.50, 0.10, 12.70", "– 2.54 2.54"},
		{"over two reports", "12.50, 0.10, 0, 12.70", "– 2.54 0 2.54"},
		{"after three reports", "12.50, 0, 0, 0, 12.50", "– 0 0 0 0"},
		{"after four", "12.50, 0, 0, 0, 0, 12.50, 0.01", "– 0 0 0 0 –! 0.25"},
		{"rain soon passes the day before", "day 0.02, day 0, day 0.02, day 0.04", "– 0 0.51 0.51"},

		// Growth that no gauge makes.
		{"a glitch up", "193, 500, 193.01", "– –! 0.25"},
		{"a jump", "193, 500, 500, 500.01, 500.02", "– –! –! –! 0.25"},
		{"the most", "1, 4.93, 8.87", "– 99.82 –!"},
		{"a glitch up and down", "193, 500, 52, 193.01", "– –! 0 0.25"},

		// Counters that give way.
		{"the total is the first", "total 1 year 1 day 1, total 2 year 3 day 3", "– 25.4"},
		{"it stands still", "total 1 year 1 day 1, total 1 year 1.1 day 1.1", "– 2.54"},
		{"so does the year", "total 9 year 9 month 1 day 1, total 9 year 9 month 1.1 day 1.1", "– 2.54"},
		{"piezo", "total 9 piezoYear 1, total 9 piezoYear 1.1", "– 2.54"},
		{"over midnight", "total 9 day 1, total 9 day 1.1, total 9 day 0.1, total 9 day 0.2", "– 2.54 2.54 2.54"},
		{"the total lags", "total 1 day 1, total 1 day 1.01, total 1.01 day 1.01, total 1.02 day 1.02", "– 0.25 0 0.25"},
		{"the day lags", "total 1 day 1, total 1.01 day 1, total 1.01 day 1.01, total 1.01 day 1.02", "– 0.25 0 0.25"},
		{"both lag", "total 1 year 1 day 1, total 1 year 1 day 1.01, total 1 year 1.01 day 1.01, total 1.01 year 1.01 day 1.01", "– 0.25 0 0"},
		{"tenths", "total 1 day 1, total 1 day 1.05, total 1.1 day 1.1, total 1.1 day 1.15, total 1.2 day 1.2", "– 1.27 1.27 1.27 1.27"},
		{"stuck, and works again", "total 1 day 1, total 1 day 2, total 1.2 day 2.2, total 1.3 day 2.3", "– 25.4 2.54 2.54"},
		{"a glitch of the total only", "total 193 day 1, total 52 day 1.01, total 193.01 day 1.01, total 193.02 day 1.02", "– 0.25 0 0.25"},
		{"a jump of the total only", "total 1 day 1, total 500 day 1.01, total 500 day 1.01, total 500.01 day 1.02, total 500.02 day 1.03", "– 0.25! 0! 0.25! 0.25"},
		{"a jump of the day only", "total 1 day 1, total 1.01 day 500, total 1.02 day 1.02", "– 0.25 0.25"},
		{"a counter comes later", "total 1, total 1 day 5, total 1 day 5.01", "– 0 0.25"},
		{"and goes", "total 1 day 1, day 1.01, total 9 day 1.02, total 9.01 day 1.03", "– 0.25 0.25 0.25"},
		{"another one", "total 1, day 2, day 3, total 4, total 4.1", "– – 25.4 – 2.54"},
		// A piezo sensor shows each drop, a tipping bucket a hundredth of an inch.
		{"two gauges", "total 1 piezoDay 0, total 1 piezoDay 0.004, total 1 piezoDay 0.008, total 1.01 piezoDay 0.012, total 1.02 piezoDay 0.02", "– 0.1 0.1 0.05 0.25"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var g Gauge
			var got []string
			for i, text := range strings.Split(test.reports, ",") {
				next, fall := g.Next(int64(1e12+60_000*i), report(t, text), DefaultMaxRise)
				g = next
				got = append(got, fall.String())
			}
			if got := strings.Join(got, " "); got != test.want {
				t.Errorf("%s\ngot  %s\nwant %s", test.reports, got, test.want)
			}
		})
	}
}

// The bound is one of each ten minutes that have begun, so that rain during an outage is kept.
func TestGrowthOverTime(t *testing.T) {
	for _, test := range []struct {
		after   time.Duration
		maxRise float64
		inches  float64
		want    string
	}{
		{time.Second, DefaultMaxRise, 3.93, "99.82"},
		{10 * time.Minute, DefaultMaxRise, 3.94, "–!"},
		{10*time.Minute + time.Millisecond, DefaultMaxRise, 3.94, "100.08"},
		{5 * time.Hour, DefaultMaxRise, 100, "2540"},
		{time.Minute, 5, 0.2, "–!"},
		{time.Minute, 200, 7, "177.8"},
	} {
		g, _ := new(Gauge).Next(1e12, Counts{{MM: 10, Shown: true}}, test.maxRise)
		shown := Counts{{MM: 10 + test.inches*25.4, Shown: true}}
		_, fall := g.Next(1e12+test.after.Milliseconds(), shown, test.maxRise)
		if fall.String() != test.want {
			t.Errorf("%v inches after %s: %s, want %s", test.inches, test.after, fall, test.want)
		}
	}
	// After an outage of an hour 12.5 inches may fall; a counter that shows its former count again tells none.
	g := Stored(1e12, Counts{{MM: 317.5, Shown: true}})
	g, _ = g.Next(1e12+3_600_000, Counts{{MM: 0, Shown: true}}, DefaultMaxRise)
	if _, fall := g.Next(1e12+7_200_000, Counts{{MM: 317.5, Shown: true}}, DefaultMaxRise); fall.String() != "0" {
		t.Error(fall)
	}
}

func TestLateReports(t *testing.T) {
	g := Stored(1e12, Counts{{MM: 10, Shown: true}})
	for _, at := range []int64{1e12, 1e12 - 1} {
		next, fall := g.Next(at, Counts{{MM: 20, Shown: true}}, DefaultMaxRise)
		if next != g || fall != (Fall{Late: true}) {
			t.Errorf("%+v %+v", next, fall)
		}
	}
}

// A settled gauge is the same after a restart; one that is not settled says so.
func TestSettled(t *testing.T) {
	for reports, want := range map[string]bool{
		"1, 1.01":                            true,
		"30, 20":                             false,
		"30, 20, 20, 20":                     true,
		"30, 20, 30":                         true,
		"30, 0":                              false,
		"30, 0, 0, 0, 0":                     true,
		"1, 500":                             false,
		"total 1 day 1, total 1 day 1.1":     false,
		"total 1 day 1, total 1.1 day 1.1":   true,
		"total 1 day 1, total 1.01 day 1.01": true,
	} {
		var g Gauge
		for i, text := range strings.Split(reports, ",") {
			g, _ = g.Next(int64(1e12+60_000*i), report(t, text), DefaultMaxRise)
		}
		if g.Settled() != want {
			t.Errorf("%s: settled %v", reports, g.Settled())
		}
		if again := Stored(g.At(), g.References()); g.Settled() && again != g {
			t.Errorf("%s: %+v after a restart, want %+v", reports, again, g)
		}
	}
}

// Whatever the counters of a station show, one report after the other, rain is neither negative nor more than the
// bound, and a counter alone never tells more than it grew plus what its restarts showed.
func FuzzGauge(f *testing.F) {
	f.Add([]byte{10, 200, 10, 0, 10, 11})
	f.Fuzz(func(t *testing.T, steps []byte) {
		var alone, both Gauge
		total, day := 0.0, 0.0
		for i, step := range steps {
			switch {
			case step < 50: // rain
				total, day = total+float64(step), day+float64(step)
			case step < 100: // the day begins
				day = 0
			case step < 150: // a total of its own
				total = float64(step) * 20
			case step < 200:
				day += float64(step)
			}
			at := int64(1e12 + 60_000*i)
			counts := Counts{{MM: total, Shown: true}}
			var fall Fall
			alone, fall = alone.Next(at, counts, DefaultMaxRise)
			check(t, alone, fall)
			counts[Daily] = Count{MM: day, Shown: step%2 == 0}
			both, fall = both.Next(at, counts, DefaultMaxRise)
			check(t, both, fall)
		}
	})
}

func check(t *testing.T, g Gauge, fall Fall) {
	t.Helper()
	if fall.MM < 0 || fall.MM > DefaultMaxRise || fall.MM > 0 && !fall.Known {
		t.Fatalf("%+v", fall)
	}
	for _, c := range g.counters {
		if c.lead < 0 || c.lead > MaxLead || c.strikes >= patience || c.doubt < 0 || c.doubt > patience {
			t.Fatalf("%+v", c)
		}
	}
}
