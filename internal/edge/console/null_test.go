package console_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/pseudo"
)

// A null member of a body counts as absent in every call with a body: a call without a required
// member and one with null in its place get the same answer.
func TestNullIsAbsent(t *testing.T) {
	w := newServer(t)
	calls, pairs := 0, 0
	for _, op := range w.Operations(w.ConsoleTags()...) {
		schema := w.JSONBody(op)
		if schema == nil {
			continue
		}
		calls++
		bodies := testkit.NullBodies(t, schema)
		if len(bodies) == 0 {
			t.Errorf("%s takes a body without members", op.ID)
		}
		for _, b := range bodies {
			pairs++
			w.Clock.Advance(20 * time.Minute) // refills the limits
			call := testkit.Call{Method: op.Method, Path: op.Path, Token: w.Session(t, w.field.Ada).Access}
			call.Body = b.Without
			want := w.Do(t, call)
			call.Body = b.Null
			if got := w.Do(t, call); got.Status != want.Status || string(got.Body) != string(want.Body) {
				t.Errorf(
					"%s, %s null: %d %s, absent: %d %s",
					op.ID,
					b.Member,
					got.Status,
					got.Body,
					want.Status,
					want.Body,
				)
			}
			if schema.Required != nil && slices.Contains(schema.Required, b.Member) && want.Code != 601 {
				t.Errorf("%s without %s: %s", op.ID, b.Member, want.Body)
			}
		}
	}
	if calls < 20 || pairs < 3*calls {
		t.Errorf("%d bodies of %d calls", pairs, calls)
	}
}

// A required field that is null is refused with the specification's words.
func TestNullRequiredFieldTexts(t *testing.T) {
	w := newServer(t)
	rule := func(member string) testkit.Call {
		b := frostForm("WS-1", nil)
		b[member] = nil
		return w.adaCall(http.MethodPost, rulesPath+"create", b)
	}
	for key, call := range map[string]testkit.Call{
		"rule.nameRequired":       rule("alarmName"),
		"rule.sourceRequired":     rule("dataSource"),
		"rule.deviceRequired":     rule("executionId"),
		"rule.triggerRequired":    rule("triggerType"),
		"rule.conditionsRequired": rule("conditions"),
		"rule.levelRequired":      rule("alarmLevel"),
		"rule.releaseRequired":    rule("manualRelease"),
		"scene.nameRequired":      w.adaCall(http.MethodPost, scenePath+"create", body{"groupName": nil, "groupStatus": 1}),
		"scene.statusRequired":    w.adaCall(http.MethodPost, scenePath+"create", body{"groupName": "South", "groupStatus": nil}),
	} {
		for _, l := range pseudo.Languages() {
			call.Header = map[string]string{"Accept-Language": string(l)}
			if a := w.Do(t, call); a.Code != 601 || a.Msg != text.Translate(l, key, nil) || !text.HasKey(key) {
				t.Errorf("%s in %s: %d %q", key, l, a.Code, a.Msg)
			}
		}
	}
}

// Null in a list of a body is refused in every call, whatever the list is, and the field is named.
func TestNullElements(t *testing.T) {
	w := newServer(t)
	lists := map[string]bool{}
	for _, op := range w.Operations(w.ConsoleTags()...) {
		schema := w.JSONBody(op)
		if schema == nil {
			continue
		}
		for _, b := range testkit.NullElementBodies(t, schema) {
			lists[b.List] = true
			w.Clock.Advance(20 * time.Minute) // refills the limits
			field, _, _ := strings.Cut(b.List, ".")
			want := text.Translate(text.English, "field", map[string]string{
				"field":  text.Translate(text.English, "field."+field, nil),
				"reason": text.Translate(text.English, "invalid.format", nil),
			})
			call := testkit.Call{
				Method: op.Method,
				Path:   op.Path,
				Body:   b.Body,
				Token:  w.Session(t, w.field.Ada).Access,
			}
			if a := w.Do(t, call); a.Code != 601 || a.Msg != want {
				t.Errorf("%s, null in %s: %d %q, want 601 %q", op.ID, b.List, a.Code, a.Msg, want)
			}
		}
	}
	if len(lists) < 15 || !lists["conditions"] || !lists["others.recipients"] {
		t.Errorf("only the lists %v", lists)
	}
}
