package picture

import (
	"encoding/binary"
	"image"
)

// orientation is how the camera was held, as EXIF numbers it. It is the only metadata that matters
// here, so this package reads it without a library.
type orientation int

const (
	asStored   orientation = 1
	transposed orientation = 5 // from here on, width and height are swapped
)

// stored gives the position, in the stored picture of w by h pixels, of the pixel p of the upright
// picture.
func (o orientation) stored(p image.Point, w, h int) image.Point {
	right, bottom := w-1, h-1
	switch o {
	case 2:
		return image.Pt(right-p.X, p.Y)
	case 3:
		return image.Pt(right-p.X, bottom-p.Y)
	case 4:
		return image.Pt(p.X, bottom-p.Y)
	case 5:
		return image.Pt(p.Y, p.X)
	case 6:
		return image.Pt(p.Y, bottom-p.X)
	case 7:
		return image.Pt(right-p.Y, bottom-p.X)
	case 8:
		return image.Pt(right-p.Y, p.X)
	default:
		return p
	}
}

// The orientation's entry in a TIFF directory.
const (
	orientationTag = 0x0112
	shortType      = 3
	entryLen       = 12
)

// orientationOf reads the orientation from EXIF data, which is a TIFF file. It gives asStored for
// missing or invalid data: metadata is no reason to refuse a picture.
func orientationOf(tiff []byte) orientation {
	if len(tiff) < 8 {
		return asStored
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return asStored
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return asStored
	}
	entries, rest := int(order.Uint16(tiff[at:])), tiff[at+2:]
	for range entries {
		if len(rest) < entryLen {
			return asStored
		}
		if order.Uint16(rest) == orientationTag {
			o := orientation(order.Uint16(rest[8:]))
			if order.Uint16(rest[2:]) != shortType || order.Uint32(rest[4:]) != 1 || o < 1 || o > 8 {
				return asStored
			}
			return o
		}
		rest = rest[entryLen:]
	}
	return asStored
}
