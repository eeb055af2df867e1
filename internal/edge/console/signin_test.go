package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

func TestLogin(t *testing.T) {
	w := newServer(t)
	for name, call := range map[string]testkit.Call{
		"as it is":               loginCall("field", "ada", testkit.Password),
		"with white":             loginCall(" field ", " ADA ", testkit.Password),
		"with extra":             {Method: "POST", Path: loginPath, Body: `{"tenantName":"field","userName":"ada","password":"` + testkit.Password + `","rememberMe":false,"captchaVerification":"x"}`},
		"another tenant's token": {Method: "POST", Path: loginPath, Token: w.rivalToken, Body: loginCall("field", "ada", testkit.Password).Body},
	} {
		s := testkit.Ask[wire.Session](t, w.Contract, call)
		if s.UserId != w.field.Ada.ID || s.ExpiresTime != w.Clock.Milli()+30*60_000 || s.AccessToken == "" ||
			s.RefreshToken == "" {
			t.Errorf("%s: %+v", name, s)
		}
		u := testkit.Ask[wire.User](t, w.Contract, testkit.Call{Path: userPath, Token: s.AccessToken})
		if u.Id != w.field.Ada.ID || u.TenantName != "field" {
			t.Errorf("%s: %+v", name, u)
		}
	}
}

// A wrong user, a wrong password and a wrong tenant get exactly the same answer.
func TestLoginRefusals(t *testing.T) {
	w := newServer(t)
	answers := map[string]bool{}
	for n, call := range []testkit.Call{
		loginCall("field", "ada", "wrong"), loginCall("field", "eve", testkit.Password), loginCall("none", "ada", testkit.Password), loginCall("field", "   ", "x"),
	} {
		call.From = fmt.Sprintf("198.51.100.%d", n) // so that no captcha is required
		a := w.Do(t, call)
		answers[string(a.Body)] = true
		if a.Status != 200 || a.Code != 601 || a.Msg != "User name or password is wrong" {
			t.Errorf("%s: %s", call.Body, a.Body)
		}
	}
	if len(answers) != 1 {
		t.Errorf("the answers differ: %v", answers)
	}
	w.Run(t, distinctClients([]testkit.Scenario{
		{
			Name: "in Russian",
			Call: testkit.Call{
				Method: "POST",
				Path:   loginPath,
				Body:   loginCall("field", "ada", "no").Body,
				Header: map[string]string{"Accept-Language": "ru"},
			},
			Code:     601,
			Contains: []string{"Неверное имя пользователя или пароль"},
		},
		{Name: "no JSON", Call: testkit.Call{Method: "POST", Path: loginPath, Body: `{"tenantName":`}, Code: 400},
		{Name: "no body", Call: testkit.Call{Method: "POST", Path: loginPath}, Code: 400},
		{Name: "an array", Call: testkit.Call{Method: "POST", Path: loginPath, Body: `[]`}, Code: 400},
		{Name: "null", Call: testkit.Call{Method: "POST", Path: loginPath, Body: `null`}, Code: 400},
		{
			Name: "a form",
			Call: testkit.Call{
				Method: "POST",
				Path:   loginPath,
				Body:   `userName=ada`,
				Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
			},
			Code: 400,
		},
		{
			Name: "wrong type",
			Call: testkit.Call{
				Method: "POST",
				Path:   loginPath,
				Body:   `{"tenantName":"field","userName":7,"password":"x"}`,
			},
			Code:     400,
			Contains: []string{"User name"},
		},
		{
			Name:     "no password",
			Call:     testkit.Call{Method: "POST", Path: loginPath, Body: `{"tenantName":"field","userName":"ada"}`},
			Code:     601,
			Contains: []string{"Password: required"},
		},
		{
			Name: "a NUL in the name",
			Call: testkit.Call{
				Method: "POST",
				Path:   loginPath,
				Body:   `{"tenantName":"field","userName":"a\u0000b","password":"x"}`,
			},
			Code:     601,
			Contains: []string{"User name: not in the right form"},
		},
		{Name: "empty user", Call: loginCall("field", "", "x"), Code: 601, Contains: []string{"User name: required"}},
		{
			Name:     "long tenant",
			Call:     loginCall(strings.Repeat("x", 65), "ada", "x"),
			Code:     601,
			Contains: []string{"Tenant: at most 64 characters"},
		},
	}))
}

// distinctClients gives each scenario its own address, so that the failures of one do not require a
// captcha of the next.
func distinctClients(table []testkit.Scenario) []testkit.Scenario {
	for i := range table {
		table[i].Call.From = fmt.Sprintf("203.0.113.%d", i+1)
	}
	return table
}

// Ten failures lock the account for that address; the answer says for how long.
func TestLoginLockout(t *testing.T) {
	w := newServer(t)
	for range 10 {
		if a := w.Do(t, loginWithCaptcha("ada", "wrong", w.Slider.Verification(t))); a.Code != 601 ||
			string(a.Data) != "null" {
			t.Fatalf("%s", a.Body)
		}
	}
	right := loginCall("field", "ada", testkit.Password)
	a := w.Do(t, right)
	if a.Code != 429 || a.Msg != "Too many failed attempts. Try again in 15\u00a0min" ||
		a.Header.Get("Retry-After") != "900" ||
		a.Status != 200 {
		t.Errorf("%d %s, Retry-After %s", a.Status, a.Body, a.Header.Get("Retry-After"))
	}
	elsewhere := loginWithCaptcha("ada", testkit.Password, w.Slider.Verification(t))
	elsewhere.From = "198.51.100.7"
	if a := w.Do(t, elsewhere); a.Code != 200 {
		t.Errorf("from another address: %s", a.Body)
	}
	w.Clock.Advance(14*time.Minute + 30*time.Second)
	right.Header = map[string]string{"Accept-Language": "tr-tr"}
	if a := w.Do(t, right); a.Msg != "Çok fazla hatalı deneme. 30\u00a0sn sonra yeniden deneyin" {
		t.Errorf("%s", a.Body)
	}
}

