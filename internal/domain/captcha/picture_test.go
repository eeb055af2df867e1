package captcha

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// seededPicture draws the same picture for the same seed.
func seededPicture(t testing.TB, seed uint64) (Picture, image.Image, image.Image) {
	t.Helper()
	p, err := compose(rand.New(rand.NewPCG(seed, 9)))
	if err != nil {
		t.Fatal(err)
	}
	background, err := png.Decode(bytes.NewReader(p.Background))
	if err != nil {
		t.Fatal(err)
	}
	strip, err := png.Decode(bytes.NewReader(p.Strip))
	if err != nil {
		t.Fatal(err)
	}
	return p, background, strip
}

func TestPictureFormat(t *testing.T) {
	for seed := range uint64(10) {
		p, background, strip := seededPicture(t, seed)
		if b := background.Bounds(); b != image.Rect(0, 0, 620, 310) {
			t.Errorf("%d: background %v", seed, b)
		}
		if b := strip.Bounds(); b != image.Rect(0, 0, 94, 310) {
			t.Errorf("%d: strip %v", seed, b)
		}
		if p.Target < minTarget || p.Target > maxTarget {
			t.Errorf("%d: target %d", seed, p.Target)
		}
		if n := len(p.Background) + len(p.Strip); n > 120<<10 {
			t.Errorf("%d: %d bytes are too many for a slow connection", seed, n)
		}
		if o, ok := background.(*image.Paletted); !ok || !o.Opaque() {
			t.Errorf("%d: the background is %T and not opaque", seed, background)
		}
		// The piece begins at the same x in every strip, and the rest is transparent.
		piece := opaqueBounds(strip)
		if piece.Min.X < 0 || piece.Min.X > int(bodyFrom) || piece.Dx() < int(bodySide) || piece.Dx() > stripWidth ||
			piece.Dy() < int(bodySide) ||
			piece.Dy() > stripWidth {
			t.Errorf("%d: the piece is at %v", seed, piece)
		}
		for _, y := range []int{piece.Min.Y - 1, piece.Max.Y} {
			for x := range stripWidth {
				if _, _, _, a := strip.At(x, y).RGBA(); a != 0 {
					t.Errorf("%d: not transparent at %d,%d", seed, x, y)
				}
			}
		}
	}
}

// opaqueBounds gives the part of a picture that is not transparent.
func opaqueBounds(m image.Image) (r image.Rectangle) {
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if _, _, _, a := m.At(x, y).RGBA(); a != 0 {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

// The files contain the pixels and no metadata that could reveal the target.
func TestPNGHasNoMetadata(t *testing.T) {
	p, _, _ := seededPicture(t, 1)
	for name, file := range map[string][]byte{"background": p.Background, "strip": p.Strip} {
		for rest := file[8:]; len(rest) > 0; rest = rest[12+binary.BigEndian.Uint32(rest):] {
			switch chunk := string(rest[4:8]); chunk {
			case "IHDR", "PLTE", "tRNS", "IDAT", "IEND":
			default:
				t.Errorf("%s: a %s chunk", name, chunk)
			}
		}
	}
}

// Targets are uniform over the whole range, and no picture comes twice.
func TestTargetDistribution(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	counts := make([]int, maxTarget+1)
	const rounds = 200_000
	for range rounds {
		target, decoy := pickTargets(r)
		counts[target]++
		if d := decoy - target; d > -minDecoyDistance && d < minDecoyDistance || decoy < minTarget ||
			decoy > maxTarget {
			t.Fatalf("target %d, decoy %d", target, decoy)
		}
	}
	expected := float64(rounds) / (maxTarget - minTarget + 1)
	chi := 0.0
	for x := minTarget; x <= maxTarget; x++ {
		d := float64(counts[x]) - expected
		chi += d * d / expected
	}
	if chi > 290 { // 200 degrees of freedom: exceeded one time in ten thousand
		t.Errorf("the targets are not uniform: chi-square %.0f", chi)
	}
	one, err := Draw()
	if err != nil {
		t.Fatal(err)
	}
	other, err := Draw()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(one.Background, other.Background) || bytes.Equal(one.Strip, other.Strip) {
		t.Error("two pictures are the same")
	}
}

// A person can see where the piece belongs: its content continues there. The test measures that: of
// all places, the picture is most similar to the piece at the target. A search for the darkest
// place alone does not find the target.
func TestSolvable(t *testing.T) {
	fits, darkest := 0, 0
	const rounds = 30
	near := func(x, target int) int {
		if x >= target-tolerance && x <= target+tolerance {
			return 1
		}
		return 0
	}
	for seed := range uint64(rounds) {
		p, background, strip := seededPicture(t, seed)
		best, dark := bestMatch(background, strip)
		fits, darkest = fits+near(best, p.Target), darkest+near(dark, p.Target)
	}
	if fits < rounds*9/10 {
		t.Errorf("the piece fits its place best in %d pictures of %d", fits, rounds)
	}
	if darkest > rounds*2/3 {
		t.Errorf("the darkest place is the right one in %d pictures of %d", darkest, rounds)
	}
}

// bestMatch finds where a background is most similar to the piece except for a shadow, and where a
// square of the size of the piece's middle is darkest.
func bestMatch(background, strip image.Image) (best, dark int) {
	type spot struct {
		x, y  int
		light float64
	}
	var piece []spot
	inside := opaqueBounds(strip).Inset(8)
	for y := inside.Min.Y; y < inside.Max.Y; y += 2 {
		for x := inside.Min.X; x < inside.Max.X; x += 2 {
			if _, _, _, alpha := strip.At(x, y).RGBA(); alpha == 0xffff {
				piece = append(piece, spot{x, y, luminance(strip.At(x, y))})
			}
		}
	}
	middle := image.Rect(0, 0, 40, 40).Add(image.Pt(stripWidth/2-20, (inside.Min.Y+inside.Max.Y)/2-20))
	under := make([][]float64, height)
	for y := inside.Min.Y; y < inside.Max.Y; y++ {
		under[y] = make([]float64, width)
		for x := range under[y] {
			under[y][x] = luminance(background.At(x, y))
		}
	}
	n, most, least := float64(len(piece)), -2.0, math.Inf(1)
	for at := minTarget - 8; at <= maxTarget+4; at++ {
		var sumA, sumB, sumAA, sumBB, sumAB, square float64
		for _, s := range piece {
			a, b := s.light, under[s.y][s.x+scale*at]
			sumA, sumB, sumAA, sumBB, sumAB = sumA+a, sumB+b, sumAA+a*a, sumBB+b*b, sumAB+a*b
			if image.Pt(s.x, s.y).In(middle) {
				square += b
			}
		}
		if alike := (sumAB - sumA*sumB/n) / (1e-9 + sumAA - sumA*sumA/n + sumBB - sumB*sumB/n); alike > most {
			best, most = at, alike
		}
		if square < least {
			dark, least = at, square
		}
	}
	return best, dark
}

func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	return float64(2*r+5*g+b) / 8 / 0xffff
}

func TestPickShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		piece, decoy := pickShapes(r)
		differ := 0
		for i := range piece {
			if piece[i] != decoy[i] {
				differ++
			}
		}
		if differ < 2 {
			t.Fatalf("%v and %v look alike", piece, decoy)
		}
		for _, p := range piece.outline() {
			if p.x < 1 || p.y < 1 || p.x > stripWidth-1 || p.y > stripWidth-1 {
				t.Fatalf("%v leaves the strip at %v", piece, p)
			}
		}
	}
}

