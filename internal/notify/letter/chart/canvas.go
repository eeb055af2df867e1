package chart

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// spot is a place in the picture, in pixels.
type spot struct{ x, y float64 }

// canvas is what a chart is drawn on.
type canvas struct {
	*image.RGBA
	raster *vector.Rasterizer
	drawn  [][]spot // closed outlines that fill will paint
}

func newCanvas(width, height int, paper color.RGBA) *canvas {
	c := &canvas{RGBA: image.NewRGBA(image.Rect(0, 0, width, height)), raster: vector.NewRasterizer(width, height)}
	draw.Draw(c.RGBA, c.Rect, image.NewUniform(paper), image.Point{}, draw.Src)
	return c
}

// outline adds a closed outline to what fill will paint. Outlines that overlap
// must turn the same way, or they take from each other.
func (c *canvas) outline(around ...spot) { c.drawn = append(c.drawn, around) }

// fill paints the outlines. Only the part of the picture that they lie in is
// looked at: most are small, and the rasterizer goes over all that it is given.
func (c *canvas) fill(ink color.RGBA) {
	part := c.extent().Intersect(c.Rect)
	c.raster.Reset(part.Dx(), part.Dy())
	for _, around := range c.drawn {
		for i, p := range around {
			x, y := float32(p.x-float64(part.Min.X)), float32(p.y-float64(part.Min.Y))
			if i == 0 {
				c.raster.MoveTo(x, y)
			} else {
				c.raster.LineTo(x, y)
			}
		}
		c.raster.ClosePath()
	}
	c.drawn = c.drawn[:0]
	if !part.Empty() {
		c.raster.Draw(c.RGBA, part, image.NewUniform(ink), image.Point{})
	}
}

// extent is the whole pixels that the outlines lie in.
func (c *canvas) extent() (all image.Rectangle) {
	for _, around := range c.drawn {
		for _, p := range around {
			x, y := int(math.Floor(p.x)), int(math.Floor(p.y))
			all = all.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	return all
}

// box paints whole pixels, which needs no rasterizer.
func (c *canvas) box(from, to spot, ink color.RGBA) {
	whole := func(v float64) int { return int(math.Round(v)) }
	draw.Draw(c.RGBA, image.Rect(whole(from.x), whole(from.y), whole(to.x), whole(to.y)), image.NewUniform(ink), image.Point{}, draw.Src)
}

// stroke adds a line through places, with round corners and ends.
func (c *canvas) stroke(width float64, line []spot) {
	for i, p := range line {
		c.round(p, width/2, 10)
		if i == 0 {
			continue
		}
		q := line[i-1]
		length := math.Hypot(p.x-q.x, p.y-q.y)
		if length == 0 {
			continue
		}
		nx, ny := -(p.y-q.y)/length*width/2, (p.x-q.x)/length*width/2
		c.outline(spot{q.x - nx, q.y - ny}, spot{p.x - nx, p.y - ny}, spot{p.x + nx, p.y + ny}, spot{q.x + nx, q.y + ny})
	}
}

// round adds a disc of so many corners, which turns as stroke's pieces do.
func (c *canvas) round(at spot, radius float64, corners int) {
	around := make([]spot, corners)
	for i := range around {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(corners))
		around[i] = spot{at.x + radius*cos, at.y + radius*sin}
	}
	c.outline(around...)
}

// write puts figures so that at is the right end or the middle of their
// baseline: part 1 or 0.5.
func (c *canvas) write(face font.Face, figures string, at spot, part float64, ink color.RGBA) {
	d := font.Drawer{Dst: c.RGBA, Src: image.NewUniform(ink), Face: face}
	width := float64(d.MeasureString(figures)) / 64
	d.Dot = fixed.Point26_6{X: fixed.Int26_6((at.x - width*part) * 64), Y: fixed.Int26_6(at.y * 64)}
	d.DrawString(figures)
}

// encode writes the picture with at most 256 colours, which a chart has few
// more than, in a third of the bytes.
func (c *canvas) encode() ([]byte, error) {
	flat := image.NewPaletted(c.Rect, nil)
	for drop := 0; ; drop++ {
		if c.flatten(flat, drop) {
			break
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, flat)
	return b.Bytes(), err
}

// flatten gives every colour, without that many of its lowest bits, a place in
// the palette; false when there are too many.
func (c *canvas) flatten(flat *image.Paletted, drop int) bool {
	flat.Palette = flat.Palette[:0]
	places := map[color.RGBA]uint8{}
	mask := uint8(0xff) << drop
	for i := 0; i < len(c.Pix); i += 4 {
		if i > 0 && [4]byte(c.Pix[i:]) == [4]byte(c.Pix[i-4:]) { // as most are
			flat.Pix[i/4] = flat.Pix[i/4-1]
			continue
		}
		exact := color.RGBA{c.Pix[i], c.Pix[i+1], c.Pix[i+2], 255}
		coarse := color.RGBA{exact.R & mask, exact.G & mask, exact.B & mask, 255}
		place, known := places[coarse]
		if !known {
			if len(places) == 256 {
				return false
			}
			place = uint8(len(places))
			places[coarse] = place
			flat.Palette = append(flat.Palette, exact) // the first of its kind stands for all
		}
		flat.Pix[i/4] = place
	}
	return true
}
