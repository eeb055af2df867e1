package chart

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const minute = int64(60_000)

var noon = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC).UnixMilli()

func plain(v float64, decimals int) string { return strconv.FormatFloat(v, 'f', decimals, 64) }

// hour is a chart of an hour around noon with one reading per minute, rising from 20 to 32; the
// limit is 30.
func hour() *Chart {
	c := &Chart{From: noon - 40*minute, To: noon + 20*minute, Start: noon + 10*minute, End: noon + 20*minute,
		Zone: time.FixedZone("", 3*3600), Limit: 30, Number: plain, Day: monthDay}
	for i := range int64(61) {
		c.Points = append(c.Points, Point{c.From + i*minute, 20 + float64(i)*0.2})
	}
	c.Triggers = c.Points[48:51]
	return c
}

func drawn(t *testing.T, c *Chart) image.Image {
	t.Helper()
	b, err := c.PNG()
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if m.Bounds().Dx() != Width || m.Bounds().Dy() != Height || len(b) > 40_000 {
		t.Fatalf("%v, %d bytes", m.Bounds(), len(b))
	}
	return m
}

// place gives the position of a reading in the picture, for a value axis from lowest to highest.
func (c *Chart) place(p Point, lowest, highest float64) (x, y int) {
	return int(math.Round(left + float64(p.Time-c.From)/float64(c.To-c.From)*(right-left))),
		int(math.Round(bottom - (p.Value-lowest)/(highest-lowest)*(bottom-top)))
}

func like(a color.Color, with ink) bool {
	b := inks[with]
	r, g, bl, _ := a.RGBA()
	near := func(x uint32, y uint8) bool { return math.Abs(float64(x>>8)-float64(y)) < 24 }
	return near(r, b.R) && near(g, b.G) && near(bl, b.B)
}

func TestChart(t *testing.T) {
	c := hour()
	m := drawn(t, c)
	for i, p := range c.Points {
		x, y := c.place(p, 20, 35)
		want := lineInk
		if i >= 48 && i < 51 {
			want = alarmInk
		}
		if i > 1 && i < 59 && !like(m.At(x, y), want) && i != 47 && i != 51 {
			t.Errorf("reading %d: %v at %d, %d", i, m.At(x, y), x, y)
		}
	}
	x, y := c.place(Point{noon - 30*minute, 30}, 20, 35)
	reds := 0
	for i := range 100 {
		if like(m.At(x+i, y), alarmInk) {
			reds++
		}
	}
	if reds < 40 || reds > 80 {
		t.Errorf("%d of 100 pixels of the limit", reds) // dashed
	}
	for at, want := range map[int64]ink{noon + 15*minute: alarmSpan, noon - 15*minute: paper} {
		if x, y := c.place(Point{at, 21.3}, 20, 35); !like(m.At(x, y), want) {
			t.Errorf("%d: %v, want %v", at, m.At(x, y), want)
		}
	}
	written := 0
	for y := range Height {
		for x := range left - 10 {
			if like(m.At(x, y), labelInk) {
				written++
			}
		}
	}
	if written < 200 {
		t.Errorf("%d dark pixels beside the axis: the labels are missing", written)
	}
}

// The line has a gap where readings are missing.
func TestGapNotDrawn(t *testing.T) {
	c := hour()
	with := append([]Point{}, c.Points...)
	c.Points = append(append([]Point{}, with[:10]...), with[30:]...)
	m := drawn(t, c)
	for i, want := range map[int]bool{5: true, 9: true, 14: false, 20: false, 26: false, 31: true, 40: true} {
		x, y := c.place(with[i], 20, 35)
		if got := like(m.At(x, y), lineInk); got != want {
			t.Errorf("reading %d: a line is drawn: %t", i, got)
		}
	}
}

// PNG draws unusual charts too: one reading, equal readings, huge values, months.
func TestUnusualReadings(t *testing.T) {
	for name, change := range map[string]func(c *Chart){
		"one":      func(c *Chart) { c.Points = c.Points[:1] },
		"alike":    func(c *Chart) { c.Points, c.Limit = []Point{{noon, 30}, {noon + minute, 30}}, 30 },
		"zero":     func(c *Chart) { c.Points, c.Limit = []Point{{noon, 0}, {noon + minute, 0}}, 0 },
		"enormous": func(c *Chart) { c.Points[3].Value, c.Limit = 1e15, -1e15 },
		"tiny":     func(c *Chart) { c.Points, c.Limit = []Point{{noon, 1e-9}, {noon + minute, 2e-9}}, 1.5e-9 },
		"months":   func(c *Chart) { c.From -= 90 * 24 * 60 * minute },
		"before":   func(c *Chart) { c.Start = c.From - minute; c.End = c.To + minute },
		"at once":  func(c *Chart) { c.Points = []Point{{noon, 1}, {noon, 2}} },
	} {
		t.Run(name, func(t *testing.T) {
			c := hour()
			change(c)
			drawn(t, c)
		})
	}
}

