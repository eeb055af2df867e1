package chart

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// ink is the index of a colour in a canvas's palette.
type ink uint8

// position is a point in the picture, in pixels.
type position struct{ x, y float64 }

// shades is how many shades there are between two colours, for pixels that an edge crosses.
const shades = 16

// canvas is the image that a chart is drawn on. A pixel is an index into the palette, which begins
// with the inks and grows with their mixtures: a picture of few colours is small and quick to
// encode.
type canvas struct {
	image.Paletted
	face     font.Face // not safe for concurrent use
	inkIndex map[color.RGBA]ink
	cover    []uint8         // how much of each pixel fill will paint, up to 255
	drawn    image.Rectangle // the area of those pixels
	mixed    [256][shades]ink
}

// canvases are reused: making one takes as long as drawing on it.
var canvases sync.Pool

var typeface = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(goregular.TTF) })

// newCanvas gives a canvas of the picture's size, filled with the first ink.
func newCanvas(inks []color.RGBA) (*canvas, error) {
	c, kept := canvases.Get().(*canvas)
	if !kept {
		f, err := typeface()
		if err != nil {
			return nil, err
		}
		c = &canvas{inkIndex: map[color.RGBA]ink{}, cover: make([]uint8, Width*Height)}
		c.Pix, c.Stride, c.Rect = make([]uint8, Width*Height), Width, image.Rect(0, 0, Width, Height)
		options := &opentype.FaceOptions{Size: fontSize, DPI: 72, Hinting: font.HintingNone}
		if c.face, err = opentype.NewFace(f, options); err != nil {
			return nil, err
		}
	}
	clear(c.Pix)
	c.Palette = c.Palette[:0]
	clear(c.inkIndex)
	for _, one := range inks {
		c.add(one)
	}
	return c, nil
}

func (c *canvas) add(one color.RGBA) ink {
	place := ink(len(c.Palette))
	c.Palette = append(c.Palette, one)
	c.inkIndex[one] = place
	return place
}

// fillRect paints whole pixels.
func (c *canvas) fillRect(from, to position, with ink) {
	whole := func(v float64) int { return int(math.Round(v)) }
	part := image.Rect(whole(from.x), whole(from.y), whole(to.x), whole(to.y)).Intersect(c.Rect)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		row := c.Pix[c.PixOffset(part.Min.X, y):c.PixOffset(part.Max.X, y)]
		for i := range row {
			row[i] = uint8(with)
		}
	}
}

// stroke adds a line through points to what fill will paint, with round corners and ends.
func (c *canvas) stroke(width float64, line []position) {
	for i, p := range line {
		c.capsule(line[max(i-1, 0)], p, width/2)
	}
}

// capsule adds all pixels within radius of the segment between two points; a disc if the points are
// the same.
func (c *canvas) capsule(p, q position, radius float64) {
	reach := radius + 0.5
	dx, dy := q.x-p.x, q.y-p.y
	square := dx*dx + dy*dy
	rows := pixels(min(p.x, q.x)-reach, min(p.y, q.y)-reach, max(p.x, q.x)+reach, max(p.y, q.y)+reach).Intersect(c.Rect)
	c.drawn = c.drawn.Union(rows)
	for y := rows.Min.Y; y < rows.Max.Y; y++ {
		// It visits only the pixels of the row that are near the part of the segment near the row.
		middle, begin, end := float64(y)+0.5, 0.0, 1.0
		if dy != 0 {
			begin, end = (middle-reach-p.y)/dy, (middle+reach-p.y)/dy
			begin, end = within(min(begin, end)), within(max(begin, end))
		}
		from, to := p.x+begin*dx, p.x+end*dx
		part := pixels(min(from, to)-reach, middle, max(from, to)+reach, middle).Intersect(rows)
		at := c.PixOffset(part.Min.X, y)
		for x := part.Min.X; x < part.Max.X; x, at = x+1, at+1 {
			away := position{float64(x) + 0.5 - p.x, middle - p.y}
			if square > 0 {
				along := within((away.x*dx + away.y*dy) / square)
				away.x -= along * dx
				away.y -= along * dy
			}
			if covered := reach - math.Sqrt(away.x*away.x+away.y*away.y); covered > 0 {
				c.cover[at] = max(c.cover[at], uint8(255*min(covered, 1)))
			}
		}
	}
}

