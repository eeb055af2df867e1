package provider

import (
	"context"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/identity/oidc"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/text"
)

// maxClientSecret limits the secret of a client of an issuer, in characters.
const maxClientSecret = 1000

// fileOIDC is the issuer at which a tenant's people sign in. It is one value: what it leaves out has
// its default, but for the secret, which stays.
type fileOIDC struct {
	at                             filePos // the zero position: the file says nothing of it
	issuer, clientID, clientSecret field[string]
	create                         field[bool]
	domains                        field[[]field[string]]
	roleClaim, defaultRole         field[string]
	roles                          map[string]field[string] // by value of the claim
}

func (f *fileErrors) oidc(into *fileOIDC) nodeReader {
	return func(n ast.Node, at filePos) {
		*into = fileOIDC{at: at, roles: map[string]field[string]{}}
		f.mapping(n, at, map[string]nodeReader{
			"issuer":       f.trimmed(&into.issuer),
			"clientId":     f.trimmed(&into.clientID),
			"clientSecret": f.text(&into.clientSecret),
			"create":       f.boolean(&into.create),
			"domains":      optionalListReader(f, &into.domains, f.readText),
			"roleClaim":    f.trimmed(&into.roleClaim),
			"defaultRole":  f.text(&into.defaultRole),
			"roles": func(n ast.Node, at filePos) {
				f.entries(n, at, func(key string, n ast.Node, at filePos) {
					if n = unwrap(n); n != nil {
						at.line = lineOf(n, at.line)
						var role field[string]
						f.text(&role)(n, at)
						into.roles[key] = role
					}
				})
			},
		})
	}
}

// removes tells whether the file takes a tenant's issuer away: it gives an empty one.
func (o *fileOIDC) removes() bool { return o.issuer.valid && o.issuer.value == "" }

func (c *checker) oidc(o *fileOIDC) {
	if o.at.line == 0 || o.removes() {
		return
	}
	if c.required(&o.issuer, o.at, "issuer") && !oidc.IsIssuer(o.issuer.value) {
		c.add(o.issuer.at, "issuer must be an https address without query; http only on this machine")
	}
	if c.required(&o.clientID, o.at, "clientId") {
		c.singleLine(&o.clientID, maxDescription)
		if o.clientID.value == "" {
			c.add(o.clientID.at, "clientId is empty")
		}
	}
	if s := o.clientSecret; s.valid && (s.value == "" || runeCount(s.value) > maxClientSecret) {
		c.add(s.at, "clientSecret must have 1 to %d characters", maxClientSecret)
	}
	for _, d := range o.domains.value {
		if d.valid && !isHost(d.value) {
			c.add(d.at, "%q is no domain of addresses: it must be lower-case, for example farm.example", d.value)
		}
	}
	if len(o.domains.value) > 0 && !o.create.value {
		c.add(o.domains.at, "domains is only for create: true")
	}
	c.singleLine(&o.roleClaim, maxDescription)
	if len(o.roles) > 0 && o.roleClaim.value == "" {
		c.add(o.at.child("roles"), "roles is only for a roleClaim")
	}
	if o.roleClaim.value != "" && len(o.roles) == 0 && o.defaultRole.value == "" {
		c.add(o.roleClaim.at, "roleClaim without roles and defaultRole: nobody could sign in")
	}
	for _, role := range o.roles {
		c.oidcRole(&role)
	}
	c.oidcRole(&o.defaultRole)
}

func (c *checker) oidcRole(f *field[string]) {
	if f.valid && !identity.IsRole(f.value) {
		c.add(f.at, "%s must be viewer, operator or owner", lastKey(f.at))
	}
}

// connection is what the file says, with the secret that is stored.
func (o *fileOIDC) connection(secret string) *identity.Connection {
	c := &identity.Connection{
		Connection: oidc.Connection{
			Issuer: o.issuer.value, ClientID: o.clientID.value, ClientSecret: o.clientSecret.orDefault(secret),
		},
		Creates: o.create.value, RoleClaim: o.roleClaim.value, Roles: map[string]identity.Role{},
		DefaultRole: identity.Role(o.defaultRole.value),
	}
	for _, d := range o.domains.value {
		if name := text.FoldASCII(d.value); !slices.Contains(c.Domains, name) {
			c.Domains = append(c.Domains, name)
		}
	}
	for value, role := range o.roles {
		c.Roles[value] = identity.Role(role.value)
	}
	return c
}

// connectionStep is the change of a tenant's issuer.
type connectionStep struct {
	changed    bool
	connection *identity.Connection // nil: it is removed
}

// planOIDC plans a tenant's issuer as a change of the tenant. Of the secret, nobody learns more than
// that it changed.
func (pl *planner) planOIDC(ctx context.Context, t *tenantStep) error {
	f := &t.file.oidc
	if f.at.line == 0 {
		return nil
	}
	var known *identity.Connection
	if !t.created {
		var err error
		if known, err = pl.Connections.Own(ctx, t.tenant.ID); err != nil {
			return err
		}
	}
	if f.removes() {
		t.connection.changed = known != nil
	} else {
		secret := ""
		if known != nil && known.Issuer == f.issuer.value && known.ClientID == f.clientID.value {
			secret = known.ClientSecret
		}
		t.connection.connection = f.connection(secret)
		if t.connection.connection.ClientSecret == "" && !f.clientSecret.present() {
			pl.out.add(f.at.child("clientSecret"), "clientSecret is missing: a new client of an issuer needs it")
		}
		t.connection.changed = known == nil || !known.Equal(t.connection.connection)
	}
	if !t.connection.changed {
		return nil
	}
	t.changes = append(t.changes, "oidc")
	change := audit.Change{Field: "oidc"}
	if known != nil {
		change.Before = known.Issuer
	}
	if c := t.connection.connection; c != nil {
		change.After = c.Issuer
	}
	if change.Before == change.After { // something else of it changed
		change = audit.Change{Field: "oidc", Hidden: true}
	}
	t.auditChanges = append(t.auditChanges, change)
	return nil
}

// storeOIDC stores the issuer of a tenant that is stored already.
func (e *execution) storeOIDC(ctx context.Context, t tenant.ID, s *connectionStep) error {
	if !s.changed {
		return nil
	}
	return e.Connections.Put(ctx, t, s.connection)
}
