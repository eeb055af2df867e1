package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
)

// Refusal says why the service cannot carry out a call.
type Refusal struct {
	Missing bool // there is no such thing; else the thing is in use
	Detail  string
}

// Error returns the detail.
func (r *Refusal) Error() string { return r.Detail }

// Delete removes a device with its readings, a user, a scene (its devices move to the default
// group), an empty tenant or a device on the shelf. owner is the name of the tenant that owns the thing;
// it is empty for a tenant and for the shelf. If the thing does not exist, or the tenant is not empty,
// the error is a *Refusal.
func (s *Service) Delete(ctx context.Context, kind Kind, owner, name string) (*Result, error) {
	release, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if kind == KindShelf {
		return s.takeOffShelf(ctx, name)
	}
	of := owner
	if kind == KindTenant {
		of = name
	}
	t, err := s.findTenant(ctx, of, name)
	if err != nil {
		return nil, err
	}
	item := Item{Kind: kind, Tenant: owner, Name: name}
	switch kind {
	case KindTenant:
		err = s.deleteTenant(ctx, t)
	case KindUser:
		err = s.deleteUser(ctx, t, name)
	case KindScene:
		err = s.deleteScene(ctx, t, name)
	case KindDevice:
		err = s.deleteDevice(ctx, t, name)
	default:
		err = &Refusal{Detail: fmt.Sprintf("a %s cannot be deleted", kind)}
	}
	if err != nil {
		return nil, err
	}
	return &Result{Removed: []Item{item}}, nil
}

// findTenant finds the tenant owner, which owns the thing called name.
func (s *Service) findTenant(ctx context.Context, owner, name string) (*tenant.Tenant, error) {
	if !isName(owner) || !isName(name) { // nothing has such a name, and no database stores a NUL
		return nil, &Refusal{Missing: true, Detail: "nothing has an empty name or one with control characters"}
	}
	t, err := s.Tenants.ByName(ctx, owner)
	if err != nil {
		return nil, refuseMissing(err, "there is no tenant %q", owner)
	}
	return t, nil
}

// refuseMissing turns a NotFound into a Refusal that says what is not there.
func refuseMissing(err error, format string, args ...any) error {
	if errs.Is(err, errs.NotFound) {
		return &Refusal{Missing: true, Detail: fmt.Sprintf(format, args...)}
	}
	return err
}

func (s *Service) deleteDevice(ctx context.Context, t *tenant.Tenant, name string) error {
	err := s.Remover.Remove(ctx, t.ID, name, nil)
	// After a fault the running server may not have loaded that the device is disabled or gone.
	s.stale = s.stale || err != nil && !errs.Is(err, errs.NotFound)
	return refuseMissing(err, "tenant %q has no device %q", t.Name, name)
}

func (s *Service) deleteUser(ctx context.Context, t *tenant.Tenant, name string) error {
	u, err := s.Users.ByName(ctx, t.ID, name)
	if err != nil {
		return refuseMissing(err, "tenant %q has no user %q", t.Name, name)
	}
	return s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		if err := s.Sessions.EndUser(ctx, t.ID, u.ID); err != nil {
			return err
		}
		if err := s.Users.Delete(ctx, t.ID, u.ID); err != nil {
			return err
		}
		return audit.Log(ctx, t.ID, audit.Action{Name: "user.delete", Thing: u.AuditThing()})
	})
}

func (s *Service) deleteScene(ctx context.Context, t *tenant.Tenant, name string) error {
	scene, err := s.Scenes.ByName(ctx, t.ID, name)
	if err != nil {
		return refuseMissing(err, "tenant %q has no scene %q", t.Name, name)
	}
	return s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		err := s.Scenes.Delete(ctx, t.ID, scene.ID)
		if db.IsReferenced(err) {
			return &Refusal{
				Detail: fmt.Sprintf(
					"alarm rules of tenant %q are for the scene %q; its people have to take it out of them first",
					t.Name,
					name,
				),
			}
		}
		if err != nil {
			return err
		}
		return audit.Log(
			ctx,
			t.ID,
			audit.Action{Name: "scene.delete", Thing: audit.Thing{ID: scene.ID, Name: scene.Name}},
		)
	})
}

// deleteTenant removes a tenant that has no devices, users and scenes any more, and its records
// before, so that the call can be repeated if a step fails or is interrupted.
func (s *Service) deleteTenant(ctx context.Context, t *tenant.Tenant) error {
	if err := s.requireEmpty(ctx, t); err != nil {
		return err
	}
	for _, r := range s.TenantRecords() {
		if err := r.Clear(ctx, t.ID); err != nil {
			return err
		}
	}
	return s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		if err := s.requireEmpty(ctx, t); err != nil {
			return err
		}
		err := s.Tenants.Delete(ctx, t.ID)
		if db.IsReferenced(err) {
			return &Refusal{Detail: fmt.Sprintf("something of tenant %q was recorded just now; try again", t.Name)}
		}
		if err != nil {
			return err
		}
		// The tenant's own audit log was removed with it.
		return audit.Log(ctx, 0, audit.Action{Name: "tenant.delete", Thing: audit.Thing{ID: int64(t.ID), Name: t.Name}})
	})
}

// requireEmpty refuses a tenant that still has devices, users or scenes.
func (s *Service) requireEmpty(ctx context.Context, t *tenant.Tenant) error {
	users, errUsers := s.Users.List(ctx, t.ID)
	scenes, errScenes := s.Scenes.List(ctx, t.ID)
	devices, errDevices := s.Devices.Count(ctx, t.ID)
	if err := errors.Join(errUsers, errScenes, errDevices); err != nil {
		return err
	}
	var left []string
	for _, l := range []struct {
		n    int
		what string
	}{{int(devices), "device"}, {len(users), "user"}, {len(scenes), "scene"}} {
		switch {
		case l.n == 1:
			left = append(left, "1 "+l.what)
		case l.n > 1:
			left = append(left, fmt.Sprintf("%d %ss", l.n, l.what))
		}
	}
	if len(left) > 0 {
		return &Refusal{Detail: fmt.Sprintf("tenant %q still has %s", t.Name, joinWords(left))}
	}
	return nil
}

// ResetUser gives a user a new password, returns it, turns off the user's second factor and ends the
// user's sessions. If the tenant or
// the user does not exist, the error is a *Refusal.
func (s *Service) ResetUser(ctx context.Context, owner, userName string) (string, error) {
	release, err := s.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	t, err := s.findTenant(ctx, owner, userName)
	if err != nil {
		return "", err
	}
	u, err := s.Users.ByName(ctx, t.ID, strings.TrimSpace(userName))
	if err != nil {
		return "", refuseMissing(err, "tenant %q has no user %q", owner, userName)
	}
	password := newPassword()
	hash, err := s.Hasher.Hash(ctx, identity.PlatformRequester, password)
	if err != nil {
		return "", err
	}
	return password, s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		if err := s.Users.PutPassword(ctx, t.ID, u.ID, hash); err != nil {
			return err
		}
		if err := s.Sessions.EndUser(ctx, t.ID, u.ID); err != nil {
			return err
		}
		changes := []audit.Change{{Field: "password", Hidden: true}}
		if err := s.Factors.Remove(ctx, t.ID, u.ID); err != nil {
			return err
		}
		if u.SecondFactor {
			changes = append(changes, identity.SecondFactorOff)
		}
		return audit.Log(
			ctx,
			t.ID,
			audit.Action{
				Name:    "user.update",
				Thing:   u.AuditThing(),
				Changes: changes,
			},
		)
	})
}
