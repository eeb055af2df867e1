package console

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"strconv"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
)

const (
	embedPath = "/embed/"
	// embedTTL is how long the address of a snippet is valid.
	embedTTL = time.Minute
	// embedPayloadSize is the length of the signed part of an address: tenant, device and end in
	// epoch milliseconds.
	embedPayloadSize = 3 * 8
)

// embedPolicy isolates a snippet: it may run scripts in an origin of its own. From there it can
// reach neither the page around it nor the data that the browser stores for this server's pages,
// and it can open no window, send no form and navigate nowhere.
const embedPolicy = "sandbox allow-scripts"

// GetDeviceVideo answers what a camera shows.
func (s *server) GetDeviceVideo(
	ctx context.Context,
	r wire.GetDeviceVideoRequestObject,
) (wire.GetDeviceVideoResponseObject, error) {
	d, p, err := s.deviceByName(ctx, r.Params.DeviceName)
	if err != nil {
		return nil, err
	}
	return wire.GetDeviceVideo200JSONResponse{Code: success, Data: s.video(d, p)}, nil
}

// video returns what a camera shows; instead of a snippet, it returns the address of a page that
// holds the snippet alone.
func (s *server) video(d *device.Device, p *device.Product) *wire.Video {
	v := d.Video(p)
	if v.Kind == device.VideoEmbed {
		v.Source = embedPath + s.signEmbed(device.Ref{Tenant: d.Tenant, ID: d.ID}, s.Now().Add(embedTTL))
	}
	return &wire.Video{Kind: string(v.Kind), Url: v.Source}
}

// signEmbed returns the name under which a device's snippet is served until end.
func (s *server) signEmbed(ref device.Ref, end time.Time) string {
	payload := make([]byte, 0, embedPayloadSize+sha256.Size)
	payload = binary.BigEndian.AppendUint64(payload, uint64(ref.Tenant))
	payload = binary.BigEndian.AppendUint64(payload, uint64(ref.ID))
	payload = binary.BigEndian.AppendUint64(payload, uint64(end.UnixMilli()))
	return base64.RawURLEncoding.EncodeToString(append(payload, s.embedMAC(payload)...))
}

func (s *server) embedMAC(payload []byte) []byte {
	mac := hmac.New(sha256.New, s.EmbedKey)
	mac.Write(payload)
	return mac.Sum(nil)
}

// verifyEmbed reads such a name; it returns false if the name is forged or has expired.
func (s *server) verifyEmbed(name string) (device.Ref, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(name)
	if err != nil || len(raw) != embedPayloadSize+sha256.Size ||
		!hmac.Equal(raw[embedPayloadSize:], s.embedMAC(raw[:embedPayloadSize])) {
		return device.Ref{}, false
	}
	ref := device.Ref{Tenant: tenant.ID(binary.BigEndian.Uint64(raw)), ID: device.ID(binary.BigEndian.Uint64(raw[8:]))}
	return ref, s.Now().UnixMilli() < int64(binary.BigEndian.Uint64(raw[16:]))
}

// serveEmbed serves a camera's snippet to every caller that has its address, because a frame
// carries no token. The page holds nothing but the snippet.
func (s *server) serveEmbed(w http.ResponseWriter, r *http.Request) {
	v, err := s.snippet(r.Context(), r.PathValue("signed"))
	if err != nil {
		s.writeFileError(w, r, "video not read", err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", embedPolicy)
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(v)))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodGet {
		_, _ = w.Write([]byte(v)) // the client may have gone
	}
}

func (s *server) snippet(ctx context.Context, signed string) (string, error) {
	ref, ok := s.verifyEmbed(signed)
	if !ok {
		return "", errs.Missing()
	}
	d, err := s.Devices.ByID(ctx, ref.Tenant, ref.ID)
	if err != nil {
		return "", err
	}
	v := d.Video(s.Catalog.Product(d.ProductID))
	if v.Kind != device.VideoEmbed {
		return "", errs.Missing() // it was changed meanwhile
	}
	return v.Source, nil
}
