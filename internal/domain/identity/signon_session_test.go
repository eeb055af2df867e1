package identity_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

func (f *signOnFixture) renew(t *testing.T, pair identity.TokenPair) (identity.TokenPair, error) {
	t.Helper()
	return f.SignOn.Refresh(t.Context(), pair.Refresh)
}

// isOut checks that a session has ended.
func (f *signOnFixture) isOut(t *testing.T, what string, pair identity.TokenPair) {
	t.Helper()
	if c, err := f.Sessions.Caller(t.Context(), pair.Access); !errs.Is(err, errs.Unauthenticated) {
		t.Errorf("%s: %+v %v", what, c, err)
	}
	if _, err := f.renew(t, pair); !errs.Is(err, errs.Unauthenticated) {
		t.Errorf("%s: it is renewed: %v", what, err)
	}
}

func TestIssuerGivesTheRole(t *testing.T) {
	f := newSignOnFixture(t)
	f.withRoles(t)
	for _, c := range []struct {
		groups []string
		want   identity.Role
	}{
		{[]string{"staff"}, identity.Operator}, {[]string{"guests", "staff", "others"}, identity.Operator},
		{[]string{"guests"}, identity.Viewer},
	} {
		f.as("sub-ada", "ada@farm.example", c.groups...)
		if _, got := f.signIn(t); got.Role != c.want {
			t.Errorf("%v: %s, want %s", c.groups, got.Role, c.want)
		}
	}
	f.as("sub-ada", "ada@farm.example", "others")
	f.failsWith(t, "no group with a role", identity.SignOnNoRole)
	f.connect(t, func(c *identity.Connection) { c.DefaultRole = identity.Viewer })
	f.signIn(t)
	// The role is fixed here; the rest of the person is not.
	ada := f.person(t, f.field.Ada)
	if ada.Role != identity.Viewer || ada.RoleFrom != identity.RoleFromSignIn {
		t.Errorf("%+v", ada)
	}
	if err := f.change(t, ada, identity.PersonChange{Role: new("owner")}); !hasKey(err, "people.roleFromSignIn") {
		t.Errorf("%v", err)
	}
	if err := f.change(t, ada, identity.PersonChange{Role: new("viewer"), Language: new("tr-tr")}); err != nil {
		t.Error(err)
	}
	// If the claim is not in the ID token, userinfo has it.
	f.as("sub-ada", "ada@farm.example", "staff")
	f.issuer.SetMend(func(c testkit.Claims) { delete(c, "groups") })
	if _, c := f.signIn(t); c.Role != identity.Operator {
		t.Errorf("from userinfo: %s", c.Role)
	}
	// Without the claim, roles are Tilth's own again.
	f.connect(t, func(c *identity.Connection) { c.RoleClaim, c.Roles = "", nil })
	if err := f.change(t, ada, identity.PersonChange{Role: new("owner")}); err != nil {
		t.Error(err)
	}
	if _, c := f.signIn(t); c.Role != identity.Owner {
		t.Errorf("a sign-in changes Tilth's own role to %s", c.Role)
	}
}

func TestRenewalAsksTheIssuer(t *testing.T) {
	f := newSignOnFixture(t)
	f.withRoles(t)
	f.as("sub-ada", "ada@farm.example", "staff")
	pair, c := f.signIn(t)
	calls := f.issuer.Calls("/token")
	// Demotion: the group is gone.
	f.as("sub-ada", "ada@farm.example", "guests")
	f.Clock.Advance(4 * time.Minute)
	next, err := f.renew(t, pair)
	if err != nil || f.issuer.Calls("/token") != calls+1 {
		t.Fatalf("%v, %d calls", err, f.issuer.Calls("/token")-calls)
	}
	if c := f.caller(t, next); c.Role != identity.Viewer {
		t.Errorf("%+v", c)
	}
	if next.Expires != f.Clock.Now().Add(5*time.Minute).UnixMilli() {
		t.Errorf("%+v", next)
	}
	// The used token gives the same pair for a while, and the issuer is not asked again.
	if again, err := f.renew(t, pair); err != nil || again != next || f.issuer.Calls("/token") != calls+1 {
		t.Errorf("%+v %v", again, err)
	}
	// No role any more: all sessions that began there end.
	second, _ := f.signIn(t)
	own := f.Session(t, f.field.Ada)
	f.as("sub-ada", "ada@farm.example", "others")
	if _, err := f.renew(t, next); !errs.Is(err, errs.Unauthenticated) {
		t.Errorf("%v", err)
	}
	f.isOut(t, "the session", next)
	f.isOut(t, "another session from there", second)
	f.caller(t, own) // one with a password goes on
	if got := f.person(t, f.field.Ada); got.ID != c.User {
		t.Errorf("%+v", got)
	}
}

