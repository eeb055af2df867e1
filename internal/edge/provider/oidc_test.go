package provider

import (
	"encoding/json"
	"strings"
	"testing"

	"tilth/internal/domain/identity"
)

const (
	oidcSecret = `clientSecret: "very secret"`
	oidcRest   = `create: true, domains: [farm.example], roleClaim: groups, roles: {staff: operator}, defaultRole: viewer`
	oidcLine   = `oidc: {issuer: "https://login.example", clientId: tilth, ` + oidcSecret + `, ` + oidcRest + `}`
	oidcFile   = `
tenants:
  - name: north
    timeZone: UTC
    ` + oidcLine + `
    users:
      - {userName: ada, password: first password, email: ada@farm.example}
      - {userName: bora, password: first password}
`
)

// connection gives what is stored of north's issuer.
func (p *fixture) connection(t *testing.T) *identity.Connection {
	t.Helper()
	north, err := p.Tenants.ByName(t.Context(), "north")
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Connections.Own(t.Context(), north.ID)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func changesOf(out *Result) string {
	var list []string
	for _, i := range out.Changed {
		list = append(list, i.Name+": "+strings.Join(i.Changes, ","))
	}
	return strings.Join(list, "; ")
}

func TestIssuerOfTenant(t *testing.T) {
	p := newFixture(t)
	out := p.apply(t, oidcFile, false)
	c := p.connection(t)
	if c.Issuer != "https://login.example" || c.ClientID != "tilth" || c.ClientSecret != "very secret" || !c.Creates ||
		c.Domains[0] != "farm.example" || c.RoleClaim != "groups" || c.Roles["staff"] != identity.Operator ||
		c.DefaultRole != identity.Viewer {
		t.Errorf("%+v", c)
	}
	for _, step := range []struct{ from, to, changed string }{
		{"", "", ""},
		// A secret that the file leaves out stays; everything else is the file's.
		{oidcSecret + ", ", "", ""},
		{`defaultRole: viewer`, `defaultRole: operator`, "north: oidc"},
		{oidcSecret, `clientSecret: "another one"`, "north: oidc"},
		{oidcRest, "create: false", "north: oidc"},
		{oidcLine, `oidc: {issuer: ""}`, "north: oidc"},
	} {
		next := p.apply(t, strings.Replace(oidcFile, step.from, step.to, 1), false)
		if got := changesOf(next); got != step.changed {
			t.Errorf("%q: %q, want %q", step.to, got, step.changed)
		}
		out.Changed = append(out.Changed, next.Changed...)
		p.apply(t, oidcFile, false)
	}
	p.apply(t, strings.Replace(oidcFile, "roleClaim: groups, roles: {staff: operator}, ", "", 1), false)
	if c := p.connection(t); c.RoleClaim != "" || len(c.Roles) != 0 {
		t.Errorf("what the file leaves out of it stays: %+v", c)
	}
	p.apply(t, "tenants: [{name: north, oidc: {issuer: ''}}]", false)
	if c := p.connection(t); c != nil {
		t.Errorf("%+v", c)
	}
	p.apply(t, "tenants: [{name: north, oidc: {issuer: ''}}]", false)
	// Neither the answer nor the activity nor the database holds the secret.
	said, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	var entries []string
	if err := p.DB.Read(
		t.Context(),
	).NewRaw(
		"SELECT changes FROM audit_entries",
	).Scan(
		t.Context(),
		&entries,
	); err != nil {
		t.Fatal(err)
	}
	if all := string(
		said,
	) + strings.Join(
		entries,
		"",
	); strings.Contains(all, "very secret") ||
		strings.Contains(all, "another one") {
		t.Errorf("the secret is shown: %s", all)
	}
}

// The file confirms an address when it makes the user, and with --overwrite.
func TestFileConfirmsAddresses(t *testing.T) {
	p := newFixture(t)
	p.apply(t, oidcFile, false)
	north, err := p.Tenants.ByName(t.Context(), "north")
	if err != nil {
		t.Fatal(err)
	}
	user := func(name string) *identity.User {
		t.Helper()
		u, err := p.Users.ByName(t.Context(), north.ID, name)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	ada := user("ada")
	if !ada.EmailConfirmed || user("bora").EmailConfirmed {
		t.Errorf("%+v %+v", ada, user("bora"))
	}
	change := func(email string) {
		t.Helper()
		me := identity.Caller{Tenant: north.ID, User: ada.ID}
		if err := p.Account.UpdateProfile(
			t.Context(),
			me,
			identity.Profile{Nickname: "Ada", Email: email},
		); err != nil {
			t.Fatal(err)
		}
	}
	change("other@farm.example")
	change("ada@farm.example")
	p.apply(t, oidcFile, false)
	if user("ada").EmailConfirmed {
		t.Error("a change by the user keeps the mark")
	}
	if got := changesOf(p.apply(t, oidcFile, true)); got != "ada: nickname,email" && got != "ada: email" {
		t.Errorf("%q", got)
	}
	if !user("ada").EmailConfirmed {
		t.Error("--overwrite does not confirm the file's address")
	}
	if got := changesOf(p.apply(t, oidcFile, true)); got != "" {
		t.Errorf("again: %q", got)
	}
}

// The issuer gives the role: with people: provider, too, the file does not take it back each time.
func TestFileLeavesRolesOfIssuer(t *testing.T) {
	p := newFixture(t)
	file := strings.Replace(oidcFile, "timeZone: UTC", "timeZone: UTC\n    people: provider", 1)
	file = strings.Replace(file, "userName: ada,", "userName: ada, role: owner,", 1)
	p.apply(t, file, false)
	north, err := p.Tenants.ByName(t.Context(), "north")
	if err != nil {
		t.Fatal(err)
	}
	ada, err := p.Users.ByName(t.Context(), north.ID, "ada")
	if err != nil {
		t.Fatal(err)
	}
	ada.Role, ada.RoleFrom = identity.Operator, identity.RoleFromSignIn
	if err := p.Users.Update(t.Context(), north.ID, ada); err != nil {
		t.Fatal(err)
	}
	if got := changesOf(p.apply(t, file, false)); got != "" {
		t.Errorf("%q", got)
	}
	if got := changesOf(p.apply(t, file, true)); got != "ada: role" {
		t.Errorf("with --overwrite: %q", got)
	}
}
