package console

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/routers"

	"tilth/internal/domain/tenant"
	"tilth/internal/edge/httpbase"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/memory"
)

// withChecks passes a call to its handler if its path and method exist, its token is valid, its
// caller's role allows it, and its parameters and body match the contract. It checks in that order.
func (s *server) withChecks(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		release, err := s.admit(w, r)
		defer release()
		if err != nil {
			s.fail(w, r, err)
			return
		}
		if c := caller(r.Context()); c.User != 0 {
			w.Header().Set(livePositionHeader, s.Live.Position(c.Tenant)) // before the call reads anything
		}
		r = r.WithContext(s.guarded(s.Audit.NewContext(r.Context(), s.actor(requestFrom(r.Context())))))
		if requestFrom(r.Context()).heavy {
			s.schedule(w, r, next)
		} else {
			next.ServeHTTP(w, r)
		}
		s.notifyChange(requestFrom(r.Context()))
	})
}

// admit checks a call and reads its body. release gives back what the body took once the call is
// answered; it is never nil.
func (s *server) admit(w http.ResponseWriter, r *http.Request) (release func(), err error) {
	release = func() {}
	route, params, err := s.findRoute(w, r)
	if err != nil {
		return release, err
	}
	info := requestFrom(r.Context())
	info.Operation, info.heavy = route.Operation.OperationID, httpbase.Heavy(route.Operation)
	if isPublic(route) {
		if wait := s.allowPublic(info.Operation, info.Address); wait > 0 {
			return release, errs.New(errs.TooMany, "error.429").RetryAfter(wait)
		}
	} else if err := s.identify(r, info, route); err != nil {
		return release, err
	}
	if err := s.checkMemory(workOf(route)); err != nil {
		return release, err
	}
	if name := r.Header.Get("Time-Zone"); name != "" {
		if info.zone = tenant.Zone(name); info.zone == nil {
			return release, errs.New(errs.Malformed, "error.timeZone", "zone", name)
		}
	}
	query, err := parseQuery(r, route)
	if err != nil {
		return release, err
	}
	if isUpload(route) { // its handler reads the body as it arrives
		(httpbase.BodyLimits{Bytes: maxUploadBody, ReadTimeout: uploadBodyTimeout}).ApplyOnRead(w, r)
		return release, violationError(httpbase.ValidateParameters(r, route, params, query))
	}
	return s.receiveBody(w, r, route, params, query)
}

// findRoute finds the operation of a call and the parameters in its path.
func (s *server) findRoute(w http.ResponseWriter, r *http.Request) (*routers.Route, map[string]string, error) {
	if r.URL.RawPath != "" || strings.HasSuffix(r.URL.Path, "/") { // the router ignores both
		return nil, nil, noSuchPath()
	}
	route, params, err := s.router.FindRoute(r)
	switch {
	case err != nil && err.Error() == routers.ErrMethodNotAllowed.Error(): // the router makes a new error each time
		w.Header().Set("Allow", httpbase.AllowedMethods(s.paths.Value(r.URL.Path)))
		return nil, nil, errs.New(errs.NoSuchMethod, "error.405")
	case err != nil:
		return nil, nil, noSuchPath()
	}
	return route, params, nil
}

// parseQuery reads a call's query, and drops empty elements of its lists from the request.
func parseQuery(r *http.Request, route *routers.Route) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, errs.New(errs.Malformed, "error.400") // the binding would treat an unreadable parameter as absent
	}
	for name, values := range query {
		for _, v := range values {
			if err := checkText(name, v); err != nil {
				return nil, err
			}
		}
	}
	if dropEmptyElements(route, query) {
		address := *r.URL
		address.RawQuery = query.Encode()
		r.URL = &address
	}
	return query, nil
}

// workOf tells which memory a call needs: heavy calls are refused first, signing in last.
func workOf(route *routers.Route) memory.Work {
	switch {
	case isPublic(route):
		return memory.Intake
	case httpbase.Heavy(route.Operation):
		return memory.Heavy
	default:
		return memory.Call
	}
}

// checkMemory refuses work if there is not enough memory for it.
func (s *server) checkMemory(work memory.Work) error {
	if s.Memory.Refuse(work) {
		return errs.New(errs.Unavailable, "error.memory").RetryAfter(work.RetryAfter())
	}
	return nil
}

// checkText refuses a text that is not UTF-8, or that holds a NUL character: no name has one and no
// database stores one.
func checkText(field, value string) error {
	switch {
	case !utf8.ValidString(field):
		return errs.New(errs.Malformed, "error.encoding")
	case !utf8.ValidString(value):
		return errs.New(errs.Malformed, "invalid.encoding").WithField(field)
	case !httpbase.IsStorable(value):
		return errs.New(errs.Refused, "invalid.format").WithField(field)
	}
	return nil
}

