package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// request makes the HTTP request of an operation as a tenant's user.
func (w *isolationEnv) request(o operation, r operationRow, q request, as *tenantFixture) *http.Request {
	w.t.Helper()
	path := o.path
	for name, value := range q.path {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
	}
	values := url.Values{}
	for name, value := range r.query {
		values.Set(name, value)
	}
	for name, value := range q.query {
		values.Set(name, value)
	}
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	var req *http.Request
	switch {
	case r.rawRequest != nil:
		req = r.rawRequest(w)
	case o.api == "open":
		req = w.program(as, o.method, path, jsonBody(w.t, q.body))
	default:
		req = httptest.NewRequest(o.method, path, jsonBody(w.t, q.body))
	}
	if q.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	switch access := as.access; {
	case o.api == "open":
	case q.as == nil:
		req.Header.Set("Authorization", "Bearer "+access)
	case q.as.access != "":
		req.Header.Set("Authorization", "Bearer "+q.as.access)
	}
	for name, value := range q.header {
		req.Header.Set(name, value)
	}
	return req
}

func jsonBody(t *testing.T, v any) *bytes.Reader {
	t.Helper()
	if v == nil {
		return bytes.NewReader(nil)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(text)
}

// base is the row's call for a tenant's own things.
func (r operationRow) base(s *tenantFixture) request {
	q := request{}
	if r.call != nil {
		q = r.call(s)
	}
	return q
}

// copied is a request whose parameters can be set.
func (q request) copied() request {
	for _, part := range []*map[string]string{&q.path, &q.query, &q.header} {
		if *part = maps.Clone(*part); *part == nil {
			*part = map[string]string{}
		}
	}
	return q
}

// volatileParts change by themselves: times, also those of spreadsheets (days and a fraction of any
// number of digits), numbers of things that were made in between, and for how long an open notice
// has been open.
var volatileParts = regexp.MustCompile(`\d{5}\.\d+|\d{7,}|"(durationTime|longest)":\d+`)

// normalized is an answer without what was asked for and without what changes by itself.
func normalized(said string, asked any) string {
	return volatileParts.ReplaceAllString(withoutEcho(said, asked), "#")
}

// withoutEcho is an answer without what was asked for, which a sentence may cut off if it is long.
func withoutEcho(said string, asked any) string {
	list := echoForms(asked)
	for _, form := range list {
		said = strings.ReplaceAll(said, form, "§")
	}
	for n := len(list[0]); n > 32 && strings.Contains(said, "…"); n-- {
		said = strings.ReplaceAll(said, list[0][:n]+"…", "§")
	}
	return said
}

// echoForms are the forms in which an answer may repeat what was asked for.
func echoForms(asked any) []string {
	plain := fmt.Sprint(asked)
	quoted, err := json.Marshal(plain)
	if err != nil {
		return []string{plain}
	}
	return []string{
		plain,
		strings.Trim(string(quoted), `"`),
		url.QueryEscape(plain),
		url.PathEscape(plain),
		strings.ToLower(plain),
	}
}

// leaks are the marks that an answer holds, apart from what was asked for.
func leaks(said string, asked any, marks []string) (found []string) {
	said = strings.ToLower(withoutEcho(said, asked))
	for _, m := range marks {
		if strings.Contains(said, strings.ToLower(m)) {
			found = append(found, m)
		}
	}
	return found
}

// The test calls every operation of every API with every ID, name and token of another tenant in
// every place that could carry one. No answer holds anything of that tenant, each answer is that
// for a value that never existed, and nothing of that tenant changes.
func TestIsolationMatrix(t *testing.T) {
	t.Parallel()
	began := time.Now()
	w := newIsolationEnv(t)
	all, list := w.foreignValues(), forbiddenTexts(w.foreign)
	asked, ops, slots := 0, 0, 0
	// works makes sure that the owner gets what the call asks for, and nothing of the other tenant.
	works := func(o operation, r operationRow, q request, who, other *tenantFixture) {
		res := w.serve(w.console, w.request(o, r, q, who))
		said := responseText(t, res)
		asked++
		found := leaks(said, "", forbiddenTexts(other))
		if strings.Contains(said, other.tag) || who == w.own && r.publicAnswer == "" && len(found) > 0 {
			t.Errorf("%s %s: the answer to %s holds %v: %s", o.api, o.id, who.tag, found, said)
		}
		if refused := !succeeded(res); refused != (r.refused != "") {
			t.Errorf("%s %s: refused %v: %s", o.api, o.id, refused, said)
		}
		named := strings.Contains(said, who.tag)
		if !named && o.reads() && r.refused == "" && !r.noNames {
			t.Errorf("%s %s: the answer to %s holds nothing of its own: %s", o.api, o.id, who.tag, said)
		}
		if r.undo != nil && succeeded(res) {
			r.undo(w, who, res)
		}
	}
	for _, o := range operations(t) {
		if r := operationRows[o.String()]; o.reads() && r.call != nil && r.skipReason == "" {
			works(o, r, r.base(w.foreign), w.foreign, w.own)
		}
	}
	before := w.dump()
	for _, o := range operations(t) {
		name := o.String()
		r := operationRows[name]
		if r.call == nil || r.skipReason != "" {
			continue
		}
		ops++
		for _, what := range r.onlyValues {
			if !slices.ContainsFunc(all, func(x foreignValue) bool { return x.what == what }) {
				t.Errorf("%s: no value is called %q", name, what)
			}
		}
		base := r.base(w.own)
		works(o, r, base, w.own, w.foreign)
		for _, s := range o.parameters {
			slots++
			for _, x := range all {
				if x.kind != s.kind || r.onlyValues != nil && !slices.Contains(r.onlyValues, x.what) ||
					s.onlyValues != nil && !slices.Contains(s.onlyValues, x.what) {
					continue
				}
				var answers [2]string
				var done [2]bool
				for i, value := range []any{x.real, x.never} {
					q := base.copied()
					s.set(&q, value)
					res := w.serve(w.console, w.request(o, r, q, w.own))
					said := responseText(t, res)
					asked++
					if r.publicAnswer == "" {
						if found := leaks(said, value, list); len(found) > 0 {
							t.Errorf("%s, %s is %s: the answer holds %v: %s", name, s, x.what, found, said)
						}
					}
					answers[i], done[i] = normalized(said, value), succeeded(res)
					if r.undo != nil && done[i] {
						r.undo(w, w.own, res)
					}
				}
				// What a call would change does not exist.
				missing := strings.Contains(answers[0], `"code":404`) || strings.HasPrefix(answers[0], "404")
				names := x.kind == "number" || slices.Contains([]string{"mast", "camera", "gateway"}, x.what)
				if names && s.names() && !o.reads() && !missing {
					t.Errorf("%s, %s is %s: not 404: %s", name, s, x.what, answers[0])
				}
				alike := answers[0] == answers[1] || r.nondeterministic && done[0] && done[1]
				if r.publicAnswer == "" && !alike {
					t.Errorf(
						"%s, %s is %s: what is another's is told from what never was:\n%s\n%s",
						name,
						s,
						x.what,
						answers[0],
						answers[1],
					)
				}
			}
		}
	}
	w.checkUnchanged(before)
	t.Logf(
		"%d operations, %d places, %d things of the other tenant: %d requests in %s",
		ops,
		slots,
		len(all),
		asked,
		time.Since(began).Round(time.Millisecond),
	)
}

// succeeded reports whether a call succeeded.
func succeeded(res *httptest.ResponseRecorder) bool {
	if res.Code != http.StatusOK || !strings.HasPrefix(res.Header().Get("Content-Type"), "application/json") {
		return res.Code == http.StatusOK
	}
	var answer struct{ Code *int }
	return json.Unmarshal(res.Body.Bytes(), &answer) == nil && (answer.Code == nil || *answer.Code == 200)
}
