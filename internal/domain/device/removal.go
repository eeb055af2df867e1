package device

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
)

// Eraser deletes every reading of a device, durably.
type Eraser interface {
	Erase(ctx context.Context, t tenant.ID, d ID) error
}

// CommitWaiter waits until the intake writes nothing more of a device that was removed from the registry
// before.
type CommitWaiter interface {
	WaitCommitted()
}

// RuleStore holds the alarm rules of tenants.
type RuleStore interface {
	// ForgetDevice removes a device that is about to be deleted from its tenant's rules.
	ForgetDevice(ctx context.Context, t tenant.ID, id ID) error
}

// Remover deletes devices with everything that belongs to them.
type Remover struct {
	DB          *db.DB
	Catalog     *Catalog
	Devices     *Store
	Registry    *Registry
	Presence    *Presence
	Diagnostics *Diagnostics
	Traces      *TraceStore
	Hints       *Hints
	Readings    Eraser
	Intake      CommitWaiter
	Rules       RuleStore
}

// Remove disables a tenant's device, erases its readings and only then removes it, so that the call can be
// repeated if a step fails or is interrupted. At its end it erases the readings that were in transit
// meanwhile. check, which may be nil, may refuse the device before anything is changed.
func (r *Remover) Remove(ctx context.Context, t tenant.ID, name string, check func(*Device) error) error {
	d, err := r.disable(ctx, t, name, check)
	if err != nil {
		return err
	}
	// From here on the deletion runs to its end even if the caller has gone.
	ctx = context.WithoutCancel(ctx)
	if err := r.Devices.Reload(ctx, t, r.Catalog, r.Registry, d.ID); err != nil {
		return err
	}
	if err := r.Readings.Erase(ctx, t, d.ID); err != nil {
		return fmt.Errorf("device %s is disabled, but its readings are not erased: %w", name, err)
	}
	if err := r.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		if err := r.Rules.ForgetDevice(ctx, t, d.ID); err != nil {
			return err
		}
		if err := r.Devices.Delete(ctx, t, d.ID); err != nil {
			return err
		}
		return audit.Log(ctx, t, audit.Action{Name: "device.delete", Thing: d.AuditThing()})
	}); err != nil {
		return err
	}
	if err := r.Devices.Reload(ctx, t, r.Catalog, r.Registry, d.ID); err != nil {
		return err
	}
	ref := Ref{Tenant: t, ID: d.ID}
	r.Presence.Forget(ref)
	r.Diagnostics.Forget(ref)
	r.Traces.Forget(ref)
	r.Hints.Forget(ref)
	// Readings that the edge accepted before the device was disabled may have been written after
	// the erasure. After this wait the edge writes no more of them, because the registry no longer
	// has the device.
	r.Intake.WaitCommitted()
	if err := r.Readings.Erase(ctx, t, d.ID); err != nil {
		return fmt.Errorf("device %s is deleted, but not the readings that came meanwhile: %w", name, err)
	}
	return nil
}

// disable shuts the device out and gives it.
func (r *Remover) disable(
	ctx context.Context,
	t tenant.ID,
	name string,
	check func(*Device) error,
) (d *Device, err error) {
	err = r.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		if d, err = r.Devices.Get(ctx, t, name); err != nil {
			return err
		}
		if check != nil {
			if err := check(d); err != nil {
				return err
			}
		}
		if d.Disabled {
			return nil
		}
		d.Disabled = true
		if err := r.Devices.Put(ctx, t, d); err != nil {
			return err
		}
		return audit.Log(ctx, t, audit.Action{
			Name: "device.update", Thing: d.AuditThing(),
			Changes: []audit.Change{{Field: "disabled", Before: false, After: true}},
		})
	})
	return d, err
}
