package captcha

import (
	"image/color"
	"math/rand/v2"
)

// palette holds the colours of one hour and season. All are mixed from the console's own colours,
// and none is so light or so dark that it glares on a dark or a light page.
type palette struct {
	sky   [2]color.RGBA // above and at the horizon
	sun   color.RGBA
	far   color.RGBA    // hills in the haze
	crops [4]color.RGBA // standing fields
	soil  color.RGBA    // ploughed
	deep  color.RGBA    // trees, furrows
	water color.RGBA
	lane  color.RGBA // paths, and the light on a ridge
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// palettes lists the palettes of the pictures.
var palettes = []palette{
	{ // a morning in spring
		sky: [2]color.RGBA{rgb(0xa9c9cf), rgb(0xe9e3c8)}, sun: rgb(0xf2d9a0), far: rgb(0x9dbcae),
		crops: [4]color.RGBA{rgb(0x6fa37c), rgb(0x8fb88a), rgb(0x5d946f), rgb(0xa8c48c)},
		soil:  rgb(0xa8815c), deep: rgb(0x2f6b4f), water: rgb(0x6fa3c4), lane: rgb(0xe6dfc6),
	},
	{ // noon in summer
		sky: [2]color.RGBA{rgb(0x86b4d0), rgb(0xd3e2de)}, sun: rgb(0xf6ebd3), far: rgb(0x86ab9a),
		crops: [4]color.RGBA{rgb(0x4f8a63), rgb(0x7fae6a), rgb(0xd2b566), rgb(0x3e7350)},
		soil:  rgb(0x9a6a48), deep: rgb(0x275a42), water: rgb(0x3c7fb1), lane: rgb(0xe4e1d7),
	},
	{ // harvest
		sky: [2]color.RGBA{rgb(0xf0cf96), rgb(0xf7e6c4)}, sun: rgb(0xe7a94b), far: rgb(0xb5a97e),
		crops: [4]color.RGBA{rgb(0xd8ab52), rgb(0xc58b2a), rgb(0xe2c27c), rgb(0x8ba06a)},
		soil:  rgb(0x97603c), deep: rgb(0x5d5a2c), water: rgb(0x7ea6b4), lane: rgb(0xf3e4c2),
	},
	{ // evening
		sky: [2]color.RGBA{rgb(0x7f92b0), rgb(0xe3b59b)}, sun: rgb(0xe39a84), far: rgb(0x7d8aa0),
		crops: [4]color.RGBA{rgb(0x4c6f62), rgb(0x64806a), rgb(0x8a8a5e), rgb(0x3c5e4c)},
		soil:  rgb(0x7c5142), deep: rgb(0x26423a), water: rgb(0x8093b8), lane: rgb(0xd9c0a8),
	},
	{ // after rain
		sky: [2]color.RGBA{rgb(0x9fb0b2), rgb(0xd6dad0)}, sun: rgb(0xe6e6d6), far: rgb(0x8ea79c),
		crops: [4]color.RGBA{rgb(0x5a8f6d), rgb(0x77a287), rgb(0x487a5c), rgb(0x93b39a)},
		soil:  rgb(0x7a6552), deep: rgb(0x2b5242), water: rgb(0x6c97a8), lane: rgb(0xdfe3d8),
	},
}

// randomPalette picks a palette and tints it slightly, so that two pictures with the same palette
// have different colours.
func randomPalette(r *rand.Rand) palette {
	n := palettes[r.IntN(len(palettes))]
	tint, part := palettes[r.IntN(len(palettes))].sky[1], 0.12*r.Float64()
	for _, c := range []*color.RGBA{
		&n.sky[0], &n.sky[1], &n.sun, &n.far, &n.crops[0], &n.crops[1], &n.crops[2], &n.crops[3],
		&n.soil, &n.deep, &n.water, &n.lane,
	} {
		*c = mix(*c, tint, part)
	}
	r.Shuffle(len(n.crops), func(i, j int) { n.crops[i], n.crops[j] = n.crops[j], n.crops[i] })
	return n
}

// mix blends fraction t of b into a.
func mix(a, b color.RGBA, t float64) color.RGBA {
	part := func(x, y uint8) uint8 { return uint8(float64(x) + (float64(y)-float64(x))*t + 0.5) }
	return color.RGBA{R: part(a.R, b.R), G: part(a.G, b.G), B: part(a.B, b.B), A: 255}
}

// translucent gives a colour with an opacity from 0 to 1.
func translucent(c color.RGBA, opacity float64) color.RGBA {
	part := func(x uint8) uint8 { return uint8(float64(x)*opacity + 0.5) }
	return color.RGBA{R: part(c.R), G: part(c.G), B: part(c.B), A: uint8(255*opacity + 0.5)}
}
