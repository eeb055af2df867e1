package identity

import (
	"context"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
)

// AuditThing describes the user for the audit log.
func (u *User) AuditThing() audit.Thing {
	return audit.Thing{ID: u.ID, Name: u.Name(), SearchAlias: u.UserName}
}

// auditUser logs an action on a user, within the transaction of ctx.
func auditUser(ctx context.Context, u *User, action string, changes ...audit.Change) error {
	return audit.Log(ctx, u.Tenant, audit.Action{Name: action, Thing: u.AuditThing(), Changes: changes})
}

// asUser makes a user the actor of what ctx audits.
func asUser(ctx context.Context, u *User) context.Context {
	return audit.WithActor(ctx, audit.User, u.ID, u.Name())
}

// ContactChanges gives the changes of a user's nickname, email address and mobile number. Every
// user of the tenant may read them, so they mask addresses and numbers as emails do.
func ContactChanges(before, after *User) (changes []audit.Change) {
	for _, c := range []struct {
		field, before, after string
		mask                 func(string) string
	}{
		{"nickname", before.Nickname, after.Nickname, func(name string) string { return name }},
		{"email", before.Email, after.Email, MaskedEmail},
		{"mobile", before.Mobile, after.Mobile, MaskedMobile},
	} {
		change := audit.Change{
			Field:  c.field,
			Before: maskUnlessEmpty(c.before, c.mask),
			After:  maskUnlessEmpty(c.after, c.mask),
		}
		if c.before == c.after {
			continue
		}
		if change.Before == change.After { // the masked values are equal
			change = audit.Change{Field: c.field, Hidden: true}
		}
		changes = append(changes, change)
	}
	return changes
}

func maskUnlessEmpty(value string, masked func(string) string) string {
	if value == "" {
		return ""
	}
	return masked(value)
}

// auditFailedSignIn logs, later, a failed sign-in as a tenant's user. It does not write at once, so
// that the response time reveals nothing.
func auditFailedSignIn(ctx context.Context, t tenant.ID, u *User) {
	audit.LogLater(asUser(ctx, u), t, audit.Action{Name: "session.fail", Thing: u.AuditThing()})
}
