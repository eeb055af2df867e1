package ingest

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/httpbase"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
)

var eui = regexp.MustCompile(`^[0-9A-Fa-f]{16}$`)

// credentials tell for whose devices a network server may report.
type credentials interface {
	Authenticate(ctx context.Context, appKey, appSecret string) (identity.APICaller, error)
	Find(ctx context.Context, appKey, appSecret string) (identity.APICaller, error)
}

// serials find a tenant's devices by their serials.
type serials interface {
	BySerial(ctx context.Context, t tenant.ID, serials []string) ([]device.ID, error)
	// HadSerial tells whether a former box of a device had one of the serials.
	HadSerial(ctx context.Context, t tenant.ID, id device.ID, serials []string) (bool, error)
}

// lorawan handles the messages of LoRaWAN network servers.
type lorawan struct {
	*httpEdge
	credentials credentials
	serials     serials
}

// NewLoRaWAN makes the handler of /api/v1/integrations/: POST chirpstack and POST thethingsstack
// take the uplinks of those servers, with a decoded payload, for devices of the tenant that the API
// credential (HTTP Basic) belongs to. The device is the one whose name, or else whose serial, is
// the DevEUI, or else whose name is the name at the network server. It answers 200 only after the
// commit.
func NewLoRaWAN(p *Pipeline, c credentials, s serials) http.Handler {
	h := &lorawan{httpEdge: &httpEdge{pipeline: p, opts: p.opts}, credentials: c, serials: s}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/integrations/chirpstack", func(w http.ResponseWriter, r *http.Request) {
		event := r.URL.Query().Get("event")
		h.handle(w, r, func(body []byte) (*uplink, error) { return chirpStack(event, body) })
	})
	mux.HandleFunc("POST /api/v1/integrations/thethingsstack", func(w http.ResponseWriter, r *http.Request) {
		h.handle(w, r, thingsStack)
	})
	return mux
}

func (h *lorawan) handle(w http.ResponseWriter, r *http.Request, read func([]byte) (*uplink, error)) {
	owner, ok := h.signIn(w, r)
	if !ok {
		return
	}
	if h.refuseShortOfMemory(w) {
		return
	}
	from := httpbase.Sender{Tenant: int64(owner)}
	body, release, err := h.read(w, r, from, h.opts.MaxMessage)
	defer release()
	if err != nil {
		answerReadError(w, err) // the body names the device, so the error counts for no device
		return
	}
	if h.refuseShortOfMemory(w) || !h.signInAgain(w, r) {
		return
	}
	var u *uplink
	err = h.opts.Bodies.Decode(r.Context(), from, body, func() (err error) {
		if u, err = read(bytes.TrimPrefix(body, byteOrderMark)); err != nil {
			return err
		}
		if _, ok := readableJSON(body); !ok { // Unmarshal replaces what is not UTF-8
			err = errUnreadable
		}
		return err
	})
	if errors.Is(err, httpbase.ErrBodiesFull) || r.Context().Err() != nil {
		answerReadError(w, err)
		return
	}
	if errors.Is(err, errNoUplink) {
		answerEmpty(w)
		return
	}
	if err != nil {
		writeJSON(w, http.StatusBadRequest, problem{Code: "refused", Reason: device.ReasonUnreadable})
		return
	}
	e, err := h.find(r.Context(), owner, u)
	switch {
	case err != nil:
		answerRetry(w, http.StatusServiceUnavailable, "unavailable", retrySeconds*time.Second)
		return
	case e == nil:
		writeJSON(w, http.StatusNotFound, problem{Code: "refused", Reason: device.ReasonNotYours, Identifier: u.eui})
		return
	case e.Disabled:
		writeJSON(w, http.StatusForbidden, problem{Code: "refused", Reason: device.ReasonDisabled, Identifier: e.Name})
		return
	}
	if wait := h.pipeline.gate.admit(e); wait > 0 {
		answerRetry(w, http.StatusTooManyRequests, "tooMany", wait)
		return
	}
	m := h.message(e, Uplink, body)
	m.uplink = u
	h.commit(w, r, m, answerEmpty)
}

// signIn returns the tenant whose devices the request may report for, or answers with an error.
// Failures count for an address together with those of devices.
func (h *lorawan) signIn(w http.ResponseWriter, r *http.Request) (tenant.ID, bool) {
	gate, from := h.pipeline.gate, networkOf(h.opts.ClientAddr(r))
	program, err := h.check(r, from)
	if err == nil {
		if program.Check(identity.Operator, identity.ScopeTelemetry) != nil {
			writeJSON(w, http.StatusForbidden, problem{Code: "forbidden"})
			return 0, false
		}
		return program.Tenant, true
	}
	if !errs.Is(err, errs.Unauthenticated) {
		answerRetry(w, http.StatusServiceUnavailable, "unavailable", retrySeconds*time.Second)
		return 0, false
	}
	if limited := (limitedError{}); errors.As(gate.noteFailure(from), &limited) {
		answerRetry(w, http.StatusTooManyRequests, "tooMany", limited.retry)
		return 0, false
	}
	w.Header().Set("WWW-Authenticate", `Basic realm="Tilth", charset="UTF-8"`)
	answerUnauthorized(w)
	return 0, false
}

// signInAgain tells whether the credential still allows to report once the body has arrived, which
// may be long after the headers; or answers that it does not.
func (h *lorawan) signInAgain(w http.ResponseWriter, r *http.Request) bool {
	key, secret, _ := r.BasicAuth()
	program, err := h.credentials.Find(r.Context(), key, secret)
	switch {
	case errs.Is(err, errs.Unauthenticated):
		answerUnauthorized(w)
	case err != nil:
		answerRetry(w, http.StatusServiceUnavailable, "unavailable", retrySeconds*time.Second)
	case program.Check(identity.Operator, identity.ScopeTelemetry) != nil:
		writeJSON(w, http.StatusForbidden, problem{Code: "forbidden"})
	default:
		return true
	}
	return false
}

// check authenticates a request's credential, which takes a database query.
func (h *lorawan) check(r *http.Request, from limit.Network) (identity.APICaller, error) {
	done, err := h.pipeline.gate.failures.Enter(r.Context(), from)
	if err != nil {
		return identity.APICaller{}, err
	}
	defer done()
	key, secret, _ := r.BasicAuth()
	return h.credentials.Authenticate(r.Context(), key, secret)
}

// find returns the tenant's device of an uplink; nil if there is none. A serial of several devices
// matches none of them, and the DevEUI of a box that was swapped matches no device, under no name.
func (h *lorawan) find(ctx context.Context, t tenant.ID, u *uplink) (*device.Entry, error) {
	upper, lower := strings.ToUpper(u.eui), strings.ToLower(u.eui)
	if eui.MatchString(u.eui) {
		for _, name := range []string{upper, lower} {
			// That of a device which was swapped is its first box's.
			if e := h.opts.Registry.Find(t, name); e != nil && e.BoxSince() == 0 {
				return e, nil
			}
		}
		found, err := h.serials.BySerial(ctx, t, []string{upper, lower})
		if err != nil {
			return nil, err
		}
		if len(found) == 1 {
			return h.opts.Registry.Get(found[0]), nil
		}
	}
	e := h.opts.Registry.Find(t, u.name)
	if e == nil || e.BoxSince() == 0 {
		return e, nil
	}
	if strings.EqualFold(e.Name, u.eui) {
		return nil, nil
	}
	if had, err := h.serials.HadSerial(ctx, t, e.ID, []string{upper, lower}); had || err != nil {
		return nil, err
	}
	return e, nil
}
