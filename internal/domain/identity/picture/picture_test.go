package picture_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tilth/internal/domain/identity/picture"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// mustSquare makes the square of a valid file.
func mustSquare(t *testing.T, file []byte, crop *picture.Crop) image.Image {
	t.Helper()
	out, err := picture.Square(file, crop)
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	img, err := jpeg.Decode(bytes.NewReader(out))
	if err != nil || img.Bounds() != image.Rect(0, 0, picture.Side, picture.Side) {
		t.Fatalf("the result is no square: %v", err)
	}
	return img
}

// hasQuarters tells whether the middles of the quarters have the wanted colours, up to the error of
// compression.
func hasQuarters(img image.Image, want quarters) bool {
	for i, w := range want {
		r, g, b, _ := img.At(64+i%2*128, 64+i/2*128).RGBA()
		for _, pair := range [][2]int{{int(r >> 8), int(w.R)}, {int(g >> 8), int(w.G)}, {int(b >> 8), int(w.B)}} {
			if d := pair[0] - pair[1]; d < -12 || d > 12 {
				return false
			}
		}
	}
	return true
}

func readTestdata(t testing.TB, name string) []byte {
	t.Helper()
	file, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

var fourColours = quarters{red, green, blue, white}

// Every format gives the same square; wide and tall pictures give their middle.
func TestSquare(t *testing.T) {
	wide := drawQuarters(120, 80, fourColours)
	clear := drawQuarters(80, 80, quarters{red, {}, {}, blue})
	deep := image.NewNRGBA64(wide.Bounds())
	paletted := image.NewPaletted(wide.Bounds(), color.Palette{red, green, blue, white})
	ink := image.NewCMYK(wide.Bounds())
	for y := range 80 {
		for x := range 120 {
			deep.Set(x, y, wide.At(x, y))
			paletted.Set(x, y, wide.At(x, y))
			ink.Set(x, y, wide.At(x, y))
		}
	}
	black, dark := color.RGBA{A: 0xFF}, color.RGBA{R: 128, G: 128, B: 128, A: 0xFF}
	lime := color.RGBA{G: 0xFF, A: 0xFF}
	for name, c := range map[string]struct {
		file []byte
		want quarters
	}{
		"jpeg":                {jpegFile(t, wide), fourColours},
		"jpeg, tall":          {jpegFile(t, drawQuarters(80, 120, fourColours)), fourColours},
		"jpeg, progressive":   {progressiveJPEG(1), quarters{dark, dark, dark, dark}},
		"jpeg, filled":        {bytes.Replace(jpegFile(t, wide), []byte{0xFF, 0xDB}, []byte{0xFF, 0xFF, 0xFF, 0xDB}, 1), fourColours},
		"png":                 {pngFile(t, wide), fourColours},
		"png, 16 bits":        {pngFile(t, deep), fourColours},
		"png, palette":        {pngFile(t, paletted), fourColours},
		"png, transparent":    {pngFile(t, clear), quarters{red, backdrop, backdrop, blue}},
		"png, one pixel":      {pngFile(t, drawQuarters(1, 1, quarters{red, red, red, red})), quarters{red, red, red, red}},
		"webp, lossless":      {webpFile(losslessWebP(100, 60, true)), quarters{black, lime, black, lime}},
		"webp, lossy":         {readTestdata(t, "lossy.webp"), quarters{red, white, white, blue}},
		"webp, lossy, alpha":  {readTestdata(t, "lossy-alpha.webp"), quarters{red, backdrop, backdrop, blue}},
		"webp, with metadata": {webpFile(vp8x(0x0C, 100, 60), losslessWebP(100, 60, true), riffChunk("XMP ", "<x:xmpmeta/>")), quarters{black, lime, black, lime}},
		"camera: padding":     {append(jpegFile(t, wide), 0, 0, 0), fourColours},
		"camera: gain map":    {append(jpegFile(t, wide), jpegFile(t, drawQuarters(8, 8, fourColours))...), fourColours},
		"camera: video":       {append(jpegFile(t, wide), "\x00\x00\x00\x18ftypmp42"...), fourColours},
		"camera: trailer":     {append(jpegFile(t, wide), "\x00\x00\x01\x0A\x0E\x00\x00\x00Image_UTC_DataSEFHSEFT"...), fourColours},
	} {
		t.Run(name, func(t *testing.T) {
			if img := mustSquare(t, c.file, nil); !hasQuarters(img, c.want) {
				t.Errorf("colours %v %v %v %v", img.At(64, 64), img.At(192, 64), img.At(64, 192), img.At(192, 192))
			}
		})
	}
}

// For every orientation of the camera the result is upright. The table has the stored quarters of
// an upright picture, as EXIF 2.3 draws them.
func TestOrientation(t *testing.T) {
	stored := map[int]quarters{
		1: {
			red,
			green,
			blue,
			white,
		},
		2: {green, red, white, blue},
		3: {white, blue, green, red},
		4: {blue, white, red, green},
		5: {
			red,
			blue,
			green,
			white,
		},
		6: {green, white, red, blue},
		7: {white, green, blue, red},
		8: {blue, red, white, green},
	}
	for o, q := range stored {
		for name, file := range map[string][]byte{
			"jpeg": withExif(jpegFile(t, drawQuarters(120, 80, q)), exifOrientation(o)),
			"jpeg, the other byte order": withExif(jpegFile(t, drawQuarters(120, 80, q)),
				exifTIFF(binary.LittleEndian, 0x0112, 3, 1, uint16(o))),
			"jpeg, with XMP": withSegment(withExif(jpegFile(t, drawQuarters(120, 80, q)), exifOrientation(o)), 0xE1, "http://ns.adobe.com/xap/1.0/\x00<x/>"),
			"png":            withChunk(pngFile(t, drawQuarters(120, 80, q)), "eXIf", string(exifOrientation(o))),
		} {
			if img := mustSquare(t, file, nil); !hasQuarters(img, fourColours) {
				t.Errorf("%s, %d: not upright", name, o)
			}
			// A crop refers to the upright picture: here its top right quarter.
			x := 60
			if o >= 5 {
				x = 40
			}
			if img := mustSquare(t, file, &picture.Crop{X: x + 5, Y: 2,
				Side: 30}); !hasQuarters(img, quarters{green, green, green, green}) {
				t.Errorf("%s, %d: the crop is at another place", name, o)
			}
		}
	}
	black, lime := color.RGBA{A: 0xFF}, color.RGBA{G: 0xFF, A: 0xFF}
	for name, exif := range map[string][]byte{"bare": exifOrientation(6), "with a prefix": append([]byte("Exif\x00\x00"), exifOrientation(6)...)} {
		file := webpFile(vp8x(0x08, 100, 60), losslessWebP(100, 60, true), riffChunk("EXIF", string(exif)))
		if img := mustSquare(t, file, nil); !hasQuarters(img, quarters{black, black, lime, lime}) {
			t.Errorf("webp, %s: not upright", name)
		}
	}
	// Invalid EXIF data has no effect.
	for name, tiff := range map[string][]byte{
		"empty": {}, "short": []byte("II*\x00"), "no TIFF": []byte("XX*\x00\x08\x00\x00\x00\x00\x00"), "too high": exifOrientation(9), "zero": exifOrientation(0),
		"another type": exifTIFF(binary.BigEndian, 0x0112, 4, 1, 6), "two of it": exifTIFF(binary.BigEndian, 0x0112, 3, 2, 6),
		"another tag": exifTIFF(binary.BigEndian, 0x0113, 3, 1, 6), "far away": []byte("II*\x00\xFF\xFF\xFF\xFF\x01\x00"),
		"cut off": exifOrientation(6)[:30], "many entries": []byte("MM\x00*\x00\x00\x00\x08\xFF\xFF"),
	} {
		if img := mustSquare(t, withExif(jpegFile(t, drawQuarters(120, 80, fourColours)), tiff),
			nil); !hasQuarters(img, fourColours) {
			t.Errorf("EXIF %s: the picture was turned", name)
		}
	}
}

func TestCrop(t *testing.T) {
	file := pngFile(t, drawQuarters(120, 80, fourColours))
	for _, c := range []picture.Crop{{0, 0, 80}, {40, 0, 80}, {0, 79, 1}, {119, 79, 1}} {
		mustSquare(t, file, &c)
	}
	for _, c := range []picture.Crop{
		{-1, 0, 10}, {0, -1, 10}, {0, 0, 0}, {0, 0, -5}, {0, 0, 81}, {41, 0, 80}, {0, 1, 80}, {120, 0, 1}, {0, 80, 1},
		{1 << 62, 0, 10}, {0, 0, 1 << 62}, {1 << 62, 1 << 62, 1 << 62}, {-1 << 62, 0, 1 << 62},
	} {
		if _, err := picture.Square(file, &c); !isRefusal(err, "avatar.crop") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func isRefusal(err error, key string) bool {
	return errs.Is(err, errs.Refused) && errs.As(err).Key == key && text.HasKey(key)
}

// refusedFiles maps the keys of refusals to files that are refused with them.
func refusedFiles(t testing.TB) map[string]map[string][]byte {
	good := drawQuarters(120, 80, fourColours)
	photo, graphic, web := jpegFile(t, good), pngFile(t, good), webpFile(losslessWebP(100, 60, true))
	scanned := []byte("\xFF\xDA\x00\x08\x01\x01\x00\x00\x3F\x00\xFF\xD9")
	return map[string]map[string][]byte{
		"avatar.format": {
			"empty":         {},
			"text":          []byte("hello"),
			"gif":           []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"),
			"svg":           []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`),
			"html":          []byte("<!DOCTYPE html><script>alert(1)</script>"),
			"bmp":           []byte("BM\x3A\x00\x00\x00"),
			"tiff":          []byte("II*\x00\x08\x00\x00\x00"),
			"wave":          []byte("RIFF\x04\x00\x00\x00WAVE"),
			"zip":           []byte("PK\x03\x04"),
			"blanks before": append([]byte(" "), graphic...),
			"heic":          []byte("\x00\x00\x00\x18ftypheic"),
			"pdf":           []byte("%PDF-1.7"),
			"two bytes":     photo[:2],
		},
		"avatar.animated": {
			"png":          withChunk(graphic, "acTL", "\x00\x00\x00\x02\x00\x00\x00\x00"),
			"png, a frame": withChunk(graphic, "fcTL", strings.Repeat("\x00", 26)),
			"webp": webpFile(vp8x(0x02, 100, 60), riffChunk("ANIM", "\x00\x00\x00\x00\x00\x00"),
				riffChunk("ANMF", strings.Repeat("\x00", 16))),
			"webp, without the flag": webpFile(losslessWebP(100, 60, true),
				riffChunk("ANMF", strings.Repeat("\x00", 16))),
		},
		"avatar.tooManyPixels": {
			"png":              pngHeader(50_000, 50_000, 8, 0),
			"png, as wide":     pngHeader(1<<30, 1<<30, 8, 0),
			"png, deep":        pngHeader(7_000, 6_000, 16, 0),
			"png, in passes":   pngHeader(6_000, 5_000, 16, 1),
			"jpeg":             slices.Concat(jpegFrame(0xC0, 65_500, 65_500, 0x22, 0x11, 0x11), scanned),
			"jpeg, passes":     slices.Concat(jpegFrame(0xC2, 6_000, 5_000, 0x11, 0x11, 0x11), scanned),
			"webp":             webpFile(losslessWebP(16_384, 16_384, false)),
			"webp, just above": webpFile(losslessWebP(6_325, 6_325, false)),
			"webp, by canvas":  webpFile(vp8x(0, 1<<14, 1<<14), losslessWebP(10, 10, false)),
		},
		"avatar.broken": {
			"jpeg cut":             photo[:len(photo)/2],
			"jpeg without end":     photo[:len(photo)-2],
			"jpeg, only the start": photo[:3],
			"jpeg without frame":   {0xFF, 0xD8, 0xFF, 0xD9},
			"jpeg, two frames": bytes.Join([][]byte{photo[:len(photo)-2], jpegFrame(0xC0, 8, 8, 0x11)[2:],
				{0xFF, 0xD9}}, nil),
			"jpeg, odd sampling":         slices.Concat(jpegFrame(0xC0, 8, 8, 0x01), scanned),
			"jpeg, no height":            slices.Concat(jpegFrame(0xC0, 8, 0, 0x11), scanned),
			"jpeg, thousands of scans":   progressiveJPEG(5000),
			"jpeg and html":              append(slices.Clone(photo), "<html><script>alert(1)</script>"...),
			"jpeg and zip":               append(slices.Clone(photo), "PK\x03\x04 archive"...),
			"jpeg and php in comment":    withSegment(photo, 0xFE, "<?php system($_GET[0]);"),
			"jpeg and script in EXIF":    withExif(photo, []byte("MM\x00*<sCRipt src=//evil>")),
			"jpeg, arithmetic":           bytes.Replace(photo, []byte{0xFF, 0xC0}, []byte{0xFF, 0xC9}, 1),
			"png cut":                    graphic[:len(graphic)-20],
			"png without end":            graphic[:len(graphic)-12],
			"png, header alone":          pngHeader(8, 8, 8, 0),
			"png, no header":             slices.Concat([]byte("\x89PNG\r\n\x1A\n"), chunk("IEND", "")),
			"png, no width":              pngHeader(0, 8, 8, 0),
			"png, two headers":           withChunk(graphic, "IHDR", string(graphic[16:29])),
			"png, wrong checksum":        bytes.Replace(graphic, []byte("IDAT"), []byte("IDAU"), 1),
			"png, chunk without end":     append(graphic[:33:33], "\xFF\xFF\xFF\xFFtEXt0000"...),
			"png and html":               append(slices.Clone(graphic), "<html>"...),
			"png and zip":                append(slices.Clone(graphic), "PK\x03\x04"...),
			"png, html inside":           withChunk(graphic, "tEXt", "Comment\x00<SCRIPT>alert(1)</script>"),
			"png, a page inside":         withChunk(graphic, "iTXt", "x\x00\x00\x00\x00\x00<!DocType html>"),
			"html behind the signature":  []byte("\x89PNG\r\n\x1A\n<html><script>alert(1)</script></html>"),
			"script behind three bytes":  []byte("\xFF\xD8\xFF<script>alert(1)</script>"),
			"webp cut":                   web[:len(web)-10],
			"webp and more":              append(slices.Clone(web), 0, 0),
			"webp, nothing in it":        webpFile(),
			"webp, header alone":         webpFile(vp8x(0, 10, 10)),
			"webp, chunk too long":       webpFile([]byte("VP8L\xFF\xFF\x00\x00/")),
			"webp, half a chunk":         webpFile(losslessWebP(10, 10, true), []byte("EXI")),
			"webp, canvas not as inside": webpFile(vp8x(0, 10, 10), losslessWebP(6_000, 6_000, false)),
			"webp lossy, cut":            webpFile(riffChunk("VP8 ", string(readTestdata(t, "lossy.webp")[500:520]))),
			"webp, script inside": webpFile(losslessWebP(100, 60, true),
				riffChunk("XMP ", "<script>alert(1)</script>")),
		},
		"avatar.tooLarge": {"6 MiB": append(slices.Clone(photo), make([]byte, 6<<20)...)},
	}
}

// Other files are refused with their reason. A refusal takes little memory, for any size that the
// file claims.
func TestRefusals(t *testing.T) {
	for key, files := range refusedFiles(t) {
		for name, file := range files {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := picture.Square(file, nil)
			runtime.ReadMemStats(&after)
			if !isRefusal(err, key) {
				t.Errorf("%s: %v, want %s", name, err, key)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 2<<20 {
				t.Errorf("%s allocated %d bytes", name, took)
			}
		}
	}
}

// A file that is cut anywhere, or has a byte changed, gives a picture or a refusal.
func TestDamagedFiles(t *testing.T) {
	good := drawQuarters(40, 30, fourColours)
	for name, file := range map[string][]byte{
		"jpeg": withExif(jpegFile(t, good), exifOrientation(6)), "png": pngFile(t, good), "webp": webpFile(losslessWebP(40, 30, true)), "lossy": readTestdata(t, "lossy.webp"),
	} {
		for at := range file {
			if _, err := picture.Square(file[:at], nil); !errs.Is(err, errs.Refused) {
				t.Errorf("%s cut at %d: %v", name, at, err)
			}
		}
		for at := 0; at < len(file); at += 23 {
			other := slices.Clone(file)
			other[at] ^= 0xFF
			if _, err := picture.Square(other, nil); err != nil && !errs.Is(err, errs.Refused) {
				t.Errorf("%s changed at %d: %v", name, at, err)
			}
		}
	}
}

// The result contains nothing but the pixels.
func TestMetadataIsRemoved(t *testing.T) {
	const place = "51.4779N somewhere"
	tiff := append(exifOrientation(6), place...)
	for name, file := range map[string][]byte{
		"exif":    withExif(jpegFile(t, drawQuarters(40, 30, fourColours)), tiff),
		"comment": withSegment(jpegFile(t, drawQuarters(40, 30, fourColours)), 0xFE, place),
		"png":     withChunk(withChunk(pngFile(t, drawQuarters(40, 30, fourColours)), "tEXt", "Location\x00"+place), "eXIf", string(tiff)),
		"webp":    webpFile(vp8x(0x0C, 100, 60), losslessWebP(100, 60, true), riffChunk("EXIF", string(tiff)), riffChunk("XMP ", place)),
		"profile": readTestdata(t, "lossy.webp"),
	} {
		out, err := picture.Square(file, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, trace := range []string{place, "Exif", "ICC_PROFILE", "acsp", "JFIF", "\xFF\xFE"} {
			if bytes.Contains(out, []byte(trace)) {
				t.Errorf("%s: the result contains %q", name, trace)
			}
		}
		if len(out) > 40_000 {
			t.Errorf("%s: %d bytes", name, len(out))
		}
	}
}

// The refusal names the largest number of pixels.
func TestTooManyPixelsNamesLimit(t *testing.T) {
	for limit, file := range map[string][]byte{"40": pngHeader(50_000, 50_000, 8, 0), "27": pngHeader(6_000, 5_000, 16, 1)} {
		_, err := picture.Square(file, nil)
		if got := fmt.Sprint(errs.As(err).Args["limit"]); got != limit {
			t.Errorf("%s, want %s (%v)", got, limit, err)
		}
	}
}

func FuzzSquare(f *testing.F) {
	good := drawQuarters(12, 8, fourColours)
	for _, file := range [][]byte{
		withExif(jpegFile(f, good), exifOrientation(6)), progressiveJPEG(2), pngFile(f, good),
		webpFile(losslessWebP(12, 8, true)),
		readTestdata(f, "lossy.webp"), readTestdata(f, "lossy-alpha.webp"),
	} {
		f.Add(file, 0, 0, 5)
	}
	f.Fuzz(func(t *testing.T, file []byte, x, y, side int) {
		for _, crop := range []*picture.Crop{nil, {X: x, Y: y, Side: side}} {
			out, err := picture.Square(file, crop)
			if err != nil && !errs.Is(err, errs.Refused) {
				t.Fatal(err)
			}
			if err == nil {
				if c, err := jpeg.DecodeConfig(bytes.NewReader(out)); err != nil || c.Width != picture.Side ||
					c.Height != picture.Side {
					t.Fatal(c, err)
				}
			}
		}
	})
}
