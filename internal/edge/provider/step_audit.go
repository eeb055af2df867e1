package provider

import (
	"slices"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity"
)

// auditAction is a step as the audit log has it. Of what people may not see, which is
// secrets, passwords and texts that may hold one, it says that it changed.
func (s *step) auditAction(kind Kind, thing audit.Thing) audit.Action {
	d := audit.Action{Name: string(kind) + ".update", Thing: thing, Changes: slices.Clone(s.auditChanges)}
	if s.created {
		d.Name = string(kind) + ".create"
		for i := range d.Changes {
			d.Changes[i].Before = nil // what a new thing begins with was never seen
		}
		return d
	}
	for _, name := range s.changes {
		if name == "scene" {
			continue // seen under the name that people know it by
		}
		if !slices.ContainsFunc(s.auditChanges, func(c audit.Change) bool { return c.Field == name }) {
			d.Changes = append(d.Changes, audit.Change{Field: name, Hidden: true})
		}
	}
	return d
}

// maskedStep is the step of a user with as much of addresses and numbers as all
// people of the tenant may read.
func (u *userStep) maskedStep() *step {
	s := u.step
	s.auditChanges = slices.DeleteFunc(
		slices.Clone(s.auditChanges),
		func(c audit.Change) bool { return c.Field != "disabled" },
	)
	s.auditChanges = append(s.auditChanges, identity.ContactChanges(&u.old, &u.user)...)
	return &s
}
