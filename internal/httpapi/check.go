package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"tilth/internal/errs"
	"tilth/internal/tenant"
)

// bodyLimit is how large a request's body may be, in bytes.
const bodyLimit = 1 << 20

// checked lets a call through to its handler when its path and method exist,
// its token is valid, and its parameters and body are as the contract says, in
// that order.
func (s *server) checked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if err := s.check(w, r); err != nil {
			s.fail(w, r, err)
			return
		}
		if c := caller(r.Context()); c.User != 0 {
			w.Header().Set(livePosition, s.Live.Stands(c.Tenant)) // before the call reads anything
		}
		next.ServeHTTP(w, r.WithContext(s.Audit.With(r.Context(), s.who(of(r.Context())))))
		s.tellChange(of(r.Context()))
	})
}

func (s *server) check(w http.ResponseWriter, r *http.Request) error {
	route, params, err := s.router.FindRoute(r)
	switch {
	case err != nil && err.Error() == routers.ErrMethodNotAllowed.Error(): // the router makes a new one each time
		return errs.New(errs.NoSuchMethod, "error.405")
	case err != nil, r.URL.RawPath != "", strings.HasSuffix(r.URL.Path, "/"): // the router overlooks both
		return noSuchPath()
	}
	info := of(r.Context())
	info.operation = route.Operation.OperationID
	if public(route) {
		if wait := s.public.take(info.address); wait > 0 {
			return errs.New(errs.TooMany, "error.429").After(wait)
		}
	} else {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok {
			return errs.New(errs.Unknown, "error.401")
		}
		if info.caller, err = s.Sessions.Caller(r.Context(), token); err != nil {
			return err
		}
	}
	if name := r.Header.Get("Time-Zone"); name != "" {
		if info.zone = tenant.Zone(name); info.zone == nil {
			return errs.New(errs.Malformed, "error.timeZone", "zone", name)
		}
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return errs.New(errs.Malformed, "error.400") // what cannot be read would count as absent
	}
	for name, values := range query {
		for _, v := range values {
			if err := plainText(name, v); err != nil {
				return err
			}
		}
	}
	if droppedEmpty(route, query) {
		address := *r.URL
		address.RawQuery = query.Encode()
		r.URL = &address
	}
	limit, upload, seen := int64(bodyLimit), isUpload(route), r
	if upload {
		// A file is read by its handler as it comes. The library would read it
		// as a whole even where it is told to leave the body alone.
		limit, seen = uploadLimit, r.WithContext(r.Context())
		seen.Body = http.NoBody
	}
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	if route.Operation.RequestBody != nil && !upload {
		if r.Body, err = oneText(r.Body); err != nil {
			return broken(err)
		}
	}
	err = openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{
		Request: seen, PathParams: params, QueryParams: query, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: false, ExcludeRequestBody: upload},
	})
	if err == nil && route.Operation.RequestBody == nil {
		// A body that nobody asked for is read within the limit, so that the
		// connection can be used again.
		_, err = io.Copy(io.Discard, r.Body)
	}
	return broken(err)
}

// plainText refuses a text that holds a NUL character, which no name does and
// no database takes.
func plainText(field, value string) error {
	if strings.ContainsRune(value, 0) {
		return errs.New(errs.Refused, "invalid.format").About(field)
	}
	return nil
}

// isUpload tells whether a call takes a form with a file.
func isUpload(route *routers.Route) bool {
	body := route.Operation.RequestBody
	return body != nil && body.Value.Content["multipart/form-data"] != nil
}

func public(route *routers.Route) bool {
	return route.Operation.Security != nil && len(*route.Operation.Security) == 0
}

