package identity

import (
	"slices"
	"strings"

	"tilth/internal/platform/errs"
)

// Role says what a user may do in a tenant. The contract names, for each call, the least role that
// may make it.
type Role string

// The roles, from the least to the most.
const (
	Viewer   Role = "viewer"   // looks at everything but what only owners see, and changes only what is the user's own
	Operator Role = "operator" // also changes devices, scenes, rules and channels, and works on alarms
	Owner    Role = "owner"    // also has the credentials, webhooks, people and activity of the tenant
)

var roles = []Role{Viewer, Operator, Owner}

// IsRole tells whether name is the name of a role.
func IsRole(name string) bool { return slices.Contains(roles, Role(name)) }

// Allows tells whether a user with the role may do what needs at least another role.
func (r Role) Allows(least Role) bool {
	i := slices.Index(roles, least)
	return i >= 0 && slices.Index(roles, r) >= i
}

// Check refuses (403) a user whose role does not allow what needs at least another.
func (r Role) Check(least Role) error {
	if r.Allows(least) {
		return nil
	}
	return errs.New(errs.Forbidden, "role."+string(least))
}

// least returns the lesser of two roles.
func (r Role) least(other Role) Role {
	if r.Allows(other) {
		return other
	}
	return r
}

// Scope says which calls a credential may make.
type Scope string

// The scopes.
const (
	ScopeRead      Scope = "read"      // the tenant's data
	ScopeTelemetry Scope = "telemetry" // the uplinks of network servers
	ScopeWebhooks  Scope = "webhooks"  // the tenant's webhooks
)

// scopeRoles lists the scopes, each with the least role that may give it.
var scopeRoles = []struct {
	scope Scope
	role  Role
}{{ScopeRead, Viewer}, {ScopeTelemetry, Operator}, {ScopeWebhooks, Owner}}

// scopesOf gives all scopes that a role allows.
func scopesOf(r Role) (list []Scope) {
	for _, s := range scopeRoles {
		if r.Allows(s.role) {
			list = append(list, s.scope)
		}
	}
	return list
}

// parseScopes checks the scopes that a user chose for a credential with a role, and gives them once
// each in the order of scopeRoles.
func parseScopes(names []string, r Role) ([]Scope, error) {
	chosen := map[Scope]bool{}
	for _, name := range names {
		if !slices.Contains(scopesOf(Owner), Scope(name)) {
			return nil, errs.New(errs.Refused, "invalid.choice").WithField("scopes")
		}
		if !slices.Contains(scopesOf(r), Scope(name)) {
			return nil, errs.New(errs.Refused, "credential.scopeRole", "scope", name).WithField("scopes")
		}
		chosen[Scope(name)] = true
	}
	var list []Scope
	for _, s := range scopesOf(r) {
		if chosen[s] {
			list = append(list, s)
		}
	}
	if list == nil {
		return nil, errs.New(errs.Refused, "credential.scopesRequired").WithField("scopes")
	}
	return list, nil
}

// joinScopes writes scopes as the database has them; splitScopes reads them.
func joinScopes(list []Scope) string {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = string(s)
	}
	return strings.Join(names, " ")
}

func splitScopes(joined string) []Scope {
	var list []Scope
	for name := range strings.FieldsSeq(joined) {
		list = append(list, Scope(name))
	}
	return list
}
