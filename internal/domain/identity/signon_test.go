package identity_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

func TestSignInAtIssuer(t *testing.T) {
	f := newSignOnFixture(t)
	u, err := url.Parse(f.start(t))
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if q.Get("redirect_uri") != "https://field.example/auth/oidc/callback" ||
		q.Get("scope") != "openid profile email" ||
		len(q.Get("state")) != 43 ||
		len(q.Get("nonce")) != 43 {
		t.Errorf("%v", q)
	}
	back := f.issuer.SignIn(t, u.String())
	ticket, path, why := f.SignOn.Callback(t.Context(), identity.SignOnResponse{
		State: back.Query().Get("state"), Code: back.Query().Get("code"), Issuer: f.issuer.URL,
	})
	if why != "" || path != "/data?x=1" {
		t.Fatalf("%q, to %q: %s", why, path, f.Log.Text())
	}
	pair, err := f.open(t, ticket)
	if err != nil {
		t.Fatal(err)
	}
	c := f.caller(t, pair)
	if c.User != f.field.Ada.ID || c.Tenant != f.field.ID || c.Role != identity.Owner ||
		pair.Expires != f.Clock.Now().Add(5*time.Minute).UnixMilli() {
		t.Errorf("%+v %+v", c, pair)
	}
	// The used state is gone, and the person is known by the issuer's name for them from now on.
	if _, why := f.callback(t, back); why != identity.SignOnExpired {
		t.Errorf("the used state: %q", why)
	}
	f.as("sub-ada", "somebody-else@farm.example")
	if _, c := f.signIn(t); c.User != f.field.Ada.ID {
		t.Errorf("%+v", c)
	}
	if f.issuer.Calls("/.well-known/openid-configuration") != 1 || f.issuer.Calls("/jwks") != 1 {
		t.Errorf("the issuer is asked anew for each sign-in")
	}
}

// A person is taken for a user only by an address that somebody has confirmed.
func TestSignInByAddress(t *testing.T) {
	f := newSignOnFixture(t)
	// bora took the address of ada's by himself: he is not she, and with his alone there is nobody.
	bora := identity.Caller{Tenant: f.field.ID, User: f.field.Bora.ID}
	profile := identity.Profile{Nickname: "Bora", Email: "ada@farm.example"}
	if err := f.Account.UpdateProfile(t.Context(), bora, profile); err != nil {
		t.Fatal(err)
	}
	if _, c := f.signIn(t); c.User != f.field.Ada.ID {
		t.Errorf("%+v", c)
	}
	f.confirm(t, f.field.Bora, "bora@farm.example")
	profile.Email = "chief@farm.example"
	if err := f.Account.UpdateProfile(t.Context(), bora, profile); err != nil {
		t.Fatal(err)
	}
	f.as("sub-chief", "chief@farm.example")
	f.failsWith(t, "an address that the user chose", identity.SignOnUnknown)
	f.as("sub-bora", "bora@farm.example")
	f.failsWith(t, "an address that the user has given up", identity.SignOnUnknown)
	// Another person has her address now.
	f.as("sub-other", "ADA@farm.example")
	f.failsWith(t, "a second account with the address", identity.SignOnAmbiguous)
	f.confirm(t, f.field.Bora, "shared@farm.example")
	cem := f.User(t, f.field.ID, "cem")
	f.confirm(t, cem, "Shared@farm.example")
	f.as("sub-shared", "shared@farm.example")
	f.failsWith(t, "an address of two", identity.SignOnAmbiguous)
	cem.Disabled = true
	f.confirm(t, cem, "cem@farm.example")
	f.as("sub-cem", "cem@farm.example")
	f.failsWith(t, "a user whom the provider shut out", identity.SignOnDisabled)
	for name, flag := range map[string]any{"not verified": false, "not a flag": "yes", "no word of it": nil} {
		c := testkit.Claims{"sub": "sub-x", "email": "shared@farm.example"}
		if flag != nil {
			c["email_verified"] = flag
		}
		f.issuer.SetPerson(c)
		f.failsWith(t, name, identity.SignOnUnverified)
	}
	f.issuer.SetPerson(testkit.Claims{"sub": "sub-x"})
	f.failsWith(t, "no address", identity.SignOnUnverified)
	// ada is linked already.
	f.field.Ada.DisabledByOwner = true
	f.confirm(t, f.field.Ada, "ada@farm.example")
	f.as("sub-ada", "ada@farm.example")
	f.failsWith(t, "a user whom an owner disabled", identity.SignOnDisabled)
	// The same person is nobody in another tenant.
	if id, err := f.Users.Get(t.Context(), f.rival.ID, f.field.Ada.ID); !errs.Is(err, errs.NotFound) {
		t.Errorf("%v %v", id, err)
	}
}

