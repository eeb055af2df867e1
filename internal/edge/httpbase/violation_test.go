package httpbase

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

const thingsContract = `
openapi: 3.0.3
info: {title: Things, version: "1"}
paths:
  /things/{id}:
    post:
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer, minimum: 1}}
        - {name: page, in: query, schema: {type: integer, minimum: 1, maximum: 400}}
        - {name: ratio, in: query, schema: {type: number, maximum: 0.5}}
        - {name: name, in: query, required: true, schema: {type: string, minLength: 1, maxLength: 5}}
        - {name: code, in: query, schema: {type: string, minLength: 3, pattern: "^[a-z]+$"}}
        - {name: day, in: query, schema: {type: string, format: date}}
        - name: list
          in: query
          explode: false
          schema: {type: array, minItems: 2, maxItems: 3, items: {type: integer, maximum: 9}}
        - {name: state, in: query, schema: {type: integer, enum: [0, 1]}}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              allOf:
                - type: object
                  required: [title]
                  properties:
                    title: {type: string, maxLength: 5}
                    part: {type: object, properties: {size: {type: integer, minimum: 3}}}
                - type: object
                  properties:
                    count: {type: integer}
                    tags: {type: array, items: {type: string}}
                    states: {type: array, items: {type: string, enum: [on, off]}}
                    either: {type: array, items: {oneOf: [{type: string}, {type: integer}]}}
                    plan:
                      nullable: true
                      allOf:
                        - type: object
                          properties:
                            steps:
                              type: array
                              items: {type: object, properties: {at: {type: array, items: {type: integer}}}}
                    limits: {type: array, items: {type: number, nullable: true}}
      responses: {"200": {description: done}}
  /things:
    put:
      requestBody:
        content:
          application/json:
            schema: {type: object, additionalProperties: false, properties: {title: {type: string}}}
      responses: {"200": {description: done}}
`

// thingsRouter finds the operation of thingsContract that a request is for.
func thingsRouter(t *testing.T) routers.Router {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData([]byte(thingsContract))
	if err != nil {
		t.Fatal(err)
	}
	router, err := legacy.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return router
}

// validateThing makes a request and returns its error; skipBody skips the body.
func validateThing(
	t *testing.T,
	router routers.Router,
	method, path, body string,
	skipBody bool,
) (*http.Request, error) {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	route, params, err := router.FindRoute(r)
	if err != nil {
		t.Fatal(err)
	}
	if skipBody {
		return r, ValidateParameters(r, route, params, r.URL.Query())
	}
	return r, Validate(r, route, params, r.URL.Query())
}

