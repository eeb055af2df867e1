package captcha

import (
	"image/color"
	"math"
)

// furrows paints furrows that run from the foreground to the horizon.
func (p *painter) furrows() {
	horizon := p.uniform(0.3, 0.48) * p.height
	p.sky(horizon + 20)
	p.fill(p.far, p.below(p.ridge(horizon-14, p.uniform(10, 26)), horizon+40))
	hill := p.ridge(horizon, p.uniform(6, 14))
	p.fill(mix(p.far, p.crops[0], 0.6), p.below(hill, horizon+60))
	p.trees(hill, p.uniform(7, 11))
	edge := p.ridge(horizon+p.uniform(14, 26), 4)
	ground, rows := p.crops[1], p.deep
	if p.IntN(3) == 0 {
		ground, rows = p.soil, p.lane
	}
	p.ground(ground, int(horizon)+32, height)
	p.fill(ground, p.below(edge, horizon+40))

	vanishing := point{p.uniform(0.2, 0.8) * p.width, edge(p.width/2) - p.uniform(4, 16)}
	gap, wide := p.uniform(34, 52), p.uniform(0.3, 0.5)
	depth := p.height + 10 - vanishing.y
	top := 24 / depth // where the rows begin, as a fraction of the way to the foreground
	var furrows, plants shape
	for x := vanishing.x - 60*gap; x < vanishing.x+60*gap; x += gap {
		near, beside := point{x, p.height + 10}, point{x + gap*wide, p.height + 10}
		furrows = append(furrows, []point{vanishing.lerp(near, top), near, beside, vanishing.lerp(beside, top)})
		for t := 0.13; t < 1; t *= 1.16 {
			at := vanishing.lerp(point{x + gap*(0.5+wide/2), p.height + 10}, t)
			if at.x > -10 && at.x < p.width+10 {
				plants = append(plants, ellipse(at, gap*0.17*t+0.4, gap*0.11*t+0.4, 8))
			}
		}
	}
	p.fill(translucent(rows, 0.55), furrows)
	p.fill(mix(p.crops[2], p.deep, 0.25), plants)
	p.shadows(horizon + 40)
	p.mast(point{p.uniform(0.08, 0.92) * p.width, horizon + p.uniform(30, 60)}, p.uniform(50, 80))
}

// mast paints a weather station on a mast.
func (p *painter) mast(foot point, height float64) {
	top := foot.plus(0, -height)
	p.fill(p.lane, shape{
		stroke(2.5, foot, top), stroke(2, top.plus(-14, 6), top.plus(14, 6)),
		stroke(1, foot, top.plus(0, height*0.4), foot.plus(14, 0)), ellipse(top.plus(-14, 3), 3.5, 3.5, 12),
		ellipse(top.plus(14, 3), 3.5, 3.5, 12), {top.plus(2, 18), top.plus(14, 15), top.plus(14, 27), top.plus(2, 30)},
	})
}

// terraces paints terraces that follow a slope, one below the other.
func (p *painter) terraces() {
	y := p.uniform(0.16, 0.3) * p.height
	p.sky(y + 20)
	p.fill(p.far, p.below(p.ridge(y-6, p.uniform(12, 22)), y+40))
	top := y
	for i := 0; y < p.height+30; i++ {
		f, next := p.ridge(y, p.uniform(8, 20)), p.uniform(40, 62)
		p.fill(mix(p.far, p.crops[i%4], math.Min(1, 0.5+0.2*float64(i))), p.below(f, y+next+40))
		if p.IntN(2) == 0 {
			p.trees(f, 5+float64(i))
		}
		gap := 5 + 1.1*float64(i)
		var s shape
		for d := gap; d < next+30; d += gap {
			row := func(x float64) float64 { return f(x) + d + d*0.3*math.Sin(x*0.011+y) }
			s = append(s, stroke(1.2+0.2*float64(i), p.across(row)...))
		}
		p.fill(translucent(p.deep, 0.45), s)
		p.fill(p.lane, shape{stroke(2, p.across(f)...)})
		y += next
	}
	p.shadows(top)
}