// The address of an ID token is one address, or nobody's: its domain lets nobody in that the issuer
// wrote before or behind another.
func TestAddressOfIDTokenIsOneAddress(t *testing.T) {
	f := newSignOnFixture(t)
	f.connect(t, func(c *identity.Connection) { c.Creates, c.Domains = true, []string{"vic.example"} })
	f.confirm(t, f.field.Ada, "ada@vic.example")
	for name, address := range map[string]string{
		"two at signs":             "a@evil.example@vic.example",
		"two addresses":            "a@evil.example,b@vic.example",
		"two addresses, a blank":   "a@evil.example b@vic.example",
		"a quoted local part":      `"a@evil.example"@vic.example`,
		"a quoted name":            `"a b"@vic.example`,
		"a display name":           "Ada <ada@vic.example>",
		"brackets":                 "<ada@vic.example>",
		"a blank before the at":    "ada @vic.example",
		"a blank behind it":        "ada@ vic.example",
		"a line feed":              "ada\n@vic.example",
		"a header":                 "ada@vic.example\r\nBcc: eve@evil.example",
		"a NUL":                    "ada\x00@vic.example",
		"a control character":      "ada@vic.exam\x7fple",
		"a comment":                "ada(eve)@vic.example",
		"a comment at the end":     "ada@vic.example(eve)",
		"a trailing dot":           "ada@vic.example.",
		"no local part":            "@vic.example",
		"no domain":                "ada@",
		"a domain alone":           "vic.example",
		"an invisible character":   "ada\u200b@vic.example",
		"another direction":        "ada\u202e@vic.example",
		"too long":                 strings.Repeat("a", 250) + "@vic.example",
		"the address of a machine": "ada@[127.0.0.1]",
	} {
		f.as("sub of "+name, address)
		f.failsWith(t, name, identity.SignOnUnverified)
	}
	for name, address := range map[string]string{
		"a domain that looks alike": "ada@v\u0456c.example", // with a Cyrillic i
		"another domain":            "ada@evil.example",
		"a domain above":            "ada@evil.vic.example",
		"a domain behind":           "ada@vic.example.evil.example",
	} {
		f.as("sub of "+name, address)
		f.failsWith(t, name, identity.SignOnUnknown)
	}
	f.as("sub-ada", "ADA@VIC.Example")
	if _, c := f.signIn(t); c.User != f.field.Ada.ID {
		t.Errorf("in capitals: %+v", c)
	}
	f.as("sub-new", "New.Person+farm@VIC.example")
	if _, c := f.signIn(t); c.User == f.field.Ada.ID || c.Tenant != f.field.ID {
		t.Errorf("a new person: %+v", c)
	}
}

func TestForgedAnswersFail(t *testing.T) {
	f := newSignOnFixture(t)
	other := testkit.NewIssuer(t, f.Clock.Now)
	set := func(name string, value any) func(testkit.Claims) {
		return func(c testkit.Claims) { c[name] = value }
	}
	secret := []byte(f.issuer.ClientSecret + strings.Repeat("!", 32))
	for name, c := range map[string]struct {
		mend func(testkit.Claims)
		sign func(testkit.Claims) string
	}{
		"another nonce":      {mend: set("nonce", "another")},
		"no nonce":           {mend: func(c testkit.Claims) { delete(c, "nonce") }},
		"another issuer":     {mend: set("iss", other.URL)},
		"issuer with slash":  {mend: set("iss", f.issuer.URL+"/")},
		"another audience":   {mend: set("aud", "another")},
		"two audiences":      {mend: set("aud", []string{"tilth", "another"})},
		"another party":      {mend: set("azp", "another")},
		"no subject":         {mend: set("sub", "")},
		"too long a subject": {mend: set("sub", strings.Repeat("x", 256))},
		"no expiry":          {mend: func(c testkit.Claims) { delete(c, "exp") }},
		"HS256 with the client's secret": {sign: func(c testkit.Claims) string {
			return testkit.Sign(jose.HS256, secret, c)
		}},
		"another issuer's key": {sign: func(c testkit.Claims) string { return other.Token(t, c) }},
		"no signature": {sign: func(testkit.Claims) string {
			return "eyJhbGciOiJub25lIn0.eyJzdWIiOiJzdWItYWRhIn0."
		}},
		"no token": {sign: func(testkit.Claims) string { return "" }},
	} {
		f.issuer.SetMend(c.mend)
		f.issuer.SetSign(c.sign)
		f.failsWith(t, name, identity.SignOnFailed)
	}
	f.issuer.SetMend(set("azp", "tilth"))
	f.issuer.SetSign(nil)
	f.signIn(t)
	// A new key needs no restart.
	f.issuer.RotateKey(t)
	f.signIn(t)
}

