package identity_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/netip"
	"net/url"
	"testing"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// binding is the secret of the tests' browser.
const binding = "the secret of a browser that only this browser has"

func bindingHash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// signOnFixture is a tenant, field, with an issuer.
type signOnFixture struct {
	*credentialFixture
	issuer *testkit.Issuer
	conn   *identity.Connection

	audited bool // what is done is written to the audit log
}

func (f *signOnFixture) context(t *testing.T) context.Context {
	if !f.audited {
		return t.Context()
	}
	return f.Audit.NewContext(t.Context(), audit.Actor{Address: homeAddr})
}

func newSignOnFixture(t *testing.T) *signOnFixture {
	f := &signOnFixture{credentialFixture: newCredentialFixture(t)}
	f.issuer = testkit.NewIssuer(t, f.Clock.Now)
	f.conn = f.issuer.Connection()
	f.connect(t, func(*identity.Connection) {})
	f.confirm(t, f.field.Ada, "ada@farm.example")
	f.as("sub-ada", "ada@farm.example")
	return f
}

// connect changes the tenant's connection.
func (f *signOnFixture) connect(t *testing.T, change func(c *identity.Connection)) {
	t.Helper()
	change(f.conn)
	if err := f.Connections.Put(t.Context(), f.field.ID, f.conn); err != nil {
		t.Fatal(err)
	}
}

// withRoles makes the claim groups give the roles.
func (f *signOnFixture) withRoles(t *testing.T) {
	t.Helper()
	f.connect(t, func(c *identity.Connection) {
		c.RoleClaim, c.Roles = "groups", map[string]identity.Role{"staff": identity.Operator, "guests": identity.Viewer}
	})
}

// confirm gives a user an address that counts as theirs.
func (f *signOnFixture) confirm(t *testing.T, u *identity.User, address string) {
	t.Helper()
	u.Email, u.EmailConfirmed = address, true
	if err := f.Users.Update(t.Context(), u.Tenant, u); err != nil {
		t.Fatal(err)
	}
}

// as sets who signs in at the issuer, with an address that the issuer vouches for.
func (f *signOnFixture) as(subject, address string, groups ...string) {
	c := testkit.Claims{"sub": subject, "email": address, "email_verified": true, "sid": "session of " + subject}
	if groups != nil {
		c["groups"] = groups
	}
	f.issuer.SetPerson(c)
}

// start begins a sign-in of field and gives the address at the issuer.
func (f *signOnFixture) start(t *testing.T) string {
	t.Helper()
	address, why := f.SignOn.Start(f.context(t), identity.SignOnStart{
		TenantName: "field", Binding: bindingHash(binding), ReturnPath: "/data?x=1", Origin: "https://field.example",
		Address: netip.MustParseAddr(homeAddr),
	})
	if why != "" {
		t.Fatalf("%s: %s", why, f.Log.Text())
	}
	return address
}

func (f *signOnFixture) callback(t *testing.T, back *url.URL) (string, identity.SignOnFailure) {
	t.Helper()
	q := back.Query()
	ticket, _, why := f.SignOn.Callback(f.context(t), identity.SignOnResponse{
		State: q.Get("state"), Code: q.Get("code"), Error: q.Get("error"), Issuer: q.Get("iss"),
	})
	if (ticket == "") != (why != "") {
		t.Errorf("ticket %q, but %q", ticket, why)
	}
	return ticket, why
}

// ticket signs in up to the ticket; empty: why not.
func (f *signOnFixture) ticket(t *testing.T) (string, identity.SignOnFailure) {
	t.Helper()
	return f.callback(t, f.issuer.SignIn(t, f.start(t)))
}

func (f *signOnFixture) open(t *testing.T, ticket string) (identity.TokenPair, error) {
	t.Helper()
	return f.SignOn.OpenSession(f.context(t), ticket, binding, netip.MustParseAddr(homeAddr))
}

// signIn signs in; it fails the test if that fails.
func (f *signOnFixture) signIn(t *testing.T) (identity.TokenPair, identity.Caller) {
	t.Helper()
	ticket, why := f.ticket(t)
	if why != "" {
		t.Fatalf("%s: %s", why, f.Log.Text())
	}
	pair, err := f.open(t, ticket)
	if err != nil {
		t.Fatal(err)
	}
	return pair, f.caller(t, pair)
}

func (f *signOnFixture) caller(t *testing.T, pair identity.TokenPair) identity.Caller {
	t.Helper()
	c, err := f.Sessions.Caller(t.Context(), pair.Access)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// failsWith checks why the person at the issuer is not signed in.
func (f *signOnFixture) failsWith(t *testing.T, what string, want identity.SignOnFailure) {
	t.Helper()
	if _, why := f.ticket(t); why != want {
		t.Errorf("%s: %q, want %q\n%s", what, why, want, f.Log.Text())
	}
}

// hasKey tells whether an error is shown with a sentence.
func hasKey(err error, key string) bool {
	e, ok := errors.AsType[*errs.Error](err)
	return ok && e.Key == key
}

func parse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