func within(part float64) float64 { return min(max(part, 0), 1) }

// pixels gives the pixels that a rectangle touches.
func pixels(left, top, right, bottom float64) image.Rectangle {
	return image.Rect(int(math.Floor(left)), int(math.Floor(top)), int(math.Floor(right))+1, int(math.Floor(bottom))+1)
}

// drawText adds figures to what fill will paint. at is the right end of their baseline for part 1,
// and its middle for part 0.5.
func (c *canvas) drawText(figures string, at position, part float64) {
	width := float64(font.MeasureString(c.face, figures)) / 64
	dot := fixed.Point26_6{X: fixed.Int26_6((at.x - width*part) * 64), Y: fixed.Int26_6(at.y * 64)}
	before := rune(-1)
	for _, figure := range figures {
		if before >= 0 {
			dot.X += c.face.Kern(before, figure)
		}
		before = figure
		there, mask, from, advance, ok := c.face.Glyph(dot, figure)
		dot.X += advance
		if !ok {
			continue // the face lacks this figure
		}
		shape := mask.(*image.Alpha) // this face makes no other masks
		place := there.Intersect(c.Rect)
		from = from.Add(place.Min.Sub(there.Min))
		c.drawn = c.drawn.Union(place)
		for y := range place.Dy() {
			row := shape.Pix[shape.PixOffset(from.X, from.Y+y):][:place.Dx()]
			over := c.cover[c.PixOffset(place.Min.X, place.Min.Y+y):][:place.Dx()]
			for i, covered := range row {
				over[i] = max(over[i], covered)
			}
		}
	}
}

// fill paints what was added since its last call.
func (c *canvas) fill(with ink) {
	clear(c.mixed[:])
	for y := c.drawn.Min.Y; y < c.drawn.Max.Y; y++ {
		begin, end := c.PixOffset(c.drawn.Min.X, y), c.PixOffset(c.drawn.Max.X, y)
		for at := begin; at < end; at++ {
			if at+8 <= end && binary.NativeEndian.Uint64(c.cover[at:]) == 0 { // most pixels are
				at += 7
				continue
			}
			if covered := c.cover[at]; covered > 0 {
				c.cover[at] = 0
				c.Pix[at] = uint8(c.mix(ink(c.Pix[at]), with, (int(covered)*shades+127)/255))
			}
		}
	}
	c.drawn = image.Rectangle{}
}

// mix gives the ink of a pixel of the ink under, of which the ink over covers parts out of shades.
func (c *canvas) mix(under, over ink, parts int) ink {
	switch {
	case parts == 0 || under == over:
		return under
	case parts == shades:
		return over
	}
	if known := c.mixed[under][parts]; known != 0 {
		return known
	}
	a, b := c.Palette[under].(color.RGBA), c.Palette[over].(color.RGBA)
	blend := func(a, b uint8) uint8 { return uint8((int(a)*(shades-parts) + int(b)*parts) / shades) }
	one := color.RGBA{blend(a.R, b.R), blend(a.G, b.G), blend(a.B, b.B), 255}
	place, there := c.inkIndex[one]
	switch {
	case there:
	case len(c.Palette) < 256:
		place = c.add(one)
	case parts >= shades/2: // the palette is full: the edge has no shades
		place = over
	default:
		place = under
	}
	c.mixed[under][parts] = place
	return place
}

// encoding reuses its buffers; it prefers speed to a picture that is a kilobyte smaller.
var encoding = png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: new(buffers)}

type buffers struct{ kept sync.Pool }

// Get gives a free buffer; nil: there is none.
func (b *buffers) Get() *png.EncoderBuffer {
	one, _ := b.kept.Get().(*png.EncoderBuffer)
	return one
}

// Put returns a buffer.
func (b *buffers) Put(one *png.EncoderBuffer) { b.kept.Put(one) }

// encode encodes the picture and returns the canvas to the pool: the caller must not use it any
// more.
func (c *canvas) encode() ([]byte, error) {
	var b bytes.Buffer
	err := encoding.Encode(&b, &c.Paletted)
	canvases.Put(c)
	return b.Bytes(), err
}
