package identity_test

import (
	"slices"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
)

func TestRoleAllows(t *testing.T) {
	roles := []identity.Role{identity.Viewer, identity.Operator, identity.Owner}
	for i, role := range roles {
		for j, least := range roles {
			if got := role.Allows(least); got != (i >= j) {
				t.Errorf("%s allows what needs %s: %v", role, least, got)
			}
		}
	}
	// A role that a later version of Tilth wrote, and a call of which the contract says nothing.
	if identity.Role("gardener").Allows(identity.Viewer) || identity.Owner.Allows("") {
		t.Error("an unknown role is allowed something")
	}
	if err := identity.Viewer.Check(identity.Operator); !errs.Is(err, errs.Forbidden) ||
		errs.As(err).Key != "role.operator" {
		t.Error(err)
	}
}

// setRole gives a user another role.
func (k *credentialFixture) setRole(t *testing.T, u *identity.User, role identity.Role) {
	t.Helper()
	changed := *u
	changed.Role = role
	if err := k.Users.Update(t.Context(), u.Tenant, &changed); err != nil {
		t.Fatal(err)
	}
}

// A user without a role, as all were once, is an owner. A changed role holds from the next call on.
func TestRoleOfCaller(t *testing.T) {
	k := newCredentialFixture(t)
	pair := k.Session(t, k.field.Ada)
	for _, role := range []identity.Role{identity.Owner, identity.Viewer, identity.Operator} {
		if role != identity.Owner {
			k.setRole(t, k.field.Ada, role)
		}
		if c, err := k.Sessions.Caller(t.Context(), pair.Access); err != nil || c.Role != role {
			t.Errorf("%+v %v, want the %s", c, err, role)
		}
	}
	if u, err := k.Users.Get(t.Context(), k.field.ID, k.field.Bora.ID); err != nil || u.Role != identity.Owner {
		t.Errorf("the other user is %+v (%v)", u, err)
	}
}

// A credential gets at most its maker's role, and the scopes that its role may give.
func TestCredentialRoleAndScopes(t *testing.T) {
	k := newCredentialFixture(t)
	for _, c := range []struct {
		maker identity.Role
		form  identity.CredentialForm
		want  string // role and scopes, or the key and field of the refusal
	}{
		{identity.Owner, identity.CredentialForm{}, "owner [read telemetry webhooks]"},
		{identity.Operator, identity.CredentialForm{}, "operator [read telemetry]"},
		{identity.Viewer, identity.CredentialForm{}, "viewer [read]"},
		{identity.Owner, identity.CredentialForm{Role: "operator"}, "operator [read telemetry]"},
		{
			identity.Owner, identity.CredentialForm{Scopes: &[]string{"webhooks", "read", "read"}},
			"owner [read webhooks]",
		},
		{identity.Operator, identity.CredentialForm{Role: "owner"}, "credential.role role"},
		{identity.Owner, identity.CredentialForm{Role: "gardener"}, "invalid.choice role"},
		{identity.Operator, identity.CredentialForm{Scopes: &[]string{"webhooks"}}, "credential.scopeRole scopes"},
		{identity.Owner, identity.CredentialForm{Role: "viewer", Scopes: &[]string{"telemetry"}}, "credential.scopeRole scopes"},
		{identity.Owner, identity.CredentialForm{Scopes: &[]string{"water"}}, "invalid.choice scopes"},
		{identity.Owner, identity.CredentialForm{Scopes: &[]string{}}, "credential.scopesRequired scopes"},
		{identity.Owner, identity.CredentialForm{Expires: k.Clock.Milli()}, "credential.past expiryTime"},
	} {
		k.setRole(t, k.field.Ada, c.maker)
		c.form.Name = "key"
		before := len(k.list(t, k.field.Ada))
		made, _, err := k.Credentials.Create(t.Context(), k.field.ID, k.field.Ada.ID, c.form)
		got := ""
		if err != nil {
			got = errs.As(err).Key + " " + errs.As(err).Field
			if len(k.list(t, k.field.Ada)) != before {
				t.Errorf("%s: a credential was made", got)
			}
		} else {
			got = credentialText(made.Role, made.Scopes)
			if listed := k.list(t, k.field.Ada)[0]; credentialText(listed.Role, listed.Scopes) != got {
				t.Errorf("the list has %+v, want %s", listed, got)
			}
		}
		if got != c.want {
			t.Errorf("%s makes %+v: %s, want %s", c.maker, c.form, got, c.want)
		}
	}
}

func credentialText(role identity.Role, scopes []identity.Scope) string {
	text := string(role) + " ["
	for i, s := range scopes {
		if i > 0 {
			text += " "
		}
		text += string(s)
	}
	return text + "]"
}

// A credential acts with the lesser of its own role and its user's, and not after its expiry.
func TestCredentialActsAsItsUser(t *testing.T) {
	k := newCredentialFixture(t)
	form := identity.CredentialForm{Name: "key", Expires: k.Clock.Milli() + time.Hour.Milliseconds()}
	c, secret, err := k.Credentials.Create(t.Context(), k.field.ID, k.field.Ada.ID, form)
	if err != nil {
		t.Fatal(err)
	}
	k.setRole(t, k.field.Ada, identity.Viewer)
	p, err := k.Credentials.Authenticate(t.Context(), c.AppKey, secret)
	if err != nil || p.Role != identity.Viewer || !slices.Contains(p.Scopes, identity.ScopeWebhooks) {
		t.Errorf("%+v %v", p, err)
	}
	if err := p.Check(identity.Owner, identity.ScopeWebhooks); !errs.Is(err, errs.Forbidden) {
		t.Errorf("a viewer's credential changes webhooks: %v", err)
	}
	if err := p.Check(identity.Viewer, "water"); !errs.Is(err, errs.Forbidden) || errs.As(err).Key != "role.scope" {
		t.Errorf("a scope that it lacks: %v", err)
	}
	k.Clock.Advance(time.Hour - time.Millisecond)
	if !k.authenticates(t, c.AppKey, secret) {
		t.Error("refused before its expiry")
	}
	k.Clock.Advance(time.Millisecond)
	if k.authenticates(t, c.AppKey, secret) {
		t.Error("accepted after its expiry")
	}
}

// A role is that of a user in the user's own tenant.
func TestRoleIsTenantScoped(t *testing.T) {
	k := newCredentialFixture(t)
	crossed := *k.field.Ada
	crossed.Role = identity.Viewer
	if err := k.Users.Update(t.Context(), k.rival.ID, &crossed); !errs.Is(err, errs.NotFound) {
		t.Errorf("another tenant's user was updated: %v", err)
	}
	if u, err := k.Users.Get(t.Context(), k.field.ID, k.field.Ada.ID); err != nil || u.Role != identity.Owner {
		t.Errorf("%+v %v", u, err)
	}
}
