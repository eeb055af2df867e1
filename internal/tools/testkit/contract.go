package testkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"tilth/api"
)

// Spreadsheet is the content type of an XLSX file, which has no envelope.
const Spreadsheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// Lines is the content type of a response with one JSON value on each line.
const Lines = "application/x-ndjson"

// Contract sends requests to a handler and checks every response against api/openapi.yaml: its
// status, headers and body. A property that the contract does not name is a violation, too.
type Contract struct {
	Handler http.Handler

	doc    *openapi3.T
	router routers.Router
}

// NewContract reads the contract for a handler.
func NewContract(t testing.TB, h http.Handler) *Contract {
	t.Helper()
	known, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	return &Contract{Handler: h, doc: known.doc, router: known.router}
}

type document struct {
	doc    *openapi3.T
	router routers.Router
}

// loadContract reads the contract once for all tests of a package.
var loadContract = sync.OnceValues(func() (document, error) {
	openapi3filter.RegisterBodyDecoder(
		"text/event-stream",
		func(body io.Reader, _ http.Header, _ *openapi3.SchemaRef, _ openapi3filter.EncodingFn) (any, error) {
			text, err := io.ReadAll(body)
			return string(text), err
		},
	)
	openapi3filter.RegisterBodyDecoder(Spreadsheet, openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder(Lines, openapi3filter.FileBodyDecoder)
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI)
	if err != nil {
		return document{}, err
	}
	for _, s := range doc.Components.Schemas {
		mergeAllOf(s.Value)
	}
	for _, s := range doc.Components.Schemas {
		forbidUnknown(s.Value)
	}
	doc.Servers = nil // the path alone names an operation; the host does not matter
	router, err := legacy.NewRouter(doc)
	return document{doc: doc, router: router}, err
})

// mergeAllOf merges the objects of allOf into one schema. Otherwise each object, once it forbids
// unknown properties, would refuse the properties of the others.
func mergeAllOf(s *openapi3.Schema) {
	if len(s.AllOf) < 2 {
		return
	}
	all := openapi3.Schemas{}
	for _, part := range s.AllOf {
		mergeAllOf(part.Value)
		maps.Copy(all, part.Value.Properties)
		s.Required = append(s.Required, part.Value.Required...)
	}
	slices.Sort(s.Required)
	s.Properties, s.Required, s.AllOf = all, slices.Compact(s.Required), nil
}

// forbidUnknown makes an object schema, and the schemas inside it, refuse properties that they do
// not name.
func forbidUnknown(s *openapi3.Schema) {
	if len(s.Properties) > 0 && s.AdditionalProperties.Has == nil && s.AdditionalProperties.Schema == nil {
		s.AdditionalProperties.Has = new(false)
	}
	for _, p := range s.Properties {
		if p.Ref == "" {
			forbidUnknown(p.Value)
		}
	}
	if s.Items != nil && s.Items.Ref == "" {
		forbidUnknown(s.Items.Value)
	}
}

// Call is one request.
type Call struct {
	Method string // GET when empty
	Path   string // with its query
	Body   string // JSON, unless Header says otherwise
	Token  string // access token; none when empty
	Header map[string]string
	From   string // address of the client; 192.0.2.1 when empty
}

// Request makes the HTTP request of the call, for a server at base.
func (c Call) Request(ctx context.Context, base string) *http.Request {
	method := c.Method
	if method == "" {
		method = http.MethodGet
	}
	r := httptest.NewRequestWithContext(ctx, method, base+c.Path, strings.NewReader(c.Body))
	r.RequestURI = "" // httptest sets what only a server may have
	if c.Body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	for name, value := range c.Header {
		r.Header.Set(name, value)
	}
	if c.From != "" {
		r.RemoteAddr = c.From + ":40000"
	}
	return r
}

// Answer is the response to a call.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte

	// The members of the envelope; zero if the body has none.
	Code int             `json:"code"`
	Data json.RawMessage `json:"data"`
	Msg  string          `json:"msg"`
}

// Do makes a call and checks its response.
func (c *Contract) Do(t testing.TB, call Call) *Answer {
	t.Helper()
	a, err := c.do(t.Context(), call)
	if err != nil {
		t.Fatalf("%s %s answered %d %s\nagainst the contract: %v", call.Method, call.Path, a.Status, a.Body, err)
	}
	return a
}

