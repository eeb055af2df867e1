package openapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"tilth/api"
)

// contract checks answers against api/open.yaml: status, headers and body. A property that the
// contract does not name is a violation, too.
type contract struct {
	doc    *openapi3.T
	router routers.Router
}

var loadContract = sync.OnceValues(func() (*contract, error) {
	text := func(body io.Reader, _ http.Header, _ *openapi3.SchemaRef, _ openapi3filter.EncodingFn) (any, error) {
		b, err := io.ReadAll(body)
		return string(b), err
	}
	openapi3filter.RegisterBodyDecoder("application/x-ndjson", text)
	openapi3filter.RegisterBodyDecoder("text/csv", text)
	doc, err := openapi3.NewLoader().LoadFromData(api.Open)
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(context.Background()); err != nil { // checks also the examples against their schemas
		return nil, err
	}
	for _, s := range doc.Components.Schemas {
		closeSchema(s.Value)
	}
	doc.Servers = nil
	router, err := legacy.NewRouter(doc, openapi3.DisableExamplesValidation())
	return &contract{doc: doc, router: router}, err
})

// closeSchema makes an object schema refuse properties that it does not name; it first merges a
// schema of several parts into one.
func closeSchema(s *openapi3.Schema) {
	for _, part := range s.AllOf {
		if s.Properties == nil {
			s.Properties = openapi3.Schemas{}
		}
		for name, p := range part.Value.Properties {
			s.Properties[name] = p
		}
		s.Required = append(s.Required, part.Value.Required...)
	}
	s.AllOf = nil
	if len(s.Properties) > 0 && s.AdditionalProperties.Schema == nil {
		s.AdditionalProperties.Has = new(false)
	}
}

func newContract(t testing.TB) *contract {
	t.Helper()
	c, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var requestID = regexp.MustCompile(`^[0-9a-f]{16}$`)

func (c *contract) check(r *http.Request, a *answer) error {
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"} {
		if got := a.header.Get(name); got != want {
			return fmt.Errorf("%s %q, want %q", name, got, want)
		}
	}
	if id := a.header.Get("X-Request-Id"); !requestID.MatchString(id) {
		return fmt.Errorf("X-Request-Id %q", id)
	}
	if a.status >= 400 {
		return c.problem(a)
	}
	below, ok := strings.CutPrefix(r.URL.EscapedPath(), "/open-api/v1")
	if !ok || strings.HasPrefix(below, "/openapi.") {
		return nil // the page and the document are not in the contract
	}
	if got := a.header.Get("Cache-Control"); got != "no-store" {
		return fmt.Errorf("Cache-Control %q", got)
	}
	for _, name := range []string{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"} {
		if !regexp.MustCompile(`^\d+$`).MatchString(a.header.Get(name)) {
			return fmt.Errorf("%s %q", name, a.header.Get(name))
		}
	}
	asked := r.Clone(r.Context())
	asked.URL.Path = strings.TrimPrefix(r.URL.Path, "/open-api/v1")
	route, params, err := c.router.FindRoute(asked)
	if err != nil {
		return fmt.Errorf("status %d for a path that is not in the contract", a.status)
	}
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request:    asked,
			PathParams: params,
			Route:      route,
		},
		Status:  a.status,
		Header:  a.header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	return openapi3filter.ValidateResponse(context.Background(), in.SetBodyBytes(a.body))
}

// problem checks a refusal against RFC 9457 and the contract.
func (c *contract) problem(a *answer) error {
	if got := a.header.Get("Content-Type"); got != "application/problem+json" {
		return fmt.Errorf("Content-Type %q", got)
	}
	if got := a.header.Get("Cache-Control"); got != "no-store" {
		return fmt.Errorf("Cache-Control %q", got)
	}
	var value map[string]any
	if err := json.Unmarshal(a.body, &value); err != nil {
		return err
	}
	if err := c.doc.Components.Schemas["Problem"].Value.VisitJSON(value); err != nil {
		return err
	}
	if detail, _ := value["detail"].(string); detail == "" || value["title"] != http.StatusText(a.status) {
		return fmt.Errorf("title %q, detail %q", value["title"], detail)
	}
	later := a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable
	if got := a.header.Get("Retry-After"); later != (got != "") {
		return fmt.Errorf("status %d with Retry-After %q", a.status, got)
	}
	got := a.header.Get("WWW-Authenticate")
	if (a.status == http.StatusUnauthorized) != strings.HasPrefix(got, "Basic realm=") {
		return fmt.Errorf("status %d with WWW-Authenticate %q", a.status, got)
	}
	return nil
}

// checkEvent checks the body of a webhook call against the contract.
func (c *contract) checkEvent(t *testing.T, body []byte) {
	t.Helper()
	var event map[string]any
	if err := json.Unmarshal(body, &event); err != nil {
		t.Fatal(err)
	}
	err := c.doc.Components.Schemas["WebhookEvent"].Value.VisitJSON(event)
	if err == nil && event["type"] != "webhook.test" {
		err = c.doc.Components.Schemas["Notice"].Value.VisitJSON(event["data"])
	}
	if err != nil {
		t.Errorf("%s\nagainst the contract: %v", body, err)
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}