func TestIssuerRefusesRenewal(t *testing.T) {
	f := newSignOnFixture(t)
	pair, _ := f.signIn(t)
	f.issuer.Revoke()
	f.isRefused(t, pair)
	// Without a refresh token, userinfo says whether the person may go on.
	f.issuer.SetMend(func(c testkit.Claims) { c["no_refresh_token"] = true })
	pair, _ = f.signIn(t)
	next, err := f.renew(t, pair)
	if err != nil || f.issuer.Calls("/userinfo") != 1 {
		t.Errorf("%v, userinfo was called %d times", err, f.issuer.Calls("/userinfo"))
	}
	f.issuer.Revoke()
	f.isRefused(t, next)
	// Another person's token.
	f.issuer.SetMend(nil)
	pair, _ = f.signIn(t)
	f.as("sub-other", "ada@farm.example")
	f.isRefused(t, pair)
	// The tenant has no issuer any more.
	f.as("sub-ada", "ada@farm.example")
	pair, _ = f.signIn(t)
	if err := f.Connections.Put(t.Context(), f.field.ID, nil); err != nil {
		t.Fatal(err)
	}
	f.isRefused(t, pair)
}

// isRefused checks that a session is not renewed, and has ended then.
func (f *signOnFixture) isRefused(t *testing.T, pair identity.TokenPair) {
	t.Helper()
	if _, err := f.renew(t, pair); !errs.Is(err, errs.Unauthenticated) {
		t.Errorf("it is renewed: %v\n%s", err, f.Log.Text())
	}
	f.isOut(t, "after the refusal", pair)
}

func TestUnreachableIssuerHasAnHour(t *testing.T) {
	f := newSignOnFixture(t)
	pair, _ := f.signIn(t)
	broken := func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusBadGateway)
		return true
	}
	f.issuer.SetAnswer(broken)
	var err error
	for range 4 {
		f.Clock.Advance(15 * time.Minute)
		if pair, err = f.renew(t, pair); err != nil {
			t.Fatal(err)
		}
	}
	// The hour begins anew once the issuer has answered.
	f.issuer.SetAnswer(nil)
	if pair, err = f.renew(t, pair); err != nil {
		t.Fatal(err)
	}
	f.issuer.SetAnswer(broken)
	f.Clock.Advance(time.Hour)
	if pair, err = f.renew(t, pair); err != nil {
		t.Fatal(err)
	}
	f.Clock.Advance(time.Minute)
	f.isRefused(t, pair)
}

func TestSessionOfIssuerEnds(t *testing.T) {
	f := newSignOnFixture(t)
	pair, _ := f.signIn(t)
	var err error
	for range 12*60/4 - 1 {
		f.Clock.Advance(4 * time.Minute)
		if pair, err = f.renew(t, pair); err != nil {
			t.Fatal(err)
		}
	}
	if left := pair.Expires - f.Clock.Milli(); left != (4 * time.Minute).Milliseconds() {
		t.Errorf("the last access token is valid for %d ms", left)
	}
	f.Clock.Advance(4 * time.Minute)
	f.isOut(t, "after twelve hours", pair)
}

