package openapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/httpbase"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
	"tilth/internal/platform/memory"
)

// unknownParameter is the key of the sentence for a parameter that does not exist.
const unknownParameter = "open.parameter"

// withChecks passes a request to its call if it is signed in, its credential has budget left, and
// its parameters match the contract. It checks in that order.
func (s *server) withChecks(route *routers.Route, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info := requestFrom(r.Context())
		info.Operation = route.Operation.OperationID
		release, err := func() {}, s.admit(w, r, info, route)
		if err == nil {
			release, err = s.validate(w, r, info, route)
		}
		defer release()
		if err != nil {
			s.fail(w, r, err)
			return
		}
		r = r.WithContext(db.WithGuard(s.Audit.NewContext(r.Context(), s.actor(info)), s.stillAllowed))
		if httpbase.Heavy(route.Operation) {
			s.schedule(w, r, info, next)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// schedule runs a call that reads history when the scheduler gives it a slot.
func (s *server) schedule(w http.ResponseWriter, r *http.Request, info *request, next http.Handler) {
	task, why := s.Turns.Enter(r.Context(), info.program.Tenant, info.program.User)
	switch {
	case why != limit.NotFull:
		s.fail(w, r, errs.New(errs.TooMany, "history.waiting").RetryAfter(reading.HistoryRetry))
	case task == nil:
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

// admit identifies the caller of a request, and takes the request off the caller's budget.
func (s *server) admit(w http.ResponseWriter, r *http.Request, info *request, route *routers.Route) error {
	if r.Method != route.Method { // the mux takes HEAD for GET; the work would be wasted
		w.Header().Set("Allow", httpbase.AllowedMethods(route.PathItem))
		return errs.New(errs.NoSuchMethod, "error.405")
	}
	// A browser may remember a credential that somebody typed into it, and send it for another
	// site.
	if err := s.origin.Check(r); err != nil {
		return errs.New(errs.Forbidden, "open.origin").WithCause(err)
	}
	if err := s.signIn(r, info); err != nil {
		return err
	}
	l := s.budgets.Allow(info.program.Credential, limit.One)
	h := w.Header()
	h.Set("RateLimit-Limit", strconv.Itoa(s.Rate))
	h.Set("RateLimit-Remaining", strconv.Itoa(l.Remaining))
	h.Set("RateLimit-Reset", strconv.Itoa(httpbase.CeilSeconds(l.Reset)))
	if !l.Allowed() {
		return errs.New(errs.TooMany, "error.429").RetryAfter(l.Retry)
	}
	err := info.program.Check(
		identity.Role(httpbase.Role(route.Operation)),
		identity.Scope(httpbase.Scope(route.Operation)),
	)
	if err != nil {
		return err
	}
	return s.checkMemory(workOf(route))
}

// workOf tells which memory a request needs.
func workOf(route *routers.Route) memory.Work {
	if httpbase.Heavy(route.Operation) {
		return memory.Heavy
	}
	return memory.Call
}

// checkMemory refuses work if there is not enough memory for it.
func (s *server) checkMemory(work memory.Work) error {
	if s.Memory.Refuse(work) {
		return errs.New(errs.Unavailable, "error.memory").RetryAfter(work.RetryAfter())
	}
	return nil
}

// signIn finds the tenant from the credential, and from nothing else.
func (s *server) signIn(r *http.Request, info *request) error {
	from := limit.Client.Of(info.Address)
	key, secret, ok := r.BasicAuth()
	if !ok && r.Header.Get("Authorization") == "" {
		// clients often ask without a credential first; that is no failed sign-in
		return errs.New(errs.Unauthenticated, "open.signIn")
	}
	program, err := s.findCredential(r.Context(), from, key, secret)
	switch {
	case err == nil:
		info.program, info.key, info.secret = program, key, secret
		info.LogAttrs = []slog.Attr{
			slog.Int64("tenant", int64(program.Tenant)),
			slog.Int64("credential", program.Credential),
		}
		return nil
	case errs.Is(err, errs.Unauthenticated):
		if wait := s.failures.Add(from); wait > 0 {
			return errs.New(errs.TooMany, "error.429").RetryAfter(wait)
		}
		return errs.New(errs.Unauthenticated, "open.signIn")
	case r.Context().Err() != nil:
		return err
	default:
		return unavailable(err)
	}
}

// stillAllowed refuses a request whose credential has lost rights since the request was admitted.
// Within a transaction the answer holds until its end.
func (s *server) stillAllowed(ctx context.Context) error {
	info := requestFrom(ctx)
	version := s.Credentials.Version()
	if info.checked == version {
		return nil
	}
	now, err := s.Credentials.Find(ctx, info.key, info.secret)
	if err != nil {
		return err
	}
	if err := now.Role.Check(info.program.Role); err != nil {
		return err
	}
	info.checked = version
	return nil
}

// findCredential looks the credential up in the database.
func (s *server) findCredential(
	ctx context.Context,
	from limit.Network,
	key, secret string,
) (identity.APICaller, error) {
	done, err := s.failures.Enter(ctx, from)
	if err != nil {
		return identity.APICaller{}, err
	}
	defer done()
	return s.Credentials.Authenticate(ctx, key, secret)
}

// validate checks a request against the contract: each parameter is one of the operation's, occurs
// once, and matches its schema, and so does the body. release gives back what the body took once the
// request is answered; it is never nil.
func (s *server) validate(
	w http.ResponseWriter,
	r *http.Request,
	info *request,
	route *routers.Route,
) (release func(), err error) {
	pathParams, err := parseParameters(r, info, route)
	if err != nil {
		return func() {}, err
	}
	return s.receiveBody(w, r, info, route, pathParams)
}

// parseParameters reads the parameters of a request, and returns those in its path.
func parseParameters(r *http.Request, info *request, route *routers.Route) (map[string]string, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, errs.New(errs.Malformed, "error.400")
	}
	info.query = query
	names := make([]string, 0, len(query))
	for name := range query {
		names = append(names, name)
	}
	slices.Sort(names) // the same request always gets the same refusal
	for _, name := range names {
		switch values := query[name]; {
		case route.Operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil:
			return nil, invalid(unknownParameter, name)
		case len(values) > 1:
			return nil, invalid("open.twice", name)
		case values[0] == "":
			return nil, invalid("open.empty", name)
		case !utf8.ValidString(values[0]):
			return nil, errs.New(errs.Malformed, "invalid.encoding").WithField(name)
		case !httpbase.IsStorable(values[0]):
			return nil, invalid("invalid.format", name)
		case !isJSONBool(route.Operation, name, values[0]):
			return nil, invalid("invalid.type", name)
		}
	}
	pathParams := map[string]string{}
	for _, p := range route.Operation.Parameters {
		if p.Value.In == openapi3.ParameterInPath {
			pathParams[p.Value.Name] = r.PathValue(p.Value.Name)
			if !utf8.ValidString(pathParams[p.Value.Name]) {
				return nil, errs.New(errs.Malformed, "invalid.encoding").WithField(p.Value.Name)
			}
			if !httpbase.IsStorable(pathParams[p.Value.Name]) {
				return nil, invalid("invalid.format", p.Value.Name)
			}
		}
	}
	return pathParams, nil
}

// receiveBody reads the body of a request, asks again whether the caller may make it, and checks
// parameters and body against the contract.
func (s *server) receiveBody(
	w http.ResponseWriter,
	r *http.Request,
	info *request,
	route *routers.Route,
	pathParams map[string]string,
) (release func(), err error) {
	from := httpbase.Sender{Tenant: int64(info.program.Tenant), Member: info.program.User}
	body, release, err := s.Bodies.Receive(w, r, from, httpbase.MaxBody(route.Operation))
	if err != nil {
		return release, violationError(err)
	}
	r.Body = http.NoBody
	if body != nil {
		// The body may have come long after the headers.
		if err := s.stillAllowed(r.Context()); err != nil {
			return release, err
		}
		if err := s.checkMemory(workOf(route)); err != nil {
			return release, err
		}
	}
	err = s.Bodies.Decode(r.Context(), from, body, func() error {
		if route.Operation.RequestBody != nil {
			if err := httpbase.NormalizeJSON(r, body, httpbase.DropNulls(route.Operation)); err != nil {
				return err
			}
		}
		return httpbase.Validate(r, route, pathParams, info.query)
	})
	return release, violationError(err)
}

// isJSONBool refuses a value that is not a JSON boolean: the library also accepts 1, T and the
// like.
func isJSONBool(o *openapi3.Operation, name, given string) bool {
	s := o.Parameters.GetByInAndName(openapi3.ParameterInQuery, name).Schema
	return s == nil || !s.Value.Type.Is(openapi3.TypeBoolean) || given == "true" || given == "false"
}

func invalid(key, parameter string, args ...string) *errs.Error {
	return errs.New(errs.Refused, key, args...).WithField(parameter)
}

// violationKeys maps the rules that a parameter can violate to the keys of their sentences.
var violationKeys = map[httpbase.Rule]string{
	httpbase.RuleRequired:  "invalid.required",
	httpbase.RuleMinItems:  "invalid.required",
	httpbase.RuleMinLength: "open.empty",
	httpbase.RuleMinimum:   "invalid.min",
	httpbase.RuleMaximum:   "invalid.max",
	httpbase.RuleMaxLength: "invalid.long",
	httpbase.RuleMaxItems:  "invalid.many",
	httpbase.RuleChoice:    "open.choice",
	httpbase.RuleNull:      "invalid.format",
	httpbase.RuleUnknown:   unknownParameter,
}

// violationError says which rule of the contract a request violates, and names the parameter.
func violationError(err error) error {
	if err == nil {
		return nil
	}
	b := httpbase.ViolationOf(err)
	key, named := violationKeys[b.Rule]
	switch {
	case b.Rule == httpbase.RuleTooLarge:
		return errs.New(errs.TooLarge, "error.413")
	case b.Rule == httpbase.RuleTooSlow:
		return errs.New(errs.Malformed, "error.slowBody").WithCause(b.Cause)
	case b.Rule == httpbase.RuleNoRoom:
		return errs.New(errs.TooMany, "error.429").RetryAfter(httpbase.BodyRetry).WithCause(b.Cause)
	case b.Rule == httpbase.RuleEncoding:
		return errs.New(errs.Malformed, "error.encoding").WithCause(b.Cause)
	case b.Rule == httpbase.RuleUnreadable && b.Field == "":
		return errs.New(errs.Malformed, "error.400").WithCause(b.Cause)
	case named:
		return invalid(key, b.Field, "limit", b.Limit, "choices", strings.Join(b.Choices, ", "))
	case b.Rule == httpbase.RuleUnreadable:
		return invalid("invalid.type", b.Field).WithCause(b.Cause)
	}
	return invalid("invalid.type", b.Field)
}
