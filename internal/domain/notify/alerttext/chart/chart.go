// Package chart draws the readings around an alarm as a picture for a mail. The picture contains
// figures only, so it suits every language.
package chart

import (
	"cmp"
	"image/color"
	"slices"
	"time"

	"tilth/internal/domain/notify/alerttext/levelcolor"
)

// The picture's size in pixels, twice its size in the mail.
const (
	Width  = 1120
	Height = 460
)

// Where the readings are drawn, and how.
const (
	left, right, top, bottom = 128, Width - 28, 30, Height - 70

	fontSize = 29 // pixels
	thick    = 4.5
	hair     = 2
)

// The picture has its own background, so that it is readable on dark pages too.
const (
	paper ink = iota
	grid
	labelInk
	lineInk
	alarmSpan
	alarmInk
)

var background = color.RGBA{0xfb, 0xfa, 0xf6, 255}

var inks = []color.RGBA{
	paper:     background,
	grid:      {0xe4, 0xe1, 0xd7, 255},
	labelInk:  {0x47, 0x50, 0x49, 255},
	lineInk:   {0x2f, 0x6b, 0x4f, 255},
	alarmSpan: levelcolor.Tint(background),
	alarmInk:  levelcolor.Alarm(),
}

// Point is one reading.
type Point struct {
	Time  int64 // epoch ms
	Value float64
}

// Chart is the readings around an alarm.
type Chart struct {
	From, To   int64 // what is shown, epoch ms
	Start, End int64 // of the alarm, epoch ms; End of an open alarm is the end of what is known
	Zone       *time.Location
	Points     []Point // ascending
	Limit      float64 // the limit that readings were compared with
	Triggers   []Point // those of Points that led to the alarm
	// Number formats a value of the axis.
	Number func(v float64, decimals int) string
	// Day formats a day of the axis.
	Day func(t time.Time) string
}

// PNG draws the chart; it needs at least one point.
func (c *Chart) PNG() ([]byte, error) {
	p, err := newCanvas(inks)
	if err != nil {
		return nil, err
	}
	byValue := func(a, b Point) int { return cmp.Compare(a.Value, b.Value) }
	low, high := slices.MinFunc(c.Points, byValue).Value, slices.MaxFunc(c.Points, byValue).Value
	ticks, lowest, highest := valueTicks(min(low, c.Limit), max(high, c.Limit), c.Number)
	x := func(t float64) float64 { return left + (t-float64(c.From))/float64(c.To-c.From)*(right-left) }
	y := func(v float64) float64 { return bottom - (v-lowest)/(highest-lowest)*(bottom-top) }

	start, end := x(float64(max(c.Start, c.From))), x(float64(min(c.End, c.To)))
	p.fillRect(position{start, top}, position{end, bottom}, alarmSpan)
	for _, one := range ticks {
		p.fillRect(position{left, y(one.at) - hair/2}, position{right, y(one.at) + hair/2}, grid)
		p.drawText(one.label, position{left - 18, y(one.at) + 10}, 1)
	}
	for _, one := range timeTicks(c.From, c.To, c.Zone, c.Day) {
		at := x(one.at)
		p.fillRect(position{at - hair/2, bottom}, position{at + hair/2, bottom + 8}, grid)
		if at > left+24 && at < right-24 {
			p.drawText(one.label, position{at, bottom + 44}, 0.5)
		}
	}
	p.fill(labelInk)
	p.fillRect(position{start - 1, top}, position{start + 1, bottom}, alarmInk)
	for at := float64(left); at < right; at += 22 {
		p.fillRect(position{at, y(c.Limit) - 1.5}, position{min(at+13, right), y(c.Limit) + 1.5}, alarmInk)
	}
	for _, run := range segments(c.Points) {
		drawn := make([]position, len(run))
		for i, one := range run {
			drawn[i] = position{x(float64(one.Time)), y(one.Value)}
		}
		p.stroke(thick, drawn)
	}
	p.fill(lineInk)
	for _, disc := range []struct {
		radius float64
		with   ink
	}{{10, paper}, {7, alarmInk}} {
		for _, one := range c.Triggers {
			at := position{x(float64(one.Time)), y(one.Value)}
			p.capsule(at, at, disc.radius)
		}
		p.fill(disc.with)
	}
	return p.encode()
}

// segments splits the points at gaps: the chart has no line where several readings in a row are
// missing.
func segments(points []Point) (all [][]Point) {
	var between []int64
	for i := 1; i < len(points); i++ {
		between = append(between, points[i].Time-points[i-1].Time)
	}
	slices.Sort(between)
	most := int64(0)
	if len(between) > 0 {
		most = 4 * between[len(between)/2]
	}
	begin := 0
	for i := 1; i <= len(points); i++ {
		if i == len(points) || points[i].Time-points[i-1].Time > most {
			all = append(all, points[begin:i])
			begin = i
		}
	}
	return all
}
