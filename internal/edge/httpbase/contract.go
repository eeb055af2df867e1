package httpbase

import (
	"context"
	"net/http"
	"net/url"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// Validate holds the parameters and the body of a request against the contract's
// operation; path are the parameters in its path. ViolationOf tells what the error
// means.
func Validate(r *http.Request, route *routers.Route, path map[string]string, query url.Values) error {
	return validateRequest(
		r.Context(),
		&openapi3filter.RequestValidationInput{Request: r, Route: route, PathParams: path, QueryParams: query},
		false,
	)
}

// ValidateParameters is Check of a request whose body its handler reads as it comes,
// such as a file: the library would read it as a whole even where it is told to
// leave it alone.
func ValidateParameters(r *http.Request, route *routers.Route, path map[string]string, query url.Values) error {
	bare := r.WithContext(r.Context())
	bare.Body = http.NoBody
	return validateRequest(
		r.Context(),
		&openapi3filter.RequestValidationInput{Request: bare, Route: route, PathParams: path, QueryParams: query},
		true,
	)
}

// validateRequest leaves to the edge who may make a call: the library knows nobody.
func validateRequest(ctx context.Context, in *openapi3filter.RequestValidationInput, skipBody bool) error {
	in.Options = &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
		ExcludeRequestBody: skipBody,
	}
	return openapi3filter.ValidateRequest(ctx, in)
}

// heavyExtension is the contract's word for calls that pass over history: they are the
// first to be refused when memory is short.
const heavyExtension = "x-heavy"

// Heavy tells whether the contract calls an operation heavy.
func Heavy(o *openapi3.Operation) bool {
	heavy, _ := o.Extensions[heavyExtension].(bool)
	return heavy
}
