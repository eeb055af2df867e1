package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// compare says what became of things.
func compare(what string, before, after []Thing) ([]Deed, error) {
	was := make(map[int64]*Thing, len(before))
	for i := range before {
		was[before[i].ID] = &before[i]
	}
	var deeds []Deed
	for i := range after {
		now := &after[i]
		old := was[now.ID]
		delete(was, now.ID)
		d, err := difference(what, old, now)
		if err != nil {
			return nil, err
		}
		if d != nil {
			deeds = append(deeds, *d)
		}
	}
	for i := range before {
		if old := was[before[i].ID]; old != nil {
			d, err := difference(what, old, nil)
			if err != nil {
				return nil, err
			}
			deeds = append(deeds, *d)
		}
	}
	return deeds, nil
}

// difference is what became of a thing; nil when nothing did. Before and after
// are nil where it is not there.
func difference(what string, before, after *Thing) (*Deed, error) {
	changed := before == nil || after == nil
	d := Deed{What: what}
	switch {
	case after == nil:
		d.Thing, after = *before, &Thing{}
	case before == nil:
		d.Thing, before = *after, &Thing{}
	default:
		// It is told of by the name it had; what it is called now is among the changes.
		d.Thing = *before
		if after.Name != before.Name {
			d.Thing.Also += "\n" + after.Name
		}
	}
	whole := changed
	for _, f := range fieldsOf(before, after) {
		old, err := valueOf(before, f.Name)
		if err != nil {
			return nil, err
		}
		now, err := valueOf(after, f.Name)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(old, now) {
			continue
		}
		changed = true
		switch {
		case f.Name == "":
		case f.Hidden && whole: // that it has one says nothing
		case f.Hidden:
			d.Changes = append(d.Changes, Change{Field: f.Name, Hidden: true})
		default:
			d.Changes = append(d.Changes, Change{Field: f.Name, Before: given(old), After: given(now)})
		}
	}
	if !changed {
		return nil, nil //nolint:nilnil // nothing became of it
	}
	return &d, nil
}

// fieldsOf are the fields of either, in their order.
func fieldsOf(before, after *Thing) []Field {
	fields := before.Fields
	for _, f := range after.Fields {
		if find(before, f.Name) == nil {
			fields = append(fields[:len(fields):len(fields)], f)
		}
	}
	return fields
}

func find(t *Thing, name string) *Field {
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return &t.Fields[i]
		}
	}
	return nil
}

// valueOf is the JSON of a field; nil where there is none, or nothing in it.
func valueOf(t *Thing, name string) (json.RawMessage, error) {
	f := find(t, name)
	if f == nil {
		return nil, nil
	}
	return marshal(name, f.Value)
}

// marshal is the JSON of a value; nil where there is nothing in it.
func marshal(field string, value any) (json.RawMessage, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("field %q: %w", field, err)
	}
	switch string(raw) {
	case "null", `""`, "[]", "{}":
		return nil, nil
	}
	return raw, nil
}

// given makes an absent value nil, which a nil RawMessage in an any is not.
func given(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return raw
}
