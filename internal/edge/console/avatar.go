package console

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/identity/picture"
	"tilth/internal/edge/console/wire"
	"tilth/internal/edge/httpbase"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
)

const (
	// a picture up to this size gets the refusal "too large"; the server does not read larger ones
	maxPictureRead = 8 << 20
	maxUploadBody  = maxPictureRead + 64<<10 // bytes of an upload's body: the picture and the form around it
	maxUploadParts = 16                      // of a form
	maxCropLength  = 64                      // characters of a crop
	avatarCache    = "private, max-age=31536000, immutable"
)

// UpdateAvatar makes an uploaded file the picture of the signed-in user and answers its address.
func (s *server) UpdateAvatar(
	ctx context.Context,
	r wire.UpdateAvatarRequestObject,
) (wire.UpdateAvatarResponseObject, error) {
	c := caller(ctx)
	leave, err := s.uploads.enter(ctx, c.Tenant, c.User)
	if err != nil {
		return nil, err
	}
	defer leave()
	file, crop, err := readUpload(r.Body)
	if err != nil {
		return nil, err
	}
	address, err := s.Avatars.Put(ctx, c.Tenant, c.User, file, crop)
	if err != nil {
		return nil, err
	}
	return wire.UpdateAvatar200JSONResponse{Code: success, Data: &address}, nil
}

// readUpload reads the one picture of a form, and the crop if there is one. It ignores the file
// names and content types that the form gives, and skips other parts.
func readUpload(form *multipart.Reader) (file []byte, crop *picture.Crop, err error) {
	for range maxUploadParts {
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) {
			if len(file) == 0 {
				return nil, nil, errs.New(errs.Refused, "invalid.required").WithField("avatarFile")
			}
			return file, crop, nil
		}
		if err != nil {
			return nil, nil, violationError(err)
		}
		switch part.FormName() {
		case "avatarFile":
			if file != nil {
				return nil, nil, errs.New(errs.Malformed, "error.400").WithField("avatarFile")
			}
			file, err = readPicture(part)
		case "crop":
			if crop != nil {
				return nil, nil, errs.New(errs.Malformed, "error.400").WithField("crop")
			}
			crop, err = readCrop(part)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, errs.New(errs.Malformed, "error.400")
}

// readPicture reads a file; it keeps no more bytes than a picture may have.
func readPicture(part io.Reader) ([]byte, error) {
	var file bytes.Buffer
	if _, err := io.Copy(&file, io.LimitReader(part, picture.MaxBytes)); err != nil {
		return nil, violationError(err)
	}
	more, err := io.Copy(io.Discard, part)
	switch {
	case err != nil:
		return nil, violationError(err)
	case more > maxPictureRead-picture.MaxBytes:
		return nil, errs.New(errs.TooLarge, "error.413")
	case more > 0:
		return nil, picture.TooLarge()
	}
	return file.Bytes(), nil
}

// readCrop reads a crop, x,y,side in pixels; nil if it is empty.
func readCrop(part io.Reader) (*picture.Crop, error) {
	text, err := io.ReadAll(io.LimitReader(part, maxCropLength+1))
	if err != nil {
		return nil, violationError(err)
	}
	if len(text) == 0 {
		return nil, nil //nolint:nilnil // no crop is no error
	}
	var numbers [3]int
	fields := strings.Split(string(text), ",")
	if len(text) > maxCropLength || len(fields) != len(numbers) {
		return nil, errs.New(errs.Refused, "invalid.format").WithField("crop")
	}
	for i, f := range fields {
		if numbers[i], err = strconv.Atoi(strings.TrimSpace(f)); err != nil {
			return nil, errs.New(errs.Refused, "invalid.format").WithField("crop")
		}
	}
	return &picture.Crop{X: numbers[0], Y: numbers[1], Side: numbers[2]}, nil
}

// serveAvatar serves a user's picture to every caller that knows its address. An image on a page
// carries no token, and nobody can guess the address. Only the browser caches the picture, no proxy
// does, so that a picture that was replaced is gone.
func (s *server) serveAvatar(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if wait := s.pictures.Allow(limit.Client.Of(requestFrom(r.Context()).Address), limit.One).Retry; wait > 0 {
		httpbase.SetRetryAfter(h, wait)
		writePlain(w, http.StatusTooManyRequests, "too many requests")
		return
	}
	file, err := s.Avatars.Picture(r.Context(), r.URL.Path)
	if err != nil {
		s.writeFileError(w, r, "picture not read", err)
		return
	}
	h.Set("Content-Type", picture.ContentType)
	h.Set("Cache-Control", avatarCache)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Length", strconv.Itoa(len(file)))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodGet {
		_, _ = w.Write(file) // the client may be gone
	}
}

// avatarPath is the route that serveAvatar serves.
const avatarPath = "GET " + identity.AvatarPrefix
