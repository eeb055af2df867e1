package openapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"

	"tilth/internal/errs"
	"tilth/internal/identity"
	"tilth/internal/text"
)

// request is what every handler may know of the request it serves.
type request struct {
	id        string
	language  text.Language
	address   netip.Addr
	accept    string     // what the client would like, as it said so
	asked     url.Values // the query; never logged
	operation string     // empty: none of the calls
	program   identity.Program
	err       *errs.Error // what was answered, for the log
}

type requestKey struct{}

func of(ctx context.Context) *request {
	r, ok := ctx.Value(requestKey{}).(*request)
	if !ok {
		panic("openapi: a handler outside of a request") // no handler is reached but through observed
	}
	return r
}

// observed gives each request its id, language and address, the headers that
// every answer carries, and a line in the log, which names neither query nor
// credentials.
func (s *server) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := s.Now()
		info := &request{
			id: w.Header().Get("X-Request-Id"), language: text.Negotiate(r.Header.Get("Accept-Language")),
			address: s.Address(r), accept: r.Header.Get("Accept"),
		}
		if info.id == "" { // nobody around this edge gave it one
			info.id = requestID()
		}
		w.Header().Set("X-Request-Id", info.id)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cache-Control", "no-store")
		sw := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			attrs := []slog.Attr{
				slog.String("request", info.id), slog.String("call", info.operation), slog.Int("status", sw.status),
				slog.Duration("took", s.Now().Sub(start)), slog.String("address", info.address.String()),
			}
			if p := info.program; p.Credential != 0 {
				attrs = append(attrs, slog.Int64("tenant", int64(p.Tenant)), slog.Int64("credential", p.Credential))
			}
			level := slog.LevelDebug
			if info.err != nil {
				attrs = append(attrs, slog.String("error", logged(info.err)))
				if statuses[info.err.Kind] >= http.StatusInternalServerError && r.Context().Err() == nil { // else the client left, and that is why
					level = slog.LevelError
				}
			}
			s.Log.LogAttrs(r.Context(), level, "open API", attrs...)
		}()
		next.ServeHTTP(sw, r.WithContext(context.WithValue(r.Context(), requestKey{}, info)))
	})
}

// logged is an error as the log has it. The name of a parameter that does not
// exist is the client's own words: it may have put anything there.
func logged(e *errs.Error) string {
	if e.Key == unknownParameter {
		return e.Key
	}
	return e.Error()
}

// recovered turns a panic of one request into an answer; the server serves on.
// An answer that has begun is cut off, lest half look like the whole.
func (s *server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(p) // the handler's own wish
			}
			s.Log.Error("panic", "request", of(r.Context()).id, "panic", p, "stack", string(debug.Stack()))
			if sw, ok := w.(*statusWriter); ok && sw.begun {
				panic(http.ErrAbortHandler)
			}
			s.fail(w, r, fmt.Errorf("panic: %v", p))
		}()
		next.ServeHTTP(w, r)
	})
}

func requestID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// statusWriter remembers the status for the log, and whether the answer began.
type statusWriter struct {
	http.ResponseWriter
	status int
	begun  bool
}

func (w *statusWriter) WriteHeader(status int) {
	w.status, w.begun = status, true
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
