package identity_test

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/identity"
	"tilth/internal/tools/testkit"
)

// refusalLines gives the log's lines about sign-ins at issuers.
func (f *signOnFixture) refusalLines() (lines []string) {
	for line := range strings.Lines(f.Log.Text()) {
		if strings.Contains(line, `msg="a sign-in at an issuer `) {
			lines = append(lines, line)
		}
	}
	return lines
}

// anew gives field its issuer again, which does as it should, and ada her account.
func (f *signOnFixture) anew(t *testing.T) {
	t.Helper()
	f.issuer.SetMend(nil)
	f.issuer.SetSign(nil)
	f.issuer.SetAnswer(nil)
	f.issuer.SetClock(f.Clock.Now)
	f.conn = f.issuer.Connection()
	f.connect(t, func(*identity.Connection) {})
	f.field.Ada.Disabled = false
	f.confirm(t, f.field.Ada, "ada@farm.example")
	f.as("sub-ada", "ada@farm.example")
	f.signIn(t)
}

// back comes back from the issuer with a changed answer.
func (f *signOnFixture) back(t *testing.T, change func(q url.Values)) {
	t.Helper()
	back := f.issuer.SignIn(t, f.start(t))
	q := back.Query()
	change(q)
	back.RawQuery = q.Encode()
	f.callback(t, back)
}

func (f *signOnFixture) begin(t *testing.T, change func(s *identity.SignOnStart)) {
	t.Helper()
	s := identity.SignOnStart{
		TenantName: "field", Binding: bindingHash(binding), Origin: "https://field.example",
		Address: netip.MustParseAddr("198.51.100.7"),
	}
	change(&s)
	f.SignOn.Start(t.Context(), s)
}

// linking begins to link the account of a user, and gives the ticket; empty: there is none.
func (f *signOnFixture) linking(t *testing.T, u *identity.User, meanwhile func()) string {
	t.Helper()
	address, err := f.SignOn.Link(t.Context(), f.caller(t, f.Session(t, u)), identity.SignOnStart{
		Binding: bindingHash(binding), Origin: "https://field.example",
	})
	if err != nil {
		t.Fatal(err)
	}
	back := f.issuer.SignIn(t, address)
	meanwhile()
	ticket, _ := f.callback(t, back)
	return ticket
}

// answer makes the issuer answer a path with a text.
func (f *signOnFixture) answer(path string, status int, body string) {
	f.issuer.SetAnswer(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == path {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
		return r.URL.Path == path
	})
}

