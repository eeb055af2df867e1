package httpbase

import (
	"bytes"
	"encoding/json"

	"github.com/getkin/kin-openapi/openapi3"
)

// DropNulls takes out of a call's body the members that are null where the
// contract has no null for them: they are as if absent, since that is what
// clients mean who write down each field of a form. What is required is then
// missed like any other, by its own sentence. The text must be a valid one, or
// empty; all else of it means what it meant.
func DropNulls(call *openapi3.Operation) func(text []byte) []byte {
	return func(text []byte) []byte {
		body := call.RequestBody.Value.Content.Get("application/json")
		if body == nil || !bytes.Contains(text, []byte("null")) {
			return text
		}
		mended, _ := dropNulls(text, body.Schema.Value)
		return mended
	}
}

// dropNulls gives a text without its nulls, and whether it had any.
func dropNulls(text json.RawMessage, s *openapi3.Schema) (json.RawMessage, bool) {
	var mended any
	had := false
	switch text = bytes.TrimSpace(text); {
	case len(text) > 0 && text[0] == '{':
		var members map[string]json.RawMessage // of a name that is there twice the last one, as whoever binds it has it
		if json.Unmarshal(text, &members) != nil {
			return text, false
		}
		for name, value := range members {
			switch of := memberSchema(s, name); {
			case of == nil: // nothing of the contract's
			case string(bytes.TrimSpace(value)) == "null" && !of.Nullable:
				delete(members, name)
				had = true
			default:
				without, some := dropNulls(value, of)
				members[name], had = without, had || some
			}
		}
		mended = members
	case len(text) > 0 && text[0] == '[' && s.Items != nil:
		var items []json.RawMessage
		if json.Unmarshal(text, &items) != nil {
			return text, false
		}
		for i := range items {
			without, some := dropNulls(items[i], s.Items.Value)
			items[i], had = without, had || some
		}
		mended = items
	}
	if !had {
		return text, false
	}
	out, err := json.Marshal(mended)
	if err != nil { // parts of a valid text make one
		return text, false
	}
	return out, true
}

// memberSchema is the schema of an object's member, nil where the contract does not
// name it.
func memberSchema(s *openapi3.Schema, name string) *openapi3.Schema {
	if p := s.Properties[name]; p != nil {
		return p.Value
	}
	for _, part := range s.AllOf {
		if p := memberSchema(part.Value, name); p != nil {
			return p
		}
	}
	return nil
}
