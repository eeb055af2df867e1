package device

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
)

// formerSecretsKept is how many former secrets of a device are kept.
const formerSecretsKept = 4

type formerSecretRow struct {
	bun.BaseModel `bun:"table:device_former_secrets"`
	Hash          []byte `bun:",pk"`
	DeviceID      ID
	RetireTime    int64
}

// formerSecret is a secret of a device that is no longer valid.
type formerSecret struct {
	hash    SecretHash
	retired int64 // when it stopped being valid, epoch milliseconds
}

// retireSecrets removes devices' secrets and keeps them as former ones, but for those that some device has
// next: a secret that becomes valid again is no former one.
func (s *Store) retireSecrets(ctx context.Context, tx bun.IDB, devices []ID, next map[SecretHash]bool) error {
	var valid []secretRow
	if err := tx.NewDelete().Model((*secretRow)(nil)).Where("device_id IN (?)", bun.List(devices)).
		Returning("hash, device_id").Scan(ctx, &valid); err != nil && !db.IsMissing(err) {
		return err
	}
	var retired []ID
	var rows []formerSecretRow
	for _, r := range valid {
		if !next[SecretHash(r.Hash)] {
			retired = append(retired, r.DeviceID)
			rows = append(rows, formerSecretRow{Hash: r.Hash, DeviceID: r.DeviceID, RetireTime: s.now().UnixMilli()})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if err := inBatches(rows, func(batch []formerSecretRow) error {
		_, err := tx.NewInsert().Model(&batch).On("CONFLICT (hash) DO UPDATE").
			Set("device_id = EXCLUDED.device_id, retire_time = EXCLUDED.retire_time").Exec(ctx)
		return err
	}); err != nil {
		return err
	}
	ranked := tx.NewSelect().Model((*formerSecretRow)(nil)).Column("hash").
		ColumnExpr("row_number() OVER (PARTITION BY device_id ORDER BY retire_time DESC, hash) AS age").
		Where("device_id IN (?)", bun.List(retired))
	oldest := tx.NewSelect().TableExpr("(?) AS ranked", ranked).Column("hash").Where("age > ?", formerSecretsKept)
	_, err := tx.NewDelete().Model((*formerSecretRow)(nil)).Where("hash IN (?)", oldest).Exec(ctx)
	return err
}

// forgetFormer drops hashes from the former secrets and those of former boxes, because they are valid again.
func forgetFormer(ctx context.Context, tx bun.IDB, hashes [][]byte) error {
	_, err := tx.NewDelete().Model((*formerSecretRow)(nil)).Where("hash IN (?)", bun.List(hashes)).Exec(ctx)
	if err == nil {
		_, err = tx.NewDelete().Model((*swappedSecretRow)(nil)).Where("hash IN (?)", bun.List(hashes)).Exec(ctx)
	}
	return err
}

// readFormerSecrets reads the former secrets of the devices, or of all.
func readFormerSecrets(ctx context.Context, tx bun.IDB, only ...ID) (map[ID][]formerSecret, error) {
	var rows []formerSecretRow
	sel := tx.NewSelect().Model(&rows)
	if len(only) > 0 {
		sel.Where("device_id IN (?)", bun.List(only))
	}
	if err := sel.Scan(ctx); err != nil {
		return nil, err
	}
	former := map[ID][]formerSecret{}
	for _, r := range rows {
		former[r.DeviceID] = append(former[r.DeviceID], formerSecret{hash: SecretHash(r.Hash), retired: r.RetireTime})
	}
	return former, nil
}

// RefusedSignIn tells which device a refused sign-in came from: the device whose former secret it
// had, or the device that it named. retired is when that secret stopped being valid; 0: it never was
// that device's.
func (r *Registry) RefusedSignIn(userName, password string) (ref Ref, retired int64, known bool) {
	secret := password
	if secret == "" {
		secret = userName
	}
	h := HashSecret(r.key, secret)
	r.mu.RLock()
	defer r.mu.RUnlock()
	if e := r.byFormerSecret[h]; e != nil && (password == "" || e.Name == userName) {
		i := slices.IndexFunc(e.former, func(f formerSecret) bool { return f.hash == h })
		return e.Ref, e.former[i].retired, true
	}
	if password == "" {
		return Ref{}, 0, false
	}
	e := r.byName[userName]
	if e == nil || r.bySecret[h] == e { // the device is disabled; its secret is right
		return Ref{}, 0, false
	}
	return e.Ref, 0, true
}
