package captcha

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
)

// painter paints one landscape.
type painter struct {
	*canvas
	*rand.Rand
	palette
	width, height float64
}

// landscapes lists the functions that paint the pictures: land seen from a hill or from the air.
var landscapes = []func(*painter){(*painter).furrows, (*painter).terraces, (*painter).patchwork, (*painter).pivots}

// paint paints a random landscape.
func paint(r *rand.Rand, width, height int) *painter {
	p := &painter{
		canvas:  newCanvas(width, height),
		Rand:    r,
		palette: randomPalette(r),
		width:   float64(width),
		height:  float64(height),
	}
	landscapes[r.IntN(len(landscapes))](p)
	p.contours()
	return p
}

// uniform gives a random number between low and high.
func (p *painter) uniform(low, high float64) float64 { return low + (high-low)*p.Float64() }

// sky paints bands from the top to y that grow lighter towards the horizon, a sun, and clouds.
func (p *painter) sky(y float64) {
	const bands = 7
	for i := range bands {
		top, bottom := y*float64(i)/bands, y*float64(i+1)/bands
		p.ground(mix(p.palette.sky[0], p.palette.sky[1], float64(i)/(bands-1)), int(top), int(bottom))
	}
	at, radius := point{p.uniform(0.1, 0.9) * p.width, p.uniform(0.3, 0.95) * y}, p.uniform(16, 30)
	p.fill(translucent(p.sun, 0.35), polygon(ellipse(at, radius*1.6, radius*1.6, 40)...))
	p.fill(p.sun, polygon(ellipse(at, radius, radius, 40)...))
	for range p.IntN(3) {
		p.fill(translucent(p.lane, p.uniform(0.3, 0.6)), p.cloud(point{p.uniform(0, p.width), p.uniform(0.1, 0.7) * y}))
	}
}

// ground paints all lines of pixels from top to bottom.
func (p *painter) ground(ink color.RGBA, top, bottom int) {
	draw.Draw(p.RGBA, image.Rect(0, top, width, bottom), image.NewUniform(ink), image.Point{}, draw.Src)
}

// cloud gives the shape of a cloud or of its shadow.
func (p *painter) cloud(at point) (s shape) {
	w := p.uniform(22, 56)
	for range 4 {
		centre := at.plus(p.uniform(-w, w), p.uniform(-0.15, 0.15)*w)
		s = append(s, ellipse(centre, p.uniform(0.5, 1)*w, p.uniform(0.16, 0.36)*w, 28))
	}
	return s
}

// profile gives the y of a line across the picture at each x.
type profile func(x float64) float64

// ridge gives a random hilly profile around y.
func (p *painter) ridge(y, height float64) profile {
	a, b, c := p.uniform(0, 7), p.uniform(0, 7), p.uniform(0, 7)
	long, middle, short := p.uniform(0.008, 0.013), p.uniform(0.018, 0.028), p.uniform(0.04, 0.06)
	return func(x float64) float64 {
		return y - height*(0.6*math.Sin(x*long+a)+0.3*math.Sin(x*middle+b)+0.1*math.Sin(x*short+c))
	}
}

const lineStep = 10 // pixels between the corners of a line across the picture

// below gives the area under a profile, down to depth.
func (p *painter) below(f profile, depth float64) shape {
	return polygon(append(p.across(f), point{p.width + lineStep, depth}, point{-lineStep, depth})...)
}

// across gives the points of a profile's line through the picture.
func (p *painter) across(f profile) []point {
	line := make([]point, 0, int(p.width)/lineStep+4)
	for x := -float64(lineStep); x <= p.width+lineStep; x += lineStep {
		line = append(line, point{x, f(x)})
	}
	return line
}

// trees paints groups of trees along a profile.
func (p *painter) trees(f profile, size float64) {
	var s shape
	for x := p.uniform(-20, 60); x < p.width; x += p.uniform(30, 150) {
		for range p.IntN(6) {
			x += p.uniform(0.7, 1.3) * size
			rx, ry := p.uniform(0.5, 0.8)*size, p.uniform(0.6, 1.1)*size
			s = append(s, ellipse(point{x, f(x) - 0.6*ry}, rx, ry, 14))
		}
	}
	p.fill(p.deep, s)
}

// contours paints the contour lines of a map, lightly, over the whole picture: they run through the
// piece and its place alike.
func (p *painter) contours() {
	f := p.ridge(0, p.uniform(18, 34))
	slope, gap := p.uniform(-0.25, 0.25), p.uniform(15, 23)
	var s shape
	for y := -120.0; y < p.height+120; y += gap {
		s = append(s, stroke(1, p.across(func(x float64) float64 { return y + slope*(x-p.width/2) + f(x+0.7*y) })...))
	}
	p.fill(translucent(p.lane, 0.3), s)
}

// shadows paints shadows of clouds on the land below y: dark patches beside the hole that a solver
// looks for.
func (p *painter) shadows(y float64) {
	for range 2 + p.IntN(3) {
		ink := translucent(rgb(0x15211b), p.uniform(0.2, 0.32))
		p.fill(ink, p.cloud(point{p.uniform(0, p.width), p.uniform(y+20, p.height)}))
	}
}
