package server

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"tilth/api"
	"tilth/internal/edge/httpbase"
)

// operation is one operation of one of the contracts.
type operation struct {
	api        string // console, open, provider, devices
	id         string
	method     string
	path       string // with its {parameters}
	role       string // the least role that may call it
	scope      string // the scope that a credential needs
	changes    string // the kind of thing that it changes on screens; empty: the contract names none
	parameters []parameter
}

// parameter is a place in a request that may carry an ID, a name or a token.
type parameter struct {
	in         string   // path, query, header, body
	name       string   // for a body: the path to it, joined by dots; [] is the first item of a list
	kind       string   // number, text
	list       bool     // a list of that kind
	keys       []string // path in the body
	onlyValues []string // only these values are tried; nil: all of its kind
}

func (s parameter) String() string { return s.in + " " + s.name }

// String is the operation's name in the table.
func (o operation) String() string { return o.api + " " + o.id }

// names reports whether the place names the thing that the call is about.
func (s parameter) names() bool {
	return s.in != "header" && slices.Contains([]string{"id", "alarmRulesId", "deviceName"}, s.name)
}

// operations are all operations of all contracts, with their parameters.
func operations(t *testing.T) []operation {
	t.Helper()
	list, err := readOperations()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

var readOperations = sync.OnceValues(func() (list []operation, err error) {
	for name, text := range map[string][]byte{"": api.OpenAPI, "open": api.Open} {
		doc, err := openapi3.NewLoader().LoadFromData(text)
		if err != nil {
			return nil, err
		}
		for path, item := range doc.Paths.Map() {
			for method, op := range item.Operations() {
				o := operation{
					api: name, id: op.OperationID, method: method, path: path,
					role: httpbase.Role(op), scope: httpbase.Scope(op),
				}
				if o.api == "" {
					o.api = apiOf(path)
				}
				o.changes, _ = op.Extensions["x-changes"].(string)
				for _, p := range slices.Concat(item.Parameters, op.Parameters) {
					o.add(parameter{in: p.Value.In, name: p.Value.Name}, p.Value.Schema)
				}
				if op.RequestBody != nil {
					if json := op.RequestBody.Value.Content["application/json"]; json != nil {
						o.add(parameter{in: "body"}, json.Schema)
					}
				}
				// These parameters are in no contract, but a server might accept them all the same.
				o.parameters = append(
					o.parameters,
					parameter{in: "header", name: "tenant-id", kind: "number", onlyValues: []string{"tenants"}},
					parameter{in: "header", name: "Tenant-Name", kind: "text", onlyValues: []string{"tenant name"}},
					parameter{in: "header", name: "X-Forwarded-Host", kind: "text", onlyValues: []string{"host"}},
				)
				slices.SortFunc(
					o.parameters,
					func(x, y parameter) int { return strings.Compare(x.String(), y.String()) },
				)
				list = append(list, o)
			}
		}
	}
	slices.SortFunc(list, func(x, y operation) int {
		return strings.Compare(fmt.Sprint(x.method != "GET", x.api, x.id), fmt.Sprint(y.method != "GET", y.api, y.id))
	})
	return list, nil
})

func apiOf(path string) string {
	switch {
	case strings.HasPrefix(path, "/provider-api/"):
		return "provider"
	case strings.HasPrefix(path, "/api/v1/"), strings.HasPrefix(path, "/weatherstation/"):
		return "devices"
	}
	return "console"
}

// add adds the parameters of a schema. A number with a maximum, a time, and a text with a list of
// values carry no ID and no name.
func (o *operation) add(s parameter, ref *openapi3.SchemaRef) {
	if ref == nil || ref.Value == nil {
		return
	}
	schema := ref.Value
	for _, part := range schema.AllOf {
		o.add(s, part)
	}
	for name, p := range schema.Properties {
		inner := s
		inner.keys = append(slices.Clone(s.keys), name)
		inner.name = strings.Join(inner.keys, ".")
		o.add(inner, p)
	}
	switch {
	case schema.Type.Is("array"):
		s.list = true
		if s.in == "body" && schema.Items != nil && len(schema.Items.Value.Properties) > 0 {
			s.list, s.keys = false, append(slices.Clone(s.keys), "[]")
		}
		o.add(s, schema.Items)
	case schema.Type.Is("string") && len(schema.Enum) == 0:
		s.kind = "text"
		o.parameters = append(o.parameters, s)
	case schema.Type.Is("integer") && schema.Max == nil && len(schema.Enum) == 0 && !strings.HasSuffix(s.name, "Time") && !strings.HasPrefix(s.name, "page"):
		s.kind = "number"
		o.parameters = append(o.parameters, s)
	}
}

// set sets a parameter of a request to a value.
func (s parameter) set(q *request, value any) {
	if s.in == "query" || s.in == "path" || s.in == "header" {
		part := map[string]map[string]string{"query": q.query, "path": q.path, "header": q.header}[s.in]
		part[s.name] = fmt.Sprint(value)
		return
	}
	if s.list {
		value = []any{value}
	}
	q.body = setJSON(q.body, s.keys, value)
}

// setJSON replaces the JSON value at the end of a path.
func setJSON(body any, keys []string, value any) any {
	if len(keys) == 0 {
		return value
	}
	if keys[0] == "[]" {
		list, _ := body.([]any)
		if len(list) == 0 {
			list = []any{nil}
		}
		list = slices.Clone(list)
		list[0] = setJSON(list[0], keys[1:], value)
		return list
	}
	made := fields{}
	old, _ := body.(fields)
	for k, v := range old {
		made[k] = v
	}
	made[keys[0]] = setJSON(made[keys[0]], keys[1:], value)
	return made
}

func TestOperationParameters(t *testing.T) {
	all := map[string][]string{}
	for _, o := range operations(t) {
		for _, s := range o.parameters {
			all[o.String()] = append(all[o.String()], s.String())
		}
	}
	for id, want := range map[string][]string{
		"console updateScene":     {"body groupName", "body groupStatus", "body id"},
		"console getDevicePage":   {"query deviceName", "query executionId", "query groupId", "query productId", "query takesRule"},
		"console copyAlarmRule":   {"body executionIds", "body id"},
		"console deleteScene":     {"query id"},
		"open getHistory":         {"path deviceName", "query cursor", "query from", "query properties", "query to"},
		"console createAlarmRule": {"body alarmDesc", "body alarmName", "body conditions.[].andor", "body conditions.[].subconditions", "body conditions.[].tslAttribute"},
	} {
		for _, s := range want {
			if !slices.Contains(all[id], s) {
				t.Errorf("%s has %v, not %s", id, all[id], s)
			}
		}
	}
	q := &request{body: fields{"a": []any{fields{"b": 1, "c": 2}}}}
	parameter{in: "body", keys: []string{"a", "[]", "b"}}.set(q, 7)
	parameter{in: "body", keys: []string{"d"}, list: true}.set(q, "x")
	if got := fmt.Sprint(q.body); got != "map[a:[map[b:7 c:2]] d:[x]]" {
		t.Error(got)
	}
}
