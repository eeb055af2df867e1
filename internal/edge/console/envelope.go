package console

import (
	"encoding/json"
	"net/http"

	"tilth/internal/edge/httpbase"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// success is the envelope's code for a success.
const success = 200

// envelopeCodes maps errors to the envelope's codes. httpStatuses maps the errors of requests that
// reached no handler to HTTP statuses; every other answer has 200.
var (
	envelopeCodes = map[errs.Kind]int{
		errs.Internal: 500, errs.Malformed: 400, errs.Unauthenticated: 401, errs.Forbidden: 403, errs.NotFound: 404,
		errs.TooMany: 429, errs.Refused: 601, errs.Upstream: -699, errs.NotConfigured: -699, errs.Unavailable: 503,
		errs.NoSuchPath: 404, errs.NoSuchMethod: 405, errs.TooLarge: 413,
		// under HTTP 200: the request reached its handler, and people are to read the sentence
		errs.StorageFailure: 503,
	}
	httpStatuses = map[errs.Kind]int{
		errs.Unavailable: http.StatusServiceUnavailable, errs.NoSuchPath: http.StatusNotFound,
		errs.NoSuchMethod: http.StatusMethodNotAllowed, errs.TooLarge: http.StatusRequestEntityTooLarge,
	}
)

// fail answers err.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) { s.edge.Fail(w, r, err) }

// writeEnvelope answers err. It is the only place where an error becomes an envelope.
func (s *server) writeEnvelope(w http.ResponseWriter, r *http.Request, err error) {
	e := errs.As(err)
	info := requestFrom(r.Context())
	info.SetError(e, e.Kind == errs.Internal || e.Kind == errs.Upstream)
	if r.Context().Err() != nil {
		return // the client has gone; nobody receives an answer
	}
	status := http.StatusOK
	if st, ok := httpStatuses[e.Kind]; ok {
		status = st
	}
	if envelopeCodes[e.Kind] == envelopeCodes[errs.Unavailable] || e.Kind == errs.TooMany {
		httpbase.SetRetryAfter(w.Header(), e.Retry)
	}
	body, err := envelopeBody(info, e)
	if err != nil {
		s.Logger.Error("envelope not written", "request", info.ID, "error", err)
	}
	w.Header().Del(livePositionHeader)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have gone; the log has the answer's error
}

func envelopeBody(info *request, e *errs.Error) ([]byte, error) {
	if info.Operation == opGetCaptcha || info.Operation == opCheckCaptcha {
		return captchaFailure(info, e)
	}
	return json.Marshal(struct {
		Code int    `json:"code"`
		Data any    `json:"data"`
		Msg  string `json:"msg"`
	}{Code: envelopeCodes[e.Kind], Data: e.Data, Msg: errorText(info.Language, e)})
}

// malformed answers a request that the server could not read.
func (s *server) malformed(w http.ResponseWriter, r *http.Request, err error) {
	s.fail(w, r, violationError(err))
}

// errorText returns the sentence for people, with the name of the field.
func errorText(l text.Language, e *errs.Error) string {
	args := text.LocalizeArgs(l, e.Args)
	if e.Retry > 0 {
		args["wait"] = text.WaitTime(l, e.Retry)
	}
	said := text.Translate(l, e.Key, args)
	if e.Field == "" {
		return said
	}
	field := e.Field
	if text.HasKey("field." + field) {
		field = text.Translate(l, "field."+field, nil)
	}
	return text.Translate(l, "field", map[string]string{"field": field, "reason": said})
}