func (c *Contract) do(ctx context.Context, call Call) (*Answer, error) {
	w := httptest.NewRecorder()
	r := call.Request(ctx, "http://tilth.test")
	c.Handler.ServeHTTP(w, r)
	a := &Answer{Status: w.Code, Header: w.Result().Header, Body: w.Body.Bytes()}
	return a, c.Check(r, a)
}

// Ask makes a call that must succeed and returns its data.
func Ask[T any](t testing.TB, c *Contract, call Call) T {
	t.Helper()
	a := c.Do(t, call)
	if a.Code != 200 {
		t.Fatalf("%s answered code %d: %s", call.Path, a.Code, a.Msg)
	}
	var data T
	if err := json.Unmarshal(a.Data, &data); err != nil {
		t.Fatalf("%s: %v in %s", call.Path, err, a.Data)
	}
	return data
}

// unroutedStatuses are the HTTP statuses of calls that no handler took. Their body is the envelope
// with the same number as its code.
var unroutedStatuses = []int{
	http.StatusNotFound,
	http.StatusMethodNotAllowed,
	http.StatusRequestEntityTooLarge,
	http.StatusServiceUnavailable,
}

var requestID = regexp.MustCompile(`^[0-9a-f]{16}$`)

// Check checks a response against the contract and, for a call of the console, reads its envelope.
func (c *Contract) Check(r *http.Request, a *Answer) error {
	if err := checkCommonHeaders(a.Header); err != nil {
		return err
	}
	console := strings.HasPrefix(r.URL.Path, "/admin-api/") || strings.HasPrefix(r.URL.Path, "/app-api/")
	route, params, err := c.router.FindRoute(r)
	if err != nil && !console {
		return nil // a page or an asset, which the contract does not describe
	}
	if got := a.Header.Get("Cache-Control"); got != "no-store" && (console || r.Method != http.MethodPost) {
		return fmt.Errorf("Cache-Control %q", got)
	}
	switch {
	case !console:
		return c.operation(r, route, params, a)
	case strings.HasPrefix(a.Header.Get("Content-Type"), "text/event-stream"),
		a.Header.Get("Content-Type") == Spreadsheet:
		return c.operation(r, route, params, a)
	case a.Header.Get("Content-Type") == Lines:
		return errors.Join(c.lines(a.Body), c.operation(r, route, params, a))
	}
	if a.Header.Get("Content-Type") != "application/json" {
		return fmt.Errorf("Content-Type %q", a.Header.Get("Content-Type"))
	}
	if err == nil && isCaptcha(route) && a.Status != http.StatusMethodNotAllowed {
		return c.checkCaptcha(r, route, params, a)
	}
	if err := c.envelope(a); err != nil {
		return err
	}
	if err != nil && a.Status != http.StatusNotFound && a.Status != http.StatusMethodNotAllowed {
		return fmt.Errorf("status %d for a call that the contract does not know", a.Status)
	}
	if a.Status != http.StatusOK {
		return nil
	}
	return c.operation(r, route, params, a)
}

// captchaEnvelope is the schema that the captcha's calls return instead of the usual envelope, for
// every error, too.
const captchaEnvelope = "CaptchaAnswer"

func (c *Contract) checkCaptcha(r *http.Request, route *routers.Route, params map[string]string, a *Answer) error {
	if slices.Contains(unroutedStatuses, a.Status) {
		return c.Schema(captchaEnvelope, a.Body)
	}
	return c.operation(r, route, params, a)
}

func isCaptcha(route *routers.Route) bool {
	answer := route.Operation.Responses.Status(http.StatusOK)
	if answer == nil || answer.Value.Content["application/json"] == nil {
		return false
	}
	return strings.HasSuffix(answer.Value.Content["application/json"].Schema.Ref, "/"+captchaEnvelope)
}

func checkCommonHeaders(h http.Header) error {
	if !requestID.MatchString(h.Get("X-Request-Id")) {
		return fmt.Errorf("X-Request-Id %q", h.Get("X-Request-Id"))
	}
	for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"} {
		if got := h.Get(name); got != want {
			return fmt.Errorf("%s %q, want %q", name, got, want)
		}
	}
	return nil
}

