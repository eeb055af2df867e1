package captcha

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/vector"
)

// point is a position in the picture, in pixels.
type point struct{ x, y float64 }

func (p point) plus(x, y float64) point { return point{p.x + x, p.y + y} }

// lerp gives the point at fraction t of the way from p to q.
func (p point) lerp(q point, t float64) point {
	return point{p.x + (q.x-p.x)*t, p.y + (q.y-p.y)*t}
}

// shape is a set of outlines that fill paints as one.
type shape [][]point

func polygon(points ...point) shape { return shape{points} }

// bounds gives the part of clip that a shape may touch.
func (s shape) bounds(clip image.Rectangle) image.Rectangle {
	lowest, highest := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, outline := range s {
		for _, p := range outline {
			lowest.x, lowest.y = math.Min(lowest.x, p.x), math.Min(lowest.y, p.y)
			highest.x, highest.y = math.Max(highest.x, p.x), math.Max(highest.y, p.y)
		}
	}
	if lowest.x > highest.x {
		return image.Rectangle{}
	}
	bounds := image.Rect(int(math.Floor(lowest.x)), int(math.Floor(lowest.y)),
		int(math.Ceil(highest.x))+1, int(math.Ceil(highest.y))+1)
	return bounds.Intersect(clip)
}

// canvas is a picture in memory, with buffers for painting shapes.
type canvas struct {
	*image.RGBA
	raster  *vector.Rasterizer
	maskPix []uint8 // the memory of the mask that rasterize returns
}

func newCanvas(width, height int) *canvas {
	return &canvas{
		RGBA:    image.NewRGBA(image.Rect(0, 0, width, height)),
		raster:  vector.NewRasterizer(width, height),
		maskPix: make([]uint8, width*height),
	}
}

// fill paints a shape in one colour. Most pixels are covered wholly or not at all; handling these
// two cases separately takes a third of the time of draw.DrawMask.
func (c *canvas) fill(ink color.RGBA, s shape) {
	mask := c.rasterize(s)
	for y := mask.Rect.Min.Y; y < mask.Rect.Max.Y; y++ {
		to := c.Pix[c.PixOffset(mask.Rect.Min.X, y):]
		for i, cover := range mask.Pix[mask.PixOffset(mask.Rect.Min.X, y):][:mask.Rect.Dx()] {
			if cover == 0 {
				continue
			}
			px := to[4*i : 4*i+4 : 4*i+4]
			if cover == 255 && ink.A == 255 {
				px[0], px[1], px[2], px[3] = ink.R, ink.G, ink.B, 255
				continue
			}
			a := uint32(cover)
			rest := 255*255 - a*uint32(ink.A)
			px[0] = uint8((uint32(ink.R)*a*255 + uint32(px[0])*rest) / (255 * 255))
			px[1] = uint8((uint32(ink.G)*a*255 + uint32(px[1])*rest) / (255 * 255))
			px[2] = uint8((uint32(ink.B)*a*255 + uint32(px[2])*rest) / (255 * 255))
			px[3] = uint8((uint32(ink.A)*a*255 + uint32(px[3])*rest) / (255 * 255))
		}
	}
}

// rasterize gives how far a shape covers each pixel. The mask is valid until the next call.
func (c *canvas) rasterize(s shape) *image.Alpha {
	r := s.bounds(c.Rect)
	mask := &image.Alpha{Pix: c.maskPix[:r.Dx()*r.Dy()], Stride: r.Dx(), Rect: r}
	if r.Empty() {
		return mask
	}
	c.raster.Reset(r.Dx(), r.Dy())
	c.raster.DrawOp = draw.Src
	dx, dy := float64(r.Min.X), float64(r.Min.Y)
	for _, outline := range s {
		for i, p := range outline {
			if x, y := float32(p.x-dx), float32(p.y-dy); i == 0 {
				c.raster.MoveTo(x, y)
			} else {
				c.raster.LineTo(x, y)
			}
		}
		c.raster.ClosePath()
	}
	c.raster.Draw(mask, r, image.Opaque, image.Point{})
	return mask
}

// stroke gives the outline of a line of the given width through points, with mitred corners.
func stroke(width float64, line ...point) []point {
	n := len(line)
	outline := make([]point, 2*n)
	for i, p := range line {
		in, out := direction(line[max(i-1, 0)], p), direction(p, line[min(i+1, n-1)])
		if i == 0 {
			in = out
		} else if i == n-1 {
			out = in
		}
		x, y := -(in.y+out.y)/2, (in.x+out.x)/2
		reach := width / 2 / math.Max(x*x+y*y, 0.25) // a sharp corner is cut off at twice the width
		outline[i], outline[2*n-1-i] = p.plus(x*reach, y*reach), p.plus(-x*reach, -y*reach)
	}
	return outline
}

// direction gives the unit vector from a towards b.
func direction(a, b point) point {
	length := math.Hypot(b.x-a.x, b.y-a.y)
	if length == 0 {
		return point{}
	}
	return point{(b.x - a.x) / length, (b.y - a.y) / length}
}

// ring gives a closed line of the given width through points: an outer outline, and an inner one
// that is left unfilled.
func ring(width float64, around []point) shape {
	line := append(append([]point{}, around...), around[0], around[1])
	outline := stroke(width, line...)
	n := len(line)
	return shape{outline[1 : n-1], outline[n+1 : 2*n-1]}
}

// ellipse gives the outline of an ellipse as a polygon of n corners.
func ellipse(centre point, rx, ry float64, n int) []point {
	outline := make([]point, n)
	for i := range outline {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		outline[i] = centre.plus(rx*cos, ry*sin)
	}
	return outline
}