// quantize changes a few colours by less than the eye sees, and reduces many to a palette.
func TestQuantize(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		m.Set(i%64, i/64, color.RGBA{R: uint8(i), G: uint8(i >> 4), B: 200, A: 255})
	}
	if flat := quantize(m); len(flat.Palette) != paletteSize {
		t.Errorf("%d colours", len(flat.Palette))
	}
	few := []color.RGBA{rgb(0x2f6b4f), rgb(0xf6f5f0), rgb(0x101512)}
	for i := range 64 * 64 {
		m.Set(i%64, i/64, few[i%3])
	}
	flat := quantize(m)
	if len(flat.Palette) != 3 {
		t.Errorf("%d colours", len(flat.Palette))
	}
	for i := range 64 * 64 {
		if got := flat.At(i%64, i/64); got != few[i%3] {
			t.Fatalf("%v, want %v", got, few[i%3])
		}
	}
}

// fill clips shapes at the edge of the picture, and ignores empty ones.
func TestFillOutside(t *testing.T) {
	c := newCanvas(40, 30)
	outside := polygon(point{-50, -50}, point{-40, -50}, point{-45, -40})
	for _, s := range []shape{nil, {nil}, polygon(), outside, {stroke(3, point{5, 5}, point{5, 5})}} {
		c.fill(rgb(0xffffff), s)
	}
	if r := opaqueBounds(c); r.Dx() > 4 {
		t.Errorf("painted %v", r)
	}
	c.fill(rgb(0x2f6b4f), polygon(point{-100, -100}, point{200, -100}, point{200, 200}, point{-100, 200}))
	c.fill(translucent(rgb(0xffffff), 0.5), polygon(point{10, 10}, point{20, 10}, point{20, 20}, point{10, 20}))
	if got := c.RGBAAt(39, 29); got != rgb(0x2f6b4f) {
		t.Errorf("%v", got)
	}
	if got, want := c.RGBAAt(15, 15), mix(rgb(0x2f6b4f), rgb(0xffffff), 0.5); abs(got.R, want.R) > 1 ||
		abs(got.G, want.G) > 1 || abs(got.B, want.B) > 1 || got.A != 255 {
		t.Errorf("%v, want %v", got, want)
	}
}

func abs(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

// TestWriteSamplePictures writes pictures for a person to inspect to the folder TILTH_CAPTCHA_OUT.
func TestWriteSamplePictures(t *testing.T) {
	folder := os.Getenv("TILTH_CAPTCHA_OUT")
	if folder == "" {
		t.Skip("TILTH_CAPTCHA_OUT is not set")
	}
	for seed := range uint64(12) {
		p, _, _ := seededPicture(t, seed)
		for name, file := range map[string][]byte{"background": p.Background, "strip": p.Strip} {
			if err := os.WriteFile(filepath.Join(folder, name+strconv.FormatUint(seed, 10)+".png"), file,
				0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}
