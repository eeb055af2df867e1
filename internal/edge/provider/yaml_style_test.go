package provider

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// withoutPositions removes the positions from a file, to compare two notations of the same.
func withoutPositions(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return withoutPositions(v.Elem())
	case reflect.Struct:
		out := map[string]any{}
		for i := range v.NumField() {
			if v.Type().Field(i).Type != reflect.TypeFor[filePos]() {
				out[v.Type().Field(i).Name] = withoutPositions(v.Field(i))
			}
		}
		return out
	case reflect.Slice:
		var out []any
		for i := range v.Len() {
			out = append(out, withoutPositions(v.Index(i)))
		}
		return out
	case reflect.Map:
		out := map[string]any{}
		for _, k := range v.MapKeys() {
			out[k.String()] = withoutPositions(v.MapIndex(k))
		}
		return out
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return v.Bool()
	case reflect.Float64:
		return v.Float()
	}
	return v.Int()
}

func mustParse(t *testing.T, text string) *file {
	t.Helper()
	var wrong fileErrors
	f := wrong.parse([]byte(text))
	if f == nil || len(wrong.lines) > 0 {
		t.Fatalf("cannot be read: %+v", wrong.lines)
	}
	return f
}

// One file is read in all notations that YAML has.
func TestYAMLStyles(t *testing.T) {
	const flow = `{products: [{name: cam, offlineAfter: 1m30s, properties: [{identifier: live, dataType: text, elementData: "<b>\n x\n</b>"}]}],
 tenants: [{name: "north", hosts: [a.example, b.example], users: [{userName: ada, password: " pass word "}],
   devices: [{deviceName: A, longitude: 32, latitude: -3.5e1, gateway: true, elementData: {live: "https://a.example"}}]}]}`
	want := mustParse(t, flow)
	if p := want.products[0]; p.offlineAfter.value != 90*time.Second ||
		p.properties.value[0].elementData.value != "<b>\n x\n</b>" {
		t.Errorf("product %+v", p)
	}
	const block = `# a comment
products:
  - name: cam   # another
    offlineAfter: 90s
    properties:
    - identifier: live
      dataType: text
      elementData: |-
        <b>
         x
        </b>

tenants:
# between
- name: 'north'
  hosts:
  - a.example
  - "b.example"
  users:
    -   userName:   ada
        password: " pass word "
        email:
        mobile: null
        nickname: ~
  devices:
    - deviceName: >-
        A
      longitude: 32.0
      latitude: -35
      gateway: true
      elementData:
        live:
          https://a.example
`
	for name, text := range map[string]string{
		"block":      block,
		"windows":    strings.ReplaceAll(block, "\n", "\r\n"),
		"byte order": "\ufeff" + block,
		"document":   "---\n" + block + "...\n",
		"json": `{"products":[{"name":"cam","offlineAfter":"1m30s","properties":[{"identifier":"live","dataType":"text","elementData":"<b>\n x\n</b>"}]}],
			"tenants":[{"name":"north","hosts":["a.example","b.example"],"users":[{"userName":"ada","password":" pass word "}],
			"devices":[{"deviceName":"A","longitude":32,"latitude":-35.0,"gateway":true,"elementData":{"live":"https://a.example"}}]}]}`,
	} {
		got := mustParse(t, text)
		a, b := withoutPositions(reflect.ValueOf(*got)), withoutPositions(reflect.ValueOf(*want))
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s was read as\n%v\nwant\n%v", name, a, b)
		}
	}
}

// Every value has its line.
func TestLineNumbers(t *testing.T) {
	f := mustParse(t, `
tenants:
  - name: north
    hosts:
      - a.example

      - b.example
    users: [{userName: ada,
             email: ada@example.com}]
    devices:
      # the first
      - secret: |
          x
        deviceName: A
      - {
          deviceName: B,
          longitude: 1
        }
`)
	n := f.tenants[0]
	for what, c := range map[string]struct{ at, want int }{
		"tenant": {n.at.line, 3}, "name": {n.name.at.line, 3}, "host": {n.hosts.value[1].at.line, 7}, "user": {n.users[0].at.line, 8},
		"email": {n.users[0].email.at.line, 9}, "device": {n.devices[0].at.line, 12}, "deviceName": {n.devices[0].deviceName.at.line, 14},
		"flow device": {n.devices[1].at.line, 15}, "longitude": {n.devices[1].plain["longitude"].at.line, 17},
	} {
		if c.at != c.want {
			t.Errorf("%s is on line %d, want %d", what, c.at, c.want)
		}
	}
	if path := n.devices[1].plain["longitude"].at.path; path != "tenants[0].devices[1].longitude" {
		t.Errorf("path %s", path)
	}
}

// The guard refuses some files, with the line, and lets others through.
func TestGuard(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a level too deep":        {strings.Repeat("[", maxDepth+1), "nested more than 24 deep"},
		"a block level too deep":  {nestedMappings(maxDepth + 1), "nested more than 24 deep"},
		"dashes on one line":      {strings.Repeat("- ", maxDepth+1) + "a", "nested more than 24 deep"},
		"a key too many":          {"a: {" + strings.Repeat("k: 1,", maxKeys+1) + "}", "more than 1000 keys in one mapping"},
		"a block key too many":    {strings.Repeat("k: 1\n", maxKeys+1), "more than 1000 keys in one mapping"},
		"a bare key":              {"a: {b: 1, c, d: 2}", "a key without a value"},
		"a bare last key":         {"a: {b: 1, c}", "a key without a value"},
		"two colons":              {"a: {b: c: d}", "a second colon before the next comma"},
		"a question mark":         {"? a\n: b", "keys that begin with a question mark are not used here"},
		"a directive":             {"%YAML 1.2\n---\na: 1", "tags (!) and directives (%) are not used here"},
		"an alias":                {"a: *b", "anchors (&), aliases (*) and merge keys (<<) are not used here: write the values out"},
		"a second document":       {"a: 1\n---\nb: 1", "one file is one document: it ends before this line"},
		"after the document end":  {"a: 1\n...\nb: 1", "one file is one document: it ends before this line"},
		"empty values":            {"a: [" + strings.Repeat("{k: },", maxEmpty+1) + "]", "more than 20000 keys or entries without a value: leave them out"},
		"a closing bracket alone": {"a: ]", "not readable as YAML"},
		"a forgotten comma":       {"a: {b: c\n  d: e}", "a second colon before the next comma"},
	} {
		var wrong fileErrors
		wrong.parseTree([]byte(c.text))
		if len(wrong.lines) != 1 || !strings.HasPrefix(wrong.lines[0].Message, c.want) {
			t.Errorf("%s: %+v, want %s", name, wrong.lines, c.want)
		}
	}
	for name, text := range map[string]string{
		"depth":           strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth),
		"keys":            strings.Repeat("k: 1\n", maxKeys),
		"keys of many":    strings.Repeat("- {a: 1, b: 2}\n- c: 3\n  d: 4\n", maxKeys),
		"trailing commas": "a: {b: 1, c: [1, 2, ], }",
		"list under key":  "a:\n- 1\n- 2\nb:\n- 3\n",
		"colons in text":  "a: \"b: c: d: [{\"\ne: 12:30:00\n",
		"signs in text":   "a: 'x & y * z ! %'\nb: |\n  --- & * ! ? [[[[\n",
	} {
		var wrong fileErrors
		if wrong.parseTree([]byte(text)) == nil || len(wrong.lines) > 0 {
			t.Errorf("%s: %+v", name, wrong.lines)
		}
	}
}