// patchwork paints many small fields with a stream, seen from the air.
func (p *painter) patchwork() {
	p.ground(p.lane, 0, height)
	columns, lines := 5+p.IntN(2), 3
	w, h := p.width/float64(columns-1), p.height/float64(lines-1)
	corner := make([]point, (columns+1)*(lines+1))
	for i := range corner {
		x, y := float64(i%(columns+1))-0.5, float64(i/(columns+1))-0.5
		corner[i] = point{(x + p.uniform(-0.24, 0.24)) * w, (y + p.uniform(-0.24, 0.24)) * h}
	}
	for i := range columns * lines {
		at := i + i/columns // the corner at the upper left
		p.field(corner[at], corner[at+1], corner[at+columns+2], corner[at+columns+1])
	}
	bed := p.ridge(p.uniform(0.3, 0.7)*p.height, p.uniform(40, 80))
	p.fill(p.lane, shape{stroke(p.uniform(20, 26), p.across(bed)...)})
	p.fill(p.water, shape{stroke(p.uniform(12, 17), p.across(bed)...)})
	p.trees(func(x float64) float64 { return bed(x) + 16 }, 8)
	p.shadows(0)
}

// field paints one field with its rows between four corners.
func (p *painter) field(a, b, c, d point) {
	middle := a.lerp(c, 0.5)
	in := 4 / math.Hypot(a.x-c.x, a.y-c.y) * 2 // half a path's width
	a, b, c, d = a.lerp(middle, in), b.lerp(middle, in), c.lerp(middle, in), d.lerp(middle, in)
	ground := p.crops[p.IntN(4)]
	if p.IntN(5) == 0 {
		ground = p.soil
	}
	p.fill(ground, polygon(a, b, c, d))
	if p.IntN(2) == 0 {
		a, b, c, d = b, c, d, a
	}
	var rows shape
	n := math.Floor(math.Hypot(a.x-d.x, a.y-d.y) / p.uniform(7, 13))
	for i := range int(n) {
		t := (float64(i) + 0.5) / n
		rows = append(rows, stroke(p.uniform(2, 3.2), a.lerp(d, t), b.lerp(c, t)))
	}
	p.fill(translucent([]color.RGBA{p.deep, p.lane}[p.IntN(2)], 0.4), rows)
}

// pivots paints round fields, each watered by a rotating arm of sprinklers.
func (p *painter) pivots() {
	p.ground(p.soil, 0, height)
	a, b := point{-60, p.uniform(-80, 20)}, point{p.width + 60, p.uniform(-80, 20)}
	p.field(a, b, b.plus(0, 520), a.plus(0, 520))
	radius := p.uniform(66, 84)
	shift := p.uniform(-radius, radius)
	for line := range 3 {
		for x := shift - 2*radius + float64(line%2)*radius; x < p.width+radius; x += 2.12 * radius {
			at := point{x + p.uniform(-6, 6), float64(line)*1.86*radius + p.uniform(-radius*0.2, radius*0.1)}
			p.pivot(at, radius*p.uniform(0.86, 0.98))
		}
	}
	p.shadows(0)
}

func (p *painter) pivot(at point, radius float64) {
	round := ellipse(at, radius, radius, 56)
	p.fill(p.lane, polygon(ellipse(at, radius+3, radius+3, 56)...))
	first := p.IntN(4)
	p.fill(p.crops[first], polygon(round...))
	from, to := p.IntN(56), 10+p.IntN(26)
	sector := []point{at}
	for i := range to {
		sector = append(sector, round[(from+i)%56])
	}
	p.fill(p.crops[(first+1+p.IntN(3))%4], polygon(sector...))
	var rings shape
	for r := radius - 6; r > 4; r -= 8 {
		rings = append(rings, ring(2, ellipse(at, r, r, 36))...)
	}
	p.fill(translucent(p.deep, 0.42), rings)
	p.fill(p.lane, shape{stroke(2.4, at, round[from]), ellipse(at, 4, 4, 12)})
}
