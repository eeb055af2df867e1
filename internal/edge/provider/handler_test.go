package provider

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/provider/wire"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// apiFixture is the provider's HTTP API; it checks every answer against the contract.
type apiFixture struct {
	*fixture
	contract *testkit.Contract
	options  Options
}

func newAPIFixture(t *testing.T) *apiFixture {
	t.Helper()
	p := newFixture(t)
	tokens, err := NewTokens(tokenA, "")
	if err != nil {
		t.Fatal(err)
	}
	f := &apiFixture{
		fixture: p,
		options: Options{Service: p.service, Tokens: tokens, Now: p.Clock.Now, Logger: p.Log.Logger},
	}
	f.contract = testkit.NewContract(t, New(f.options))
	return f
}

func (f *apiFixture) post(t *testing.T, path, body string) *testkit.Answer {
	t.Helper()
	kind := "application/json"
	if strings.HasPrefix(path, "v1/apply") {
		kind = "application/yaml"
	}
	return f.contract.Do(t, testkit.Call{
		Method: http.MethodPost,
		Path:   Prefix + path,
		Body:   body,
		Token:  tokenA,
		Header: map[string]string{"Content-Type": kind},
	})
}

func read[T any](t *testing.T, a *testkit.Answer, status int) T {
	t.Helper()
	var out T
	if a.Status != status {
		t.Fatalf("answered %d %s, want %d", a.Status, a.Body, status)
	}
	if err := json.Unmarshal(a.Body, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestApplyOverHTTP(t *testing.T) {
	f := newAPIFixture(t)
	example := readTestFile(t, "testdata/example.yaml")
	out := read[wire.ApplyResult](t, f.post(t, "v1/apply", example), http.StatusOK)
	if len(out.Created) != 9 || out.Created[8].Secret == nil || *out.Created[8].Tenant != "greenfield" ||
		out.Created[0].Tenant != nil {
		t.Errorf("created %+v", out.Created)
	}
	changed := strings.Replace(example, "nickname: Ada", "nickname: Ada L.", 1)
	if out := read[wire.ApplyResult](t, f.post(t, "v1/apply", changed), http.StatusOK); out.Left != 9 {
		t.Errorf("without overwrite %+v", out)
	}
	over := read[wire.ApplyResult](t, f.post(t, "v1/apply?overwrite=true", changed), http.StatusOK)
	if len(over.Changed) != 1 || (*over.Changed[0].Changes)[0] != "nickname" || over.Left != 8 {
		t.Errorf("with overwrite %+v", over)
	}
	wrong := read[wire.ApplyProblem](t, f.post(t, "v1/apply", "tenants:\n  - nam: x\n"), http.StatusUnprocessableEntity)
	if len(wrong.Errors) != 2 || wrong.Errors[0].Line != 2 || *wrong.Errors[0].Path != "tenants[0].nam" {
		t.Errorf("wrong file: %+v", wrong)
	}
	// The log holds no password, secret or token.
	for _, secret := range []string{tokenA, "correct horse", "ws0001-2f9c41d07ab35e68", *out.Created[8].Secret, "overwrite"} {
		if strings.Contains(f.Log.Text(), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
	if !strings.Contains(f.Log.Text(), "path=/provider-api/v1/apply status=422") {
		t.Errorf("log:\n%s", f.Log.Text())
	}
}

func TestDeleteAndResetOverHTTP(t *testing.T) {
	f := newAPIFixture(t)
	f.applyBase(t)
	out := read[wire.ApplyResult](
		t,
		f.post(t, "v1/delete", `{"kind":"device","tenant":"north","name":"N-1"}`),
		http.StatusOK,
	)
	if len(out.Removed) != 1 || out.Removed[0].Name != "N-1" || *out.Removed[0].Tenant != "north" {
		t.Errorf("removed %+v", out.Removed)
	}
	reset := read[wire.ResetUserResult](
		t,
		f.post(t, "v1/user/reset", `{"tenant":"north","userName":"ada"}`),
		http.StatusOK,
	)
	if !f.passwordMatches(t, f.user(t, "north", "ada"), reset.Password) {
		t.Error("the password is not valid")
	}
	for _, c := range []struct {
		path, body string
		status     int
		detail     string
	}{
		{"v1/delete", `{"kind":"tenant","name":"north"}`, 409, `tenant "north" still has 1 device, 2 users and 2 scenes`},
		{"v1/delete", `{"kind":"device","tenant":"north","name":"N-1"}`, 404, `tenant "north" has no device "N-1"`},
		{"v1/delete", `{"kind":"product","tenant":"north","name":"station"}`, 422, "kind must be"},
		{"v1/delete", `{"kind":"device","tenant":"north","name":" "}`, 422, "name is missing"},
		{"v1/delete", `{"kind":"device","name":"N-1"}`, 422, "tenant is missing"},
		{"v1/delete", `{"kind":"tenant","tenant":"north","name":"north"}`, 422, "leave tenant out"},
		{"v1/delete", `{"kind":`, 400, "cannot be read"},
		{"v1/delete", `null`, 422, "kind must be"},
		{"v1/delete", `{"kind":"device","name":"` + strings.Repeat("x", maxJSONBody) + `"}`, 413, "larger than 65536 bytes"},
		{"v1/user/reset", `{"tenant":"north","userName":"cem"}`, 404, `tenant "north" has no user "cem"`},
		{"v1/user/reset", `{"tenant":"north"}`, 422, "tenant and userName"},
		{"v1/user/reset", `[]`, 400, "cannot be read"},
		{"v1/apply?overwrite=perhaps", "", 400, "cannot be read"},
		{"v1/apply", strings.Repeat(" ", MaxFile+1), 413, "larger than 16777216 bytes"},
	} {
		p := read[wire.Problem](t, f.post(t, c.path, c.body), c.status)
		if p.Detail == nil || !strings.Contains(*p.Detail, c.detail) || p.Status != c.status || p.Title == "" {
			t.Errorf("%s %.60s answered %+v, want %s", c.path, c.body, p, c.detail)
		}
	}
}

// A call needs the token, and a client that guesses tokens is limited.
func TestTokenAuthentication(t *testing.T) {
	f := newAPIFixture(t)
	knock := func(from, authorization string) *testkit.Answer {
		t.Helper()
		return f.contract.Do(t, testkit.Call{Method: http.MethodPost, Path: Prefix + "v1/delete", From: from,
			Body: `{"kind":"tenant","name":"west"}`, Header: map[string]string{"Authorization": authorization}})
	}
	for i, wrong := range []string{"", "Bearer", "Bearer ", tokenA, "Basic " + tokenA, "Bearer " + tokenB, "Bearer " + tokenA[1:], "Bearer " + tokenA + "x", "Bearer  x", "x"} {
		a := knock("192.0.2.7", wrong)
		if a.Status != http.StatusUnauthorized || a.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%d: %q answered %d", i, wrong, a.Status)
		}
	}
	for range 2 {
		if a := knock("192.0.2.7", "Bearer "+tokenB); a.Status != http.StatusTooManyRequests ||
			a.Header.Get("Retry-After") != "10" {
			t.Errorf("after ten failures answered %d, Retry-After %q", a.Status, a.Header.Get("Retry-After"))
		}
		// A client with the token is not limited at the same address.
		if a := knock("192.0.2.7", "bearer "+tokenA); a.Status != http.StatusNotFound {
			t.Errorf("the right one answered %d", a.Status)
		}
	}
	if a := knock("192.0.2.8", "Bearer "+tokenB); a.Status != http.StatusUnauthorized {
		t.Errorf("another address answered %d", a.Status)
	}
	f.Clock.Advance(failureInterval)
	if a := knock("192.0.2.7", "Bearer "+tokenB); a.Status != http.StatusUnauthorized {
		t.Errorf("ten seconds later answered %d", a.Status)
	}
}

// A token file that cannot be used gives no access, and the log says so.
func TestUnusableTokenFile(t *testing.T) {
	f := newAPIFixture(t)
	path := filepath.Join(t.TempDir(), "provider-token")
	tokens, err := NewTokens("", path)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, "short", time.Now().Add(time.Hour))
	f.options.Tokens = tokens
	f.contract.Handler = New(f.options)
	read[wire.Problem](t, f.post(t, "v1/delete", `{}`), http.StatusUnauthorized)
	if !strings.Contains(f.Log.Text(), "32 characters or more") {
		t.Errorf("log:\n%s", f.Log.Text())
	}
}

func TestUnknownCalls(t *testing.T) {
	f := newAPIFixture(t)
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{http.MethodPost, "v1/", 404, ""}, {http.MethodPost, "", 404, ""}, {http.MethodGet, "v2/apply", 404, ""},
		{http.MethodGet, "v1/apply", 405, "POST"}, {http.MethodDelete, "v1/delete", 405, "POST"},
		{http.MethodPost, "v1/backup", 405, "GET"},
	} {
		w := httptest.NewRecorder()
		f.contract.Handler.ServeHTTP(w, httptest.NewRequest(c.method, Prefix+c.path, nil))
		if w.Code != c.status || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s answered %d %s", c.method, c.path, w.Code, w.Header())
		}
		if err := f.contract.Schema("Problem", w.Body.Bytes()); err != nil {
			t.Error(err)
		}
		if got := w.Header().Get("Allow"); got != c.allow {
			t.Errorf("%s %s: Allow %q", c.method, c.path, got)
		}
	}
}

