package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// diffThings gives an action for each thing that differs between before and after.
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

// diffThing gives the action for one thing; nil if it did not change. before is nil for a created
// thing, after for a deleted one.
func diffThing(action string, before, after *Thing) (*Action, error) {
	changed := before == nil || after == nil
	d := Action{Name: action}
	switch {
	case after == nil:
		d.Thing, after = *before, &Thing{}
	case before == nil:
		d.Thing, before = *after, &Thing{}
	default:
		// The entry names the thing as it was; its new name is among the changes.
		d.Thing = *before
		if after.Name != before.Name {
			d.Thing.SearchAlias += "\n" + after.Name
		}
	}
	whole := changed
	for _, f := range fieldsOf(before, after) {
		old, err := valueOf(before, f.Name, (*Field).value)
		if err != nil {
			return nil, err
		}
		now, err := valueOf(after, f.Name, (*Field).value)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(old, now) {
			continue
		}
		changed = true
		switch {
		case f.Name == "":
		case f.Hidden && whole: // that the field has a value tells nothing
		case f.Hidden:
			d.Changes = append(d.Changes, Change{Field: f.Name, Hidden: true})
		default:
			c, err := recordedChange(before, after, f.Name)
			if err != nil {
				return nil, err
			}
			d.Changes = append(d.Changes, c)
		}
	}
	if !changed {
		return nil, nil //nolint:nilnil // the thing did not change
	}
	return &d, nil
}

// recordedChange gives the change of a field as people may read it.
func recordedChange(before, after *Thing, name string) (Change, error) {
	old, err := valueOf(before, name, (*Field).recorded)
	if err != nil {
		return Change{}, err
	}
	now, err := valueOf(after, name, (*Field).recorded)
	if err != nil {
		return Change{}, err
	}
	if bytes.Equal(old, now) {
		return Change{Field: name, Hidden: true}, nil
	}
	return Change{Field: name, Before: nilIfEmpty(old), After: nilIfEmpty(now)}, nil
}

// fieldsOf gives the fields of before, then those that only after has.
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

// valueOf gives the JSON of a field; nil if the thing lacks it or it is empty.
func valueOf(t *Thing, name string, value func(f *Field) any) (json.RawMessage, error) {
	f := fieldByName(t, name)
	if f == nil {
		return nil, nil
	}
	return marshal(name, value(f))
}

// marshal gives the JSON of a value; nil if it is empty.
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

// nilIfEmpty gives a nil any for a nil RawMessage, which itself would be a non-nil any.
func nilIfEmpty(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return raw
}