// broken says which rule of the contract a request breaks: 400 what cannot be
// read, 601 what the person can mend, naming the field.
func broken(err error) error {
	if err == nil {
		return nil
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return errs.New(errs.TooLarge, "error.413")
	}
	field := ""
	var re *openapi3filter.RequestError
	if errors.As(err, &re) && re.Parameter != nil {
		field = re.Parameter.Name
		if errors.Is(re.Err, openapi3filter.ErrInvalidRequired) {
			return errs.New(errs.Refused, "invalid.required").About(field)
		}
	}
	var se *openapi3.SchemaError
	if !errors.As(err, &se) {
		return errs.New(errs.Malformed, "error.400").About(field).Because(unquoted(err))
	}
	se = origin(se)
	if pointer := se.JSONPointer(); field == "" && len(pointer) > 0 { // within a parameter it is the place in its list
		field = pointer[0]
	}
	return rule(se, field).Because(errors.New(se.Reason))
}

// origin is the rule that was broken: where a schema is made of several, the
// library says only that not all of them hold, and keeps the reason below.
func origin(se *openapi3.SchemaError) *openapi3.SchemaError {
	for se.SchemaField == "allOf" {
		var part *openapi3.SchemaError
		if !errors.As(se.Origin, &part) {
			break
		}
		se = part
	}
	return se
}

// unbound says what of a body does not fit where it goes, though the contract
// lets it pass: a number that is too large, for one.
func unbound(err error) error {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) && te.Field != "" {
		field, _, _ := strings.Cut(te.Field, ".")
		return errs.New(errs.Malformed, "invalid.type").About(field).Because(unquoted(err))
	}
	return errs.New(errs.Malformed, "error.400").Because(unquoted(err))
}

// unquoted says, for the log, what was wrong with a request without the value
// that was: the library's own words quote it, and it may be a secret.
func unquoted(err error) error {
	var pe *openapi3filter.ParseError
	if errors.As(err, &pe) && pe.Reason != "" {
		return errors.New(pe.Reason)
	}
	return fmt.Errorf("%T", err)
}

func rule(se *openapi3.SchemaError, field string) *errs.Error {
	refuse := func(key string, args ...string) *errs.Error { return errs.New(errs.Refused, key, args...).About(field) }
	switch se.SchemaField {
	case "required":
		return refuse("invalid.required")
	case "minimum":
		return refuse("invalid.min", "limit", number(*se.Schema.Min))
	case "maximum":
		return refuse("invalid.max", "limit", number(*se.Schema.Max))
	case "minLength":
		if se.Schema.MinLength == 1 {
			return refuse("invalid.required")
		}
		return refuse("invalid.short")
	case "maxLength":
		return refuse("invalid.long", "limit", strconv.FormatUint(*se.Schema.MaxLength, 10))
	case "minItems":
		return refuse("invalid.few", "limit", strconv.FormatUint(se.Schema.MinItems, 10))
	case "maxItems":
		return refuse("invalid.many", "limit", strconv.FormatUint(*se.Schema.MaxItems, 10))
	case "enum":
		return refuse("invalid.choice")
	case "pattern", "format":
		return refuse("invalid.format")
	}
	if field == "" { // the body as a whole: there is nothing to name
		return errs.New(errs.Malformed, "error.400")
	}
	return errs.New(errs.Malformed, "invalid.type").About(field)
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

var indexed = regexp.MustCompile(`^(.+)\[\d*\]$`)

// listParams brings the ways in which clients write lists in a query to one:
// a[]=1&a[]=2, a[0]=1&a[1]=2 and a=1&a=2 become a=1,2. A parameter without a
// value is as good as absent: clients send a filter that nobody filled in.
func listParams(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if raw := r.URL.RawQuery; raw != "" && !plainQuery(raw) {
			address := *r.URL
			address.RawQuery = joinLists(raw)
			r = r.WithContext(r.Context())
			r.URL = &address
		}
		next.ServeHTTP(w, r)
	})
}

// plainQuery tells whether joinLists would leave a query as it is, as it does
// most: each parameter is there once, by a plain name and with a value.
func plainQuery(raw string) bool {
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
		// A name that cannot be read stays as it is; the check refuses it.
		if name, err := url.QueryUnescape(key); err == nil {
			if m := indexed.FindStringSubmatch(name); m != nil {
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