func TestClocksDiffer(t *testing.T) {
	f := newSignOnFixture(t)
	for _, c := range []struct {
		ahead time.Duration
		want  identity.SignOnFailure
	}{
		{59 * time.Second, ""}, {-59 * time.Second, ""}, {120 * time.Second, identity.SignOnClock},
		{61 * time.Second, identity.SignOnClock}, {-7 * time.Minute, identity.SignOnClock},
	} {
		f.issuer.SetClock(func() time.Time { return f.Clock.Now().Add(c.ahead) })
		f.failsWith(t, c.ahead.String(), c.want)
	}
	f.issuer.SetClock(f.Clock.Now)
	f.issuer.SetMend(func(c testkit.Claims) { c["nbf"] = f.Clock.Now().Add(2 * time.Minute).Unix() })
	f.failsWith(t, "not valid yet", identity.SignOnClock)
}

func TestStateOfAnotherSignIn(t *testing.T) {
	f := newSignOnFixture(t)
	other := testkit.NewIssuer(t, f.Clock.Now)
	if err := f.Connections.Put(t.Context(), f.rival.ID, other.Connection()); err != nil {
		t.Fatal(err)
	}
	other.SetPerson(testkit.Claims{"sub": "sub-ada", "email": "ada@farm.example", "email_verified": true})
	// rival's issuer answers with the state of field's sign-in.
	back := f.issuer.SignIn(t, f.start(t))
	q := back.Query()
	q.Set("iss", other.URL)
	back.RawQuery = q.Encode()
	if _, why := f.callback(t, back); why != identity.SignOnFailed {
		t.Errorf("the other's name: %q", why)
	}
	back = f.issuer.SignIn(t, f.start(t))
	q = back.Query()
	q.Del("iss")
	back.RawQuery = q.Encode()
	if _, why := f.callback(t, back); why != identity.SignOnFailed {
		t.Errorf("no name, though the issuer says that it gives one: %q", why)
	}
	// A code of another sign-in does not fit the state's verifier.
	first, second := f.issuer.SignIn(t, f.start(t)), f.issuer.SignIn(t, f.start(t))
	q = first.Query()
	q.Set("code", second.Query().Get("code"))
	first.RawQuery = q.Encode()
	if _, why := f.callback(t, first); why != identity.SignOnFailed {
		t.Errorf("another code: %q", why)
	}
	for _, answer := range []struct {
		error string
		want  identity.SignOnFailure
	}{
		{"access_denied", identity.SignOnDenied}, {"login_required", identity.SignOnDenied},
		{"server_error", identity.SignOnFailed}, {"<script>", identity.SignOnFailed},
	} {
		back := f.issuer.SignIn(t, f.start(t))
		q := back.Query()
		q.Del("code")
		q.Set("error", answer.error)
		back.RawQuery = q.Encode()
		if _, why := f.callback(t, back); why != answer.want {
			t.Errorf("%s: %q", answer.error, why)
		}
	}
	late := f.issuer.SignIn(t, f.start(t))
	f.Clock.Advance(10*time.Minute + time.Second)
	if _, why := f.callback(t, late); why != identity.SignOnExpired {
		t.Errorf("after ten minutes: %q", why)
	}
	if _, why := f.callback(t, &url.URL{RawQuery: "state=unknown&code=x"}); why != identity.SignOnExpired {
		t.Errorf("an unknown state: %q", why)
	}
	changed := f.issuer.SignIn(t, f.start(t))
	f.connect(t, func(c *identity.Connection) { c.Issuer = other.URL })
	if _, why := f.callback(t, changed); why != identity.SignOnFailed {
		t.Errorf("the tenant has another issuer meanwhile: %q", why)
	}
}

