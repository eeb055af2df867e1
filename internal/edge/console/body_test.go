package console_test

import (
	"net/http"
	"strings"
	"testing"

	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/pseudo"
)

const channelUpdate, webhookUpdate, ruleUpdate = channelsPath + "update", webhooksPath + "update", rulesPath + "update"

// An error in a body is reported with its field, also in forms that consist of several schemas; a
// body that cannot be read is reported as a whole.
func TestInvalidBodies(t *testing.T) {
	w := newServer(t)
	for _, c := range []struct {
		method, path, body, key, field, limit string
		code                                  int
	}{
		{"PUT", scenePath + "update", `{}`, "invalid.required", "id", "", 601},
		{"PUT", ruleUpdate, `{}`, "invalid.required", "id", "", 601},
		{"PUT", ruleUpdate, `{"id":0}`, "invalid.min", "id", "1", 601},
		{"PUT", ruleUpdate, `{"id":null}`, "invalid.required", "id", "", 601},
		{"PUT", ruleUpdate, `{"id":7,"hitCounts":"x"}`, "invalid.type", "hitCounts", "", 400},
		{"PUT", ruleUpdate, `{"id":7,"conditions":[{"value":{}}]}`, "invalid.type", "conditions", "", 400},
		{"PUT", ruleUpdate, `{"id":7,"passageway":[` + strings.Repeat("1,", 400) + `1]}`, "invalid.many", "passageway", "400", 601},
		{"PUT", channelUpdate, `{}`, "invalid.required", "id", "", 601},
		{"PUT", channelUpdate, `{"id":11,"noticeName":5}`, "invalid.type", "noticeName", "", 400},
		{"PUT", channelUpdate, `{"id":11,"email":{"emails":5}}`, "invalid.type", "email", "", 400},
		{"PUT", webhookUpdate, `{}`, "invalid.required", "id", "", 601},
		{"POST", scenePath + "create", `{"groupName":"x","groupStatus":1.5}`, "invalid.type", "groupStatus", "", 400},
		{"POST", scenePath + "create", `{"groupName":"x","groupStatus":1e30}`, "invalid.type", "groupStatus", "", 400},
		{"POST", scenePath + "create", `{"groupName":"x","groupStatus":99999999999999999999}`, "invalid.type", "groupStatus", "", 400},
		{"POST", loginPath, `{"userName":"a","password":"b","tenantName":"c","rememberMe":7}`, "invalid.type", "rememberMe", "", 400},
		{"PUT", channelUpdate, `[]`, "error.400", "", "", 400},
		{"POST", scenePath + "create", `[]`, "error.400", "", "", 400},
		{"POST", scenePath + "create", `"x"`, "error.400", "", "", 400},
		{"POST", scenePath + "create", `null`, "error.400", "", "", 400},
		{"POST", scenePath + "create", ``, "error.400", "", "", 400},
		{"POST", scenePath + "create", `{`, "error.400", "", "", 400},
	} {
		for _, l := range pseudo.Languages() {
			call := testkit.Call{
				Method: c.method,
				Path:   c.path,
				Body:   c.body,
				Token:  w.ada,
				Header: map[string]string{"Accept-Language": string(l)},
			}
			want := text.Translate(l, c.key, map[string]string{"limit": c.limit})
			if c.field != "" {
				want = text.Translate(
					l,
					"field",
					map[string]string{"field": text.Translate(l, "field."+c.field, nil), "reason": want},
				)
			}
			if a := w.Do(t, call); a.Code != c.code || a.Msg != want {
				t.Errorf("%s %s %s in %s: %d %q, want %d %q", c.method, c.path, c.body, l, a.Code, a.Msg, c.code, want)
			}
		}
	}
}

// A body is exactly one JSON text; further text is refused.
func TestTrailingBodyTextIsRefused(t *testing.T) {
	w := newServer(t)
	for path, body := range map[string]string{
		scenePath + "create": `{"groupName":"garb","groupStatus":1}`,
		loginPath:            `{"userName":"ada","password":"` + testkit.Password + `","tenantName":"field"}`,
		profilePath:          `{"nickname":"Ada L","email":"ada@example.com"}`,
	} {
		method := http.MethodPost
		if path == profilePath {
			method = http.MethodPut
		}
		for _, behind := range []string{"garbage", body, "]", ",", "\x00"} {
			a := w.Do(t, testkit.Call{Method: method, Path: path, Body: body + behind, Token: w.ada})
			if a.Code != 400 || a.Msg != "The request cannot be read" {
				t.Errorf("%s followed by %q: %s", path, behind, a.Body)
			}
		}
		a := w.Do(t, testkit.Call{Method: method, Path: path, Body: " " + body + " \r\n\t", Token: w.ada})
		if a.Code != 200 {
			t.Errorf("%s with space around: %s", path, a.Body)
		}
	}
}

// 1.0 counts as an integer, because JSON does not distinguish integers from other numbers.
func TestIntegersWrittenAsDecimals(t *testing.T) {
	w := newServer(t)
	for name, status := range map[string]string{"point": "1.0", "exponent": "10e-1", "plain": "1"} {
		body := `{"groupName":"` + name + ` 1.0","groupStatus":` + status + `}`
		id := testkit.Ask[int64](
			t,
			w.Contract,
			testkit.Call{Method: http.MethodPost, Path: scenePath + "create", Body: body, Token: w.ada},
		)
		if id == 0 {
			t.Error(name)
		}
	}
	page := testkit.Ask[wire.ScenePage](t, w.Contract, w.get(scenePath+"page?groupName=1.0"))
	if page.Total != 3 {
		t.Errorf("%+v", page)
	}
}
