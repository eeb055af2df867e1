package console

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/httpbase"
)

// request is what every handler can know of the call that it serves.
type request struct {
	*httpbase.Request
	token  string // of the caller; empty if nobody is signed in
	caller identity.Caller
	zone   *time.Location // the Time-Zone header; nil if the call has none
	heavy  bool           // the call reads history
}

type requestKey struct{}

func requestFrom(ctx context.Context) *request {
	r, ok := ctx.Value(requestKey{}).(*request)
	if !ok {
		return &request{
			Request: httpbase.RequestFrom(ctx),
		} // outside a call (a test of a single handler): nobody is signed in
	}
	return r
}

// newEdge makes the edge behind the console's address. Query strings, and the paths of devices'
// calls, hold secrets: neither is logged. A device takes HTTP 200 for "stored on disk", so only
// calls of the console get the envelope.
func (s *server) newEdge() *httpbase.Edge {
	return &httpbase.Edge{
		LogMessage:   "call",
		OperationKey: "call",
		LogLevel:     slog.LevelDebug,
		ServesPages:  true,
		Logger:       s.Logger,
		Now:          s.Now,
		Address:      func(r *http.Request) netip.Addr { return httpbase.ClientAddr(r, s.Proxies) },
		NewContext: func(ctx context.Context, q *httpbase.Request) context.Context {
			return context.WithValue(ctx, requestKey{}, &request{Request: q})
		},
		WriteError: func(w http.ResponseWriter, r *http.Request, err error) {
			if isConsoleCall(r) {
				s.writeEnvelope(w, r, err)
				return
			}
			writePlain(w, http.StatusInternalServerError, "internal server error")
		},
	}
}

// caller returns the user for whom a signed-in call acts; the call may touch the tenant of that
// user only.
func caller(ctx context.Context) identity.Caller { return requestFrom(ctx).caller }

// zone returns the caller's time zone: the one of the header, else the tenant's.
func (s *server) zone(ctx context.Context) (*time.Location, error) {
	if z := requestFrom(ctx).zone; z != nil {
		return z, nil
	}
	t, err := s.Tenants.Get(ctx, caller(ctx).Tenant)
	if err != nil {
		return nil, err
	}
	return t.TimeZone, nil
}

// startOfDay returns when the caller's day began, in epoch milliseconds.
func (s *server) startOfDay(ctx context.Context) (int64, error) {
	z, err := s.zone(ctx)
	if err != nil {
		return 0, err
	}
	year, month, day := s.Now().In(z).Date()
	return tenant.StartOfDay(year, month, day, z).UnixMilli(), nil
}