// Two tabs renew at once: the issuer, which takes each of its tokens once, is asked once.
func TestTwoTabsRenewAtOnce(t *testing.T) {
	f := newSignOnFixture(t)
	pair, _ := f.signIn(t)
	var both sync.WaitGroup
	got := make([]identity.TokenPair, 2)
	for i := range got {
		both.Go(func() {
			var err error
			if got[i], err = f.SignOn.Refresh(t.Context(), pair.Refresh); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if got[0] != got[1] || got[0].Access == "" {
		t.Errorf("%+v", got)
	}
	if _, err := f.renew(t, got[0]); err != nil {
		t.Error(err)
	}
}

func TestBackChannelLogout(t *testing.T) {
	f := newSignOnFixture(t)
	logout := func(more testkit.Claims) error {
		return f.SignOn.BackChannelLogout(t.Context(), f.issuer.LogoutToken(t, more))
	}
	other := testkit.NewIssuer(t, f.Clock.Now)
	mine := testkit.Claims{"sub": "sub-ada"}
	with := func(name string, value any) testkit.Claims {
		return testkit.Claims{"sub": "sub-ada", name: value}
	}
	pair, _ := f.signIn(t)
	for name, claims := range map[string]testkit.Claims{
		"another client":       with("aud", "another"),
		"another issuer":       with("iss", other.URL),
		"no event":             with("events", testkit.Claims{}),
		"a nonce":              with("nonce", "x"),
		"no id":                with("jti", ""),
		"expired":              with("exp", f.Clock.Now().Add(-61*time.Second).Unix()),
		"from the future":      with("iat", f.Clock.Now().Add(61*time.Second).Unix()),
		"valid for too long":   with("exp", f.Clock.Now().Add(48*time.Hour).Unix()),
		"nobody":               {},
		"an issuer of nobody":  with("iss", "https://nobody.example"),
		"no expiry (required)": with("exp", nil),
	} {
		if err := logout(claims); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	for name, raw := range map[string]string{
		"empty": "", "no token": "x", "another's key": other.LogoutToken(t, testkit.Claims{
			"iss": f.issuer.URL, "sub": "sub-ada",
		}),
	} {
		if err := f.SignOn.BackChannelLogout(t.Context(), raw); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	f.caller(t, pair)
	ticket, _ := f.ticket(t)
	once := f.issuer.LogoutToken(t, mine)
	if err := f.SignOn.BackChannelLogout(t.Context(), once); err != nil {
		t.Fatal(err)
	}
	f.isOut(t, "of the person", pair)
	if _, err := f.open(t, ticket); err == nil {
		t.Error("a ticket from before the logout holds")
	}
	if err := f.SignOn.BackChannelLogout(t.Context(), once); err == nil {
		t.Error("the same token is accepted again")
	}
	// Of one session alone.
	first, _ := f.signIn(t)
	f.issuer.SetPerson(testkit.Claims{
		"sub": "sub-ada", "email": "ada@farm.example", "email_verified": true, "sid": "another session",
	})
	second, _ := f.signIn(t)
	if err := logout(testkit.Claims{"sid": "another session"}); err != nil {
		t.Error(err)
	}
	f.caller(t, first)
	f.isOut(t, "of the session", second)
}

// Unknown keys of tokens that anybody can send do not make the server ask the issuer without end.
func TestForgedLogoutsCostTheIssuerLittle(t *testing.T) {
	f := newSignOnFixture(t)
	f.signIn(t)
	other := testkit.NewIssuer(t, f.Clock.Now)
	for range 30 {
		forged := other.LogoutToken(t, testkit.Claims{"iss": f.issuer.URL, "sub": "sub-ada"})
		if err := f.SignOn.BackChannelLogout(t.Context(), forged); err == nil {
			t.Error("a forged token is accepted")
		}
	}
	if n := f.issuer.Calls("/jwks"); n > 6 {
		t.Errorf("the issuer's keys were fetched %d times", n)
	}
	f.signIn(t) // whose key is known
}

func TestLogoutAtIssuer(t *testing.T) {
	f := newSignOnFixture(t)
	pair, c := f.signIn(t)
	address, err := f.SignOn.Logout(t.Context(), c, "https://field.example")
	if err != nil {
		t.Fatal(err)
	}
	q := parse(t, address).Query()
	if q.Get("post_logout_redirect_uri") != "https://field.example/signin" || q.Get("client_id") != "tilth" ||
		len(q.Get("id_token_hint")) < 100 {
		t.Errorf("%s", address)
	}
	f.isOut(t, "signed out", pair)
	own := f.Session(t, f.field.Ada)
	if address, err := f.SignOn.Logout(
		t.Context(),
		f.caller(t, own),
		"https://field.example",
	); address != "" ||
		err != nil {
		t.Errorf("with a password: %q %v", address, err)
	}
	f.isOut(t, "signed out", own)
}

func TestLinkAccount(t *testing.T) {
	f := newSignOnFixture(t)
	f.as("sub-bora", "someone@farm.example")
	pair := f.Session(t, f.field.Bora)
	c := f.caller(t, pair)
	link := func() string {
		t.Helper()
		address, err := f.SignOn.Link(t.Context(), c, identity.SignOnStart{
			Binding: bindingHash(binding), ReturnPath: "/profile", Origin: "https://field.example",
		})
		if err != nil {
			t.Fatal(err)
		}
		return address
	}
	ticket, why := f.callback(t, f.issuer.SignIn(t, link()))
	if why != "" {
		t.Fatalf("%s: %s", why, f.Log.Text())
	}
	if name, linked, err := f.SignOn.IsLinked(t.Context(), f.field.ID, c.User); linked || name == "" || err != nil {
		t.Errorf("linked before the browser has shown its secret: %v %v", linked, err)
	}
	fresh, err := f.open(t, ticket)
	if err != nil || f.caller(t, fresh).User != f.field.Bora.ID {
		t.Fatalf("%+v %v", fresh, err)
	}
	f.isOut(t, "the session that the new one replaces", pair)
	if _, got := f.signIn(t); got.User != f.field.Bora.ID {
		t.Errorf("%+v", got)
	}
	if mails := f.Mails.Sent(); len(mails) != 1 || mails[0].To != f.field.Bora.Email {
		t.Errorf("%+v", mails)
	}
	// Somebody else's account is not taken away.
	c = f.caller(t, f.Session(t, f.field.Ada))
	if _, why := f.callback(t, f.issuer.SignIn(t, link())); why != identity.SignOnAmbiguous {
		t.Errorf("another user's account: %q", why)
	}
	// A session that has ended links nothing.
	f.as("sub-ada", "ada@farm.example")
	ticket, _ = f.callback(t, f.issuer.SignIn(t, link()))
	if err := f.Sessions.EndUser(t.Context(), f.field.ID, f.field.Ada.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := f.open(t, ticket); !hasKey(err, "signOn.dead") {
		t.Errorf("%v", err)
	}
	_, err = f.SignOn.Link(t.Context(), f.caller(t, f.Session(t, f.rival.Ada)), identity.SignOnStart{})
	if !hasKey(err, "signOn.off") {
		t.Errorf("without an issuer: %v", err)
	}
}

func TestNewPeopleFromIssuer(t *testing.T) {
	f := newSignOnFixture(t)
	f.as("sub-new", "cem@farm.example")
	f.failsWith(t, "nobody may be created", identity.SignOnUnknown)
	f.connect(t, func(c *identity.Connection) { c.Creates, c.Domains = true, []string{"farm.example"} })
	f.as("sub-out", "cem@other.example")
	f.failsWith(t, "another domain", identity.SignOnUnknown)
	f.issuer.SetPerson(testkit.Claims{
		"sub":                "sub-new",
		"email":              "Cem@Farm.example",
		"email_verified":     "true",
		"preferred_username": "ADA@farm.example",
		"name":               "Cem\u202e Kaya",
	})
	_, c := f.signIn(t)
	u := f.person(t, &identity.User{Tenant: f.field.ID, ID: c.User})
	if u.UserName != "ADA-2" || u.Nickname != "Cem Kaya" || u.Role != identity.Viewer ||
		u.Email != "Cem@Farm.example" ||
		u.RoleFrom != identity.RoleFromOwner ||
		!u.MadeHere ||
		u.EmailConfirmed {
		t.Errorf("%+v", u)
	}
	// The user has no password, and none is right.
	for _, password := range []string{"", " ", testkit.Password} {
		_, err := f.SignIn.WithPassword(t.Context(), attempt(f.field.ID, "ADA-2", password, homeAddr))
		if err == nil {
			t.Errorf("%q opens an account without a password", password)
		}
	}
	if err := f.People.Delete(t.Context(), f.field.ID, u.ID); err != nil {
		t.Error(err)
	}
	// The claim gives the role, which is fixed.
	f.withRoles(t)
	f.as("sub-new", "cem@farm.example", "staff")
	if _, c := f.signIn(t); c.Role != identity.Operator {
		t.Errorf("%+v", c)
	}
	// Without the issuer's word for the address, only if any address will do; and it is not kept.
	f.issuer.SetPerson(testkit.Claims{"sub": "sub-x", "email": "x@farm.example", "groups": "staff"})
	f.failsWith(t, "an address that is not verified", identity.SignOnUnverified)
	f.connect(t, func(c *identity.Connection) { c.Domains = nil })
	_, c = f.signIn(t)
	if u := f.person(t, &identity.User{Tenant: f.field.ID, ID: c.User}); u.Email != "" || u.UserName != "user" {
		t.Errorf("%+v", u)
	}
	f.issuer.SetPerson(testkit.Claims{"sub": "sub-y", "email": "ada@farm.example", "groups": "staff"})
	f.failsWith(t, "the address of a user, not verified", identity.SignOnUnverified)
}

func TestInvitationAtIssuer(t *testing.T) {
	f := newSignOnFixture(t)
	f.invite(t, identity.InvitationForm{Role: "operator", Email: "Cem@farm.example", Nickname: "Cem", Mail: true})
	f.as("sub-cem", "cem@farm.example")
	_, c := f.signIn(t)
	u := f.person(t, &identity.User{Tenant: f.field.ID, ID: c.User})
	if u.UserName != "cem" || u.Nickname != "Cem" || u.Role != identity.Operator || !u.EmailConfirmed {
		t.Errorf("%+v", u)
	}
	if open, total, err := f.People.PageInvitations(t.Context(), f.field.ID, 0, 10); total != 0 || err != nil {
		t.Errorf("%+v %v", open, err)
	}
	f.invite(t, identity.InvitationForm{Role: "operator", Email: "dila@farm.example"})
	f.as("sub-dila", "dila@farm.example")
	f.Clock.Advance(identity.InvitationLife + time.Second)
	f.failsWith(t, "an invitation that has expired", identity.SignOnUnknown)
	// Nor does one hold whose inviter is no longer an owner.
	f.invite(t, identity.InvitationForm{Role: "operator", Email: "dila@farm.example"})
	f.setRole(t, f.field.Ada, identity.Operator)
	f.failsWith(t, "an invitation that is withdrawn", identity.SignOnUnknown)
	f.setRole(t, f.field.Ada, identity.Owner)
	// With the provider as the master of the people, invitations do not hold.
	f.invite(t, identity.InvitationForm{Role: "operator", Email: "eda@farm.example"})
	f.field.PeopleByProvider = true
	if err := f.Tenants.Put(t.Context(), f.field.Tenant); err != nil {
		t.Fatal(err)
	}
	f.as("sub-eda", "eda@farm.example")
	f.failsWith(t, "an invitation of a tenant whose provider has the people", identity.SignOnUnknown)
}

// All of it is in the tenant's activity.
func TestSignOnIsAudited(t *testing.T) {
	f := newSignOnFixture(t)
	f.withRoles(t)
	f.as("sub-ada", "ada@farm.example", "staff")
	f.audited = true
	f.signIn(t)
	if err := f.SignOn.BackChannelLogout(
		f.context(t),
		f.issuer.LogoutToken(t, testkit.Claims{"sub": "sub-ada"}),
	); err != nil {
		t.Fatal(err)
	}
	var names []string
	if err := f.DB.Read(t.Context()).NewRaw("SELECT kind || '.' || action FROM audit_entries ORDER BY id").
		Scan(t.Context(), &names); err != nil {
		t.Fatal(err)
	}
	want := []string{"user.update", "user.update", "session.signIn", "user.endSessions"}
	if !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// Whoever signs in at the issuer needs no second factor here, even if passwords do.
func TestIssuerIsExemptFromSecondFactor(t *testing.T) {
	f := newSignOnFixture(t)
	atIssuer, _ := f.signIn(t)
	byPassword := f.Session(t, f.field.Ada)
	if err := f.Tenants.RequireSecondFactor(t.Context(), f.field.ID, true); err != nil {
		t.Fatal(err)
	}
	if _, err := f.renew(t, atIssuer); err != nil {
		t.Errorf("a session of the issuer is not renewed: %v", err)
	}
	if _, err := f.renew(t, byPassword); !errs.Is(err, errs.Unauthenticated) {
		t.Errorf("a session of a password alone is renewed: %v", err)
	}
}