// Each sign-in that is refused leaves one line with its reason, and says nothing of the person.
func TestEveryRefusalIsLogged(t *testing.T) {
	f := newSignOnFixture(t)
	other := testkit.NewIssuer(t, f.Clock.Now)
	bora := f.field.Bora
	signIn := func(t *testing.T) { t.Helper(); f.ticket(t) }
	person := func(c testkit.Claims) func(*testing.T) {
		return func(t *testing.T) { t.Helper(); f.issuer.SetPerson(c); signIn(t) }
	}
	mended := func(claim string, value any) func(*testing.T) {
		return func(t *testing.T) {
			t.Helper()
			f.issuer.SetMend(func(c testkit.Claims) {
				if c[claim] = value; value == nil {
					delete(c, claim)
				}
			})
			signIn(t)
		}
	}
	answered := func(path string, status int, body string) func(*testing.T) {
		return func(t *testing.T) {
			t.Helper()
			f.connect(t, func(c *identity.Connection) { c.RoleClaim, c.DefaultRole = "groups", identity.Viewer })
			f.answer(path, status, body)
			signIn(t)
		}
	}
	errorCode := func(code string) func(*testing.T) {
		return func(t *testing.T) { t.Helper(); f.back(t, func(q url.Values) { q.Set("error", code) }) }
	}
	opened := func(prepare func() string) func(*testing.T) {
		return func(t *testing.T) {
			t.Helper()
			if _, err := f.open(t, prepare()); !hasKey(err, "signOn.dead") {
				t.Errorf("%v", err)
			}
		}
	}
	renewed := func(meanwhile func()) func(*testing.T) {
		return func(t *testing.T) {
			t.Helper()
			pair, _ := f.signIn(t)
			meanwhile()
			if _, err := f.renew(t, pair); err == nil {
				t.Error("it is renewed")
			}
		}
	}
	unlinkable := func(u *identity.User) func(*testing.T) {
		return func(t *testing.T) {
			t.Helper()
			c := f.caller(t, f.Session(t, u))
			if _, err := f.SignOn.Link(t.Context(), c, identity.SignOnStart{}); err == nil {
				t.Error("it begins")
			}
		}
	}
	loggedOut := func(more testkit.Claims) func(*testing.T) {
		return func(t *testing.T) {
			t.Helper()
			if err := f.SignOn.BackChannelLogout(t.Context(), f.issuer.LogoutToken(t, more)); err == nil {
				t.Error("the token is accepted")
			}
		}
	}
	verified := func(address string) testkit.Claims {
		return testkit.Claims{"sub": "sub-x", "email": address, "email_verified": true}
	}
	for _, c := range []struct {
		name, step, answer string
		do                 func(t *testing.T)
		reason             string
	}{
		{"no tenant", "begin", "failed", func(t *testing.T) {
			f.begin(t, func(s *identity.SignOnStart) { s.TenantName = "nobody" })
		}, "there is no such tenant"},
		{"no issuer", "begin", "failed", func(t *testing.T) {
			f.begin(t, func(s *identity.SignOnStart) { s.TenantName = "rival" })
		}, "the tenant has no issuer"},
		{"no binding", "begin", "failed", func(t *testing.T) {
			f.begin(t, func(s *identity.SignOnStart) { s.Binding = "x" })
		}, "the binding is no SHA-256"},
		{"many from an address", "begin", "failed", func(t *testing.T) {
			for range 31 {
				f.begin(t, func(*identity.SignOnStart) {})
			}
		}, "too many sign-ins begin from one address"},
		{"many of a tenant", "begin", "failed", func(t *testing.T) {
			for n := range 300 {
				f.begin(t, func(s *identity.SignOnStart) { s.Address = netip.AddrFrom4([4]byte{198, 51, byte(n), 1}) })
			}
			f.Clock.Advance(time.Minute)
		}, "too many sign-ins of the tenant begin"},
		{"no issuer to link at", "link", "failed", unlinkable(f.rival.Ada), "the tenant has no issuer"},
		{"no binding to link", "link", "failed", unlinkable(bora), "the binding is no SHA-256"},
		{"a state of nobody", "callback", "expired", func(t *testing.T) {
			f.callback(t, &url.URL{RawQuery: "state=x&code=y"})
		}, "no sign-in with this state is under way"},
		{"another issuer's answer", "callback", "failed", func(t *testing.T) {
			f.back(t, func(q url.Values) { q.Set("iss", other.URL) })
		}, "it is the response of another issuer"},
		{"another issuer meanwhile", "callback", "failed", func(t *testing.T) {
			back := f.issuer.SignIn(t, f.start(t))
			f.connect(t, func(c *identity.Connection) { c.ClientID = "another" })
			f.callback(t, back)
		}, "the tenant's issuer was changed meanwhile"},
		{"denied", "callback", "denied", errorCode("access_denied"), `the issuer answers \"access_denied\"`},
		{"an error", "callback", "failed", errorCode("server_error"), `the issuer answers \"server_error\"`},
		{"no code", "callback", "failed", func(t *testing.T) {
			f.back(t, func(q url.Values) { q.Del("code") })
		}, "the issuer gave no code"},
		{"another code", "callback", "failed", func(t *testing.T) {
			f.back(t, func(q url.Values) { q.Set("code", "x") })
		}, "the issuer refused: token endpoint answers 400 invalid_grant"},
		{"a wrong secret", "callback", "failed", func(t *testing.T) {
			f.connect(t, func(c *identity.Connection) { c.ClientSecret = "wrong" })
			signIn(t)
		}, "token endpoint answers 401 invalid_client"},
		{"an issuer that is down", "callback", "failed", answered("/token", 502, ""), "token endpoint answers 502"},
		{"no ID token", "callback", "failed", answered("/token", 200, `access_token=eyJx`), "it gave no ID token"},
		{"no JSON", "callback", "failed", answered("/token", 200, `{eyJx`),
			"token endpoint does not answer as OpenID Connect says"},
		{"another key", "callback", "failed", func(t *testing.T) {
			f.issuer.SetSign(func(c testkit.Claims) string { return other.Token(t, c) })
			signIn(t)
		}, "its ID token is not signed with one of its keys"},
		{"no token", "callback", "failed", func(t *testing.T) {
			f.issuer.SetSign(func(testkit.Claims) string { return "x" })
			signIn(t)
		}, "its ID token has a wrong form or algorithm"},
		{"another nonce", "callback", "failed", mended("nonce", "x"), "its ID token answers another request"},
		{"another issuer", "callback", "failed", mended("iss", other.URL), "its ID token names another issuer"},
		{"another audience", "callback", "failed", mended("aud", "x"), "its ID token is for another client"},
		{"another party", "callback", "failed", mended("azp", "x"), "its ID token is for another client"},
		{"no subject", "callback", "failed", mended("sub", ""), "its ID token has no usable subject"},
		{"no expiry", "callback", "failed", mended("exp", nil), "its ID token has no times"},
		{"expired", "callback", "clock", mended("exp", 1), "the clocks differ: the token is valid from "},
		{"userinfo refused", "callback", "failed", answered("/userinfo", 401, ""), "userinfo answers 401"},
		{"userinfo down", "callback", "failed", answered("/userinfo", 503, ""), "userinfo answers 503"},
		{"userinfo unreadable", "callback", "failed", answered("/userinfo", 200, "eyJx"), "userinfo is no JSON object"},
		{"userinfo of another", "callback", "failed", answered("/userinfo", 200, `{"sub": "sub-y"}`),
			"its userinfo is another person's"},
		{"no role", "callback", "norole", func(t *testing.T) {
			f.withRoles(t)
			f.as("sub-ada", "ada@farm.example", "others")
			signIn(t)
		}, `no value of the claim \"groups\" has a role, and there is no defaultRole`},
		{"too many groups", "callback", "norole", func(t *testing.T) {
			f.withRoles(t)
			person(testkit.Claims{"sub": "sub-ada", "_claim_names": testkit.Claims{"groups": "src1"}})(t)
		}, `the issuer leaves out the claim \"groups\", and there is no defaultRole`},
		{"too many groups, and a default", "", "", func(t *testing.T) {
			f.withRoles(t)
			f.connect(t, func(c *identity.Connection) { c.DefaultRole = identity.Viewer })
			person(testkit.Claims{"sub": "sub-ada", "_claim_names": testkit.Claims{"groups": "src1"}})(t)
		}, `the person has so many values that the issuer leaves out the claim \"groups\""`},
		{"nobody", "callback", "unknown", person(verified("x@farm.example")), "create and domains do not let it in"},
		{"no address", "callback", "unverified", person(testkit.Claims{"sub": "sub-x"}),
			"the issuer vouches for no address of the person"},
		{"no address that is one", "callback", "unverified", person(verified("x@y@farm.example")),
			"what the issuer gives as the person's address is none"},
		{"an address without a word", "callback", "unverified", person(testkit.Claims{
			"sub": "sub-x", "email": "ada@farm.example",
		}), "which is that of a user or an invitation"},
		{"another account", "callback", "ambiguous", person(verified("ada@farm.example")),
			"has another account at the issuer"},
		{"an address of two", "callback", "ambiguous", func(t *testing.T) {
			f.confirm(t, bora, "ada@farm.example")
			person(verified("ada@farm.example"))(t)
			f.confirm(t, bora, "bora@farm.example")
		}, "several users have confirmed the person's address"},
		{"a user who is shut out", "callback", "disabled", func(t *testing.T) {
			f.field.Ada.Disabled = true
			f.confirm(t, f.field.Ada, "ada@farm.example")
			signIn(t)
		}, "the user is disabled or shut out"},
		{"an account of another's", "callback", "ambiguous", func(t *testing.T) {
			f.linking(t, bora, func() {})
		}, "the account at the issuer is another user's"},
		{"too many people", "callback", "failed", func(t *testing.T) {
			f.fill(t)
			f.connect(t, func(c *identity.Connection) { c.Creates = true })
			person(verified("x@farm.example"))(t)
		}, "the tenant has as many people as it may have"},
		{"a ticket of nobody", "ticket", "failed", opened(func() string { return "x" }), "there is no such ticket"},
		{"another browser", "ticket", "failed", func(t *testing.T) {
			ticket, _ := f.ticket(t)
			if _, err := f.SignOn.OpenSession(t.Context(), ticket, "x", netip.MustParseAddr(homeAddr)); err == nil {
				t.Error("it is opened")
			}
		}, "the ticket comes from another browser"},
		{"shut out meanwhile", "ticket", "failed", opened(func() string {
			ticket, _ := f.ticket(t)
			f.field.Ada.Disabled = true
			f.confirm(t, f.field.Ada, "ada@farm.example")
			return ticket
		}), "the user was disabled or deleted meanwhile"},
		{"signed out meanwhile", "ticket", "failed", opened(func() string {
			ticket := f.linking(t, f.field.Ada, func() {})
			if err := f.Sessions.EndUser(t.Context(), f.field.ID, f.field.Ada.ID); err != nil {
				t.Fatal(err)
			}
			return ticket
		}), "the session of the user who links the account has ended"},
		{"no issuer meanwhile", "ticket", "failed", opened(func() string {
			ticket := f.linking(t, f.field.Ada, func() {})
			if err := f.Connections.Put(t.Context(), f.field.ID, nil); err != nil {
				t.Fatal(err)
			}
			return ticket
		}), "the tenant has no issuer"},
		{"renewal refused", "renewal", "failed", renewed(f.issuer.Revoke), "token endpoint answers 400 invalid_grant"},
		{"renewal without a role", "renewal", "norole", renewed(func() { f.withRoles(t) }), "has a role"},
		{"renewal at another issuer", "renewal", "failed", renewed(func() {
			f.connect(t, func(c *identity.Connection) { c.ClientID = "another" })
		}), "the tenant's issuer was changed meanwhile"},
		{"renewal of another", "renewal", "failed", renewed(func() { f.as("sub-z", "ada@farm.example") }),
			"its new ID token is another person's"},
		{"renewal after an hour", "renewal", "failed", renewed(func() {
			f.answer("/token", http.StatusBadGateway, "")
			f.Clock.Advance(time.Hour + time.Minute)
		}), "token endpoint answers 502"},
		{"no logout token", "back-channel logout", "failed", func(t *testing.T) {
			if err := f.SignOn.BackChannelLogout(t.Context(), "x"); err == nil {
				t.Error("it is accepted")
			}
		}, "there is no logout token"},
		{"logout of nobody's", "back-channel logout", "failed", loggedOut(testkit.Claims{"iss": "https://x.example"}),
			"an issuer at which nobody signs in"},
		{"another client's logout", "back-channel logout", "failed", loggedOut(testkit.Claims{
			"sub": "sub-ada", "aud": "x",
		}), "the logout token is for another client"},
		{"logout of no one", "back-channel logout", "failed", loggedOut(testkit.Claims{}),
			"its logout token lacks a claim"},
		{"a forged logout", "back-channel logout", "failed", func(t *testing.T) {
			f.issuer.SetSign(func(c testkit.Claims) string { return other.Token(t, c) })
			loggedOut(testkit.Claims{"sub": "sub-ada"})(t)
		}, "its logout token is not signed with one of its keys"},
		{"a late logout", "back-channel logout", "clock", loggedOut(testkit.Claims{"sub": "sub-ada", "exp": 1}),
			"the clocks differ"},
		{"a logout twice", "back-channel logout", "failed", func(t *testing.T) {
			once := testkit.Claims{"sub": "sub-nobody", "jti": "1"}
			if err := f.SignOn.BackChannelLogout(t.Context(), f.issuer.LogoutToken(t, once)); err != nil {
				t.Error(err)
			}
			loggedOut(once)(t)
		}, "the logout token came before"},
		{"too many calls", "callback", "failed", func(*testing.T) {
			f.SignOn.RefuseCall("callback")
		}, "too many calls from one address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.Clock.Advance(time.Hour) // what earlier rows used up is there again
			f.anew(t)
			before := len(f.refusalLines())
			c.do(t)
			lines := f.refusalLines()[before:]
			if len(lines) != 1 || !strings.Contains(lines[0], c.reason) || c.step != "" &&
				(!strings.Contains(lines[0], "step="+strconv.Quote(c.step)+" ") &&
					!strings.Contains(lines[0], "step="+c.step+" ") || !strings.Contains(lines[0], "answer="+c.answer+" ")) {
				t.Errorf("%q, want %s", lines, c.reason)
			}
		})
	}
	for _, secret := range []string{
		"eyJ", "sub-", "farm.example", f.issuer.ClientSecret, binding, "Ada", "state=", "code=",
	} {
		if strings.Contains(strings.Join(f.refusalLines(), ""), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

// fill gives field as many people as a tenant may have.
func (f *signOnFixture) fill(t *testing.T) {
	t.Helper()
	err := f.DB.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
		for n := range identity.MaxPeople - 2 {
			u := &identity.User{UserName: "u" + strconv.Itoa(n), Nickname: "u"}
			if err := f.Users.Create(ctx, f.field.ID, u, ""); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Strangers fill no log: a reason has five lines at once and then one in ten minutes, whatever they
// send with it. Others have theirs all the same.
func TestRefusalsFillNoLog(t *testing.T) {
	f := newSignOnFixture(t)
	unknownState := func(times int) int {
		before := len(f.refusalLines())
		for range times {
			f.callback(t, &url.URL{RawQuery: "state=x&code=y"})
		}
		return len(f.refusalLines()) - before
	}
	if n := unknownState(200); n != 5 {
		t.Errorf("%d lines", n)
	}
	before := len(f.refusalLines())
	for n := range 20 {
		f.back(t, func(q url.Values) { q.Set("error", `x"`+strings.Repeat("é", n)+`\`) })
	}
	if n := len(f.refusalLines()) - before; n != 5 {
		t.Errorf("%d lines of errors that a stranger thought of", n)
	}
	f.Clock.Advance(10 * time.Minute)
	if n := unknownState(200); n != 1 {
		t.Errorf("%d lines after ten minutes", n)
	}
}
