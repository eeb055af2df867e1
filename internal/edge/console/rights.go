package console

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/routers"

	"tilth/internal/domain/identity"
	"tilth/internal/edge/httpbase"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
)

// identify finds the caller of a call by its token, and refuses a caller whose role does not allow
// the call.
func (s *server) identify(r *http.Request, info *request, route *routers.Route) error {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return errs.New(errs.Unauthenticated, "error.401")
	}
	c, err := s.Sessions.Caller(r.Context(), token)
	if err != nil {
		return err
	}
	info.token, info.caller = token, c
	info.LogAttrs = []slog.Attr{slog.Int64("tenant", int64(c.Tenant)), slog.Int64("user", c.User)}
	return c.Role.Check(identity.Role(httpbase.Role(route.Operation)))
}

// stillAllowed refuses a call whose caller has lost rights since the call was admitted. Within a
// transaction the answer holds until its end.
func (s *server) stillAllowed(ctx context.Context) error {
	info := requestFrom(ctx)
	now, err := s.Sessions.Caller(ctx, info.token)
	if err != nil {
		return err
	}
	return now.Role.Check(info.caller.Role)
}

// guarded returns a context in which changes fail once their caller has lost rights.
func (s *server) guarded(ctx context.Context) context.Context {
	if caller(ctx).User == 0 {
		return ctx
	}
	return db.WithGuard(ctx, s.stillAllowed)
}
