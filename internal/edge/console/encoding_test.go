package console_test

import (
	"net/http"
	"testing"

	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/pseudo"
)

// Every call that takes a body refuses invalid UTF-8, and stores nothing of it with U+FFFD in place
// of the invalid bytes.
func TestNonUTF8BodiesAreRefused(t *testing.T) {
	w := newServer(t)
	calls := 0
	for _, op := range w.Operations(w.ConsoleTags()...) {
		if w.JSONBody(op) == nil {
			continue
		}
		calls++
		for _, body := range []string{"{\"zz\":\"a\xffb\"}", "{\"z\xc3z\":1}", `{"zz":"\ud83c"}`} {
			call := testkit.Call{Method: op.Method, Path: op.Path, Body: body, Token: w.ada}
			if op.ID == "getCaptcha" || op.ID == "checkCaptcha" { // their envelope has no such code
				if bare := w.captchaCall(t, call); bare.RepCode != "0011" {
					t.Errorf("%s, %q: %+v", op.ID, body, bare)
				}
				continue
			}
			if a := w.Do(t, call); a.Code != 400 || a.Msg != "The request is not valid UTF-8 text" {
				t.Errorf("%s, %q: %s", op.ID, body, a.Body)
			}
		}
	}
	if calls < 20 {
		t.Errorf("%d calls", calls)
	}
	create := testkit.Call{
		Method: http.MethodPost,
		Path:   scenePath + "create",
		Body:   "{\"groupName\":\"Ba\xf1o\",\"groupStatus\":1}",
		Token:  w.ada,
	}
	for _, l := range pseudo.Languages() {
		create.Header = map[string]string{"Accept-Language": string(l)}
		if a := w.Do(t, create); a.Code != 400 || a.Msg != text.Translate(l, "error.encoding", nil) {
			t.Errorf("%s: %s", l, a.Body)
		}
	}
	if page := testkit.Ask[wire.ScenePage](t, w.Contract, w.get(scenePath+"page")); page.Total != 1 {
		t.Errorf("%+v", page.List)
	}
}

// Parameters that are not UTF-8 are refused by name.
func TestNonUTF8ParametersAreRefused(t *testing.T) {
	w := newServer(t)
	for query, field := range map[string]string{
		"deviceName=a%ffb": "deviceName", "executionId=WS-1,%c3": "executionId", "executionId[]=WS-1&executionId[]=%ed%a0%80": "executionId",
		"zz=%ff": "zz", "%ff=zz": "", "%ff[0]=zz&%ff[1]=z": "",
	} {
		for _, l := range pseudo.Languages() {
			call := w.get(pagePath + "?" + query)
			call.Header = map[string]string{"Accept-Language": string(l)}
			want := text.Translate(l, "error.encoding", nil)
			if field != "" {
				name := field
				if text.HasKey("field." + field) {
					name = text.Translate(l, "field."+field, nil)
				}
				want = text.Translate(
					l,
					"field",
					map[string]string{"field": name, "reason": text.Translate(l, "invalid.encoding", nil)},
				)
			}
			if a := w.Do(t, call); a.Code != 400 || a.Msg != want {
				t.Errorf("%s in %s: %d %q, want %q", query, l, a.Code, a.Msg, want)
			}
		}
	}
	w.Run(t, []testkit.Scenario{
		{Name: "a public call", Call: testkit.Call{Path: byNamePath + "?name=%ff"}, Code: 400},
		{Name: "a path", Call: testkit.Call{Path: "/admin-api/%ff", Token: w.ada}, Status: 404, Code: 404},
		{
			Name:     "U+FFFD as a valid character",
			Call:     w.get(pagePath + "?deviceName=%ef%bf%bd"),
			Contains: []string{`"total":0`},
		},
	})
}
