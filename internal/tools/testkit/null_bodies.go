package testkit

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// NullBody is a body in which one member is null, and the same body without that member.
type NullBody struct {
	Member        string // path of the member: conditions.value
	Null, Without string // JSON
}

// NullBodies makes bodies for a schema, one for each member, at any depth, for which the contract
// does not allow null. Their other members have the right types but name nothing that exists, so
// that no call changes anything.
func NullBodies(t testing.TB, s *openapi3.Schema) []NullBody {
	t.Helper()
	var made []NullBody
	eachNullBody(s, "", func(member string, null, without any) {
		made = append(made, NullBody{Member: member, Null: mustJSON(t, null), Without: mustJSON(t, without)})
	})
	return made
}

// NullElementBody is a body in which one list holds null.
type NullElementBody struct {
	List string // path of the list: others.recipients
	Body string // JSON
}

// NullElementBodies makes bodies for a schema, one for each list, at any depth, that may not hold
// null.
func NullElementBodies(t testing.TB, s *openapi3.Schema) []NullElementBody {
	t.Helper()
	var made []NullElementBody
	eachNullElementBody(s, "", func(list string, body any) {
		made = append(made, NullElementBody{List: list, Body: mustJSON(t, body)})
	})
	return made
}

// JSONBody returns the schema of an operation's JSON body; nil if it takes none.
func (c *Contract) JSONBody(op Operation) *openapi3.Schema {
	return JSONBody(c.doc.Paths.Value(op.Path).GetOperation(op.Method))
}

// JSONBody returns the schema of an operation's JSON body; nil if it takes none.
func JSONBody(op *openapi3.Operation) *openapi3.Schema {
	if op.RequestBody == nil || op.RequestBody.Value.Content["application/json"] == nil {
		return nil
	}
	return op.RequestBody.Value.Content["application/json"].Schema.Value
}

func mustJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// eachNullBody calls each with pairs of samples of a schema that differ in one member.
func eachNullBody(s *openapi3.Schema, of string, each func(member string, null, without any)) {
	switch {
	case s.Type.Is(openapi3.TypeArray):
		eachNullBody(
			s.Items.Value,
			of,
			func(member string, null, without any) { each(member, []any{null}, []any{without}) },
		)
		return
	case len(members(s)) == 0:
		return
	}
	for _, name := range slices.Sorted(maps.Keys(members(s))) {
		with := func(v any) map[string]any {
			whole := sample(s).(map[string]any)
			whole[name] = v
			return whole
		}
		p := members(s)[name]
		eachNullBody(p, of+name+".", func(member string, null, without any) { each(member, with(null), with(without)) })
		if p.Nullable {
			continue
		}
		without := with(nil)
		delete(without, name)
		each(of+name, with(nil), without)
	}
}

// eachNullElementBody calls each with samples of a schema in which one list holds null.
func eachNullElementBody(s *openapi3.Schema, of string, each func(list string, body any)) {
	if s.Type.Is(openapi3.TypeArray) {
		if !s.Items.Value.Nullable {
			each(of, []any{nil})
		}
		eachNullElementBody(s.Items.Value, of, func(list string, item any) { each(list, []any{item}) })
		return
	}
	for name, p := range members(s) {
		path := strings.TrimPrefix(of+"."+name, ".")
		eachNullElementBody(p, path, func(list string, value any) {
			whole := sample(s).(map[string]any)
			whole[name] = value
			each(list, whole)
		})
	}
}

// members returns an object's properties, including those of its allOf; none for other types.
func members(s *openapi3.Schema) map[string]*openapi3.Schema {
	all := map[string]*openapi3.Schema{}
	for _, part := range s.AllOf {
		maps.Copy(all, members(part.Value))
	}
	for name, p := range s.Properties {
		all[name] = p.Value
	}
	return all
}

// sample returns a value of a schema's type that most likely names nothing that exists.
func sample(s *openapi3.Schema) any {
	switch all := members(s); {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.OneOf) > 0:
		return sample(s.OneOf[0].Value)
	case len(all) > 0:
		whole := map[string]any{}
		for name, p := range all {
			whole[name] = sample(p)
		}
		return whole
	case s.Type.Is(openapi3.TypeArray):
		return []any{sample(s.Items.Value)}
	case s.Type.Is(openapi3.TypeBoolean):
		return true
	case s.Type.Is(openapi3.TypeInteger), s.Type.Is(openapi3.TypeNumber):
		if s.Max != nil {
			return *s.Max
		}
		return 987_654_321
	case s.Format == "date":
		return "2026-11-21"
	}
	return "zz"
}
