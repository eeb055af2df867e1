package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"

	"golang.org/x/image/webp"
)

// webpCost is the memory for decoding, in bytes per pixel: a lossy picture with transparency needs
// two pictures at once.
const webpCost = 8

func inspectWebP(file []byte) (*fileInfo, error) {
	f := &fileInfo{orientation: asStored, cost: webpCost, decode: decodeWebP}
	// The size in the header is even, or one padding byte follows.
	size := int64(binary.LittleEndian.Uint32(file[4:])) + 8
	if size+size&1 != int64(len(file)) {
		return nil, broken()
	}
	for rest := file[12:]; len(rest) > 0; {
		if len(rest) < 8 {
			return nil, broken()
		}
		length, kind := int64(binary.LittleEndian.Uint32(rest[4:])), string(rest[:4])
		rest = rest[8:]
		if length+length&1 > int64(len(rest)) {
			return nil, broken()
		}
		body := rest[:length]
		rest = rest[length+length&1:]
		switch kind {
		case "ANIM", "ANMF":
			return nil, animated()
		case "EXIF":
			f.orientation = orientationOf(bytes.TrimPrefix(body, []byte("Exif\x00\x00")))
		}
	}
	config, err := webp.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, broken().WithCause(err)
	}
	f.width, f.height = config.Width, config.Height
	return f, nil
}

// decodeWebP decodes a WebP picture. The lossy form stores brightness from 16 to 235 and colour
// from 16 to 240, as television does. The library returns these values as if they ranged from 0 to
// 255, which would make white grey; decodeWebP expands them.
func decodeWebP(r io.Reader) (image.Image, error) {
	img, err := webp.Decode(r)
	switch img := img.(type) {
	case *image.YCbCr:
		expandRange(img)
	case *image.NYCbCrA:
		expandRange(&img.YCbCr)
	}
	return img, err
}

func expandRange(img *image.YCbCr) {
	var brightness, colour [256]byte
	for v := range 256 {
		brightness[v] = byte(min(max(((v-16)*255+109)/219, 0), 255))
		colour[v] = byte(min(max((v*255-128*255+128*224+112)/224, 0), 255))
	}
	for i, v := range img.Y {
		img.Y[i] = brightness[v]
	}
	for i, v := range img.Cb {
		img.Cb[i] = colour[v]
	}
	for i, v := range img.Cr {
		img.Cr[i] = colour[v]
	}
}
