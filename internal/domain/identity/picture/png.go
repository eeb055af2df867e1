package picture

import (
	"encoding/binary"
	"image/png"
)

const pngSignature = "\x89PNG\r\n\x1A\n"

func inspectPNG(file []byte) (*fileInfo, error) {
	f := &fileInfo{orientation: asStored, decode: png.Decode}
	for rest := file[len(pngSignature):]; ; {
		if len(rest) < 12 {
			return nil, broken()
		}
		length, kind := int64(binary.BigEndian.Uint32(rest)), string(rest[4:8])
		if length > int64(len(rest)-12) || (kind == "IHDR") != (f.width == 0) {
			return nil, broken()
		}
		body := rest[8 : 8+length]
		rest = rest[12+length:]
		switch kind {
		case "IHDR":
			if !f.readHeader(body) {
				return nil, broken()
			}
		case "acTL", "fcTL", "fdAT":
			return nil, animated()
		case "eXIf":
			f.orientation = orientationOf(body)
		case "IEND":
			if len(rest) > 0 {
				return nil, broken() // another file in disguise
			}
			return f, nil
		}
	}
}

// readHeader reads the size of the picture and computes the memory for decoding: four bytes per
// pixel, eight with 16 bits per sample, and half as much again if it is interlaced.
func (f *fileInfo) readHeader(body []byte) bool {
	if len(body) != 13 {
		return false
	}
	w, h := binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:])
	if w == 0 || h == 0 || w > 1<<30 || h > 1<<30 {
		return false
	}
	f.width, f.height, f.cost = int(w), int(h), 4
	if body[8] == 16 {
		f.cost = 8
	}
	if body[12] != 0 {
		f.cost += f.cost / 2
	}
	return true
}
