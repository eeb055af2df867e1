package device

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
)

// Warm is what a standby of a cluster has read of all tenants' devices, so that it need not read all of
// them when it begins to lead. It takes about 350 bytes a device.
type Warm struct {
	devices *db.WarmTable[ID, registryRow, registryRow]
	secrets *db.WarmTable[SecretHash, secretRow, ID]
}

// NewWarm makes an empty Warm; Refresh fills it.
func NewWarm() *Warm {
	return &Warm{
		devices: db.NewWarmTable([]string{"id"}, nil,
			func(r *registryRow) ID { return r.ID },
			func(r *registryRow) (registryRow, error) { return *r, nil }),
		secrets: db.NewWarmTable([]string{"hash"}, nil,
			func(r *secretRow) SecretHash { return SecretHash(r.Hash) },
			func(r *secretRow) (ID, error) { return r.DeviceID, nil }),
	}
}

// Refresh reads what changed since the last Refresh. While another node writes, it may mix what was before
// and after a change; the Refresh of the node that leads puts that right.
func (w *Warm) Refresh(ctx context.Context, q bun.IDB) error {
	if err := w.devices.Refresh(ctx, q); err != nil {
		return err
	}
	return w.secrets.Refresh(ctx, q)
}

// registryRows reads all devices and their secrets: all of it or, with warm, what changed.
func registryRows(ctx context.Context, tx bun.IDB, warm *Warm) (
	count int,
	rows iter.Seq[registryRow],
	hashes map[ID][]SecretHash,
	err error,
) {
	if warm != nil {
		if err := warm.Refresh(ctx, tx); err != nil {
			return 0, nil, nil, err
		}
		hashes = make(map[ID][]SecretHash, len(warm.secrets.Rows()))
		for h, id := range warm.secrets.Rows() {
			hashes[id] = append(hashes[id], h)
		}
		return len(warm.devices.Rows()), maps.Values(warm.devices.Rows()), hashes, nil
	}
	var list []registryRow
	var secrets []secretRow
	if err := tx.NewSelect().Model(&list).Scan(ctx); err != nil {
		return 0, nil, nil, err
	}
	if err := tx.NewSelect().Model(&secrets).Scan(ctx); err != nil {
		return 0, nil, nil, err
	}
	hashes = make(map[ID][]SecretHash, len(list))
	for _, sec := range secrets {
		hashes[sec.DeviceID] = append(hashes[sec.DeviceID], SecretHash(sec.Hash))
	}
	return len(list), slices.Values(list), hashes, nil
}
