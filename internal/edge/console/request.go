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

// request is what every handler may know of the call it serves.
type request struct {
	*httpbase.Request
	caller identity.Caller
	zone   *time.Location // of the Time-Zone header; nil when it was not sent
	heavy  bool           // the call passes over history
}

type requestKey struct{}

func requestFrom(ctx context.Context) *request {
	r, ok := ctx.Value(requestKey{}).(*request)
	if !ok {
		return &request{
			Request: httpbase.RequestFrom(ctx),
		} // outside a call (a test of a single handler): nobody signed in
	}
	return r
}

// newEdge is everything behind the console's address. Query strings, and paths of
// the devices' side, which hold secrets, are never logged. A device takes 200 for
// "on disk", so only calls get the envelope.
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

// caller is who a signed-in call speaks for; its tenant is the only one the
// call may touch.
func caller(ctx context.Context) identity.Caller { return requestFrom(ctx).caller }

// zone is the caller's time zone: the header's, else the tenant's.
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

// startOfDay is when the caller's day began, epoch milliseconds.
func (s *server) startOfDay(ctx context.Context) (int64, error) {
	z, err := s.zone(ctx)
	if err != nil {
		return 0, err
	}
	year, month, day := s.Now().In(z).Date()
	return tenant.StartOfDay(year, month, day, z).UnixMilli(), nil
}
