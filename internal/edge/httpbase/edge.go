// Package httpbase holds what the server's HTTP edges have in common: the id of a request and its
// line in the log, the recovery from panics, the reading of bodies and their validation against a
// contract, and the writing of long answers. It knows no domain and no call; each edge writes its
// own errors.
package httpbase

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"tilth/internal/platform/text"
)

// Edge is one of the server's HTTP edges.
type Edge struct {
	LogMessage   string     // message of its log lines
	OperationKey string     // log attribute that names the operation: "call"
	LogLevel     slog.Level // of log lines without a fault of the server
	ServesPages  bool       // it also serves pages and files, whose requests are not logged

	Logger  *slog.Logger
	Now     func() time.Time
	Address func(r *http.Request) netip.Addr // returns the address that a request comes from

	// NewContext adds the edge's own data of a request to its context; nil: there is none.
	NewContext func(ctx context.Context, q *Request) context.Context
	// WriteError writes an error as the edge's clients expect it, and calls SetError of the
	// request. No answer has begun.
	WriteError func(w http.ResponseWriter, r *http.Request, err error)
}

// Wrap serves requests by next. It gives each request its id, its language and the headers that
// every answer has, turns a panic into an answer, and writes a line into the log. The line holds no
// query, no body and no credential.
func (e *Edge) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, h := e.Now(), w.Header()
		q := &Request{
			ID:          requestID(h),
			Language:    text.Negotiate(r.Header.Get("Accept-Language")),
			Address:     e.Address(r),
			HTTPRequest: r,
			answer:      NewStatusWriter(w),
		}
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		ctx := context.WithValue(r.Context(), requestKey{}, q)
		if e.NewContext != nil {
			ctx = e.NewContext(ctx, q)
		}
		r = r.WithContext(ctx)
		defer e.logRequest(r, q, began) // also for an answer that is cut off
		defer e.recoverPanic(q, r)
		next.ServeHTTP(q.answer, r)
	})
}

// Fail writes an error as the edge's clients expect it. If an answer has begun already, it cuts off
// the connection, so that the client cannot take half an answer for a whole one.
func (e *Edge) Fail(w http.ResponseWriter, r *http.Request, err error) {
	q := RequestFrom(r.Context())
	if q.answer != nil && q.answer.Started() {
		e.abort(r.Context(), err, q.answer.writeErr)
	}
	e.WriteError(w, r, err)
}

// abort ends the connection of an answer that has begun. If the client left, could not be written to
// or lost its rights, that is no fault of the server.
func (e *Edge) abort(ctx context.Context, err, gone error) {
	q, level := RequestFrom(ctx), slog.LevelDebug
	q.Err = err
	if gone == nil && ctx.Err() == nil && !errors.Is(err, errRightsLost) {
		level = slog.LevelError
	}
	attrs := append([]slog.Attr{slog.String("request", q.ID), slog.String(e.OperationKey, q.Operation)}, q.LogAttrs...)
	e.Logger.LogAttrs(ctx, level, "answer cut off", append(attrs, slog.Any("error", err))...)
	panic(http.ErrAbortHandler)
}

// logRequest writes a request's line into the log.
func (e *Edge) logRequest(r *http.Request, q *Request, began time.Time) {
	if e.ServesPages && q.Operation == "" && q.Err == nil {
		return // counted, not logged
	}
	level := e.LogLevel
	if q.ServerFault && r.Context().Err() == nil { // else the request failed because the client left
		level = slog.LevelError
	}
	if !e.Logger.Enabled(r.Context(), level) {
		return
	}
	attrs := append(make([]slog.Attr, 0, 8),
		slog.String("request", q.ID), slog.String(e.OperationKey, q.Operation), slog.Int("status", q.answer.Status()),
		slog.Duration("took", e.Now().Sub(began)), slog.String("address", q.Address.String()))
	attrs = append(attrs, q.LogAttrs...)
	if q.Err != nil {
		attrs = append(attrs, slog.String("error", q.Err.Error()))
	}
	e.Logger.LogAttrs(r.Context(), level, e.LogMessage, attrs...)
}
