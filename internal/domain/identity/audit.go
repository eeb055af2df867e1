package identity

import (
	"context"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
)

// AuditThing is the user as the audit log knows them.
func (u *User) AuditThing() audit.Thing {
	name := u.Nickname
	if name == "" {
		name = u.UserName
	}
	return audit.Thing{ID: u.ID, Name: name, SearchAlias: u.UserName}
}

// auditUser writes down what was done to a user, within the transaction of ctx.
func auditUser(ctx context.Context, u *User, action string, changes ...audit.Change) error {
	return audit.Log(ctx, u.Tenant, audit.Action{Name: action, Thing: u.AuditThing(), Changes: changes})
}

// ContactChanges are what changed of how a user is called and reached. All people of
// the tenant read it: of addresses and numbers they see as much as letters show.
func ContactChanges(before, after *User) (changes []audit.Change) {
	for _, c := range []struct {
		field, before, after string
		mask                 func(string) string
	}{
		{"nickname", before.Nickname, after.Nickname, func(name string) string { return name }},
		{"email", before.Email, after.Email, maskedEmail},
		{"mobile", before.Mobile, after.Mobile, maskedMobile},
	} {
		change := audit.Change{
			Field:  c.field,
			Before: maskUnlessEmpty(c.before, c.mask),
			After:  maskUnlessEmpty(c.after, c.mask),
		}
		if c.before == c.after {
			continue
		}
		if change.Before == change.After { // another that looks the same so far as it is shown
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

// auditFailedSignIn writes down, later, that somebody tried a wrong password of a
// tenant's user: who signs in learns nothing from how long that takes.
func auditFailedSignIn(ctx context.Context, t tenant.ID, u *User) {
	thing := u.AuditThing()
	audit.LogLater(
		audit.WithActor(ctx, audit.User, u.ID, thing.Name),
		t,
		audit.Action{Name: "session.fail", Thing: thing},
	)
}