type eraserFunc func() error

func (e eraserFunc) Erase(context.Context, tenant.ID, device.ID) error { return e() }

// Faults of the server are logged and not shown to the client; a panic costs one answer.
func TestServerFaultsAreHidden(t *testing.T) {
	for name, c := range map[string]struct {
		erase  eraserFunc
		status int
		logged string
	}{
		"error":    {func() error { return errors.New("pebble: disk full") }, 500, "pebble: disk full"},
		"panic":    {func() error { panic("out of range") }, 500, "out of range"},
		"busy":     {func() error { return errs.New(errs.Unavailable, "error.503").RetryAfter(2 * time.Second) }, 503, "error.503"},
		"given up": {func() error { return context.Canceled }, 503, "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newAPIFixture(t)
			f.options.Service = f.serviceWith(c.erase)
			f.contract.Handler = New(f.options)
			f.applyBase(t)
			a := f.post(t, "v1/delete", `{"kind":"device","tenant":"north","name":"N-1"}`)
			read[wire.Problem](t, a, c.status)
			if strings.Contains(string(a.Body), c.logged) || !strings.Contains(f.Log.Text(), c.logged) {
				t.Errorf("answered %s\nlogged %s", a.Body, f.Log.Text())
			}
			if c.status == 503 && a.Header.Get("Retry-After") == "" {
				t.Error("503 without Retry-After")
			}
		})
	}
}