// isUpload tells whether a call takes a form with a file.
func isUpload(route *routers.Route) bool {
	body := route.Operation.RequestBody
	return body != nil && body.Value.Content["multipart/form-data"] != nil
}

func isPublic(route *routers.Route) bool {
	return route.Operation.Security != nil && len(*route.Operation.Security) == 0
}

// violationKeys maps the rules that a person can mend to the keys of their sentences.
var violationKeys = map[httpbase.Rule]string{
	httpbase.RuleRequired:  "invalid.required",
	httpbase.RuleChoice:    "invalid.choice",
	httpbase.RuleFormat:    "invalid.format",
	httpbase.RuleNull:      "invalid.format",
	httpbase.RuleMinimum:   "invalid.min",
	httpbase.RuleMaximum:   "invalid.max",
	httpbase.RuleMinLength: "invalid.short",
	httpbase.RuleMaxLength: "invalid.long",
	httpbase.RuleMinItems:  "invalid.few",
	httpbase.RuleMaxItems:  "invalid.many",
}

// violationError says which rule of the contract a request violates: 400 for what the server cannot
// read, 601 for what the person can mend, with the name of the field.
func violationError(err error) error {
	if err == nil {
		return nil
	}
	b := httpbase.ViolationOf(err)
	key, mendable := violationKeys[b.Rule]
	switch {
	case b.Rule == httpbase.RuleTooLarge:
		return errs.New(errs.TooLarge, "error.413")
	case b.Rule == httpbase.RuleTooSlow:
		return errs.New(errs.Malformed, "error.slowBody").WithCause(b.Cause)
	case b.Rule == httpbase.RuleNoRoom:
		return errs.New(errs.TooMany, "error.429").RetryAfter(httpbase.BodyRetry).WithCause(b.Cause)
	case b.Rule == httpbase.RuleMinLength && b.Limit == "1": // the field is empty
		return errs.New(errs.Refused, "invalid.required").WithField(b.Field).WithCause(b.Cause)
	case b.Rule == httpbase.RuleEncoding:
		return errs.New(errs.Malformed, "error.encoding").WithCause(b.Cause)
	case mendable:
		return errs.New(errs.Refused, key, "limit", b.Limit).WithField(b.Field).WithCause(b.Cause)
	// or the body as a whole is wrong: there is no field to name
	case b.Rule == httpbase.RuleUnreadable || b.Field == "":
		return errs.New(errs.Malformed, "error.400").WithField(b.Field).WithCause(b.Cause)
	}
	return errs.New(errs.Malformed, "invalid.type").WithField(b.Field).WithCause(b.Cause)
}

var indexedParam = regexp.MustCompile(`^(.+)\[\d*\]$`)

// normalizeLists brings the ways in which clients write lists in a query into one form:
// a[]=1&a[]=2, a[0]=1&a[1]=2 and a=1&a=2 become a=1,2. A parameter without a value counts as
// absent, because clients send filters that nobody filled in.
func normalizeLists(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if raw := r.URL.RawQuery; raw != "" && !isNormalizedQuery(raw) {
			address := *r.URL
			address.RawQuery = joinLists(raw)
			r = r.WithContext(r.Context())
			r.URL = &address
		}
		next.ServeHTTP(w, r)
	})
}

// isNormalizedQuery tells whether normalizeLists would leave a query unchanged, as is usual: each
// parameter occurs once, with a plain name and a value.
func isNormalizedQuery(raw string) bool {
	var names [16]string
	n := 0
	for part := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(part, "=")
		if value == "" || n == len(names) || slices.Contains(names[:n], name) || url.QueryEscape(name) != name {
			return false
		}
		names[n] = name
		n++
	}
	return true
}

func joinLists(raw string) string {
	values, order := map[string][]string{}, []string{}
	for part := range strings.SplitSeq(raw, "&") {
		key, value, _ := strings.Cut(part, "=")
		if value == "" {
			continue
		}
		// A name that cannot be decoded stays as it is; the check refuses it.
		if name, err := url.QueryUnescape(key); err == nil {
			if m := indexedParam.FindStringSubmatch(name); m != nil {
				name = m[1]
			}
			key = url.QueryEscape(name)
		}
		if _, seen := values[key]; !seen {
			order = append(order, key)
		}
		values[key] = append(values[key], value)
	}
	joined := make([]string, 0, len(order))
	for _, key := range order {
		joined = append(joined, key+"="+strings.Join(values[key], ","))
	}
	return strings.Join(joined, "&")
}
