package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"tilth/api"
)

// operation is one call of one of the contracts.
type operation struct {
	api    string // console, open, provider, devices
	id     string
	method string
	path   string // with {parameters}
	slots  []slot
}

// slot is a place in a request that may carry an id, a name or a token.
type slot struct {
	in   string   // path, query, header, body
	name string   // body: the way to it, joined by dots; [] is the first of a list
	kind string   // number, text
	list bool     // of such
	way  []string // body
	only []string // these things alone are tried; nil: all of its kind
}

func (s slot) String() string { return s.in + " " + s.name }

// operations are all calls of all contracts, with their slots.
func operations(t *testing.T) (list []operation) {
	t.Helper()
	for name, text := range map[string][]byte{"": api.OpenAPI, "open": api.Open} {
		doc, err := openapi3.NewLoader().LoadFromData(text)
		if err != nil {
			t.Fatal(err)
		}
		for path, item := range doc.Paths.Map() {
			for method, op := range item.Operations() {
				o := operation{api: name, id: op.OperationID, method: method, path: path}
				if o.api == "" {
					o.api = apiOf(path)
				}
				for _, p := range slices.Concat(item.Parameters, op.Parameters) {
					o.add(slot{in: p.Value.In, name: p.Value.Name}, p.Value.Schema)
				}
				if op.RequestBody != nil {
					if json := op.RequestBody.Value.Content["application/json"]; json != nil {
						o.add(slot{in: "body"}, json.Schema)
					}
				}
				// What no contract knows, and a server might believe all the same.
				o.slots = append(o.slots, slot{in: "header", name: "tenant-id", kind: "number", only: []string{"tenant"}},
					slot{in: "header", name: "Tenant-Name", kind: "text", only: []string{"tenant name"}},
					slot{in: "header", name: "X-Forwarded-Host", kind: "text", only: []string{"host"}})
				slices.SortFunc(o.slots, func(x, y slot) int { return strings.Compare(x.String(), y.String()) })
				list = append(list, o)
			}
		}
	}
	slices.SortFunc(list, func(x, y operation) int {
		return strings.Compare(fmt.Sprint(x.method != "GET", x.api, x.id), fmt.Sprint(y.method != "GET", y.api, y.id))
	})
	return list
}

func apiOf(path string) string {
	switch {
	case strings.HasPrefix(path, "/provider-api/"):
		return "provider"
	case strings.HasPrefix(path, "/api/v1/"):
		return "devices"
	}
	return "console"
}

// add notes the slots of a schema. A number that has a most, or that is a time,
// and a text with a list of what it may be, carry nobody's id or name.
func (o *operation) add(s slot, ref *openapi3.SchemaRef) {
	if ref == nil || ref.Value == nil {
		return
	}
	schema := ref.Value
	for _, part := range schema.AllOf {
		o.add(s, part)
	}
	for name, p := range schema.Properties {
		inner := s
		inner.way = append(slices.Clone(s.way), name)
		inner.name = strings.Join(inner.way, ".")
		o.add(inner, p)
	}
	switch {
	case schema.Type.Is("array"):
		s.list = true
		if s.in == "body" && schema.Items != nil && len(schema.Items.Value.Properties) > 0 {
			s.list, s.way = false, append(slices.Clone(s.way), "[]")
		}
		o.add(s, schema.Items)
	case schema.Type.Is("string") && len(schema.Enum) == 0:
		s.kind = "text"
		o.slots = append(o.slots, s)
	case schema.Type.Is("integer") && schema.Max == nil && len(schema.Enum) == 0 && !strings.HasSuffix(s.name, "Time") && !strings.HasPrefix(s.name, "page"):
		s.kind = "number"
		o.slots = append(o.slots, s)
	}
}

// put sets a slot of a request's parts to a value.
func (s slot) put(q *request, value any) {
	if s.in == "query" || s.in == "path" || s.in == "header" {
		part := map[string]map[string]string{"query": q.query, "path": q.path, "header": q.header}[s.in]
		part[s.name] = fmt.Sprint(value)
		return
	}
	if s.list {
		value = []any{value}
	}
	q.body = set(q.body, s.way, value)
}

// set is a JSON value with another one at the end of the way.
func set(body any, way []string, value any) any {
	if len(way) == 0 {
		return value
	}
	if way[0] == "[]" {
		list, _ := body.([]any)
		if len(list) == 0 {
			list = []any{nil}
		}
		list = slices.Clone(list)
		list[0] = set(list[0], way[1:], value)
		return list
	}
	made := fields{}
	old, _ := body.(fields)
	for k, v := range old {
		made[k] = v
	}
	made[way[0]] = set(made[way[0]], way[1:], value)
	return made
}

func TestSlots(t *testing.T) {
	all := map[string][]string{}
	for _, o := range operations(t) {
		for _, s := range o.slots {
			all[o.api+" "+o.id] = append(all[o.api+" "+o.id], s.String())
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
	slot{in: "body", way: []string{"a", "[]", "b"}}.put(q, 7)
	slot{in: "body", way: []string{"d"}, list: true}.put(q, "x")
	if got := fmt.Sprint(q.body); got != "map[a:[map[b:7 c:2]] d:[x]]" {
		t.Error(got)
	}
}
