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
	// embedTTL is how long the address of a snippet is good.
	embedTTL = time.Minute
	// embedPayloadSize are the bytes of an address that say what and until when:
	// tenant, device, end in epoch milliseconds.
	embedPayloadSize = 3 * 8
)

// embedPolicy keeps a snippet to itself: it may run scripts in a world of its
// own, from which it reaches neither the page around it nor what is kept for
// this server's pages, and opens, sends and leads away nothing.
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

// video is what a camera shows; in place of a snippet, the address at which it
// is served alone.
func (s *server) video(d *device.Device, p *device.Product) *wire.Video {
	v := d.Video(p)
	if v.Kind == device.VideoEmbed {
		v.Source = embedPath + s.signEmbed(device.Ref{Tenant: d.Tenant, ID: d.ID}, s.Now().Add(embedTTL))
	}
	return &wire.Video{Kind: string(v.Kind), Url: v.Source}
}

// signEmbed makes the name under which a device's snippet is served until end.
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

// verifyEmbed reads such a name; false for one that is forged or over.
func (s *server) verifyEmbed(name string) (device.Ref, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(name)
	if err != nil || len(raw) != embedPayloadSize+sha256.Size ||
		!hmac.Equal(raw[embedPayloadSize:], s.embedMAC(raw[:embedPayloadSize])) {
		return device.Ref{}, false
	}
	ref := device.Ref{Tenant: tenant.ID(binary.BigEndian.Uint64(raw)), ID: device.ID(binary.BigEndian.Uint64(raw[8:]))}
	return ref, s.Now().UnixMilli() < int64(binary.BigEndian.Uint64(raw[16:]))
}

// serveEmbed serves a camera's snippet to whoever has its address: a frame carries
// no token. Nothing but the snippet is on it.
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
		_, _ = w.Write([]byte(v)) // the client may be gone
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
