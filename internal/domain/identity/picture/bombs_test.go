package picture_test

import (
	"bytes"
	"compress/zlib"
	"image"
	"image/color"
	"image/gif"
	"runtime"
	"slices"
	"testing"

	"tilth/internal/domain/identity/picture"
)

// deflatedZeros compresses zeros with zlib, to about a thousandth of their number.
func deflatedZeros(t *testing.T, zeros int) string {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	piece := make([]byte, 1<<20)
	for range zeros >> 20 {
		if _, err := w.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// pngWithData makes a PNG file of the given size with the given pixel data.
func pngWithData(w, h uint32, pixels string) []byte {
	file := pngHeader(w, h, 8, 0)
	return slices.Concat(file[:33], chunk("IDAT", pixels), file[33:])
}

// endlessGIF makes an animation that repeats for ever.
func endlessGIF(t *testing.T) []byte {
	t.Helper()
	g := gif.GIF{LoopCount: 0}
	for range 500 {
		g.Image = append(g.Image, image.NewPaletted(image.Rect(0, 0, 8, 8), color.Palette{red, blue}))
		g.Delay = append(g.Delay, 0)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Small files that decompress to much cost no more than a picture of their size: nothing but pixels
// is decompressed.
func TestPictureBombs(t *testing.T) {
	const much = 64 << 20
	zeros := deflatedZeros(t, much)
	good := pngFile(t, drawQuarters(120, 80, fourColours))
	for name, c := range map[string]struct {
		file []byte
		key  string // of the refusal; empty: it is a picture
	}{
		"50,000 by 50,000, with pixels":         {pngWithData(50_000, 50_000, zeros), "avatar.tooManyPixels"},
		"as many pixels, in one row":            {pngWithData(1<<30, 1, zeros), "avatar.tooManyPixels"},
		"more pixels than its size":             {pngWithData(100, 100, zeros), "avatar.broken"},
		"fewer pixels than its size":            {pngWithData(100, 100, deflatedZeros(t, 0)), "avatar.broken"},
		"a large compressed profile":            {withChunk(good, "iCCP", "x\x00\x00"+zeros), ""},
		"a large compressed text":               {withChunk(good, "zTXt", "x\x00\x00"+zeros), ""},
		"a large compressed international text": {withChunk(good, "iTXt", "x\x00\x01\x00\x00\x00"+zeros), ""},
		"an endless animation":                  {endlessGIF(t), "avatar.format"},
		"a zip file":                            {append([]byte("PK\x03\x04\x14\x00\x00\x00\x08\x00"), zeros...), "avatar.format"},
		"an SVG that names itself a thousand times": {
			[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><g id="a"/><g id="b"><use href="#a"/><use href="#a"/></g><script>alert(1)</script></svg>`), "avatar.format",
		},
		"XML with nested entities": {[]byte(`<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg>&b;</svg>`), "avatar.format"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		out, err := picture.Square(c.file, nil)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
			t.Errorf("%s of %d bytes allocated %d bytes", name, len(c.file), took)
		}
		if c.key == "" && (err != nil || len(out) > 40_000) || c.key != "" && !isRefusal(err, c.key) {
			t.Errorf("%s: %d bytes, %v", name, len(out), err)
		}
	}
}

// A file that is a picture and also something else for another program is refused, or gives a
// picture and nothing else.
func TestPolyglots(t *testing.T) {
	photo, graphic := jpegFile(t, drawQuarters(40, 30, fourColours)), pngFile(t, drawQuarters(40, 30, fourColours))
	for name, file := range map[string][]byte{
		"JPEG and JavaScript": withSegment(photo, 0xFE, "*/=alert(document.domain)/*"),
		"JPEG and PDF":        withSegment(photo, 0xFE, "%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>"),
		"JPEG and a shell":    withSegment(photo, 0xFE, "\n#!/bin/sh\nid\n"),
		"JPEG and SVG":        withSegment(photo, 0xFE, `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`),
		"JPEG and a jar":      append(slices.Clone(photo), "PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"...),
		"PNG and JavaScript":  withChunk(graphic, "tEXt", "Comment\x00*/=alert(document.domain)/*"),
		"PNG and SVG":         withChunk(graphic, "tEXt", `Comment`+"\x00"+`<svg onload="alert(1)"/>`),
		"PNG and PDF":         withChunk(graphic, "tEXt", "Comment\x00%PDF-1.7 /JavaScript"),
		"GIF and JavaScript":  []byte("GIF89a/*\x00\x00*/=1;alert(1)"),
	} {
		out, err := picture.Square(file, nil)
		if err != nil {
			if !isRefusal(err, "avatar.broken") && !isRefusal(err, "avatar.format") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		for _, trace := range []string{"alert", "PDF", "JavaScript", "svg", "/bin/sh", "PK\x05\x06", "*/"} {
			if bytes.Contains(out, []byte(trace)) {
				t.Errorf("%s: the result contains %q", name, trace)
			}
		}
		if !bytes.HasPrefix(out, []byte("\xFF\xD8\xFF")) || !bytes.HasSuffix(out, []byte("\xFF\xD9")) {
			t.Errorf("%s: the result is no JPEG", name)
		}
	}
}
