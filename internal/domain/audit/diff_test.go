package audit

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// formatChanges formats an action's changes in one line.
func formatChanges(t *testing.T, d Action) string {
	t.Helper()
	raw, err := json.Marshal(d.Changes)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestDiffThings(t *testing.T) {
	type fields = []Field
	secret := func(v string) Field { return Field{Name: "secret", Value: v, Hidden: true} }
	revision := func(v int) Field { return Field{Value: v, Hidden: true} }
	masked := func(v, shown string) Field { return Field{Name: "to", Value: v, Masked: shown} }
	one := 1.5
	for name, c := range map[string]struct {
		before, after []Field // nil: the thing does not exist
		want          string  // empty: no action
	}{
		"unchanged":               {fields{{Name: "a", Value: 1}}, fields{{Name: "a", Value: 1}}, ""},
		"a number":                {fields{{Name: "a", Value: 1}, {Name: "b", Value: 2}}, fields{{Name: "a", Value: 1}, {Name: "b", Value: 0}}, `[{"field":"b","before":2,"after":0}]`},
		"filled in":               {fields{{Name: "a", Value: ""}}, fields{{Name: "a", Value: "x"}}, `[{"field":"a","after":"x"}]`},
		"emptied":                 {fields{{Name: "a", Value: []string{"x"}}}, fields{{Name: "a", Value: []string{}}}, `[{"field":"a","before":["x"]}]`},
		"nil and empty":           {fields{{Name: "a", Value: []string(nil)}}, fields{{Name: "a", Value: []string{}}}, ""},
		"a pointer":               {fields{{Name: "a", Value: (*float64)(nil)}}, fields{{Name: "a", Value: &one}}, `[{"field":"a","after":1.5}]`},
		"false counts as a value": {fields{{Name: "a", Value: true}}, fields{{Name: "a", Value: false}}, `[{"field":"a","before":true,"after":false}]`},
		"created":                 {nil, fields{{Name: "a", Value: 1}, {Name: "b", Value: ""}, secret("x")}, `[{"field":"a","after":1}]`},
		"deleted":                 {fields{{Name: "a", Value: 1}, secret("x"), revision(2)}, nil, `[{"field":"a","before":1}]`},
		"created without fields":  {nil, fields{}, `null`},
		"a secret":                {fields{secret("x")}, fields{secret("y")}, `[{"field":"secret","hidden":true}]`},
		"a masked value":          {fields{masked("ada@x", "a@x")}, fields{masked("bo@x", "b@x")}, `[{"field":"to","before":"a@x","after":"b@x"}]`},
		"another of that mask":    {fields{masked("ada@x", "a@x")}, fields{masked("ava@x", "a@x")}, `[{"field":"to","hidden":true}]`},
		"masked, made":            {nil, fields{masked("ada@x", "a@x")}, `[{"field":"to","after":"a@x"}]`},
		"masked, unchanged":       {fields{masked("ada@x", "a@x")}, fields{masked("ada@x", "a@x")}, ""},
		"a first secret":          {fields{secret("")}, fields{secret("y")}, `[{"field":"secret","hidden":true}]`},
		"only another revision":   {fields{revision(1), {Name: "a", Value: 1}}, fields{revision(2), {Name: "a", Value: 1}}, `null`},
		"a removed field":         {fields{{Name: "a", Value: 1}}, fields{}, `[{"field":"a","before":1}]`},
		"a new field":             {fields{}, fields{{Name: "a", Value: 1}}, `[{"field":"a","after":1}]`},
	} {
		var before, after []Thing
		if c.before != nil {
			before = []Thing{{ID: 1, Name: "old", Fields: c.before}}
		}
		if c.after != nil {
			after = []Thing{{ID: 1, Name: "old", Fields: c.after}}
		}
		actions, err := diffThings("x.y", before, after)
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want == "" && len(actions) > 0:
			t.Errorf("%s: %s", name, formatChanges(t, actions[0]))
		case c.want != "" && (len(actions) != 1 || formatChanges(t, actions[0]) != c.want):
			t.Errorf("%s: %+v, want %s", name, actions, c.want)
		}
	}
}

// diffThings matches things by their ids; a renamed thing is also found by its new name.
func TestDiffManyThings(t *testing.T) {
	thing := func(id int64, name string) Thing {
		return Thing{ID: id, Name: name, SearchAlias: "also", Fields: []Field{{Name: "name", Value: name}}}
	}
	actions, err := diffThings("x.y", []Thing{thing(1, "a"), thing(2, "b"), thing(3, "c")},
		[]Thing{thing(3, "c"), thing(2, "B"), thing(4, "d")})
	if err != nil || len(actions) != 3 {
		t.Fatalf("%+v %v", actions, err)
	}
	for i, want := range []string{
		"b also\nB " + `[{"field":"name","before":"b","after":"B"}]`, "d also " + `[{"field":"name","after":"d"}]`, "a also " + `[{"field":"name","before":"a"}]`,
	} {
		if got := actions[i].Thing.Name + " " + actions[i].Thing.SearchAlias + " " + formatChanges(t,
			actions[i]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A value that cannot be marshalled to JSON gives an error.
func TestDiffRefusesNonJSONValues(t *testing.T) {
	nan := func(v float64) []Thing { return []Thing{{ID: 1, Fields: []Field{{Name: "a", Value: v}}}} }
	for _, c := range [][2][]Thing{
		{nan(math.NaN()), nan(1)}, {nan(1), nan(math.NaN())}, {nil, nan(math.NaN())}, {nan(math.Inf(1)), nil},
	} {
		if _, err := diffThings("x.y", c[0], c[1]); err == nil || !strings.Contains(err.Error(), `"a"`) {
			t.Error(err)
		}
	}
	if got, err := encodeChanges([]Change{{Field: "a", Before: ""}, {Field: "b", Hidden: true},
		{Field: "c", After: 0}}); err != nil || got != `[{"field":"b","hidden":true},{"field":"c","after":0}]` {
		t.Error(got, err)
	}
	if _, err := encodeChanges([]Change{{Field: "a", After: math.NaN()}}); err == nil {
		t.Error("encodeChanges accepts a value that is no JSON")
	}
}
