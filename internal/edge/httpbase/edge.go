// Package httpbase is what the server's faces to HTTP have in common: the id of
// a request and its line in the log, what becomes of a panic, how bodies are
// read and held against a contract, how long answers are written. It knows no
// domain and no call; the shape of its errors is each edge's own.
package httpbase

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"tilth/internal/platform/text"
)

// Edge is one of the server's faces to HTTP.
type Edge struct {
	LogMessage   string     // of its lines in the log
	OperationKey string     // under which these tell what was asked for: "call"
	LogLevel     slog.Level // of those that tell of no fault of the server
	ServesPages  bool       // it serves pages and files, too: who gets one is not logged

	Logger  *slog.Logger
	Now     func() time.Time
	Address func(r *http.Request) netip.Addr // where a request comes from

	// NewContext adds to a request's context what the edge itself keeps of it; nil:
	// nothing.
	NewContext func(ctx context.Context, q *Request) context.Context
	// WriteError answers an error as the edge's clients know errors, and tells the
	// request of it by Refused. No answer has begun.
	WriteError func(w http.ResponseWriter, r *http.Request, err error)
}

// Wrap serves requests by next. It gives each its id, its language and the
// headers that every answer carries, makes a panic an answer, and writes a line
// into the log, which names neither query nor body nor what opens a door.
func (e *Edge) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, h := e.Now(), w.Header()
		q := &Request{
			ID: requestID(
				h,
			),
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
		defer e.logRequest(r, q, began) // of an answer that is cut off, too
		defer e.recoverPanic(q, r)
		next.ServeHTTP(q.answer, r)
	})
}

// Fail answers an error in the edge's shape. Where an answer has begun there is
// no other: the connection is cut off, lest half look like the whole.
func (e *Edge) Fail(w http.ResponseWriter, r *http.Request, err error) {
	q := RequestFrom(r.Context())
	if q.answer != nil && q.answer.Started() {
		e.abort(r.Context(), err, q.answer.writeErr)
	}
	e.WriteError(w, r, err)
}

// abort ends the connection under an answer that has begun. It is no fault of the
// server's where the client is gone: it left, or could not be written to.
func (e *Edge) abort(ctx context.Context, err, gone error) {
	q, level := RequestFrom(ctx), slog.LevelDebug
	q.Err = err
	if gone == nil && ctx.Err() == nil {
		level = slog.LevelError
	}
	attrs := append([]slog.Attr{slog.String("request", q.ID), slog.String(e.OperationKey, q.Operation)}, q.LogAttrs...)
	e.Logger.LogAttrs(ctx, level, "answer cut off", append(attrs, slog.Any("error", err))...)
	panic(http.ErrAbortHandler)
}

// logRequest writes a request's line into the log.
func (e *Edge) logRequest(r *http.Request, q *Request, began time.Time) {
	if e.ServesPages && q.Operation == "" && q.Err == nil {
		return // counted, not logged line by line
	}
	level := e.LogLevel
	if q.ServerFault && r.Context().Err() == nil { // else the client left, and that is why
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
