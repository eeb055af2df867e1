package device

import (
	"context"

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

// hashes gives the hashes of each device's secrets.
func (w *Warm) hashes() map[ID][]SecretHash {
	all := make(map[ID][]SecretHash, len(w.secrets.Rows()))
	for h, id := range w.secrets.Rows() {
		all[id] = append(all[id], h)
	}
	return all
}
