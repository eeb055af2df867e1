package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	"tilth/internal/errs"
	"tilth/internal/identity"
	"tilth/internal/tenant"
	"tilth/internal/text"
)

// request is what every handler may know of the call it serves.
type request struct {
	id        string
	language  text.Language
	address   netip.Addr
	asked     *http.Request // as it came; nil outside of a call
	operation string
	caller    identity.Caller
	zone      *time.Location // of the Time-Zone header; nil when it was not sent
	err       *errs.Error    // what the call was answered with, for the log
}

type requestKey struct{}

func of(ctx context.Context) *request {
	r, ok := ctx.Value(requestKey{}).(*request)
	if !ok {
		// Outside a call (a test of a single handler): English, nobody signed in.
		return &request{language: text.English}
	}
	return r
}

// caller is who a signed-in call speaks for; its tenant is the only one the
// call may touch.
func caller(ctx context.Context) identity.Caller { return of(ctx).caller }

// zone is the caller's time zone: the header's, else the tenant's.
func (s *server) zone(ctx context.Context) (*time.Location, error) {
	if z := of(ctx).zone; z != nil {
		return z, nil
	}
	t, err := s.Tenants.Get(ctx, caller(ctx).Tenant)
	if err != nil {
		return nil, err
	}
	return t.TimeZone, nil
}

// midnight is when the caller's day began, epoch milliseconds.
func (s *server) midnight(ctx context.Context) (int64, error) {
	z, err := s.zone(ctx)
	if err != nil {
		return 0, err
	}
	year, month, day := s.Now().In(z).Date()
	return tenant.FirstInstant(year, month, day, z).UnixMilli(), nil
}

// observed gives each request its id, language and address, the headers that
// every answer carries, and a line in the log. Query strings and paths of the
// devices' side, which hold secrets, are never logged.
func (s *server) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := s.Now()
		info := &request{id: requestID(), language: text.Negotiate(r.Header.Get("Accept-Language")), address: s.address(r), asked: r}
		w.Header().Set("X-Request-Id", info.id)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		sw := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(sw, r.WithContext(context.WithValue(r.Context(), requestKey{}, info)))
		if info.operation == "" && info.err == nil {
			return // pages, assets, health and telemetry: counted, not logged line by line
		}
		attrs := []slog.Attr{
			slog.String("request", info.id), slog.String("call", info.operation), slog.Int("status", sw.status),
			slog.Duration("took", s.Now().Sub(start)), slog.String("address", info.address.String()),
		}
		if info.caller.User != 0 {
			attrs = append(attrs, slog.Int64("tenant", int64(info.caller.Tenant)), slog.Int64("user", info.caller.User))
		}
		level := slog.LevelDebug
		if info.err != nil {
			attrs = append(attrs, slog.String("error", info.err.Error()))
			fault := info.err.Kind == errs.Internal || info.err.Kind == errs.Upstream
			if fault && r.Context().Err() == nil { // else the client left, and that is why
				level = slog.LevelError
			}
		}
		s.Log.LogAttrs(r.Context(), level, "call", attrs...)
	})
}

// recovered turns a panic of one request into an answer; the server serves on.
// A device takes 200 for "on disk", so only the console's calls get the
// envelope; an answer that has begun is cut off, lest half look like the whole.
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
			switch sw, ok := w.(*statusWriter); {
			case ok && sw.begun:
				panic(http.ErrAbortHandler)
			case isCall(r):
				s.fail(w, r, fmt.Errorf("panic: %v", p))
			default:
				plain(w, http.StatusInternalServerError, "internal server error")
			}
		}()
		next.ServeHTTP(w, r)
	})
}

func requestID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// address is the client's: the connection's, or what a trusted proxy says.
func (s *server) address(r *http.Request) netip.Addr { return ClientAddr(r, s.Proxies) }

// ClientAddr is the address a request comes from. Forwarded addresses are
// believed only from trusted proxies, from the nearest hop outwards.
func ClientAddr(r *http.Request, proxies []netip.Prefix) netip.Addr {
	hop := parseAddr(r.RemoteAddr)
	forwarded := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(forwarded) - 1; i >= 0 && trusted(hop, proxies); i-- {
		next := parseAddr(strings.TrimSpace(forwarded[i]))
		if !next.IsValid() {
			break
		}
		hop = next
	}
	return hop
}

func trusted(a netip.Addr, proxies []netip.Prefix) bool {
	for _, p := range proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

func parseAddr(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap()
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return a.Unmap()
	}
	return netip.Addr{}
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
