// Package picture turns an uploaded picture file into a small square JPEG for pages. It detects the
// format from the file's content, and takes over nothing but the pixels.
package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"strconv"

	"golang.org/x/image/draw"

	"tilth/internal/platform/errs"
)

const (
	// MaxBytes limits the size of an uploaded file.
	MaxBytes = 5 << 20
	// Side is the width and height of the resulting picture, in pixels.
	Side = 256

	maxPixels = 40_000_000
	maxMemory = 320 << 20 // bytes that decoding one picture may take
	quality   = 90
)

// ContentType is the type of every resulting picture.
const ContentType = "image/jpeg"

// backdrop is the colour behind transparent pictures, in both themes.
var backdrop = color.RGBA{R: 0xF6, G: 0xF5, B: 0xF0, A: 0xFF}

// Crop is a square of the upright picture, in its pixels.
type Crop struct{ X, Y, Side int }

// Square makes a picture of Side by Side pixels from a JPEG, PNG or WebP file: from the crop, or
// from the largest centred square if crop is nil. Its errors are Refused and say what is wrong with
// the file. It checks the memory that decoding takes before it decodes any pixel.
func Square(file []byte, crop *Crop) ([]byte, error) {
	if len(file) > MaxBytes {
		return nil, TooLarge()
	}
	f, err := inspect(file)
	if err != nil {
		return nil, err
	}
	if err := f.checkCost(); err != nil {
		return nil, err
	}
	rect, err := f.rect(crop)
	if err != nil {
		return nil, err
	}
	img, err := f.decode(bytes.NewReader(file))
	if err != nil {
		return nil, broken().WithCause(err)
	}
	if b := img.Bounds(); b.Dx() != f.width || b.Dy() != f.height {
		return nil, broken()
	}
	var out bytes.Buffer
	square := upright(shrink(img, rect.Add(img.Bounds().Min)), f.orientation)
	err = jpeg.Encode(&out, square, &jpeg.Options{Quality: quality})
	return out.Bytes(), err
}

// TooLarge is the refusal of a file of more than MaxBytes.
func TooLarge() *errs.Error {
	return errs.New(errs.Refused, "avatar.tooLarge", "limit", strconv.Itoa(MaxBytes>>20))
}

func unsupportedFormat() *errs.Error { return errs.New(errs.Refused, "avatar.format") }
func animated() *errs.Error          { return errs.New(errs.Refused, "avatar.animated") }
func broken() *errs.Error            { return errs.New(errs.Refused, "avatar.broken") }

// checkCost refuses a picture that would take too much memory to decode.
func (f *fileInfo) checkCost() error {
	if f.width < 1 || f.height < 1 {
		return broken()
	}
	limit := min(maxPixels, maxMemory/f.cost)
	if f.width > limit/f.height {
		return errs.New(errs.Refused, "avatar.tooManyPixels", "limit", strconv.Itoa(limit/1_000_000))
	}
	return nil
}

// rect gives the part of the stored picture for crop, or for the largest centred square if crop is
// nil.
func (f *fileInfo) rect(crop *Crop) (image.Rectangle, error) {
	w, h := f.width, f.height
	if f.orientation >= transposed {
		w, h = h, w
	}
	if crop == nil {
		side := min(w, h)
		crop = &Crop{X: (w - side) / 2, Y: (h - side) / 2, Side: side}
	}
	if crop.X < 0 || crop.Y < 0 || crop.Side < 1 || crop.X > w-crop.Side || crop.Y > h-crop.Side {
		return image.Rectangle{}, errs.New(errs.Refused, "avatar.crop")
	}
	from := f.orientation.stored(image.Pt(crop.X, crop.Y), f.width, f.height)
	to := f.orientation.stored(image.Pt(crop.X+crop.Side-1, crop.Y+crop.Side-1), f.width, f.height)
	return image.Rect(min(from.X, to.X), min(from.Y, to.Y), max(from.X, to.X)+1, max(from.Y, to.Y)+1), nil
}

// shrink scales a part of a picture to Side by Side pixels.
func shrink(img image.Image, part image.Rectangle) *image.RGBA {
	small := image.NewRGBA(image.Rect(0, 0, Side, Side))
	draw.Draw(small, small.Bounds(), image.NewUniform(backdrop), image.Point{}, draw.Src)
	draw.CatmullRom.Scale(small, small.Bounds(), img, part, draw.Over, nil)
	return small
}

// upright turns the small square upright, given how the camera was held.
func upright(small *image.RGBA, o orientation) *image.RGBA {
	if o == asStored {
		return small
	}
	turned := image.NewRGBA(small.Bounds())
	for y := range Side {
		for x := range Side {
			p := o.stored(image.Pt(x, y), Side, Side)
			turned.SetRGBA(x, y, small.RGBAAt(p.X, p.Y))
		}
	}
	return turned
}
