package provider

import (
	"slices"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity"
)

// auditAction returns a step as the audit log has it. Of fields that people may not see (secrets,
// passwords and texts that may hold one), it says only that they changed.
func (s *step) auditAction(kind Kind, thing audit.Thing) audit.Action {
	d := audit.Action{Name: string(kind) + ".update", Thing: thing, Changes: slices.Clone(s.auditChanges)}
	if s.created {
		d.Name = string(kind) + ".create"
		for i := range d.Changes {
			d.Changes[i].Before = nil // nobody has seen the initial values of a new thing
		}
		return d
	}
	for _, name := range s.changes {
		if name == "scene" {
			continue // the audit log has it under the name that people know
		}
		if !slices.ContainsFunc(s.auditChanges, func(c audit.Change) bool { return c.Field == name }) {
			d.Changes = append(d.Changes, audit.Change{Field: name, Hidden: true})
		}
	}
	return d
}

// maskedStep returns the step of a user with contact data masked as far as owners of the tenant
// may read it.
func (u *userStep) maskedStep() *step {
	s := u.step
	s.auditChanges = slices.DeleteFunc(
		slices.Clone(s.auditChanges),
		func(c audit.Change) bool { return c.Field != "disabled" && c.Field != "role" },
	)
	s.auditChanges = append(s.auditChanges, identity.ContactChanges(&u.old, &u.user)...)
	return &s
}
