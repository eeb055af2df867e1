package console

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"runtime"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/edge/httpbase"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
	"tilth/internal/platform/memory"
)

// The limits of each address on the calls of each budget that need no sign-in, and on pictures.
const (
	publicPerSecond = 10
	publicBurst     = 60
	maxAddresses    = 50_000
)

// queryThrottleOptions returns the limits of each tenant's queries: at most half the processors, or
// the only one. FreeWork is twice what a page with charts needs. Without these limits, a tenant
// that never pauses, for example while it pages through very long lists, would delay all others.
func queryThrottleOptions() limit.ThrottleOptions {
	return limit.ThrottleOptions{
		FreeWork:      time.Second,
		MaxConcurrent: min(4, max(1, runtime.GOMAXPROCS(0)/2)),
		MaxWaiting:    200,
		LongTask:      30 * time.Millisecond,
	}
}

// queryRetryAfter is when a client may repeat a query that was refused because too many were
// waiting.
const queryRetryAfter = time.Second

// publicBudgets gives the budget of a call that needs no sign-in, by its operation; the others have that
// of look-ups. So people behind one address who open the sign-in page, or somebody there who asks for
// pictures, keep nobody there from signing in or from renewing a session.
var publicBudgets = map[string]string{
	"getCaptcha":       captchaBudget,
	"checkCaptcha":     captchaBudget,
	"loginUsername":    signInBudget,
	"loginCode":        signInBudget,
	"loginTotpBegin":   signInBudget,
	"loginTotpConfirm": signInBudget,
	"acceptInvitation": signInBudget,
	"answerOidc":       signInBudget,
	"openOidcSession":  signInBudget,
	"refreshToken":     renewalBudget,
}

// The budgets of calls that need no sign-in: the names of their limits.
const (
	lookUpBudget  = "console_calls"
	captchaBudget = "console_captchas"
	signInBudget  = "console_sign_ins"
	renewalBudget = "console_renewals"
)

// allowPublic counts a call without sign-in of an address in the budget of its operation, and gives
// how long the address has to wait; 0: it may call.
func (l *limits) allowPublic(operation string, from netip.Addr) time.Duration {
	budget := cmp.Or(publicBudgets[operation], lookUpBudget)
	return l.public[budget].Allow(limit.Client.Of(from), limit.One).Retry
}

// limits limit the calls of addresses, users and tenants.
type limits struct {
	public    map[string]*limit.Buckets[limit.Network] // calls without sign-in, by budget
	pictures  *limit.Buckets[limit.Network]
	uploads   uploads
	testSends *limit.SlidingWindows[tenant.ID] // test messages of channels
	queries   *limit.Throttle[tenant.ID]       // queries that run at once
}

func newLimits(o *Options) limits {
	byAddress := func(name string) *limit.Buckets[limit.Network] {
		kept := limit.Options{Name: name, MaxKeys: maxAddresses, Now: o.Now, Meter: o.Limits}
		return limit.NewBuckets[limit.Network](kept, publicPerSecond, publicBurst)
	}
	public := map[string]*limit.Buckets[limit.Network]{}
	for _, budget := range []string{lookUpBudget, captchaBudget, signInBudget, renewalBudget} {
		public[budget] = byAddress(budget)
	}
	return limits{
		public:    public,
		pictures:  byAddress("console_pictures"),
		uploads:   newUploads(o),
		testSends: notify.NewTestLimit("channel_tries", o.Now, o.Limits),
		queries: limit.NewThrottle[tenant.ID](
			limit.Options{Name: "console_questions", Meter: o.Limits},
			queryThrottleOptions(),
		),
	}
}

// schedule runs a heavy call (x-heavy in the contract) when the scheduler gives it a slot.
func (s *server) schedule(w http.ResponseWriter, r *http.Request, next http.Handler) {
	c := caller(r.Context())
	task, why := s.Turns.Enter(r.Context(), c.Tenant, c.User)
	switch {
	case why != limit.NotFull: // too many calls are waiting
		s.fail(w, r, errs.New(errs.TooMany, "history.waiting").RetryAfter(reading.HistoryRetry))
	case task == nil: // the client left while the call waited
		s.fail(w, r, r.Context().Err())
	default:
		defer task.Leave()
		if err := s.checkMemory(memory.Heavy); err != nil { // calls before this one may have used it up
			s.fail(w, r, err)
			return
		}
		w, r = httpbase.WithTask(w, r, task, s.stillAllowed)
		next.ServeHTTP(w, r)
	}
}

// queueQuery makes a tenant's queries wait for each other, and not for those of other tenants.
// Heavy calls do not count, since schedule has queued them already. Neither do changes: they queue
// for the database's writer.
func (s *server) queueQuery(next wire.StrictHandlerFunc, _ string) wire.StrictHandlerFunc {
	return func(ctx context.Context, w http.ResponseWriter, r *http.Request, request any) (any, error) {
		c := caller(ctx)
		if r.Method != http.MethodGet || c.User == 0 || requestFrom(ctx).heavy {
			return next(ctx, w, r, request)
		}
		leave, why := s.queries.Enter(ctx, c.Tenant)
		switch {
		case why != limit.NotFull: // too many queries are waiting
			return nil, errs.New(errs.TooMany, "error.429").RetryAfter(queryRetryAfter)
		case leave == nil: // the client left while the query waited
			return nil, ctx.Err()
		}
		defer leave()
		return next(ctx, w, r, request)
	}
}