func refreshCall(token string) testkit.Call {
	return testkit.Call{Method: http.MethodPost, Path: refreshPath + "?" + url.Values{"refreshToken": {token}}.Encode()}
}

func TestRefresh(t *testing.T) {
	w := newServer(t)
	first := testkit.Ask[wire.Session](t, w.Contract, loginCall("field", "ada", testkit.Password))
	second := testkit.Ask[wire.Session](t, w.Contract, refreshCall(first.RefreshToken))
	if second.AccessToken == first.AccessToken || second.RefreshToken == first.RefreshToken ||
		second.UserId != first.UserId {
		t.Errorf("%+v after %+v", second, first)
	}
	// A second tab gets the same pair within half a minute; a later repetition counts as theft.
	if again := testkit.Ask[wire.Session](t, w.Contract, refreshCall(first.RefreshToken)); again != second {
		t.Errorf("%+v, want %+v", again, second)
	}
	w.Clock.Advance(31 * time.Second)
	if a := w.Do(t, refreshCall(first.RefreshToken)); a.Code != 401 {
		t.Errorf("%s", a.Body)
	}
	for _, token := range []string{first.AccessToken, second.AccessToken} {
		if a := w.Do(t, testkit.Call{Path: userPath, Token: token}); a.Code != 401 {
			t.Errorf("a stolen session is still active: %s", a.Body)
		}
	}
	w.Run(t, []testkit.Scenario{
		{Name: "made up", Call: refreshCall("abc"), Code: 401},
		{
			Name:     "none",
			Call:     testkit.Call{Method: "POST", Path: refreshPath},
			Code:     601,
			Contains: []string{"Refresh token: required"},
		},
		{Name: "empty", Call: refreshCall(""), Code: 601, Contains: []string{"Refresh token: required"}},
		{
			Name:     "long",
			Call:     refreshCall(strings.Repeat("x", 129)),
			Code:     601,
			Contains: []string{"Refresh token: at most 128 characters"},
		},
		{
			Name: "in the body",
			Call: testkit.Call{Method: "POST", Path: refreshPath, Body: `{"refreshToken":"x"}`},
			Code: 601,
		},
	})
}

func TestLogout(t *testing.T) {
	w := newServer(t)
	s := testkit.Ask[wire.Session](t, w.Contract, loginCall("field", "ada", testkit.Password))
	if !testkit.Ask[bool](t, w.Contract, testkit.Call{Method: "POST", Path: logoutPath, Token: s.AccessToken}) {
		t.Error("not done")
	}
	w.Run(t, []testkit.Scenario{
		{Name: "the token", Call: testkit.Call{Path: userPath, Token: s.AccessToken}, Code: 401},
		{Name: "the refresh token", Call: refreshCall(s.RefreshToken), Code: 401},
		{Name: "again", Call: testkit.Call{Method: "POST", Path: logoutPath, Token: s.AccessToken}, Code: 401},
		{Name: "ada's other session", Call: w.get(userPath)},
	})
}

func TestUser(t *testing.T) {
	w := newServer(t)
	w.Clock.Advance(time.Hour)
	newest := w.Clock.Milli()
	s := testkit.Ask[wire.Session](t, w.Contract, loginCall("field", "ada", testkit.Password))
	call := testkit.Call{Path: userPath, Token: s.AccessToken}
	got := testkit.Ask[wire.User](t, w.Contract, call)
	want := wire.User{
		Id:         w.field.Ada.ID,
		UserName:   "ada",
		Nickname:   w.field.Ada.Nickname,
		Email:      w.field.Ada.Email,
		Mobile:     w.field.Ada.Mobile,
		Role:       "owner",
		Language:   "en-us",
		LoginDate:  &newest,
		TenantName: "field",
		TimeZone:   "Europe/Istanbul",
	}
	if g, e := asJSON(t, got), asJSON(t, want); g != e {
		t.Errorf("%s, want %s", g, e)
	}
	// The date is that of the newest sign-in in all the user's sessions; renewing tokens is no
	// sign-in.
	w.Clock.Advance(time.Minute)
	call.Token = testkit.Ask[wire.Session](t, w.Contract, refreshCall(s.RefreshToken)).AccessToken
	if got := testkit.Ask[wire.User](t, w.Contract, call); *got.LoginDate != newest {
		t.Errorf("%d, want %d", *got.LoginDate, newest)
	}
	// A tenant with a title is shown under it.
	w.field.Branding.Title = "Green Field Co."
	if err := w.Tenants.Put(t.Context(), w.field.Tenant); err != nil {
		t.Fatal(err)
	}
	if got := testkit.Ask[wire.User](t, w.Contract, call); got.TenantName != "Green Field Co." {
		t.Errorf("%+v", got)
	}
	// A disabled user is refused at the next call.
	w.field.Ada.Disabled = true
	if err := w.Users.Update(t.Context(), w.field.ID, w.field.Ada); err != nil {
		t.Fatal(err)
	}
	if a := w.Do(t, call); a.Code != 401 {
		t.Errorf("%s", a.Body)
	}
}

// asJSON writes a value as JSON, to compare what its pointers lead to.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
