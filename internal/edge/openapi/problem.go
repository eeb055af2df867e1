package openapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"tilth/internal/domain/reading"
	"tilth/internal/edge/httpbase"
	"tilth/internal/edge/openapi/wire"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// problemCodes are the codes by which programs tell refusals apart, and httpStatuses the HTTP
// statuses. A cause outside of this server counts as a fault of the server.
var (
	problemCodes = map[errs.Kind]string{
		errs.Internal:        "internal",
		errs.Malformed:       "invalid",
		errs.Unauthenticated: "unauthorized",
		errs.Forbidden:       "forbidden",
		errs.NotFound:        "notFound",
		errs.TooMany:         "tooMany",
		errs.Refused:         "invalid",
		errs.Upstream:        "internal",
		errs.Unavailable:     "unavailable",
		errs.NoSuchPath:      "notFound",
		errs.NoSuchMethod:    "notAllowed",
		errs.TooLarge:        "invalid",
		errs.StorageFailure:  "unavailable",
		errs.NotConfigured:   "internal",
	}
	httpStatuses = map[errs.Kind]int{
		errs.Internal:        http.StatusInternalServerError,
		errs.Malformed:       http.StatusBadRequest,
		errs.Unauthenticated: http.StatusUnauthorized,
		errs.Forbidden:       http.StatusForbidden,
		errs.NotFound:        http.StatusNotFound,
		errs.TooMany:         http.StatusTooManyRequests,
		errs.Refused:         http.StatusBadRequest,
		errs.Upstream:        http.StatusInternalServerError,
		errs.Unavailable:     http.StatusServiceUnavailable,
		errs.NoSuchPath:      http.StatusNotFound,
		errs.NoSuchMethod:    http.StatusMethodNotAllowed,
		errs.TooLarge:        http.StatusRequestEntityTooLarge,
		errs.StorageFailure:  http.StatusServiceUnavailable,
		errs.NotConfigured:   http.StatusInternalServerError,
	}
)

// fail answers err.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) { s.edge.Fail(w, r, err) }

// writeProblem answers err. It is the only place where an error becomes a problem (RFC 9457).
func (s *server) writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, reading.ErrClosed) {
		err = unavailable(err)
	}
	e := errs.As(err)
	info := requestFrom(r.Context())
	status := httpStatuses[e.Kind]
	info.SetError(loggable(e), status >= http.StatusInternalServerError)
	if r.Context().Err() != nil && errors.Is(err, context.Canceled) {
		return // the client has gone; nobody receives an answer
	}
	detail := errorText(info.Language, e)
	p := wire.Problem{
		Type:   "about:blank",
		Title:  http.StatusText(status),
		Status: status,
		Code:   problemCodes[e.Kind],
		Detail: &detail,
	}
	if e.Field != "" {
		p.Parameter = &e.Field
	}
	body, err := json.Marshal(p)
	if err != nil {
		s.Logger.Error("problem not written", "request", info.ID, "error", err) // texts and a number always marshal
	}
	h := w.Header()
	switch e.Kind {
	case errs.Unavailable, errs.TooMany, errs.StorageFailure:
		httpbase.SetRetryAfter(h, e.Retry)
	case errs.Unauthenticated:
		h.Set("WWW-Authenticate", `Basic realm="Tilth", charset="UTF-8"`)
	}
	h.Set("Content-Type", "application/problem+json")
	h.Set("Content-Language", string(info.Language))
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have gone; the log has the answer's error
}

// malformed answers a request that the generated code could not read. The contract's check runs
// before it, so it is hardly ever called.
func (s *server) malformed(w http.ResponseWriter, r *http.Request, err error) {
	s.fail(w, r, errs.New(errs.Malformed, "error.400").WithCause(err))
}

func unavailable(cause error) *errs.Error {
	return errs.New(errs.Unavailable, "error.503").RetryAfter(5 * time.Second).WithCause(cause)
}

// errorText returns the sentence for people. It names a parameter as the request does.
func errorText(l text.Language, e *errs.Error) string {
	args := text.LocalizeArgs(l, e.Args)
	args["wait"] = text.WaitTime(l, e.Retry)
	said := text.Translate(l, e.Key, args)
	if e.Field == "" {
		return said
	}
	return text.Translate(l, "field", map[string]string{"field": e.Field, "reason": said})
}