func TestTickets(t *testing.T) {
	f := newSignOnFixture(t)
	ticket, _ := f.ticket(t)
	if _, err := f.SignOn.OpenSession(t.Context(), ticket, "another browser's", netip.MustParseAddr(homeAddr)); !hasKey(
		err, "signOn.dead") {
		t.Errorf("another browser: %v", err)
	}
	if _, err := f.open(t, ticket); !hasKey(err, "signOn.dead") {
		t.Errorf("after another browser tried it: %v", err)
	}
	ticket, _ = f.ticket(t)
	if _, err := f.open(t, ticket); err != nil {
		t.Error(err)
	}
	if _, err := f.open(t, ticket); !hasKey(err, "signOn.dead") {
		t.Errorf("twice: %v", err)
	}
	ticket, _ = f.ticket(t)
	f.Clock.Advance(time.Minute + time.Second)
	if _, err := f.open(t, ticket); !hasKey(err, "signOn.dead") {
		t.Errorf("after 61 s: %v", err)
	}
	ticket, _ = f.ticket(t)
	f.field.Ada.Disabled = true
	f.confirm(t, f.field.Ada, f.field.Ada.Email)
	if _, err := f.open(t, ticket); !hasKey(err, "signOn.dead") {
		t.Errorf("disabled meanwhile: %v", err)
	}
	f.field.Ada.Disabled = false
	f.confirm(t, f.field.Ada, f.field.Ada.Email)
	if err := f.SignOn.Sweep(t.Context(), f.Clock.Now().Add(time.Hour)); err != nil {
		t.Error(err)
	}
}

func TestStartsAreLimited(t *testing.T) {
	f := newSignOnFixture(t)
	start := func(change func(s *identity.SignOnStart)) identity.SignOnFailure {
		s := identity.SignOnStart{
			TenantName: "field", Binding: bindingHash(binding), Origin: "https://field.example",
			Address: netip.MustParseAddr("198.51.100.7"),
		}
		change(&s)
		_, why := f.SignOn.Start(t.Context(), s)
		return why
	}
	for name, change := range map[string]func(s *identity.SignOnStart){
		"unknown tenant":  func(s *identity.SignOnStart) { s.TenantName = "nobody" },
		"without issuer":  func(s *identity.SignOnStart) { s.TenantName = "rival" },
		"no binding":      func(s *identity.SignOnStart) { s.Binding = "" },
		"a short binding": func(s *identity.SignOnStart) { s.Binding = "YWJj" },
	} {
		if why := start(change); why != identity.SignOnFailed {
			t.Errorf("%s: %q", name, why)
		}
	}
	allowed := 0
	for range 40 {
		if start(func(*identity.SignOnStart) {}) == "" {
			allowed++
		}
	}
	if allowed < 25 || allowed > 30 {
		t.Errorf("%d sign-ins begin at once from one address", allowed)
	}
	if why := start(func(s *identity.SignOnStart) { s.Address = netip.MustParseAddr(homeAddr) }); why != "" {
		t.Errorf("another address: %q", why)
	}
}

// The person comes back to the host where they are, if it is the tenant's.
func TestRedirectHost(t *testing.T) {
	f := newSignOnFixture(t)
	f.field.Hosts = []string{"field.example", "second.example"}
	if err := f.Tenants.Put(t.Context(), f.field.Tenant); err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]string{
		"field.example": "https://field.example", "SECOND.example:443": "https://second.example",
		"rival.example": "https://field.example", "evil.example": "https://field.example", "": "https://field.example",
	} {
		address, why := f.SignOn.Start(t.Context(), identity.SignOnStart{
			TenantName: "field",
			Binding:    bindingHash(binding),
			Origin:     "http://" + host,
			Address:    netip.MustParseAddr(homeAddr),
		})
		u, err := url.Parse(address)
		if why != "" || err != nil || u.Query().Get("redirect_uri") != want+"/auth/oidc/callback" {
			t.Errorf("%q: %s %q %v", host, address, why, err)
		}
	}
	for host, want := range map[string]string{
		"second.example": "/auth/oidc/start?tenant=field",
		"evil.example":   "https://field.example/auth/oidc/start?tenant=field",
	} {
		way, err := f.SignOn.Way(t.Context(), "field", "http://"+host)
		if err != nil || way.StartURL != want || way.Name != strings.TrimPrefix(f.issuer.URL, "http://") {
			t.Errorf("%s: %+v %v", host, way, err)
		}
	}
	for _, name := range []string{"rival", "nobody"} {
		if way, err := f.SignOn.Way(t.Context(), name, "http://field.example"); way != nil || err != nil {
			t.Errorf("%s: %+v %v", name, way, err)
		}
	}
}

