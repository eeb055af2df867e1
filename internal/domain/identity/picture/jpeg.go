package picture

import (
	"bytes"
	"encoding/binary"
	"image/jpeg"
)

// The markers of a JPEG file that matter here.
const (
	markerSOI  = 0xD8
	markerEOI  = 0xD9
	markerSOS  = 0xDA
	markerAPP1 = 0xE1
)

// maxScans limits the passes of a progressive picture. Cameras and programs make about ten;
// thousands of empty passes take hours to decode.
const maxScans = 64

func inspectJPEG(file []byte) (*fileInfo, error) {
	f := &fileInfo{orientation: asStored, decode: jpeg.Decode}
	scans, rest := 0, file[2:]
	for {
		marker, after := nextMarker(rest)
		if after == nil {
			return nil, broken()
		}
		rest = after
		switch {
		case marker == markerEOI:
			if f.width == 0 || scans == 0 || !isCameraTrailer(rest) {
				return nil, broken()
			}
			return f, nil
		case marker == 0x01 || marker >= 0xD0 && marker <= 0xD7:
			continue // these have no length and no body
		case marker == markerSOI || len(rest) < 2:
			return nil, broken()
		}
		length := int(binary.BigEndian.Uint16(rest))
		if length < 2 || length > len(rest) {
			return nil, broken()
		}
		body := rest[2:length]
		rest = rest[length:]
		switch {
		case isFrame(marker):
			if f.width != 0 || !f.readFrame(marker, body) {
				return nil, broken()
			}
		case marker == markerAPP1 && f.orientation == asStored:
			if tiff, ok := bytes.CutPrefix(body, []byte("Exif\x00\x00")); ok {
				f.orientation = orientationOf(tiff)
			}
		case marker == markerSOS:
			if scans++; scans > maxScans {
				return nil, broken()
			}
			rest = afterScan(rest)
		}
	}
}

// nextMarker gives the marker at the start of rest, and the bytes after it; nil if there is no
// marker.
func nextMarker(rest []byte) (marker byte, after []byte) {
	if len(rest) < 2 || rest[0] != 0xFF {
		return 0, nil
	}
	for len(rest) > 0 && rest[0] == 0xFF { // any number of fill bytes may precede the marker
		rest = rest[1:]
	}
	if len(rest) == 0 || rest[0] == 0 {
		return 0, nil
	}
	return rest[0], rest[1:]
}

// isFrame tells whether a marker begins a frame (SOF0 to SOF15).
func isFrame(marker byte) bool {
	return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
}

// readFrame reads the size of the picture and computes the memory for decoding: a byte per sample,
// and for a progressive picture four more for the coefficients.
func (f *fileInfo) readFrame(marker byte, body []byte) bool {
	if len(body) < 6 || len(body) != 6+3*int(body[5]) || body[5] == 0 || body[5] > 4 {
		return false
	}
	f.height, f.width = int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
	samples, h, v := 0, 0, 0
	for at := 6; at < len(body); at += 3 {
		hi, vi := int(body[at+1]>>4), int(body[at+1]&0x0F)
		if hi < 1 || hi > 4 || vi < 1 || vi > 4 {
			return false
		}
		samples, h, v = samples+hi*vi, max(h, hi), max(v, vi)
	}
	f.cost = (samples + h*v - 1) / (h * v)
	if marker != 0xC0 && marker != 0xC1 {
		f.cost = (5*samples + h*v - 1) / (h * v)
	}
	return f.width > 0
}

// afterScan gives the bytes after the compressed data of a scan.
func afterScan(rest []byte) []byte {
	for {
		at := bytes.IndexByte(rest, 0xFF)
		if at < 0 || at+1 >= len(rest) {
			return nil
		}
		next := rest[at+1]
		if next != 0 && next != 0xFF && (next < 0xD0 || next > 0xD7) {
			return rest[at:]
		}
		if next == 0xFF {
			rest = rest[at+1:]
		} else {
			rest = rest[at+2:]
		}
	}
}

// isCameraTrailer tells whether the bytes after the picture are what phones append to photos:
// padding, further pictures (a gain map, a preview), or the video of a motion photo. Any other
// bytes could be another file in disguise.
func isCameraTrailer(tail []byte) bool {
	padded := bytes.TrimLeft(tail, "\x00")
	return len(padded) == 0 || bytes.HasPrefix(padded, []byte("\xFF\xD8\xFF")) ||
		len(tail) >= 8 && string(tail[4:8]) == "ftyp" || bytes.HasSuffix(tail, []byte("SEFT"))
}
