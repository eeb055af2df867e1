package httpbase

import (
	"context"
	"net/http"
	"net/url"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// Check holds the parameters and the body of a request against the contract's
// operation; path are the parameters in its path. BreachOf tells what the error
// means.
func Check(r *http.Request, route *routers.Route, path map[string]string, query url.Values) error {
	return validate(r.Context(), &openapi3filter.RequestValidationInput{Request: r, Route: route, PathParams: path, QueryParams: query}, false)
}

// CheckParameters is Check of a request whose body its handler reads as it comes,
// such as a file: the library would read it as a whole even where it is told to
// leave it alone.
func CheckParameters(r *http.Request, route *routers.Route, path map[string]string, query url.Values) error {
	bare := r.WithContext(r.Context())
	bare.Body = http.NoBody
	return validate(r.Context(), &openapi3filter.RequestValidationInput{Request: bare, Route: route, PathParams: path, QueryParams: query}, true)
}

// validate leaves to the edge who may make a call: the library knows nobody.
func validate(ctx context.Context, in *openapi3filter.RequestValidationInput, parametersAlone bool) error {
	in.Options = &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, ExcludeRequestBody: parametersAlone}
	return openapi3filter.ValidateRequest(ctx, in)
}

// heavyWord is the contract's word for calls that pass over history: they are the
// first to be refused when memory is short.
const heavyWord = "x-heavy"

// Heavy tells whether the contract calls an operation heavy.
func Heavy(o *openapi3.Operation) bool {
	heavy, _ := o.Extensions[heavyWord].(bool)
	return heavy
}
