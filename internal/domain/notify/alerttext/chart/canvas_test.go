package chart

import (
	"bytes"
	"image/color"
	"math"
	"sync"
	"testing"
	"time"

	"tilth/internal/platform/text"
)

var testInks = []color.RGBA{{250, 250, 250, 255}, {0, 100, 0, 255}, {200, 0, 0, 255}}

func blank(t *testing.T, inks []color.RGBA) *canvas {
	t.Helper()
	c, err := newCanvas(inks)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// level gives how dark a pixel is, from 0 for the first ink to 1 for the second.
func (c *canvas) level(x, y int) float64 {
	at := c.At(x, y).(color.RGBA)
	return float64(testInks[0].R-at.R) / float64(testInks[0].R-testInks[1].R)
}

// A line in any direction covers the pixels within half its width and no others; its edge is
// shaded.
func TestStroke(t *testing.T) {
	for name, line := range map[string][]position{
		"flat": {{100.5, 200.5}, {300.5, 200.5}}, "steep": {{200.5, 100.5}, {200.5, 300.5}}, "down": {{100, 100}, {300, 350}},
		"up": {{300, 100}, {100, 250}}, "back": {{300, 250}, {100, 240}}, "a disc": {{150, 150}}, "nearly steep": {{200, 300}, {203, 100}},
	} {
		c := blank(t, testInks)
		const width = 9
		c.stroke(width, line)
		c.fill(1)
		shaded := 0
		for y := range Height {
			for x := range Width {
				away := distance(position{float64(x) + 0.5, float64(y) + 0.5}, line[0], line[len(line)-1]) - width/2.0
				level := c.level(x, y)
				switch {
				case away < -0.6 && level != 1, away > 0.6 && level != 0,
					math.Abs(level-(0.5-away)) > 0.1 && math.Abs(away) < 0.5:
					t.Fatalf("%s: %.2f at %d, %d, which is %.2f outside", name, level, x, y, away)
				case level > 0 && level < 1:
					shaded++
				}
			}
		}
		if shaded < 10 && name != "flat" && name != "steep" {
			t.Errorf("%s: %d pixels are shaded", name, shaded)
		}
	}
}

// distance gives the distance of a point from the segment between p and q.
func distance(at, p, q position) float64 {
	long := math.Hypot(q.x-p.x, q.y-p.y)
	toP, toQ := math.Hypot(at.x-p.x, at.y-p.y), math.Hypot(at.x-q.x, at.y-q.y)
	if long == 0 || math.Abs(toP*toP-toQ*toQ) > long*long {
		return min(toP, toQ)
	}
	return math.Abs((q.x-p.x)*(at.y-p.y)-(q.y-p.y)*(at.x-p.x)) / long
}

// Overlapping segments of a line do not darken its edge, and nothing is painted outside the
// picture.
func TestOverlap(t *testing.T) {
	c := blank(t, testInks)
	c.stroke(8, []position{{100, 100.5}, {150, 100.5}, {150, 100.5}, {120, 100.5}, {200, 100.5}})
	c.fill(1)
	once := blank(t, testInks)
	once.stroke(8, []position{{100, 100.5}, {200, 100.5}})
	once.fill(1)
	for y := 90; y < 110; y++ {
		for x := 90; x < 210; x++ {
			if c.At(x, y) != once.At(x, y) {
				t.Fatalf("%v at %d, %d, want %v", c.At(x, y), x, y, once.At(x, y))
			}
		}
	}
	c.stroke(30, []position{{-50, -50}, {-20, 900}, {2000, 900}, {2000, -30}, {-50, -30}})
	c.capsule(position{Width, Height}, position{Width, Height}, 3)
	c.fillRect(position{-10, -10}, position{5, 5}, 2)
	c.fill(1)
	if c.At(0, 0) != c.Palette[2] || c.level(Width-1, Height-1) != 1 || c.level(400, 300) != 0 {
		t.Error("the drawing is not clipped at the edge")
	}
}

// With more mixtures than the palette holds, edges lose their shades, and inks do not change.
func TestFullPalette(t *testing.T) {
	c := blank(t, inks)
	for i := range 200 {
		at := position{100 + float64(i*4) + float64(i%7)/7, 100 + float64(i%11)*9.3}
		for j, with := range []ink{labelInk, lineInk, alarmInk, alarmSpan, grid} {
			c.capsule(at, position{at.x + float64(j*5), at.y + 30}, 6-float64(j)*0.7)
			c.fill(with)
		}
	}
	if len(c.Palette) != 256 {
		t.Fatalf("%d colours: the palette is not full", len(c.Palette))
	}
	for i, want := range inks {
		if c.Palette[i] != color.Color(want) {
			t.Errorf("ink %d is %v", i, c.Palette[i])
		}
	}
	if b, err := c.encode(); err != nil || len(b) == 0 {
		t.Error(err)
	}
}

// A reused canvas has no remains of the picture before, and pictures that are drawn concurrently do
// not affect each other.
func TestCanvasReuse(t *testing.T) {
	first, err := hour().PNG()
	if err != nil {
		t.Fatal(err)
	}
	other := hour()
	other.Points, other.Triggers, other.Limit = other.Points[:20], nil, 500
	for range 3 {
		if _, err := other.PNG(); err != nil {
			t.Fatal(err)
		}
		again, err := hour().PNG()
		if err != nil || !bytes.Equal(first, again) {
			t.Fatalf("the picture of the same chart differs: %v", err)
		}
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if again, err := hour().PNG(); err != nil || !bytes.Equal(first, again) {
				t.Errorf("the picture of the same chart differs: %v", err)
			}
		})
	}
	all.Wait()
}

// The face has every character of the numbers and days of every language; drawText would
// silently leave out a missing one.
func TestFontHasAllGlyphs(t *testing.T) {
	face, err := typeface()
	if err != nil {
		t.Fatal(err)
	}
	has := func(char rune) bool {
		glyph, err := face.GlyphIndex(nil, char)
		return err == nil && glyph != 0
	}
	if has('月') {
		t.Fatal("the face has Chinese characters: AxisDate may use them")
	}
	at := time.Date(2026, 11, 21, 2, 40, 0, 0, time.UTC)
	for _, l := range text.Languages {
		for _, char := range text.AxisDate(l, at) + text.Number(l, -1234567.5, nil) {
			if !has(char) {
				t.Errorf("%s: the face lacks %q", l, char)
			}
		}
	}
}
