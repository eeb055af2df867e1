package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/edge/httpbase"
	"tilth/internal/platform/memory"
)

const (
	queueTimeout = 5 * time.Second // for the queue to accept the message
	retrySeconds = 5               // the delay that an overloaded server asks for
)

// errTooLarge says that a message is larger than the limit.
var errTooLarge = errors.New("ingest: message over the limit")

// httpEdge answers devices that post over HTTP.
type httpEdge struct {
	pipeline *Pipeline
	opts     Options
}

// NewHTTP makes the handler of /api/v1/{secret}/…: POST telemetry takes a device's readings in the
// same three forms as MQTT, POST ecowitt those of a weather station, POST attributes is only counted;
// and of /weatherstation/, where weather stations report in Weather Underground's protocol. It
// answers 200 only after the commit. Paths and queries hold secrets, so a request log must leave
// them out. TidyPaths comes before whatever routes requests here.
func NewHTTP(p *Pipeline) http.Handler {
	h := &httpEdge{pipeline: p, opts: p.opts}
	mux := http.NewServeMux()
	mux.HandleFunc(
		"POST /api/v1/{secret}/telemetry",
		func(w http.ResponseWriter, r *http.Request) { h.handle(w, r, Telemetry) },
	)
	mux.HandleFunc(
		"POST /api/v1/{secret}/attributes",
		func(w http.ResponseWriter, r *http.Request) { h.handle(w, r, Ignored) },
	)
	mux.HandleFunc("POST /api/v1/{secret}/ecowitt", h.ecowitt)
	mux.HandleFunc("GET "+weatherStationPath, h.weatherStation)
	mux.HandleFunc("POST "+weatherStationPath, h.weatherStation)
	for path, allowed := range map[string]string{
		"/api/v1/{secret}/telemetry":  http.MethodPost,
		"/api/v1/{secret}/attributes": http.MethodPost,
		"/api/v1/{secret}/ecowitt":    http.MethodPost,
		weatherStationPath:            "GET, HEAD, POST",
	} {
		mux.HandleFunc(path, h.wrongMethod(allowed))
	}
	mux.HandleFunc("/", h.noSuchPath)
	return mux
}

// problem is the body of every answer except 200.
type problem struct {
	// refused, unauthorized, tooLarge, tooMany, tooSlow, unavailable, unreadable, noSuchPath, wrongMethod,
	// unknownEncoding
	Code       string        `json:"code"`
	Reason     device.Reason `json:"reason,omitempty"`
	Identifier string        `json:"identifier,omitempty"`
	Msg        string        `json:"msg,omitempty"` // of noSuchPath and wrongMethod, for who reads what a device logs
}

func (h *httpEdge) handle(w http.ResponseWriter, r *http.Request, kind Kind) {
	body, e, release := h.receive(w, r)
	defer release()
	if e != nil {
		h.commit(w, r, h.message(e, kind, body), answerEmpty)
	}
}

// receive returns the body of a message and the device that the path's secret belongs to; nil after
// a refusal. release gives back what the body took.
func (h *httpEdge) receive(w http.ResponseWriter, r *http.Request) (body []byte, e *device.Entry, release func()) {
	secret := r.PathValue("secret")
	e = h.signInDevice(w, r, secret, "", answerUnauthorized)
	if e == nil || !h.admit(w, e) {
		return nil, nil, func() {}
	}
	body, release, ok := h.readOf(w, r, e)
	if !ok {
		return nil, nil, release
	}
	return body, h.signInAgain(w, e, secret, "", answerUnauthorized), release
}

// signInAgain returns the device as it is once the body of its message has arrived, which may be
// long after the headers; or answers that it may no longer send, and returns nil.
func (h *httpEdge) signInAgain(
	w http.ResponseWriter,
	before *device.Entry,
	userName, password string,
	unauthorized func(http.ResponseWriter),
) *device.Entry {
	e, _, ok := h.opts.Registry.Authenticate(userName, password)
	if !ok || e.ID != before.ID {
		unauthorized(w)
		return nil
	}
	return e
}

// signInDevice returns the device that signs in, or answers why it may not, and returns nil.
func (h *httpEdge) signInDevice(
	w http.ResponseWriter,
	r *http.Request,
	userName, password string,
	unauthorized func(http.ResponseWriter),
) *device.Entry {
	e, _, err := h.pipeline.gate.signIn(h.opts.ClientAddr(r), userName, password)
	if limited := (limitedError{}); errors.As(err, &limited) {
		answerRetry(w, http.StatusTooManyRequests, "tooMany", limited.retry)
		return nil
	}
	if err != nil {
		unauthorized(w)
		return nil
	}
	h.noteUntidy(r, e)
	return e
}

// admit tells whether a message of a device may be handled now, or answers when to send it again.
func (h *httpEdge) admit(w http.ResponseWriter, e *device.Entry) bool {
	if wait := h.pipeline.gate.admit(e); wait > 0 {
		answerRetry(w, http.StatusTooManyRequests, "tooMany", wait)
		return false
	}
	return !h.refuseShortOfMemory(w)
}

