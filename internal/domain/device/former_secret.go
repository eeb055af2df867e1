package device

import (
	"context"
	"slices"

	"github.com/uptrace/bun"
)

// formerSecretsKept is how many former secrets of a device are kept.
const formerSecretsKept = 4

type formerSecretRow struct {
	bun.BaseModel `bun:"table:device_former_secrets"`
	Hash          []byte `bun:",pk"`
	DeviceID      ID
	RetireTime    int64
}

// formerSecret says whose a secret was that is no longer valid.
type formerSecret struct {
	device  ID
	retired int64 // when it stopped being valid, epoch milliseconds
}

// retireSecrets keeps the hashes of a device's secrets that are about to be replaced by others. A
// secret that becomes valid again, also for another device, is no former one any more.
func (s *Store) retireSecrets(ctx context.Context, tx bun.IDB, id ID, next []SecretHash) error {
	var valid []secretRow
	if err := tx.NewSelect().Model(&valid).Where("device_id = ?", id).Scan(ctx); err != nil {
		return err
	}
	for _, h := range next {
		if _, err := tx.NewDelete().Model((*formerSecretRow)(nil)).Where("hash = ?", h[:]).Exec(ctx); err != nil {
			return err
		}
	}
	retired := false
	for _, r := range valid {
		if slices.Contains(next, SecretHash(r.Hash)) {
			continue
		}
		retired = true
		former := formerSecretRow{Hash: r.Hash, DeviceID: id, RetireTime: s.now().UnixMilli()}
		if _, err := tx.NewInsert().Model(&former).
			On("CONFLICT (hash) DO UPDATE").
			Set("device_id = EXCLUDED.device_id, retire_time = EXCLUDED.retire_time").
			Exec(ctx); err != nil {
			return err
		}
	}
	if !retired {
		return nil
	}
	newest := tx.NewSelect().Model((*formerSecretRow)(nil)).Column("hash").
		Where("device_id = ?", id).OrderExpr("retire_time DESC, hash").Limit(formerSecretsKept)
	_, err := tx.NewDelete().Model((*formerSecretRow)(nil)).
		Where("device_id = ?", id).Where("hash NOT IN (?)", newest).Exec(ctx)
	return err
}

// readFormerSecrets reads the former secrets of the devices, or of all.
func readFormerSecrets(ctx context.Context, tx bun.IDB, only ...ID) (map[SecretHash]formerSecret, error) {
	var rows []formerSecretRow
	sel := tx.NewSelect().Model(&rows)
	if len(only) > 0 {
		sel.Where("device_id IN (?)", bun.List(only))
	}
	if err := sel.Scan(ctx); err != nil {
		return nil, err
	}
	former := make(map[SecretHash]formerSecret, len(rows))
	for _, r := range rows {
		former[SecretHash(r.Hash)] = formerSecret{device: r.DeviceID, retired: r.RetireTime}
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
	if f, ok := r.former[h]; ok {
		if e := r.byID[f.device]; e != nil && (password == "" || e.Name == userName) {
			return e.Ref, f.retired, true
		}
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