// Tenants without an issuer of their own have the installation's; nobody becomes a user there.
func TestInstallationsIssuer(t *testing.T) {
	f := newSignOnFixture(t)
	shared := f.issuer.Connection()
	shared.DisplayName = "Farm Login"
	f.UseIssuer(t, shared)
	if err := f.Connections.Put(t.Context(), f.field.ID, nil); err != nil {
		t.Fatal(err)
	}
	way, err := f.SignOn.Way(t.Context(), "rival", "http://rival.example")
	if err != nil || way == nil || way.Name != "Farm Login" {
		t.Errorf("%+v %v", way, err)
	}
	f.signIn(t)
	f.as("sub-new", "new@farm.example")
	f.failsWith(t, "a new person", identity.SignOnUnknown)
}

func TestReturnOnlyToThisSite(t *testing.T) {
	f := newSignOnFixture(t)
	for path, want := range map[string]string{
		"/data?x=1#y": "/data?x=1#y", "": "", "data": "", "//evil.example": "", "/\\evil.example": "",
		"https://evil.example": "", "/%2Fevil.example": "", "/%5Cevil.example": "", "/a\nb": "",
		"/" + strings.Repeat("x", 2000): "", "javascript:alert(1)": "",
	} {
		address, _ := f.SignOn.Start(t.Context(), identity.SignOnStart{
			TenantName: "field", Binding: bindingHash(binding), ReturnPath: path, Origin: "https://field.example",
			Address: netip.MustParseAddr(homeAddr),
		})
		q := f.issuer.SignIn(t, address).Query()
		_, got, why := f.SignOn.Callback(t.Context(), identity.SignOnResponse{
			State: q.Get("state"), Code: q.Get("code"), Issuer: q.Get("iss"),
		})
		if got != want || why != "" {
			t.Errorf("%q: %q %q", path, got, why)
		}
	}
}

// What an issuer does wrong costs little, and no secret reaches the log or the database.
func TestHostileIssuer(t *testing.T) {
	f := newSignOnFixture(t)
	f.signIn(t)
	answers := map[string]func(w http.ResponseWriter){
		"endless": func(w http.ResponseWriter) {
			for range 3 << 10 {
				_, _ = w.Write([]byte(strings.Repeat(" ", 1<<10)))
			}
		},
		"elsewhere": func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://169.254.169.254/latest")
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"a secret in an error": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":"eyJ_secret_token","error_description":"eyJ_secret_token"}`))
		},
		"no JSON": func(w http.ResponseWriter) { _, _ = w.Write([]byte("eyJ_secret_token")) },
		"an error with success": func(w http.ResponseWriter) {
			_, _ = w.Write([]byte(`{"error":"x","access_token":"eyJ_secret_token"}`))
		},
	}
	for name, answer := range answers {
		f.issuer.SetAnswer(func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/token" {
				answer(w)
				return true
			}
			return false
		})
		f.failsWith(t, name, identity.SignOnFailed)
	}
	if log := f.Log.Text(); strings.Contains(log, "eyJ") || strings.Contains(log, f.issuer.ClientSecret) {
		t.Errorf("the log has a token:\n%s", log)
	}
	for _, column := range []string{
		"client_secret FROM oidc_connections", "tokens FROM oidc_sessions", "verifier FROM oidc_attempts",
	} {
		var stored [][]byte
		if err := f.DB.Read(t.Context()).NewRaw("SELECT "+column).Scan(t.Context(), &stored); err != nil {
			t.Fatal(err)
		}
		for _, one := range stored {
			if text := string(one); strings.Contains(text, f.issuer.ClientSecret) || strings.Contains(text, "access") {
				t.Errorf("%s is not encrypted: %q", column, text)
			}
		}
	}
}
