package device

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
)

// Swap is the change from one box of a device to the next.
type Swap struct {
	Time         int64 // epoch milliseconds
	FormerSerial string
	Serial       string
	Note         string
	User         string // name of who swapped it; may be empty
}

type swapRow struct {
	bun.BaseModel `bun:"table:device_swaps,alias:w"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	DeviceID      ID
	Time          int64
	FormerSerial  string
	Serial        string
	Note          string
	UserName      string
}

// swappedSecretRow is a secret of a former box.
type swappedSecretRow struct {
	bun.BaseModel `bun:"table:device_swapped_secrets,alias:x"`
	Hash          []byte `bun:",pk"`
	TenantID      tenant.ID
	DeviceID      ID
}

// PutSwap makes another box of the tenant's device d: it gets the serial of w and the secret next, and every
// secret that it had is dead. Readings from since (epoch milliseconds) on are the new box's.
func (s *Store) PutSwap(ctx context.Context, t tenant.ID, d *Device, w Swap, next SecretHash, since int64) error {
	return wrap("swap", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		d.Serial = w.Serial
		if err := s.Put(ctx, t, d); err != nil {
			return err
		}
		if _, err := tx.NewUpdate().Model((*deviceRow)(nil)).Set("swap_time = ?", since).
			Where("d.tenant_id = ? AND d.id = ?", t, d.ID).Exec(ctx); err != nil {
			return err
		}
		if err := s.keepSwappedSecrets(ctx, tx, t, d.ID); err != nil {
			return err
		}
		if err := s.PutSecrets(ctx, t, d.ID, next); err != nil {
			return err
		}
		_, err := tx.NewInsert().Model(&swapRow{
			TenantID: t, DeviceID: d.ID, Time: w.Time, FormerSerial: w.FormerSerial, Serial: w.Serial,
			Note: w.Note, UserName: w.User,
		}).Exec(ctx)
		return err
	}))
}

// keepSwappedSecrets remembers all secrets that the device has, and those it had before as far as they are
// known.
func (s *Store) keepSwappedSecrets(ctx context.Context, tx bun.IDB, t tenant.ID, id ID) error {
	valid, err := s.Secrets(ctx, t, id)
	if err != nil {
		return err
	}
	var former []formerSecretRow
	if err := tx.NewSelect().Model(&former).Where("device_id = ?", id).Scan(ctx); err != nil {
		return err
	}
	var rows []swappedSecretRow
	for i := range valid {
		rows = append(rows, swappedSecretRow{Hash: valid[i][:], TenantID: t, DeviceID: id})
	}
	for _, f := range former {
		rows = append(rows, swappedSecretRow{Hash: f.Hash, TenantID: t, DeviceID: id})
	}
	if len(rows) == 0 {
		return nil
	}
	_, err = tx.NewInsert().Model(&rows).On("CONFLICT (hash) DO UPDATE").
		Set("tenant_id = EXCLUDED.tenant_id, device_id = EXCLUDED.device_id").Exec(ctx)
	return err
}

// Swaps gives the swaps of a tenant's device at from <= time <= to (epoch milliseconds), newest first, at most limit.
func (s *Store) Swaps(ctx context.Context, t tenant.ID, id ID, from, to int64, limit int) ([]Swap, error) {
	var rows []swapRow
	err := s.db.Read(ctx).NewSelect().Model(&rows).
		Where("w.tenant_id = ? AND w.device_id = ?", t, id).
		Where("w.time BETWEEN ? AND ?", from, to).
		OrderExpr("w.time DESC, w.id DESC").Limit(int64(limit)).Scan(ctx)
	list := make([]Swap, len(rows))
	for i, r := range rows {
		list[i] = Swap{Time: r.Time, FormerSerial: r.FormerSerial, Serial: r.Serial, Note: r.Note, User: r.UserName}
	}
	return list, wrap("list swaps", err)
}

// HadSerial tells whether a former box of a tenant's device had one of the serials, compared exactly.
func (s *Store) HadSerial(ctx context.Context, t tenant.ID, id ID, serials []string) (bool, error) {
	had, err := s.db.Read(ctx).NewSelect().Model((*swapRow)(nil)).
		Where("w.tenant_id = ? AND w.device_id = ? AND w.former_serial IN (?)", t, id, bun.List(serials)).Exists(ctx)
	return had, wrap("find former serial", err)
}

// FormerBoxes are the serials and secrets of boxes that a device had before.
type FormerBoxes struct {
	Serials map[string]bool
	Secrets map[SecretHash]bool
}

// FormerBoxes gives the former boxes of all of a tenant's devices that were swapped.
func (s *Store) FormerBoxes(ctx context.Context, t tenant.ID) (map[ID]FormerBoxes, error) {
	found := map[ID]FormerBoxes{}
	of := func(id ID) FormerBoxes {
		if _, known := found[id]; !known {
			found[id] = FormerBoxes{Serials: map[string]bool{}, Secrets: map[SecretHash]bool{}}
		}
		return found[id]
	}
	var swaps []swapRow
	if err := s.db.Read(ctx).NewSelect().Model(&swaps).Column("device_id", "former_serial").
		Where("w.tenant_id = ?", t).Scan(ctx); err != nil {
		return nil, wrap("find former boxes", err)
	}
	for _, w := range swaps {
		of(w.DeviceID).Serials[w.FormerSerial] = true
	}
	var secrets []swappedSecretRow
	err := s.db.Read(ctx).NewSelect().Model(&secrets).Where("x.tenant_id = ?", t).Scan(ctx)
	for _, x := range secrets {
		of(x.DeviceID).Secrets[SecretHash(x.Hash)] = true
	}
	return found, wrap("find former boxes", err)
}
