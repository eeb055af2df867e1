package picture_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"
)

// The colours of a test picture's quarters.
var (
	red      = color.RGBA{R: 0xC0, A: 0xFF}
	green    = color.RGBA{G: 0xA0, A: 0xFF}
	blue     = color.RGBA{B: 0xC0, A: 0xFF}
	white    = color.RGBA{R: 0xFF, G: 0xFF, B: 0xFF, A: 0xFF}
	backdrop = color.RGBA{R: 0xF6, G: 0xF5, B: 0xF0, A: 0xFF}
)

// quarters holds the colours of a picture: top left, top right, bottom left, bottom right.
type quarters [4]color.RGBA

func drawQuarters(w, h int, q quarters) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, q[y*2/h*2+x*2/w])
		}
	}
	return img
}

func jpegFile(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngFile(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// exifTIFF makes EXIF data with one entry.
func exifTIFF(order binary.AppendByteOrder, tag, kind uint16, count uint32, value uint16) []byte {
	b := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	b = order.AppendUint16(b, 0x010F) // the camera's maker, which the reader skips
	b = order.AppendUint16(b, 2)
	b = order.AppendUint32(b, 4)
	b = append(b, "abc\x00"...)
	b = order.AppendUint16(b, tag)
	b = order.AppendUint16(b, kind)
	b = order.AppendUint32(b, count)
	b = order.AppendUint16(b, value)
	return append(b, 0, 0, 0, 0, 0, 0)
}

func exifOrientation(o int) []byte { return exifTIFF(binary.BigEndian, 0x0112, 3, 1, uint16(o)) }

// segment makes a segment of a JPEG file; withSegment inserts one after the start of a file.
func segment(marker byte, body string) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0xFF, marker}, uint16(len(body)+2))
	return append(b, body...)
}

func withSegment(file []byte, marker byte, body string) []byte {
	return bytes.Join([][]byte{file[:2], segment(marker, body), file[2:]}, nil)
}

func withExif(file, tiff []byte) []byte {
	return withSegment(file, 0xE1, "Exif\x00\x00"+string(tiff))
}

// chunk makes a chunk of a PNG file; withChunk inserts one after the header of a file.
func chunk(kind, body string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b = append(b, kind+body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE([]byte(kind+body)))
}

func withChunk(file []byte, kind, body string) []byte {
	return bytes.Join([][]byte{file[:33], chunk(kind, body), file[33:]}, nil)
}

// pngHeader makes a PNG file without pixels.
func pngHeader(w, h uint32, depth, passes byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, w)
	b = binary.BigEndian.AppendUint32(b, h)
	b = append(b, depth, 6, 0, 0, passes)
	return bytes.Join([][]byte{[]byte("\x89PNG\r\n\x1A\n"), chunk("IHDR", string(b)), chunk("IEND", "")}, nil)
}

// webpFile makes a WebP file of the given chunks.
func webpFile(chunks ...[]byte) []byte {
	body := append([]byte("WEBP"), bytes.Join(chunks, nil)...)
	b := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body)))
	return append(b, body...)
}

func riffChunk(kind, body string) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(body)))
	b = append(b, body...)
	if len(body)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

// vp8x makes the header of a WebP file that contains more than a picture.
func vp8x(flags byte, w, h int) []byte {
	return riffChunk("VP8X", string([]byte{
		flags,
		0,
		0,
		0,
		byte(w - 1),
		byte((w - 1) >> 8),
		byte((w - 1) >> 16),
		byte(h - 1),
		byte((h - 1) >> 8),
		byte((h - 1) >> 16),
	}))
}

// bitWriter writes the least significant bits first, as WebP's lossless form does.
type bitWriter struct {
	out []byte
	n   uint
}

func (b *bitWriter) put(value uint32, count uint) {
	for i := range count {
		if b.n%8 == 0 {
			b.out = append(b.out, 0)
		}
		b.out[b.n/8] |= byte(value>>i&1) << (b.n % 8)
		b.n++
	}
}

// losslessWebP makes a lossless WebP picture: green is 0 in its left half and 255 in its right
// half, and all else is 0. Only green takes any bits, so a picture without halves is a few bytes
// long at any size.
func losslessWebP(w, h int, halves bool) []byte {
	var b bitWriter
	b.put(0x2F, 8)
	b.put(uint32(w-1), 14)
	b.put(uint32(h-1), 14)
	b.put(0, 1+3) // no transparency, version 0
	b.put(0, 3)   // no transform, no colour cache, one group of codes
	singleSymbol := func(symbol uint32) { b.put(1, 1); b.put(0, 1); b.put(1, 1); b.put(symbol, 8) }
	if halves {
		b.put(1, 1) // a simple code
		b.put(1, 1) // of two symbols
		b.put(1, 1)
		b.put(0, 8)
		b.put(255, 8)
	} else {
		singleSymbol(0)
	}
	singleSymbol(0)   // red
	singleSymbol(0)   // blue
	singleSymbol(255) // opaque
	singleSymbol(0)   // distances
	if halves {
		for range h {
			for x := range w {
				b.put(uint32(x*2/w), 1)
			}
		}
	}
	return riffChunk("VP8L", string(b.out))
}

// jpegFrame makes a JPEG file up to the frame, with its size and one sampling per component.
func jpegFrame(marker byte, w, h uint16, sampling ...byte) []byte {
	body := []byte{8, byte(h >> 8), byte(h), byte(w >> 8), byte(w), byte(len(sampling))}
	for i, s := range sampling {
		body = append(body, byte(i+1), s, 0)
	}
	return append([]byte{0xFF, 0xD8}, segment(marker, string(body))...)
}

// progressiveJPEG makes a grey picture of 8 by 8 pixels with the given number of passes.
func progressiveJPEG(scans int) []byte {
	b := jpegFrame(0xC2, 8, 8, 0x11)
	b = append(b, segment(0xDB, "\x00"+string(bytes.Repeat([]byte{1}, 64)))...)
	b = append(b, segment(0xC4, "\x00\x01"+string(make([]byte, 15))+"\x00")...)
	for i := range scans {
		approximation := "\x00"
		if i > 0 {
			approximation = "\x10" // a refinement by one bit
		}
		b = append(b, segment(0xDA, "\x01\x01\x00\x00\x00"+approximation)...)
		b = append(b, 0x7F)
	}
	return append(b, 0xFF, 0xD9)
}
