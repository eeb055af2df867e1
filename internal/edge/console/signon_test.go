package console_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"tilth/internal/domain/identity"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

const (
	signOnPath = "/app-api/member/auth/"
	browserKey = "what only this browser knows"
	signOnHost = "field.example"
)

func browserHash() string {
	sum := sha256.Sum256([]byte(browserKey))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// withIssuer gives field an issuer at which ada signs in.
func (w *fixture) withIssuer(t *testing.T) *testkit.Issuer {
	t.Helper()
	i := testkit.NewIssuer(t, w.Clock.Now)
	if err := w.Connections.Put(t.Context(), w.field.ID, i.Connection()); err != nil {
		t.Fatal(err)
	}
	w.field.Ada.EmailConfirmed = true
	if err := w.Users.Update(t.Context(), w.field.ID, w.field.Ada); err != nil {
		t.Fatal(err)
	}
	i.SetPerson(testkit.Claims{"sub": "sub-ada", "email": w.field.Ada.Email, "email_verified": true})
	return i
}

// visit opens an address of the server, as a browser does, and gives where it leads.
func (w *fixture) visit(t *testing.T, path string) *url.URL {
	t.Helper()
	a := w.Do(t, testkit.Call{Path: path, Header: map[string]string{"Host": signOnHost}})
	if a.Status != http.StatusFound || a.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v", a.Status, a.Header)
	}
	u, err := url.Parse(a.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (w *fixture) signOnTicket(t *testing.T, i *testkit.Issuer) string {
	t.Helper()
	back := i.SignIn(t, w.visit(t, "/auth/oidc/start?tenant=field&binding="+browserHash()).String())
	ticket, ok := strings.CutPrefix(w.visit(t, back.RequestURI()).String(), "/signin#ticket=")
	if !ok {
		t.Fatal(w.Log.Text())
	}
	return ticket
}

func (w *fixture) openSignOn(t *testing.T, ticket string) testkit.Call {
	t.Helper()
	return testkit.Call{
		Method: http.MethodPost, Path: signOnPath + "oidc-session",
		Body: asJSON(t, body{"ticket": ticket, "binding": browserKey}),
	}
}

// The whole way of a browser: from what the sign-in page shows to a session, and out again.
func TestSignOnCalls(t *testing.T) {
	w := newServer(t)
	i := w.withIssuer(t)
	ways := func(name string) *wire.SignInWays {
		ways := testkit.Ask[wire.SignInWays](t, w.Contract, testkit.Call{Path: signOnPath + "ways?tenantName=" + name})
		return &ways
	}
	if got := ways(
		"field",
	); !got.Password || got.Oidc == nil ||
		got.Oidc.Name != strings.TrimPrefix(i.URL, "http://") ||
		!strings.HasSuffix(got.Oidc.StartUrl, "/auth/oidc/start?tenant=field") {
		t.Errorf("%+v", got.Oidc)
	}
	for _, name := range []string{"nobody", marker} {
		if got := ways(name); !got.Password || got.Oidc != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	back := i.SignIn(
		t,
		w.visit(t, "/auth/oidc/start?tenant=field&return=%2Fdata%3Fx%3D1&binding="+browserHash()).String(),
	)
	landed := w.visit(t, back.RequestURI())
	parts, err := url.ParseQuery(landed.Fragment)
	if err != nil || landed.Path != "/signin" || parts.Get("return") != "/data?x=1" {
		t.Errorf("%v %v", landed, err)
	}
	s := testkit.Ask[wire.Session](t, w.Contract, w.openSignOn(t, parts.Get("ticket")))
	u := testkit.Ask[wire.User](t, w.Contract, testkit.Call{Path: userPath, Token: s.AccessToken})
	if u.Id != w.field.Ada.ID || u.Oidc == nil || !u.Oidc.Linked {
		t.Errorf("%+v", u)
	}
	if u := testkit.Ask[wire.User](
		t,
		w.Contract,
		testkit.Call{Path: userPath, Token: w.bora},
	); u.Oidc == nil ||
		u.Oidc.Linked {
		t.Errorf("%+v", u.Oidc)
	}
	if u := testkit.Ask[wire.User](t, w.Contract, testkit.Call{Path: userPath, Token: w.rivalToken}); u.Oidc != nil {
		t.Errorf("%+v", u.Oidc)
	}
	calls := i.Calls("/token")
	s = testkit.Ask[wire.Session](t, w.Contract, refreshCall(s.RefreshToken))
	if i.Calls("/token") != calls+1 {
		t.Error("the renewal did not ask the issuer")
	}
	out := testkit.Ask[wire.OidcLogout](t, w.Contract, testkit.Call{
		Method: http.MethodPost, Path: signOnPath + "oidc-logout", Token: s.AccessToken,
	})
	if out.Url == nil || !strings.HasPrefix(*out.Url, i.URL+"/end?") {
		t.Errorf("%v", out.Url)
	}
	w.Run(t, []testkit.Scenario{
		{Name: "signed out", Call: testkit.Call{Path: userPath, Token: s.AccessToken}, Code: 401},
		{
			Name: "used ticket", Call: w.openSignOn(t, parts.Get("ticket")), Code: 601,
			Contains: []string{"This sign-in no longer holds"},
		},
		{
			Name: "link without issuer", Code: 601, Contains: []string{"no sign-in of its own"},
			Call: testkit.Call{
				Method: http.MethodPost, Path: "/app-api/member/user/oidc/link", Token: w.rivalToken,
				Body: asJSON(t, body{"binding": browserHash()}),
			},
		},
	})
	link := testkit.Ask[wire.OidcRedirect](t, w.Contract, testkit.Call{
		Method: http.MethodPost, Path: "/app-api/member/user/oidc/link", Token: w.bora,
		Body: asJSON(t, body{"binding": browserHash(), "return": "/profile"}),
	})
	i.SetPerson(testkit.Claims{"sub": "sub-bora"})
	landed = w.visit(t, i.SignIn(t, link.Url).RequestURI())
	parts, err = url.ParseQuery(landed.Fragment)
	if err != nil {
		t.Fatal(err)
	}
	s = testkit.Ask[wire.Session](t, w.Contract, w.openSignOn(t, parts.Get("ticket")))
	if s.UserId != w.field.Bora.ID || parts.Get("return") != "/profile" {
		t.Errorf("%+v %v", s, parts)
	}
	w.checkNothingLogged(t, i, s.AccessToken, s.RefreshToken, parts.Get("ticket"))
}

func (w *fixture) checkNothingLogged(t *testing.T, i *testkit.Issuer, secrets ...string) {
	t.Helper()
	for _, secret := range append(secrets, i.ClientSecret, browserKey, "eyJ") {
		if strings.Contains(w.Log.Text(), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

func TestSignOnFailures(t *testing.T) {
	w := newServer(t)
	i := w.withIssuer(t)
	for name, c := range map[string]struct{ path, want string }{
		"unknown state":  {"/auth/oidc/callback?state=x&code=y", "expired"},
		"nothing":        {"/auth/oidc/callback", "expired"},
		"unknown tenant": {"/auth/oidc/start?tenant=nobody&binding=" + browserHash(), "failed"},
		"no binding":     {"/auth/oidc/start?tenant=field", "failed"},
	} {
		if got := w.visit(t, c.path).String(); got != "/signin#oidc="+c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	i.SetPerson(testkit.Claims{"sub": "sub-x", "email": "x@farm.example", "email_verified": true})
	back := i.SignIn(t, w.visit(t, "/auth/oidc/start?tenant=field&binding="+browserHash()).String())
	if got := w.visit(t, back.RequestURI()).String(); got != "/signin#oidc=unknown" {
		t.Errorf("%s", got)
	}
}

func TestBackChannelLogoutCall(t *testing.T) {
	w := newServer(t)
	i := w.withIssuer(t)
	s := testkit.Ask[wire.Session](t, w.Contract, w.openSignOn(t, w.signOnTicket(t, i)))
	token := i.LogoutToken(t, testkit.Claims{"sub": "sub-ada"})
	if got := w.logOut(t, token[:len(token)-3]); got != http.StatusBadRequest {
		t.Errorf("a broken token: %d", got)
	}
	if a := w.Do(t, testkit.Call{Path: userPath, Token: s.AccessToken}); a.Code != 200 {
		t.Errorf("%s", a.Body)
	}
	if got := w.logOut(t, token); got != http.StatusOK {
		t.Errorf("%d: %s", got, w.Log.Text())
	}
	if a := w.Do(t, testkit.Call{Path: userPath, Token: s.AccessToken}); a.Code != 401 {
		t.Errorf("the next call: %s", a.Body)
	}
	if got := w.logOut(t, token); got != http.StatusBadRequest {
		t.Errorf("the same token: %d", got)
	}
	if got := w.logOut(t, strings.Repeat("x", 64<<10)); got != http.StatusBadRequest {
		t.Errorf("a large body: %d", got)
	}
}

// Calls beyond the budget of an address are refused, and the log says so.
func TestSignOnCallsBeyondTheBudget(t *testing.T) {
	w := newServer(t)
	for range 60 {
		if got := w.visit(t, "/auth/oidc/callback").String(); got != "/signin#oidc=expired" {
			t.Fatal(got)
		}
		if a := w.logOut(t, "x"); a != http.StatusBadRequest {
			t.Fatal(a)
		}
	}
	if got := w.visit(t, "/auth/oidc/callback").String(); got != "/signin#oidc=failed" {
		t.Error(got)
	}
	if a := w.logOut(t, "x"); a != http.StatusTooManyRequests {
		t.Error(a)
	}
	for _, step := range []string{"callback", `"back-channel logout"`} {
		line := "step=" + step + ` answer=failed tenant=0 error="too many calls from one address"`
		if n := strings.Count(w.Log.Text(), line); n != 1 {
			t.Errorf("%s: %d lines", step, n)
		}
	}
}

// logOut sends a logout token, as an issuer does.
func (w *fixture) logOut(t *testing.T, token string) int {
	t.Helper()
	return w.Do(t, testkit.Call{
		Method: http.MethodPost, Path: "/auth/oidc/backchannel-logout",
		Body:   url.Values{"logout_token": {token}}.Encode(),
		Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
	}).Status
}

// The role of the issuer's claim is shown as such, and only the issuer changes it.
func TestRoleFromSignIn(t *testing.T) {
	w := newServer(t)
	i := w.withIssuer(t)
	conn := i.Connection()
	conn.RoleClaim, conn.Roles = "groups", map[string]identity.Role{"staff": identity.Operator}
	if err := w.Connections.Put(t.Context(), w.field.ID, conn); err != nil {
		t.Fatal(err)
	}
	i.SetPerson(testkit.Claims{
		"sub": "sub-ada", "email": w.field.Ada.Email, "email_verified": true, "groups": []string{"staff"},
	})
	testkit.Ask[wire.Session](t, w.Contract, w.openSignOn(t, w.signOnTicket(t, i)))
	page := testkit.Ask[wire.PeoplePage](t, w.Contract, testkit.Call{Path: peoplePath + "page?text=ada", Token: w.bora})
	if len(page.List) != 1 || page.List[0].RoleFrom != "signin" || page.List[0].Role != "operator" {
		t.Errorf("%+v", page.List)
	}
	w.Run(t, []testkit.Scenario{{
		Name: "another role", Code: 601, Contains: []string{"Role", "comes from"},
		Call: testkit.Call{
			Method: http.MethodPut, Path: peoplePath + "update", Token: w.bora,
			Body: asJSON(t, body{"id": w.field.Ada.ID, "role": "owner"}),
		},
	}})
}
