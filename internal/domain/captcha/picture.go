package captcha

import (
	"bytes"
	crand "crypto/rand"
	"fmt"
	"image"
	"image/color"
	idraw "image/draw"
	"image/png"
	"math/rand/v2"
	"sync"
)

// The pictures' sizes in pixels. Coordinates of targets are half of the pixels.
const (
	width      = 620
	height     = 310
	stripWidth = 94
	scale      = 2

	minTarget        = 58  // least target: beyond the piece's position at the start
	maxTarget        = 258 // greatest target: every known client's slider reaches it
	minDecoyDistance = 56  // least distance of the decoy from the target
)

// Picture is one puzzle: PNG images and where the piece belongs.
type Picture struct {
	Background []byte // 620 by 310 pixels
	Strip      []byte // 94 by 310 pixels, transparent but for the piece
	Target     int    // where the strip's left edge belongs, in a picture of width 310
}

// Draw makes a random picture. It takes a few milliseconds of processor time (BenchmarkGet).
func Draw() (Picture, error) {
	var seed [32]byte
	_, _ = crand.Read(seed[:]) // never fails (crypto/rand)
	return compose(rand.New(rand.NewChaCha8(seed)))
}

func compose(r *rand.Rand) (Picture, error) {
	p := paint(r, width, height)
	target, decoy := pickTargets(r)
	y := 6 + r.IntN(height-stripWidth-12)
	right, wrong := pickShapes(r)
	edge := right.outline()
	strip := p.cut(edge, scale*target, y)
	p.hole(translate(edge, scale*target, y), p.uniform(0.36, 0.48))
	p.hole(translate(wrong.outline(), scale*decoy, y), p.uniform(0.36, 0.48))
	p.grain()
	background, err := encodePNG(quantize(p.RGBA))
	if err != nil {
		return Picture{}, fmt.Errorf("background: %w", err)
	}
	piece, err := encodePNG(strip)
	if err != nil {
		return Picture{}, fmt.Errorf("strip: %w", err)
	}
	return Picture{Background: background, Strip: piece, Target: target}, nil
}

// pickTargets picks a uniformly random target for the piece, and a decoy at another place.
func pickTargets(r *rand.Rand) (target, decoy int) {
	target = minTarget + r.IntN(maxTarget-minTarget+1)
	for {
		decoy = minTarget + r.IntN(maxTarget-minTarget+1)
		if decoy <= target-minDecoyDistance || decoy >= target+minDecoyDistance {
			return target, decoy
		}
	}
}

// cut copies the piece from the picture into its strip.
func (p *painter) cut(edge []point, x, y int) *image.NRGBA {
	strip := newCanvas(stripWidth, height)
	piece := polygon(translate(edge, 0, y)...)
	mask := strip.rasterize(piece)
	idraw.DrawMask(strip.RGBA, mask.Rect, p.RGBA, mask.Rect.Min.Add(image.Pt(x, 0)), mask, mask.Rect.Min, idraw.Over)
	strip.fill(translucent(p.lane, 0.1), piece)
	strip.fill(translucent(rgb(0x15211b), 0.5), ring(3.4, piece[0]))
	strip.fill(mix(p.lane, rgb(0xffffff), 0.4), ring(1.8, piece[0]))
	straight := image.NewNRGBA(strip.Rect)
	for i := 0; i < len(strip.Pix); i += 4 {
		if a := uint32(strip.Pix[i+3]); a > 0 {
			for c := range 3 {
				straight.Pix[i+c] = uint8(min(uint32(strip.Pix[i+c])*255/a, 255))
			}
			straight.Pix[i+3] = uint8(a)
		}
	}
	return straight
}

// grain scatters specks over the picture, like the grain of paper.
func (p *painter) grain() {
	for range 1400 {
		px := p.Pix[p.PixOffset(p.IntN(width), p.IntN(height)):]
		speck := mix(color.RGBA{R: px[0], G: px[1], B: px[2]}, []color.RGBA{p.deep, p.lane}[p.IntN(2)], 0.35)
		px[0], px[1], px[2] = speck.R, speck.G, speck.B
	}
}

// bufferPool reuses the compressor's memory between pictures.
type bufferPool struct{ sync.Pool }

func (e *bufferPool) Get() *png.EncoderBuffer {
	b, _ := e.Pool.Get().(*png.EncoderBuffer)
	return b
}

func (e *bufferPool) Put(b *png.EncoderBuffer) { e.Pool.Put(b) }

var pngEncoder = png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &bufferPool{}}

func encodePNG(m image.Image) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(64 << 10)
	err := pngEncoder.Encode(&b, m)
	return b.Bytes(), err
}