func TestValueTicks(t *testing.T) {
	for _, c := range []struct {
		low, high, bottom, top float64
		first, last            string
		n                      int
	}{
		{20, 32, 20, 35, "20", "35", 4}, {-2.5, 0.6, -3, 1, "-3", "1", 5}, {0, 0, -0.5, 0.5, "-0.5", "0.5", 3},
		{100, 100, 95, 105, "95", "105", 3}, {1.01, 1.04, 1.01, 1.04, "1.01", "1.04", 4}, {0, 4000, 0, 4000, "0", "4000", 5},
	} {
		ticks, bottom, top := valueTicks(c.low, c.high, plain)
		if math.Abs(bottom-c.bottom) > 1e-9 || math.Abs(top-c.top) > 1e-9 || len(ticks) != c.n ||
			ticks[0].label != c.first || ticks[len(ticks)-1].label != c.last {
			t.Errorf("%v to %v: %v to %v, %v", c.low, c.high, bottom, top, ticks)
		}
	}
}

func monthDay(t time.Time) string { return t.Format("01-02") }

// Ticks are at round times of the zone's clock, on days of 23 and of 25 hours too.
func TestTimeTicks(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from string
		span time.Duration
		want []string
	}{
		{"2026-11-21T08:37:00Z", 30 * time.Minute, []string{"09:40", "09:50", "10:00"}},
		{"2026-11-21T08:37:00Z", 100 * time.Minute, []string{"09:40", "10:00", "10:20", "10:40", "11:00"}},
		{"2026-11-21T20:00:00Z", 8 * time.Hour, []string{"22:00", "00:00", "02:00", "04:00"}},
		{"2026-03-28T20:00:00Z", 4 * 24 * time.Hour, []string{"03-29", "03-30", "03-31", "04-01"}},
		{"2026-10-24T20:00:00Z", 4 * 24 * time.Hour, []string{"10-25", "10-26", "10-27", "10-28"}},
		{"2026-01-01T00:00:00Z", 60 * 24 * time.Hour, nil},
	} {
		from, err := time.Parse(time.RFC3339, c.from)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, one := range timeTicks(from.UnixMilli(), from.Add(c.span).UnixMilli(), berlin, monthDay) {
			got = append(got, one.label)
		}
		if c.want == nil {
			if len(got) < 3 || len(got) > maxTimeTicks+1 {
				t.Errorf("%s: %v", c.from, got)
			}
			continue
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.from, got, c.want)
		}
	}
}

// A day whose midnight is skipped begins at 01:00, and each day has one tick.
func TestDaysWithoutMidnight(t *testing.T) {
	for _, c := range []struct{ zone, from, ticks string }{
		{"America/Santiago", "2026-09-04T12:00:00Z", "09-05 00:00 09-06 01:00 09-07 00:00 09-08 00:00"},
		{"America/Santiago", "2026-09-06T04:00:00Z", "09-06 01:00 09-07 00:00 09-08 00:00 09-09 00:00 09-10 00:00"},
		{"Atlantic/Azores", "2026-03-27T12:00:00Z", "03-28 00:00 03-29 01:00 03-30 00:00 03-31 00:00"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		from, err := time.Parse(time.RFC3339, c.from)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, one := range timeTicks(from.UnixMilli(), from.Add(4*day).UnixMilli(), zone, monthDay) {
			got = append(got, time.UnixMilli(int64(one.at)).In(zone).Format("01-02 15:04"))
			if at := got[len(got)-1]; !strings.HasPrefix(at, one.label) {
				t.Errorf("%s: the tick at %s has the label %s", c.zone, at, one.label)
			}
		}
		if strings.Join(got, " ") != c.ticks {
			t.Errorf("%s: %q", c.zone, got)
		}
	}
}

func BenchmarkChart(b *testing.B) {
	c := hour()
	for b.Loop() {
		if _, err := c.PNG(); err != nil {
			b.Fatal(err)
		}
	}
}
