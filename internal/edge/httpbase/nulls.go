package httpbase

import (
	"bytes"
	"encoding/json"

	"github.com/getkin/kin-openapi/openapi3"
)

// DropNulls removes from a call's body the members that are null although the contract allows no
// null for them. They then count as absent, which is what clients mean that send every field of a
// form. The check reports a required member that is removed as missing, like any other. The text
// must be valid or empty; the meaning of all else stays the same.
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

// dropNulls returns a text without its nulls, and whether it had any.
func dropNulls(text json.RawMessage, s *openapi3.Schema) (json.RawMessage, bool) {
	var mended any
	had := false
	switch text = bytes.TrimSpace(text); {
	case len(text) > 0 && text[0] == '{':
		var members map[string]json.RawMessage // of two members with one name the last one counts, as in decoders
		if json.Unmarshal(text, &members) != nil {
			return text, false
		}
		for name, value := range members {
			switch of := memberSchema(s, name); {
			case of == nil: // the contract does not know it
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
	if err != nil { // parts of a valid text make a valid text
		return text, false
	}
	return out, true
}

// memberSchema returns the schema of an object's member, nil if the contract does not name the
// member.
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
