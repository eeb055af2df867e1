package device

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
)

// lookupBatch is how many names, numbers or hashes one statement asks for, well below the
// databases' limits of variables.
const lookupBatch = 500

// ByNames gives the tenant's devices that have one of the names, keyed by name.
func (s *Store) ByNames(ctx context.Context, t tenant.ID, names []string) (map[string]*Device, error) {
	found := make(map[string]*Device, len(names))
	err := eachDevice(ctx, s, t, "d.name", names, func(d *Device) { found[d.Name] = d })
	return found, wrap("find by name", err)
}

// eachDevice calls fn for each of the tenant's devices that has one of the values in a column.
func eachDevice[V any](ctx context.Context, s *Store, t tenant.ID, column string, values []V, fn func(*Device)) error {
	return inBatches(values, func(batch []V) error {
		var rows []deviceRow
		err := s.db.Read(ctx).NewSelect().Model(&rows).
			Where("d.tenant_id = ? AND ? IN (?)", t, bun.Ident(column), bun.List(batch)).Scan(ctx)
		if err != nil {
			return err
		}
		for i := range rows {
			d, err := rows[i].device()
			if err != nil {
				return err
			}
			fn(d)
		}
		return nil
	})
}

// OwnersOf gives, for the provider, the tenant that has the device of each name; names without a
// device are absent.
func (s *Store) OwnersOf(ctx context.Context, names []string) (map[string]tenant.ID, error) {
	owners := map[string]tenant.ID{}
	err := inBatches(names, func(batch []string) error {
		var rows []deviceRow
		err := s.db.Read(ctx).NewSelect().Model(&rows).Column("name", "tenant_id").
			Where("d.name IN (?)", bun.List(batch)).Scan(ctx)
		for _, r := range rows {
			owners[r.Name] = r.TenantID
		}
		return err
	})
	return owners, wrap("find owners", err)
}

// SecretsOf gives the hashes of the secrets that each of a tenant's devices may sign in with.
func (s *Store) SecretsOf(ctx context.Context, t tenant.ID, ids []ID) (map[ID][]SecretHash, error) {
	found := make(map[ID][]SecretHash, len(ids))
	err := inBatches(ids, func(batch []ID) error {
		var rows []secretRow
		err := s.db.Read(ctx).NewSelect().Model(&rows).
			Where("device_id IN (SELECT id FROM devices WHERE tenant_id = ? AND id IN (?))", t, bun.List(batch)).
			OrderExpr("create_time, rowid").Scan(ctx)
		for _, r := range rows {
			found[r.DeviceID] = append(found[r.DeviceID], SecretHash(r.Hash))
		}
		return err
	})
	return found, wrap("read secrets", err)
}

// SecretOwners gives, for the provider, the device that each hash lets in; hashes without a device
// are absent.
func (s *Store) SecretOwners(ctx context.Context, hashes []SecretHash) (map[SecretHash]ID, error) {
	owners := map[SecretHash]ID{}
	err := inBatches(hashes, func(batch []SecretHash) error {
		keys := make([][]byte, len(batch))
		for i := range batch {
			keys[i] = batch[i][:]
		}
		var rows []secretRow
		err := s.db.Read(ctx).NewSelect().Model(&rows).Where("hash IN (?)", bun.List(keys)).Scan(ctx)
		for _, r := range rows {
			owners[SecretHash(r.Hash)] = r.DeviceID
		}
		return err
	})
	return owners, wrap("find secret owners", err)
}

// NamedAlike gives the names of those of a tenant's devices that have one of the remark names or serials,
// by remark name and by serial, compared exactly.
func (s *Store) NamedAlike(
	ctx context.Context,
	t tenant.ID,
	noteNames, serials []string,
) (byNoteName, bySerial map[string]string, err error) {
	byNoteName, bySerial = map[string]string{}, map[string]string{}
	err = eachDevice(ctx, s, t, "d.note_name", noteNames, func(d *Device) { byNoteName[d.NoteName] = d.Name })
	if err == nil {
		err = eachDevice(ctx, s, t, "d.serial", serials, func(d *Device) { bySerial[d.Serial] = d.Name })
	}
	return byNoteName, bySerial, wrap("find named alike", err)
}

// CountByOrigin counts a tenant's devices of an origin.
func (s *Store) CountByOrigin(ctx context.Context, t tenant.ID, o Origin) (int, error) {
	n, err := s.db.Read(ctx).NewSelect().Model((*deviceRow)(nil)).
		Where("d.tenant_id = ? AND d.origin = ?", t, o).Count(ctx)
	return int(n), wrap("count by origin", err)
}

// inBatches calls f with at most lookupBatch elements at a time.
func inBatches[T any](all []T, f func(batch []T) error) error {
	for len(all) > 0 {
		n := min(lookupBatch, len(all))
		if err := f(all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// Refs gives all devices of all tenants. The examination of a data folder checks that each reading
// belongs to one of them.
func (s *Store) Refs(ctx context.Context) (map[Ref]bool, error) {
	var rows []struct {
		TenantID tenant.ID
		ID       ID
	}
	err := s.db.Read(ctx).NewSelect().Model((*deviceRow)(nil)).Column("tenant_id", "id").Scan(ctx, &rows)
	if err != nil {
		return nil, wrap("list references", err)
	}
	refs := make(map[Ref]bool, len(rows))
	for _, r := range rows {
		refs[Ref{Tenant: r.TenantID, ID: r.ID}] = true
	}
	return refs, nil
}
