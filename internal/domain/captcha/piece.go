package captcha

import (
	"math"
	"math/rand/v2"
)

// edgeKind is the form of one side of a piece.
type edgeKind int8

const (
	notch edgeKind = -1
	plain edgeKind = 0
	tab   edgeKind = 1
)

// pieceShape holds the forms of a piece's sides: top, right, bottom, left.
type pieceShape [4]edgeKind

// pickShapes picks two shapes that differ in at least two sides, each with a tab and a notch, so
// that a person can tell them apart at a glance.
func pickShapes(r *rand.Rand) (piece, decoy pieceShape) {
	pick := func() (f pieceShape) {
		for i := range f {
			f[i] = edgeKind(r.IntN(3) - 1)
		}
		tabbed := r.IntN(4)
		f[tabbed], f[(tabbed+1+r.IntN(3))%4] = tab, notch
		return f
	}
	piece = pick()
	for {
		decoy = pick()
		differ := 0
		for i := range decoy {
			if decoy[i] != piece[i] {
				differ++
			}
		}
		if differ >= 2 {
			return piece, decoy
		}
	}
}

// The piece's body in the strip, with room for its tabs; in pixels.
const (
	bodyFrom = 14.0
	bodySide = stripWidth - 2*bodyFrom
	knob     = 9.5 // radius of a tab
)

// outline gives the outline of a shape, in the coordinates of a strip that begins at y 0.
func (f pieceShape) outline() []point {
	corners := [4]point{
		{bodyFrom, bodyFrom},
		{bodyFrom + bodySide, bodyFrom},
		{bodyFrom + bodySide, bodyFrom + bodySide},
		{bodyFrom, bodyFrom + bodySide},
	}
	var all []point
	for i, s := range f {
		from, to := corners[i], corners[(i+1)%4]
		all = append(all, from)
		if s == plain {
			continue
		}
		along := point{(to.x - from.x) / bodySide, (to.y - from.y) / bodySide}
		out := point{along.y * float64(s), -along.x * float64(s)}
		// A round knob whose centre is a little outside the edge.
		centre := from.lerp(to, 0.5).plus(out.x*0.2*knob, out.y*0.2*knob)
		const n = 18
		open := math.Acos(-0.2)
		for k := range n + 1 {
			sin, cos := math.Sincos(-open + 2*open*float64(k)/n)
			all = append(all, centre.plus(knob*(out.x*cos+along.x*sin), knob*(out.y*cos+along.y*sin)))
		}
	}
	return all
}

// translate gives an outline moved by x and y.
func translate(outline []point, x, y int) []point {
	moved := make([]point, len(outline))
	for i, p := range outline {
		moved[i] = p.plus(float64(x), float64(y))
	}
	return moved
}

// hole paints a place for a piece; dark is its opacity from 0 to 1.
func (p *painter) hole(outline []point, dark float64) {
	p.fill(translucent(rgb(0x15211b), dark), polygon(outline...))
	p.fill(translucent(p.lane, 1.4*dark), ring(1.6, outline))
}