// readOf reads the body of a device's message, or answers why it cannot be read. release gives back
// what the body took.
func (h *httpEdge) readOf(
	w http.ResponseWriter,
	r *http.Request,
	e *device.Entry,
) (body []byte, release func(), ok bool) {
	from := httpbase.Sender{Tenant: int64(e.Tenant), Member: int64(e.ID)}
	body, release, err := h.read(w, r, from, h.opts.MaxMessage)
	if err != nil {
		switch {
		case errors.Is(err, errTooLarge):
			h.pipeline.rejectOversized(e)
		case errors.Is(err, httpbase.ErrDamaged), errors.Is(err, httpbase.ErrEncoded):
			h.pipeline.rejectUnread(e, device.ReasonUnreadable)
		}
		answerReadError(w, err)
		return nil, release, false
	}
	return body, release, !h.refuseShortOfMemory(w)
}

// message is a message that arrives now.
func (h *httpEdge) message(e *device.Entry, kind Kind, payload []byte) Message {
	return Message{Entry: e, Kind: kind, Payload: payload, At: h.opts.Now().UnixMilli()}
}

// refuseShortOfMemory refuses a message if memory is short: before its body is read, and after.
func (h *httpEdge) refuseShortOfMemory(w http.ResponseWriter) bool {
	if !h.opts.Memory.Refuse(memory.Intake) {
		return false
	}
	answerRetry(w, http.StatusServiceUnavailable, "unavailable", retrySeconds*time.Second)
	return true
}

// commit submits a message and answers with its outcome: by accepted if something of it is stored.
func (h *httpEdge) commit(w http.ResponseWriter, r *http.Request, m Message, accepted func(http.ResponseWriter)) {
	outcome, err := h.submit(r.Context(), m)
	switch {
	case err != nil || outcome.Err != nil:
		answerRetry(w, http.StatusServiceUnavailable, "unavailable", retrySeconds*time.Second)
	case outcome.Rejected():
		h.pipeline.stats.acks.Add(1)
		writeJSON(
			w,
			http.StatusBadRequest,
			problem{Code: "refused", Reason: outcome.FirstRefusal.Reason, Identifier: outcome.FirstRefusal.Identifier},
		)
	default:
		h.pipeline.stats.acks.Add(1)
		accepted(w)
	}
}

// read reads the body and unpacks it; errTooLarge says that it is larger than the limit, in bytes, as
// sent or unpacked.
func (h *httpEdge) read(
	w http.ResponseWriter,
	r *http.Request,
	from httpbase.Sender,
	limit int,
) (body []byte, release func(), err error) {
	body, release, err = h.opts.Bodies.ReceiveUnpacked(w, r, from, int64(limit))
	h.pipeline.stats.bytes.Add(uint64(len(body)))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		err = errTooLarge
	}
	return body, release, err
}

// answerReadError answers with the reason why a body was not read. A client that was only too slow
// may send the message again, on a new connection, because the server does not wait for the rest of
// the body.
func answerReadError(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, errTooLarge):
		writeJSON(w, http.StatusRequestEntityTooLarge, problem{Code: "tooLarge"})
	case errors.Is(err, httpbase.ErrEncoded):
		w.Header().Set("Accept-Encoding", "gzip")
		writeJSON(w, http.StatusUnsupportedMediaType, problem{Code: "unknownEncoding"})
	case errors.Is(err, httpbase.ErrDamaged):
		writeJSON(w, http.StatusBadRequest, problem{Code: "refused", Reason: device.ReasonUnreadable})
	case errors.Is(err, httpbase.ErrBodiesFull):
		answerRetry(w, http.StatusTooManyRequests, "tooMany", httpbase.BodyRetry)
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		writeJSON(w, http.StatusRequestTimeout, problem{Code: "tooSlow"})
	default:
		writeJSON(w, http.StatusBadRequest, problem{Code: "unreadable"})
	}
}

// submit submits the message and waits for its commit. An error means that the queue did not accept
// it in time.
func (h *httpEdge) submit(ctx context.Context, m Message) (Outcome, error) {
	waiting, cancel := context.WithTimeout(ctx, queueTimeout)
	defer cancel()
	done := make(chan Outcome, 1)
	if err := h.pipeline.Submit(waiting, m, func(o Outcome) { done <- o }); err != nil {
		return Outcome{}, err
	}
	select {
	case o := <-done:
		return o, nil
	case <-ctx.Done():
		return Outcome{}, ctx.Err()
	}
}

func answerEmpty(w http.ResponseWriter) { writeJSON(w, http.StatusOK, struct{}{}) }

func answerUnauthorized(w http.ResponseWriter) {
	writeJSON(w, http.StatusUnauthorized, problem{Code: "unauthorized"})
}

func answerRetry(w http.ResponseWriter, status int, code string, wait time.Duration) {
	httpbase.SetRetryAfter(w.Header(), wait)
	writeJSON(w, status, problem{Code: code})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	b, err := json.Marshal(body)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	write(w, status, "application/json", b)
}

func write(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// A client that has gone takes no answer.
	_, _ = w.Write(body)
}
