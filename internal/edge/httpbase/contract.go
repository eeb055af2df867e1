package httpbase

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// Validate checks the parameters and the body of a request against the contract's operation; path
// holds the parameters in its path. ViolationOf says what the error means.
func Validate(r *http.Request, route *routers.Route, path map[string]string, query url.Values) error {
	return validateRequest(
		r.Context(),
		&openapi3filter.RequestValidationInput{Request: r, Route: route, PathParams: path, QueryParams: query},
		false,
	)
}

// ValidateParameters is Validate for a request whose handler streams the body, such as an upload.
// The library would read the whole body even if told to ignore it.
func ValidateParameters(r *http.Request, route *routers.Route, path map[string]string, query url.Values) error {
	bare := r.WithContext(r.Context())
	bare.Body = http.NoBody
	return validateRequest(
		r.Context(),
		&openapi3filter.RequestValidationInput{Request: bare, Route: route, PathParams: path, QueryParams: query},
		true,
	)
}

// validateRequest validates without authentication, which is up to the edge.
func validateRequest(ctx context.Context, in *openapi3filter.RequestValidationInput, skipBody bool) error {
	in.Options = &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
		ExcludeRequestBody: skipBody,
	}
	return openapi3filter.ValidateRequest(ctx, in)
}

// AllowedMethods returns the methods of a path, as the header Allow of a 405 lists them.
func AllowedMethods(p *openapi3.PathItem) string {
	return strings.Join(slices.Sorted(maps.Keys(p.Operations())), ", ")
}

// heavyExtension is the contract's extension that marks calls which read history: the server
// schedules them by tenant, and refuses them first when memory is short.
const heavyExtension = "x-heavy"

// roleExtension and scopeExtension are the contract's extensions that say who may make a call.
const (
	roleExtension  = "x-role"
	scopeExtension = "x-scope"
)

// Role returns the least role that may make a call: that of a user, or public, device or provider;
// empty if the contract does not say.
func Role(o *openapi3.Operation) string {
	role, _ := o.Extensions[roleExtension].(string)
	return role
}

// Scope returns the scope that a credential needs for a call; empty if the contract does not say.
func Scope(o *openapi3.Operation) string {
	scope, _ := o.Extensions[scopeExtension].(string)
	return scope
}

// Heavy tells whether the contract marks an operation as heavy.
func Heavy(o *openapi3.Operation) bool {
	heavy, _ := o.Extensions[heavyExtension].(bool)
	return heavy
}