// envelope reads the envelope of a and checks that its code, status, text and data fit together.
func (c *Contract) envelope(a *Answer) error {
	if err := c.Schema("Envelope", a.Body); err != nil {
		return err
	}
	if err := json.Unmarshal(a.Body, a); err != nil {
		return err
	}
	switch {
	case a.Code == 200 && a.Status != http.StatusOK:
		return fmt.Errorf("code 200 with status %d", a.Status)
	case a.Code != 200 && a.Msg == "":
		return errors.New("an error without a text in msg")
	case a.Status != http.StatusOK && (!slices.Contains(unroutedStatuses, a.Status) || a.Status != a.Code):
		return fmt.Errorf("code %d with status %d", a.Code, a.Status)
	case a.Header.Get("Retry-After") == "" &&
		(a.Code == http.StatusTooManyRequests || a.Code == http.StatusServiceUnavailable):
		return fmt.Errorf("code %d without Retry-After", a.Code)
	}
	return nil
}

func (c *Contract) operation(r *http.Request, route *routers.Route, params map[string]string, a *Answer) error {
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route},
		Status:                 a.Status, Header: a.Header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	return openapi3filter.ValidateResponse(context.Background(), in.SetBodyBytes(a.Body))
}

// Schema checks a JSON text against one of the contract's schemas.
func (c *Contract) Schema(name string, text []byte) error {
	ref := c.doc.Components.Schemas[name]
	if ref == nil {
		return fmt.Errorf("the contract has no schema %s", name)
	}
	var value any
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := ref.Value.VisitJSON(value, openapi3.VisitAsResponse()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// lines checks the lines of a response against the contract: one for each device, then one for all.
// It skips empty lines.
func (c *Contract) lines(body []byte) error {
	if !bytes.HasSuffix(body, []byte("\n")) {
		return errors.New("the last line does not end")
	}
	nonEmpty := bytes.FieldsFunc(body, func(r rune) bool { return r == '\n' })
	for i, line := range nonEmpty {
		schema := "RehearsedDevice"
		if i == len(nonEmpty)-1 {
			schema = "RehearsedAll"
		}
		if err := c.Schema(schema, line); err != nil {
			return err
		}
	}
	return nil
}

// Operation is one call that the contract knows.
type Operation struct {
	ID, Method, Path string
	Public           bool // needs no sign-in
}

// Operations lists the contract's operations with the given tags.
func (c *Contract) Operations(tags ...string) []Operation {
	var found []Operation
	for path, item := range c.doc.Paths.Map() {
		for method, op := range item.Operations() {
			if slices.ContainsFunc(op.Tags, func(tag string) bool { return slices.Contains(tags, tag) }) {
				found = append(found, Operation{
					ID:     op.OperationID,
					Method: method,
					Path:   path,
					Public: op.Security != nil && len(*op.Security) == 0,
				})
			}
		}
	}
	slices.SortFunc(found, func(a, b Operation) int { return strings.Compare(a.ID, b.ID) })
	return found
}

// Parameters lists the names of the parameters of the operations with the given tags, each once.
func (c *Contract) Parameters(tags ...string) []string {
	var names []string
	for _, op := range c.Operations(tags...) {
		for _, p := range c.doc.Paths.Value(op.Path).GetOperation(op.Method).Parameters {
			names = append(names, p.Value.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Fields lists the names of the parameters and of the properties of the bodies of the operations
// with the given tags, each once.
func (c *Contract) Fields(tags ...string) []string {
	names := c.Parameters(tags...)
	for _, op := range c.Operations(tags...) {
		body := c.doc.Paths.Value(op.Path).GetOperation(op.Method).RequestBody
		if body == nil {
			continue
		}
		for _, form := range body.Value.Content {
			names = slices.AppendSeq(names, maps.Keys(form.Schema.Value.Properties))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ConsoleTags are the tags of the console's calls: all but those that api/console.codegen.yaml excludes.
func (c *Contract) ConsoleTags() (tags []string) {
	others := []string{"health", "provider", "signon", "telemetry"}
	for _, item := range c.doc.Paths.Map() {
		for _, op := range item.Operations() {
			for _, tag := range op.Tags {
				if !slices.Contains(others, tag) {
					tags = append(tags, tag)
				}
			}
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}
