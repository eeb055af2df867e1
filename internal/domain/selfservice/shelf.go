package selfservice

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
)

// Shelf keeps the provider's devices that wait for an owner to claim them. A device on the shelf cannot
// connect.
type Shelf struct {
	db  *db.DB
	now func() time.Time
}

// NewShelf makes a store; now is the server's clock.
func NewShelf(d *db.DB, now func() time.Time) *Shelf { return &Shelf{db: d, now: now} }

// ShelfItem is a device on the shelf. Hashes are HMACs under the platform's key, nil where there is none.
type ShelfItem struct {
	bun.BaseModel `bun:"table:shelf"`
	DeviceName    string `bun:",pk"`
	Serial        string
	ProductID     int64
	CodeHash      []byte     // of the claim code
	DevEUI        string     `bun:"dev_eui"` // of a LoRaWAN label, upper case; empty: none
	TokenHash     []byte     // of the label's owner token
	SecretHash    []byte     // of the secret that the box has already
	TenantID      *tenant.ID // the only tenant that may claim it; nil: any
	ClaimTime     *int64     // epoch milliseconds; nil: it waits
	DeviceID      *device.ID // the device that it became; nil also when that was deleted
}

// Waits tells whether the device can be claimed.
func (i *ShelfItem) Waits() bool { return i.ClaimTime == nil }

// wrap names the operation of this package's store that failed.
func wrap(operation string, err error) error {
	return errs.WrapOperation("selfservice", operation, err)
}

// ByNames gives, for the provider, the items of these device names.
func (s *Shelf) ByNames(ctx context.Context, names []string) (map[string]*ShelfItem, error) {
	return keyedItems(ctx, s, "device_name", names, func(i *ShelfItem) string { return i.DeviceName })
}

// ByCodes gives, for the provider, the items of these hashes of claim codes.
func (s *Shelf) ByCodes(ctx context.Context, hashes []device.SecretHash) (map[string]*ShelfItem, error) {
	return keyedItems(ctx, s, "code_hash", keysOf(hashes), func(i *ShelfItem) string { return string(i.CodeHash) })
}

// BySecrets gives, for the provider, the items of these hashes of secrets.
func (s *Shelf) BySecrets(ctx context.Context, hashes []device.SecretHash) (map[string]*ShelfItem, error) {
	return keyedItems(ctx, s, "secret_hash", keysOf(hashes), func(i *ShelfItem) string { return string(i.SecretHash) })
}

// ByDevEUIs gives, for the provider, the items of these DevEUIs, in upper case.
func (s *Shelf) ByDevEUIs(ctx context.Context, euis []string) (map[string]*ShelfItem, error) {
	return keyedItems(ctx, s, "dev_eui", euis, func(i *ShelfItem) string { return i.DevEUI })
}

func keysOf(hashes []device.SecretHash) [][]byte {
	keys := make([][]byte, len(hashes))
	for i := range hashes {
		keys[i] = hashes[i][:]
	}
	return keys
}

// lookupBatch is how many values one query looks for.
const lookupBatch = 500

// keyedItems finds the items with one of the values in a column.
func keyedItems[V any](
	ctx context.Context,
	s *Shelf,
	column string,
	values []V,
	key func(*ShelfItem) string,
) (map[string]*ShelfItem, error) {
	found := map[string]*ShelfItem{}
	for batch := range slices.Chunk(values, lookupBatch) {
		var items []ShelfItem
		err := s.db.Read(ctx).NewSelect().Model(&items).
			Where("? IN (?)", bun.Ident(column), bun.List(batch)).Scan(ctx)
		if err != nil {
			return nil, wrap("find on the shelf", err)
		}
		for i := range items {
			found[key(&items[i])] = &items[i]
		}
	}
	return found, nil
}

// Put creates items or replaces those of the same device names, for the provider.
func (s *Shelf) Put(ctx context.Context, items ...*ShelfItem) error {
	return wrap("put on the shelf", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		// All old ones go before: codes may move between items.
		for batch := range slices.Chunk(items, lookupBatch) {
			names := make([]string, len(batch))
			for i, item := range batch {
				names[i] = item.DeviceName
			}
			_, err := tx.NewDelete().Model((*ShelfItem)(nil)).Where("device_name IN (?)", bun.List(names)).Exec(ctx)
			if err != nil {
				return err
			}
		}
		for from := 0; from < len(items); from += lookupBatch {
			part := items[from:min(from+lookupBatch, len(items))]
			if _, err := tx.NewInsert().Model(&part).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Delete removes an item, for the provider. The device that was claimed stays.
func (s *Shelf) Delete(ctx context.Context, deviceName string) error {
	return wrap("take off the shelf", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*ShelfItem)(nil)).Where("device_name = ?", deviceName).Exec(ctx)
		return err
	}))
}

// waiting gives the item that the tenant may claim by the hash of its code or by its DevEUI and owner token;
// nil: there is none.
func (s *Shelf) waiting(ctx context.Context, t tenant.ID, where string, args ...any) (*ShelfItem, error) {
	var items []ShelfItem
	err := s.db.Read(ctx).NewSelect().Model(&items).Where(where, args...).
		Where("claim_time IS NULL AND (tenant_id IS NULL OR tenant_id = ?)", t).Limit(1).Scan(ctx)
	if err != nil || len(items) == 0 {
		return nil, wrap("find on the shelf", err)
	}
	return &items[0], nil
}

// markClaimed records that an item became the tenant's device.
func (s *Shelf) markClaimed(ctx context.Context, t tenant.ID, item *ShelfItem, id device.ID) error {
	return wrap("take from the shelf", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*ShelfItem)(nil)).Set("claim_time = ?", s.now().UnixMilli()).
			Set("device_id = ?", id).Set("tenant_id = ?", t).Where("device_name = ?", item.DeviceName).
			Where("tenant_id IS NULL OR tenant_id = ?", t).Exec(ctx)
		return err
	}))
}