// Over a real connection, the address is that of the connection unless Address says otherwise, and
// the server does not read the body of a client without the token.
func TestOverConnection(t *testing.T) {
	f := newAPIFixture(t)
	f.options.Address = nil
	f.options.Now = nil
	server := httptest.NewServer(New(f.options))
	defer server.Close()
	ask := func(token string, body io.Reader) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+Prefix+"v1/apply", body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		res, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = res.Body.Close() })
		return res
	}
	if res := ask(tokenA, strings.NewReader(readTestFile(t, "testdata/base.yaml"))); res.StatusCode != http.StatusOK {
		t.Errorf("answered %d", res.StatusCode)
	}
	if res := ask(tokenB, strings.NewReader("tenants: []")); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("answered %d", res.StatusCode)
	}
	if !strings.Contains(f.Log.Text(), "address=127.0.0.1") {
		t.Errorf("log:\n%s", f.Log.Text())
	}
}

// A call whose body arrives after its token was replaced changes nothing.
func TestTokenIsAskedInsideTheTransaction(t *testing.T) {
	f := newAPIFixture(t)
	path := filepath.Join(t.TempDir(), "provider-token")
	writeFile(t, path, tokenA, time.Now())
	tokens, err := NewTokens("", path)
	if err != nil {
		t.Fatal(err)
	}
	f.options.Tokens = tokens
	in, out := io.Pipe()
	file := "tenants:\n  - {name: late, timeZone: Europe/Istanbul}\n"
	r := httptest.NewRequest(http.MethodPost, Prefix+"v1/apply", in)
	r.Header.Set("Authorization", "Bearer "+tokenA)
	go func() {
		_, err := io.WriteString(out, file[:1]) // returns once the headers are checked
		writeFile(t, path, tokenB, time.Now().Add(time.Hour))
		_, last := io.WriteString(out, file[1:])
		out.CloseWithError(errors.Join(err, last))
	}()
	answer := httptest.NewRecorder()
	New(f.options).ServeHTTP(answer, r)
	if answer.Code != http.StatusUnauthorized {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}
