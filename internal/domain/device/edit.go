package device

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// Edit changes the tenant's device of that name. A forbidden scene keeps its devices and takes no
// others.
func (s *Store) Edit(ctx context.Context, t tenant.ID, name string, e Edit) error {
	note, err := tenant.ParseName(e.NoteName, "noteName", "device.noteRequired")
	switch {
	case err != nil:
		return err
	case e.Longitude == nil && e.Latitude != nil:
		return errs.New(errs.Refused, "invalid.required").WithField("longitude")
	case e.Longitude != nil && e.Latitude == nil:
		return errs.New(errs.Refused, "invalid.required").WithField("latitude")
	}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		d, err := s.Get(ctx, t, name)
		if err != nil {
			return err
		}
		if e.SceneID != d.SceneID {
			if err := requireOpenScene(ctx, tx, t, e.SceneID); err != nil {
				return err
			}
		}
		e.NoteName = note
		e.applyTo(d)
		if err := parseEdited(d); err != nil {
			return err
		}
		return s.Put(ctx, t, d)
	})
	return wrap("edit", err)
}

// AuditThing describes the device for the audit log.
func (d *Device) AuditThing() audit.Thing {
	return audit.Thing{ID: int64(d.ID), Name: d.Title(), SearchAlias: d.Name}
}

// requireOpenScene refuses a scene of another tenant and one that takes no devices.
func requireOpenScene(ctx context.Context, tx bun.IDB, t tenant.ID, scene int64) error {
	if scene == DefaultScene {
		return nil
	}
	var r sceneRow
	if err := tx.NewSelect().Model(&r).Where("s.tenant_id = ? AND s.id = ?", t, scene).Scan(ctx); err != nil {
		return withSceneField(asNotFound(err))
	}
	if r.Status == SceneForbidden {
		return errs.New(errs.Refused, "scene.forbidden", "scene", r.Name).WithField("groupId")
	}
	return nil
}

func withSceneField(err error) error {
	if errs.Is(err, errs.NotFound) {
		return errs.Missing().WithField("groupId")
	}
	return err
}