// A violation has the field and the rule, and its cause holds nothing that the client wrote.
func TestViolations(t *testing.T) {
	const good, wrong = `{"title":"x"}`, "s3cr3t"
	router := thingsRouter(t)
	for _, c := range []struct {
		path, body   string
		rule         Rule
		field, limit string
		choices      []string
	}{
		{path: "1?name=x", body: good},
		{path: "1?name=x&page=0", rule: RuleMinimum, field: "page", limit: "1"},
		{path: "1?name=x&page=401", rule: RuleMaximum, field: "page", limit: "400"},
		{path: "1?name=x&ratio=0.75", rule: RuleMaximum, field: "ratio", limit: "0.5"},
		{path: "0?name=x", rule: RuleMinimum, field: "id", limit: "1"},
		{path: "1", rule: RuleRequired, field: "name"},
		{path: "1?name=s3cr3t", rule: RuleMaxLength, field: "name", limit: "5"},
		{path: "1?name=x&code=ab", rule: RuleMinLength, field: "code", limit: "3"},
		{path: "1?name=x&code=s3cr3t", rule: RuleFormat, field: "code"},
		{path: "1?name=x&day=s3cr3t", rule: RuleFormat, field: "day"},
		{path: "1?name=x&list=1", rule: RuleMinItems, field: "list", limit: "2"},
		{path: "1?name=x&list=1,2,3,4", rule: RuleMaxItems, field: "list", limit: "3"},
		{path: "1?name=x&list=1,10", rule: RuleMaximum, field: "list", limit: "9"},
		{path: "1?name=x&state=7", rule: RuleChoice, field: "state", choices: []string{"0", "1"}},
		{path: "1?name=x&page=s3cr3t", rule: RuleUnreadable, field: "page"},
		{path: "s3cr3t?name=x", rule: RuleUnreadable, field: "id"},
		{path: "1?name=x", body: "", rule: RuleUnreadable},
		{path: "1?name=x", body: `{"s3cr3t"`, rule: RuleUnreadable},
		{path: "1?name=x", body: `{}`, rule: RuleRequired, field: "title"},
		{path: "1?name=x", body: `{"title":"s3cr3t"}`, rule: RuleMaxLength, field: "title", limit: "5"},
		{path: "1?name=x", body: `{"title":{"s3cr3t":1}}`, rule: RuleType, field: "title"},
		{path: "1?name=x", body: `{"title":"x","part":{"size":1}}`, rule: RuleMinimum, field: "part", limit: "3"},
		{path: "1?name=x", body: `{"title":"x","count":"s3cr3t"}`, rule: RuleType, field: "count"},
		{path: "1?name=x", body: `["s3cr3t"]`, rule: RuleType},
		{path: "1?name=x", body: `null`, rule: RuleType},
		{path: "1?name=x", body: `{"title":"x","tags":[null]}`, rule: RuleNull, field: "tags"},
		{path: "1?name=x", body: `{"title":"x","tags":["s3cr3t",null]}`, rule: RuleNull, field: "tags"},
		{path: "1?name=x", body: `{"title":"x","states":[null]}`, rule: RuleNull, field: "states"},
		{path: "1?name=x", body: `{"title":"x","either":[null]}`, rule: RuleNull, field: "either"},
		{path: "1?name=x", body: `{"title":"x","plan":{"steps":[null]}}`, rule: RuleNull, field: "plan"},
		{path: "1?name=x", body: `{"title":"x","plan":{"steps":[{"at":[1,null]}]}}`, rule: RuleNull, field: "plan"},
		{path: "1?name=x", body: `{"title":"x","plan":null,"limits":[null],"other":[null]}`},
	} {
		body := c.body
		if strings.Contains(c.path, "&") || c.field == "id" || c.path == "1" || c.path == "1?name=s3cr3t" {
			body = good
		}
		_, err := validateThing(t, router, http.MethodPost, "/things/"+c.path, body, false)
		if c.rule == "" {
			if err != nil {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		b := ViolationOf(fmt.Errorf("wrapped: %w", err))
		if b.Rule != c.rule || b.Field != c.field || b.Limit != c.limit || !reflect.DeepEqual(b.Choices, c.choices) {
			t.Errorf("%+v: %+v", c, b)
		}
		if b.Cause == nil != (c.path == "1") || b.Cause != nil && strings.Contains(b.Cause.Error(), wrong) {
			t.Errorf("%+v: cause %v", c, b.Cause)
		}
	}
	_, err := validateThing(t, router, http.MethodPut, "/things", `{"s3cr3t":1}`, false)
	if b := ViolationOf(err); b.Rule != RuleUnknown || b.Field != "" || strings.Contains(b.Cause.Error(), wrong) {
		t.Errorf("%+v", b)
	}
}

// ValidateParameters checks only the parameters and reads no byte of the body.
func TestValidateParametersLeavesBodyUnread(t *testing.T) {
	router := thingsRouter(t)
	r, err := validateThing(t, router, http.MethodPost, "/things/1?name=x", "no JSON at all", true)
	if err != nil {
		t.Error(err)
	}
	if body, err := io.ReadAll(r.Body); string(body) != "no JSON at all" {
		t.Errorf("%q, %v", body, err)
	}
	_, err = validateThing(t, router, http.MethodPost, "/things/1", "", true)
	if ViolationOf(err).Rule != RuleRequired {
		t.Error(err)
	}
}

// The body can be read again after the check.
func TestValidateKeepsBodyReadable(t *testing.T) {
	const good = `{"title":"x"}`
	r, err := validateThing(t, thingsRouter(t), http.MethodPost, "/things/1?name=x", good, false)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(r.Body); string(body) != good {
		t.Errorf("%q, %v", body, err)
	}
}

// A value that the contract accepts and the Go type cannot hold is reported with its field, too;
// every other error is reported as unreadable.
func TestViolationsOfBindingErrors(t *testing.T) {
	var into struct {
		Count int8
		Part  struct{ Size int8 }
	}
	for body, field := range map[string]string{`{"Count":300}`: "Count", `{"Part":{"Size":300}}`: "Part"} {
		b := ViolationOf(fmt.Errorf("can't decode JSON body: %w", json.Unmarshal([]byte(body), &into)))
		if b.Rule != RuleType || b.Field != field || strings.Contains(b.Cause.Error(), "300") {
			t.Errorf("%s: %+v", body, b)
		}
	}
	for _, err := range []error{json.Unmarshal([]byte(`7`), &into), json.Unmarshal([]byte(`{`), &into), io.ErrUnexpectedEOF, errors.New("s3cr3t")} {
		if b := ViolationOf(err); b.Rule != RuleUnreadable || b.Field != "" ||
			strings.Contains(b.Cause.Error(), "s3cr3t") {
			t.Errorf("%v: %+v", err, b)
		}
	}
	if b := ViolationOf(fmt.Errorf("reading: %w", &http.MaxBytesError{Limit: 5})); b.Rule != RuleTooLarge {
		t.Errorf("%+v", b)
	}
	if b := ViolationOf(ErrNotJSON); b.Rule != RuleUnreadable || !errors.Is(b.Cause, ErrNotJSON) {
		t.Errorf("%+v", b)
	}
}
