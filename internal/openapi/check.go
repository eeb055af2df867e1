package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"tilth/internal/errs"
)

// unknownParameter is the sentence for a parameter that does not exist.
const unknownParameter = "open.parameter"

// bodyLimit is how large a request's body may be, in bytes.
const bodyLimit = 64 << 10

// checked lets a request through to its call when it is signed in, within its
// credential's budget, and its parameters are as the contract says, in that
// order.
func (s *server) checked(route *routers.Route, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info := of(r.Context())
		info.operation = route.Operation.OperationID
		err := s.admit(w, r, info, route)
		if err == nil {
			r.Body = http.MaxBytesReader(w, r.Body, bodyLimit)
			err = parameters(r, info, route)
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(s.Audit.With(r.Context(), s.who(info))))
	})
}

// admit finds out whom a request speaks for, and takes it off its budget.
func (s *server) admit(w http.ResponseWriter, r *http.Request, info *request, route *routers.Route) error {
	if r.Method != route.Method { // the mux takes HEAD for GET; all the work would be for nothing
		w.Header().Set("Allow", route.Method)
		return errs.New(errs.NoSuchMethod, "error.405")
	}
	// A browser may remember a credential that somebody typed into it.
	if err := s.origin.Check(r); err != nil {
		return errs.New(errs.Forbidden, "open.origin").Because(err)
	}
	if err := s.signIn(r, info); err != nil {
		return err
	}
	l := s.budgets.take(info.program.Credential)
	h := w.Header()
	h.Set("RateLimit-Limit", strconv.Itoa(s.Rate))
	h.Set("RateLimit-Remaining", strconv.Itoa(l.requests))
	h.Set("RateLimit-Reset", strconv.Itoa(wholeSeconds(l.reset)))
	if l.retry > 0 {
		return errs.New(errs.TooMany, "error.429").After(l.retry)
	}
	return nil
}

// signIn establishes the tenant: from the credential, and from nothing else.
func (s *server) signIn(r *http.Request, info *request) error {
	if wait := s.failures.wait(info.address); wait > 0 {
		return errs.New(errs.TooMany, "error.429").After(wait)
	}
	key, secret, ok := r.BasicAuth()
	if !ok && r.Header.Get("Authorization") == "" {
		return errs.New(errs.Unknown, "open.signIn") // clients ask so first, to be told how; that is no failure
	}
	program, err := s.Credentials.Check(r.Context(), key, secret)
	switch {
	case err == nil:
		info.program = program
		return nil
	case errs.Is(err, errs.Unknown):
		s.failures.add(info.address)
		return errs.New(errs.Unknown, "open.signIn")
	case r.Context().Err() != nil:
		return err
	default:
		return unavailable(err)
	}
}

// parameters holds a request against the contract: each parameter that is given
// is one of the operation's, given once, and as its schema says.
func parameters(r *http.Request, info *request, route *routers.Route) error {
	asked, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return errs.New(errs.Malformed, "error.400")
	}
	info.asked = asked
	given := make([]string, 0, len(asked))
	for name := range asked {
		given = append(given, name)
	}
	slices.Sort(given) // so that the same request is refused in the same words
	for _, name := range given {
		switch values := asked[name]; {
		case route.Operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil:
			return invalid(unknownParameter, name)
		case len(values) > 1:
			return invalid("open.twice", name)
		case values[0] == "":
			return invalid("open.empty", name)
		case strings.ContainsRune(values[0], 0): // no name has one, and no database takes it
			return invalid("invalid.format", name)
		case !exact(route.Operation, name, values[0]):
			return invalid("invalid.type", name)
		}
	}
	named := map[string]string{}
	for _, p := range route.Operation.Parameters {
		if p.Value.In == openapi3.ParameterInPath {
			named[p.Value.Name] = r.PathValue(p.Value.Name)
			if strings.ContainsRune(named[p.Value.Name], 0) {
				return invalid("invalid.format", p.Value.Name)
			}
		}
	}
	if route.Operation.RequestBody != nil {
		if err := oneText(r); err != nil {
			return err
		}
	}
	return broken(openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{
		Request: r, PathParams: named, QueryParams: asked, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	}))
}

// exact refuses what is no boolean of JSON: the library takes 1, T and the like for
// one.
func exact(o *openapi3.Operation, name, given string) bool {
	s := o.Parameters.GetByInAndName(openapi3.ParameterInQuery, name).Schema
	return s == nil || !s.Value.Type.Is(openapi3.TypeBoolean) || given == "true" || given == "false"
}

// oneText refuses a body that is not one JSON text: the library reads the first
// and knows nothing of what follows it. A body that is empty is the library's.
func oneText(r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return broken(err)
	}
	if len(body) > 0 && !json.Valid(body) {
		return errs.New(errs.Malformed, "error.400")
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

func invalid(key, parameter string, args ...string) *errs.Error {
	return errs.New(errs.Refused, key, args...).About(parameter)
}

// broken says which rule of the contract a request breaks, naming the
// parameter.
func broken(err error) error {
	if err == nil {
		return nil
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return errs.New(errs.TooLarge, "error.413")
	}
	name := ""
	var re *openapi3filter.RequestError
	if errors.As(err, &re) && re.Parameter != nil {
		name = re.Parameter.Name
	}
	var se *openapi3.SchemaError
	switch {
	case errors.Is(err, openapi3filter.ErrInvalidRequired) && name != "":
		return invalid("invalid.required", name)
	case errors.As(err, &se):
		if pointer := se.JSONPointer(); name == "" && len(pointer) > 0 {
			name = pointer[0] // of the body
		}
		return rule(se, name)
	case name != "":
		return invalid("invalid.type", name).Because(fmt.Errorf("%T", err)) // its words quote the value
	default:
		return errs.New(errs.Malformed, "error.400").Because(fmt.Errorf("%T", err))
	}
}

func rule(se *openapi3.SchemaError, name string) *errs.Error {
	switch se.SchemaField {
	case "minimum":
		return invalid("invalid.min", name, "limit", number(*se.Schema.Min))
	case "maximum":
		return invalid("invalid.max", name, "limit", number(*se.Schema.Max))
	case "required", "minItems":
		return invalid("invalid.required", name)
	case "properties": // one that the contract does not name
		return invalid(unknownParameter, name)
	case "minLength":
		return invalid("open.empty", name)
	case "maxLength":
		return invalid("invalid.long", name, "limit", strconv.FormatUint(*se.Schema.MaxLength, 10))
	case "maxItems":
		return invalid("invalid.many", name, "limit", strconv.FormatUint(*se.Schema.MaxItems, 10))
	case "enum":
		return invalid("open.choice", name, "choices", choices(se.Schema.Enum))
	default:
		return invalid("invalid.type", name)
	}
}

func choices(enum []any) string {
	words := make([]string, len(enum))
	for i, word := range enum {
		words[i] = fmt.Sprint(word)
	}
	return strings.Join(words, ", ")
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
