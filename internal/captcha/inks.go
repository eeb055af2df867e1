package captcha

import (
	"image/color"
	"math/rand/v2"
)

// inks are the colours of one hour and season; all are mixed from the
// console's own, and none is so light or so dark that it would glare from a
// dark page or a light one.
type inks struct {
	sky   [2]color.RGBA // above and at the horizon
	sun   color.RGBA
	far   color.RGBA    // hills in the haze
	crops [4]color.RGBA // standing fields
	soil  color.RGBA    // ploughed
	deep  color.RGBA    // trees, furrows
	water color.RGBA
	lane  color.RGBA // paths, the light on a ridge
}

func ink(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// seasons are the palettes that a picture is drawn in.
var seasons = []inks{
	{ // a morning in spring
		sky: [2]color.RGBA{ink(0xa9c9cf), ink(0xe9e3c8)}, sun: ink(0xf2d9a0), far: ink(0x9dbcae),
		crops: [4]color.RGBA{ink(0x6fa37c), ink(0x8fb88a), ink(0x5d946f), ink(0xa8c48c)},
		soil:  ink(0xa8815c), deep: ink(0x2f6b4f), water: ink(0x6fa3c4), lane: ink(0xe6dfc6),
	},
	{ // noon in summer
		sky: [2]color.RGBA{ink(0x86b4d0), ink(0xd3e2de)}, sun: ink(0xf6ebd3), far: ink(0x86ab9a),
		crops: [4]color.RGBA{ink(0x4f8a63), ink(0x7fae6a), ink(0xd2b566), ink(0x3e7350)},
		soil:  ink(0x9a6a48), deep: ink(0x275a42), water: ink(0x3c7fb1), lane: ink(0xe4e1d7),
	},
	{ // harvest
		sky: [2]color.RGBA{ink(0xf0cf96), ink(0xf7e6c4)}, sun: ink(0xe7a94b), far: ink(0xb5a97e),
		crops: [4]color.RGBA{ink(0xd8ab52), ink(0xc58b2a), ink(0xe2c27c), ink(0x8ba06a)},
		soil:  ink(0x97603c), deep: ink(0x5d5a2c), water: ink(0x7ea6b4), lane: ink(0xf3e4c2),
	},
	{ // evening
		sky: [2]color.RGBA{ink(0x7f92b0), ink(0xe3b59b)}, sun: ink(0xe39a84), far: ink(0x7d8aa0),
		crops: [4]color.RGBA{ink(0x4c6f62), ink(0x64806a), ink(0x8a8a5e), ink(0x3c5e4c)},
		soil:  ink(0x7c5142), deep: ink(0x26423a), water: ink(0x8093b8), lane: ink(0xd9c0a8),
	},
	{ // after rain
		sky: [2]color.RGBA{ink(0x9fb0b2), ink(0xd6dad0)}, sun: ink(0xe6e6d6), far: ink(0x8ea79c),
		crops: [4]color.RGBA{ink(0x5a8f6d), ink(0x77a287), ink(0x487a5c), ink(0x93b39a)},
		soil:  ink(0x7a6552), deep: ink(0x2b5242), water: ink(0x6c97a8), lane: ink(0xdfe3d8),
	},
}

// season picks a palette and lets the hour shift it a little, so that two
// pictures in the same palette do not have the same colours.
func season(r *rand.Rand) inks {
	n := seasons[r.IntN(len(seasons))]
	tint, part := seasons[r.IntN(len(seasons))].sky[1], 0.12*r.Float64()
	for _, c := range []*color.RGBA{
		&n.sky[0], &n.sky[1], &n.sun, &n.far, &n.crops[0], &n.crops[1], &n.crops[2], &n.crops[3], &n.soil, &n.deep, &n.water, &n.lane,
	} {
		*c = mix(*c, tint, part)
	}
	r.Shuffle(len(n.crops), func(i, j int) { n.crops[i], n.crops[j] = n.crops[j], n.crops[i] })
	return n
}

// mix is part t of b in a.
func mix(a, b color.RGBA, t float64) color.RGBA {
	part := func(x, y uint8) uint8 { return uint8(float64(x) + (float64(y)-float64(x))*t + 0.5) }
	return color.RGBA{R: part(a.R, b.R), G: part(a.G, b.G), B: part(a.B, b.B), A: 255}
}

// thin is an ink that lets what is below it through; opacity from 0 to 1.
func thin(c color.RGBA, opacity float64) color.RGBA {
	part := func(x uint8) uint8 { return uint8(float64(x)*opacity + 0.5) }
	return color.RGBA{R: part(c.R), G: part(c.G), B: part(c.B), A: uint8(255*opacity + 0.5)}
}
