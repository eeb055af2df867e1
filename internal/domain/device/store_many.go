package device

import (
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// Provisioned is a device to be stored, with the hashes of the secrets that it may sign in with if it is new.
type Provisioned struct {
	*Device
	Secrets []SecretHash
}

// PutAll is Put for many of a tenant's devices, and PutSecrets for the new ones among them; all or none.
func (s *Store) PutAll(ctx context.Context, t tenant.ID, devices []Provisioned) error {
	var created []Provisioned
	scenes := map[int64]bool{} // of the new devices
	return wrap("put all", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		for _, d := range devices {
			if d.ID != 0 {
				if err := s.Put(ctx, t, d.Device); err != nil {
					return err
				}
				continue
			}
			if d.SceneID != DefaultScene {
				scenes[d.SceneID] = true
			}
			created = append(created, d)
		}
		if err := requireScenes(ctx, tx, t, slices.Collect(maps.Keys(scenes))); err != nil {
			return err
		}
		return inBatches(created, func(batch []Provisioned) error { return s.create(ctx, tx, t, batch) })
	}))
}

// create inserts devices and their secrets, and sets their IDs.
func (s *Store) create(ctx context.Context, tx bun.IDB, t tenant.ID, devices []Provisioned) error {
	rows := make([]deviceRow, len(devices))
	for i, d := range devices {
		r, err := s.row(t, d.Device)
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
	secrets := make([]SecretsOfDevice, len(devices))
	for i, d := range devices {
		d.ID, d.Tenant, d.CreateTime = ids[d.Name], t, rows[i].CreateTime
		secrets[i] = SecretsOfDevice{d.ID, d.Secrets}
	}
	s.db.AfterCommit(ctx, func() {
		for _, d := range devices {
			s.Changed.Tell(Ref{Tenant: t, ID: d.ID})
		}
	})
	return s.insertSecrets(ctx, tx, secrets)
}

// requireScenes returns an errs.Missing unless the tenant has all these scenes.
func requireScenes(ctx context.Context, tx bun.IDB, t tenant.ID, scenes []int64) error {
	return inBatches(scenes, func(batch []int64) error {
		n, err := tx.NewSelect().Model((*sceneRow)(nil)).
			Where("tenant_id = ? AND id IN (?)", t, bun.List(batch)).Count(ctx)
		if err == nil && n < int64(len(batch)) {
			err = errs.Missing().WithField("groupId")
		}
		return err
	})
}

// SecretsOfDevice are the hashes of the secrets that a device may sign in with.
type SecretsOfDevice struct {
	ID     ID
	Hashes []SecretHash
}

// PutAllSecrets is PutSecrets for many of a tenant's devices, all or none.
func (s *Store) PutAllSecrets(ctx context.Context, t tenant.ID, list []SecretsOfDevice) error {
	next := map[SecretHash]bool{}
	for _, x := range list {
		for _, h := range x.Hashes {
			next[h] = true
		}
	}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if err := inBatches(
			list,
			func(batch []SecretsOfDevice) error { return s.removeSecrets(ctx, tx, t, batch, next) },
		); err != nil {
			return err
		}
		return s.insertSecrets(ctx, tx, list)
	})
	return wrap("put secrets", err)
}

// AddFirstSecrets stores secrets of those of a tenant's devices that have none, and gives these devices.
func (s *Store) AddFirstSecrets(ctx context.Context, t tenant.ID, list []SecretsOfDevice) (got map[ID]bool, err error) {
	got = map[ID]bool{}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		return inBatches(list, func(batch []SecretsOfDevice) error {
			ids := make([]ID, len(batch))
			for i := range batch {
				ids[i] = batch[i].ID
			}
			var without []ID
			err := tx.NewSelect().Model((*deviceRow)(nil)).Column("d.id").
				Where("d.tenant_id = ? AND d.id IN (?)", t, bun.List(ids)).
				// The range keeps PostgreSQL, which knows little of a table that has just grown, from reading all
				// of the tenant's devices.
				Where("d.id BETWEEN ? AND ?", slices.Min(ids), slices.Max(ids)).
				Where("NOT EXISTS (SELECT 1 FROM device_secrets AS s WHERE s.device_id = d.id)").Scan(ctx, &without)
			if err != nil {
				return err
			}
			for _, id := range without {
				got[id] = true
			}
			return s.insertSecrets(
				ctx,
				tx,
				slices.DeleteFunc(slices.Clone(batch), func(x SecretsOfDevice) bool { return !got[x.ID] }),
			)
		})
	})
	return got, wrap("add secrets", err)
}

// insertSecrets inserts secrets of devices of which the caller knows that they are the tenant's.
func (s *Store) insertSecrets(ctx context.Context, tx bun.IDB, list []SecretsOfDevice) error {
	var rows []secretRow
	for _, x := range list {
		for _, h := range x.Hashes {
			rows = append(rows, secretRow{Hash: slices.Clone(h[:]), DeviceID: x.ID, CreateTime: s.now().UnixMilli()})
		}
	}
	return inBatches(rows, func(batch []secretRow) error {
		hashes := make([][]byte, len(batch))
		for i := range batch {
			hashes[i] = batch[i].Hash
		}
		if err := forgetFormer(ctx, tx, hashes); err != nil {
			return err
		}
		_, err := tx.NewInsert().Model(&batch).Exec(ctx)
		return err
	})
}

// removeSecrets removes the secrets of a tenant's devices, and keeps those that no device has next as former
// ones; each device must be the tenant's.
func (s *Store) removeSecrets(
	ctx context.Context,
	tx bun.IDB,
	t tenant.ID,
	list []SecretsOfDevice,
	next map[SecretHash]bool,
) error {
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
		Where("d.tenant_id = ? AND d.id IN (?)", t, bun.List(wanted)).
		Where("d.id BETWEEN ? AND ?", slices.Min(wanted), slices.Max(wanted)).Scan(ctx, &owned)
	if err != nil {
		return err
	}
	if len(owned) != len(wanted) {
		return errs.Missing()
	}
	return s.retireSecrets(ctx, tx, wanted, next)
}
