package httpapi

import (
	"context"
	"net/http"
	"runtime"
	"time"

	"tilth/internal/errs"
	"tilth/internal/httpapi/wire"
	"tilth/internal/httpbase"
	"tilth/internal/limit"
	"tilth/internal/notify"
	"tilth/internal/reading"
	"tilth/internal/tenant"
)

// Calls that need no sign-in, and pictures, are limited by address.
const (
	publicPerSecond = 10
	publicBurst     = 60
	addressesKept   = 50_000
)

// asking is what a tenant may ask at once: half the processors are always others'. A
// page with charts asks for half a second of work; who goes on for longer, as with very
// long lists that are turned without a pause, would keep all others waiting.
func asking() limit.LineOptions {
	return limit.LineOptions{Free: time.Second, AtOnce: min(4, max(1, runtime.GOMAXPROCS(0)/2)), Most: 200, Long: 30 * time.Millisecond}
}

// askedAgain is when a question is to be asked again for which there is no room.
const askedAgain = time.Second

// limits are what addresses, users and tenants may do.
type limits struct {
	public   *limit.Buckets[limit.Network] // calls without sign-in
	pictures *limit.Buckets[limit.Network]
	uploads  uploads
	tries    *limit.Recent[tenant.ID] // of channels
	asked    *limit.Line[tenant.ID]   // questions that are worked on at once
}

func newLimits(o *Options) limits {
	byAddress := func(name string) *limit.Buckets[limit.Network] {
		kept := limit.Options{Name: name, Most: addressesKept, Now: o.Now, Meter: o.Limits}
		return limit.NewBuckets[limit.Network](kept, publicPerSecond, publicBurst)
	}
	return limits{
		public: byAddress("console_calls"), pictures: byAddress("console_pictures"),
		uploads: newUploads(o),
		tries:   notify.NewTries("channel_tries", o.Now, o.Limits),
		asked:   limit.NewLine[tenant.ID](limit.Options{Name: "console_questions", Meter: o.Limits}, asking()),
	}
}

// inTurn lets a call that passes over history go on in its turn.
func (s *server) inTurn(w http.ResponseWriter, r *http.Request, next http.Handler) {
	c := caller(r.Context())
	turn, why := s.Turns.Enter(r.Context(), c.Tenant, c.User)
	switch {
	case why != limit.NotFull:
		s.fail(w, r, errs.New(errs.TooMany, "history.waiting").RetryAfter(reading.LongsAgain))
	case turn == nil:
		s.fail(w, r, r.Context().Err())
	default:
		defer turn.Leave()
		w, r = httpbase.InTurn(w, r, turn)
		next.ServeHTTP(w, r)
	}
}

// inLine lets a tenant's questions wait for each other, not for anybody else's. What
// an answer that is sent piece by piece takes does not count, nor do changes: these
// have a line of their own, before the database's writer.
func (s *server) inLine(next wire.StrictHandlerFunc, _ string) wire.StrictHandlerFunc {
	return func(ctx context.Context, w http.ResponseWriter, r *http.Request, request any) (any, error) {
		c := caller(ctx)
		if r.Method != http.MethodGet || c.User == 0 || of(ctx).heavy {
			return next(ctx, w, r, request)
		}
		leave, why := s.asked.Enter(ctx, c.Tenant)
		switch {
		case why != limit.NotFull:
			return nil, errs.New(errs.TooMany, "error.429").RetryAfter(askedAgain)
		case leave == nil:
			return nil, ctx.Err()
		}
		defer leave()
		return next(ctx, w, r, request)
	}
}
