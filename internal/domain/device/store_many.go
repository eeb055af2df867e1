package device

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// PutAll is Put for many of a tenant's devices, all or none.
func (s *Store) PutAll(ctx context.Context, t tenant.ID, devices []*Device) error {
	var created []*Device
	scenes := map[int64]bool{} // those that the tenant has
	return wrap("put all", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		for _, d := range devices {
			if d.SceneID != DefaultScene && !scenes[d.SceneID] {
				if err := requireScene(ctx, tx, t, d.SceneID); err != nil {
					return err
				}
				scenes[d.SceneID] = true
			}
			if d.ID == 0 {
				created = append(created, d)
				continue
			}
			if err := s.Put(ctx, t, d); err != nil {
				return err
			}
		}
		return inBatches(created, func(batch []*Device) error { return s.create(ctx, tx, t, batch) })
	}))
}

// create inserts devices and sets their IDs.
func (s *Store) create(ctx context.Context, tx bun.IDB, t tenant.ID, devices []*Device) error {
	rows := make([]deviceRow, len(devices))
	for i, d := range devices {
		r, err := s.row(t, d)
		if err != nil {
			return err
		}
		rows[i] = *r
	}
	var found []struct {
		ID   ID
		Name string
	}
	if err := tx.NewInsert().Model(&rows).Returning("id, name").Scan(ctx, &found); err != nil {
		return err
	}
	ids := make(map[string]ID, len(found))
	for _, f := range found {
		ids[f.Name] = f.ID
	}
	for i, d := range devices {
		d.ID, d.Tenant, d.CreateTime = ids[d.Name], t, rows[i].CreateTime
	}
	s.db.AfterCommit(ctx, func() {
		for _, d := range devices {
			s.changed.notify(t, d.ID)
		}
	})
	return nil
}

// requireScene returns an errs.Missing unless the tenant has the scene.
func requireScene(ctx context.Context, tx bun.IDB, t tenant.ID, scene int64) error {
	exists, err := tx.NewSelect().Model((*sceneRow)(nil)).Where("tenant_id = ? AND id = ?", t, scene).Exists(ctx)
	if err == nil && !exists {
		err = errs.Missing().WithField("groupId")
	}
	return err
}

// DeviceSecrets are the hashes of the secrets that a device may sign in with.
type DeviceSecrets struct {
	ID     ID
	Hashes []SecretHash
}

// PutAllSecrets is PutSecrets for many of a tenant's devices, all or none.
func (s *Store) PutAllSecrets(ctx context.Context, t tenant.ID, list []DeviceSecrets) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if err := inBatches(list, func(batch []DeviceSecrets) error { return removeSecrets(ctx, tx, t, batch) }); err != nil {
			return err
		}
		var rows []secretRow
		for _, x := range list {
			for _, h := range x.Hashes {
				rows = append(rows, secretRow{Hash: slices.Clone(h[:]), DeviceID: x.ID, CreateTime: s.now().UnixMilli()})
			}
		}
		return inBatches(rows, func(batch []secretRow) error {
			_, err := tx.NewInsert().Model(&batch).Exec(ctx)
			return err
		})
	})
	return wrap("put secrets", err)
}

// removeSecrets removes the secrets of a tenant's devices; each device must be the tenant's.
func removeSecrets(ctx context.Context, tx bun.IDB, t tenant.ID, list []DeviceSecrets) error {
	ids := map[ID]struct{}{}
	for _, x := range list {
		ids[x.ID] = struct{}{}
	}
	var owned []ID
	wanted := make([]ID, 0, len(ids))
	for id := range ids {
		wanted = append(wanted, id)
	}
	err := tx.NewSelect().Model((*deviceRow)(nil)).Column("id").
		Where("d.tenant_id = ? AND d.id IN (?)", t, bun.List(wanted)).Scan(ctx, &owned)
	if err != nil {
		return err
	}
	if len(owned) != len(wanted) {
		return errs.Missing()
	}
	_, err = tx.NewDelete().Model((*secretRow)(nil)).Where("device_id IN (?)", bun.List(wanted)).Exec(ctx)
	return err
}
