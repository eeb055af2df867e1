package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// diffThings says what became of things.
func diffThings(action string, before, after []Thing) ([]Action, error) {
	unmatched := make(map[int64]*Thing, len(before))
	for i := range before {
		unmatched[before[i].ID] = &before[i]
	}
	var actions []Action
	for i := range after {
		now := &after[i]
		old := unmatched[now.ID]
		delete(unmatched, now.ID)
		d, err := diffThing(action, old, now)
		if err != nil {
			return nil, err
		}
		if d != nil {
			actions = append(actions, *d)
		}
	}
	for i := range before {
		if old := unmatched[before[i].ID]; old != nil {
			d, err := diffThing(action, old, nil)
			if err != nil {
				return nil, err
			}
			actions = append(actions, *d)
		}
	}
	return actions, nil
}

// diffThing is what became of a thing; nil when nothing did. Before and after
// are nil where it is not there.
func diffThing(action string, before, after *Thing) (*Action, error) {
	changed := before == nil || after == nil
	d := Action{Name: action}
	switch {
	case after == nil:
		d.Thing, after = *before, &Thing{}
	case before == nil:
		d.Thing, before = *after, &Thing{}
	default:
		// It is told of by the name it had; what it is called now is among the changes.
		d.Thing = *before
		if after.Name != before.Name {
			d.Thing.SearchAlias += "\n" + after.Name
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
			d.Changes = append(d.Changes, Change{Field: f.Name, Before: nilIfEmpty(old), After: nilIfEmpty(now)})
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
		if fieldByName(before, f.Name) == nil {
			fields = append(fields[:len(fields):len(fields)], f)
		}
	}
	return fields
}

func fieldByName(t *Thing, name string) *Field {
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return &t.Fields[i]
		}
	}
	return nil
}

// valueOf is the JSON of a field; nil where there is none, or nothing in it.
func valueOf(t *Thing, name string) (json.RawMessage, error) {
	f := fieldByName(t, name)
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

// nilIfEmpty makes an absent value nil, which a nil RawMessage in an any is not.
func nilIfEmpty(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return raw
}
