package device

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/change"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// Device is one sensor, camera or gateway of a tenant.
type Device struct {
	ID          ID
	Tenant      tenant.ID
	Name        string // deviceName: fixed, unique on the platform
	Serial      string
	NoteName    string // what people call it; may be empty
	ProductID   int64
	SceneID     int64    // DefaultScene: in no scene
	Longitude   *float64 // degrees, WGS-84; nil together with Latitude
	Latitude    *float64
	Gateway     bool
	Disabled    bool
	Origin      Origin
	ElementData map[string]string // the device's own elementData by identifier; it overrides the product's
	CreateTime  int64             // epoch milliseconds
	SwapTime    int64             // readings from then on are of its present box, epoch milliseconds; 0: all are
	Facts
}

// Origin says who made a device.
type Origin string

// The origins of devices.
const (
	OriginProvider Origin = "provider" // the provider's file, which alone changes its structure and deletes it
	OriginConsole  Origin = "console"  // an owner added it
	OriginShelf    Origin = "shelf"    // an owner claimed it from the provider's shelf
)

// Removable tells whether an owner may delete the device.
func (d *Device) Removable() bool { return d.Origin != OriginProvider }

// videoSerial marks the serial of a camera, by the convention of the sensor makers.
const videoSerial = "SXT"

// IsVideo tells whether the device is a camera.
func (d *Device) IsVideo() bool { return strings.Contains(d.Serial, videoSerial) }

// Title gives the name that lists show: the remark name, else the device name.
func (d *Device) Title() string {
	if d.NoteName != "" {
		return d.NoteName
	}
	return d.Name
}

type deviceRow struct {
	bun.BaseModel `bun:"table:devices,alias:d"`
	ID            ID `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	Name          string
	Serial        string
	NoteName      string
	FoldedText    string // name, remark name and serial, a line each
	Video         bool
	ProductID     int64
	SceneID       *int64
	Longitude     *float64
	Latitude      *float64
	Gateway       bool
	Disabled      bool
	Origin        Origin
	ElementData   string
	CreateTime    int64
	SwapTime      int64 // written by PutSwap only
	Facts
}

type secretRow struct {
	bun.BaseModel `bun:"table:device_secrets"`
	Hash          []byte `bun:",pk"`
	DeviceID      ID
	CreateTime    int64
}

// Store keeps devices.
type Store struct {
	db  *db.DB
	now func() time.Time

	// Changed tells of a device that was created, changed or deleted.
	Changed change.Kind[Ref]
}

// NewStore makes a store; now is the server's clock.
func NewStore(d *db.DB, now func() time.Time) *Store { return &Store{db: d, now: now} }

// Get finds a tenant's device by name.
func (s *Store) Get(ctx context.Context, t tenant.ID, name string) (*Device, error) {
	var r deviceRow
	err := s.db.Read(ctx).NewSelect().Model(&r).Where("d.tenant_id = ? AND d.name = ?", t, name).Scan(ctx)
	if err != nil {
		return nil, wrap("get", asNotFound(err))
	}
	d, err := r.device()
	return d, wrap("get", err)
}

// ByID finds a tenant's device by its number.
func (s *Store) ByID(ctx context.Context, t tenant.ID, id ID) (*Device, error) {
	found, err := s.ByIDs(ctx, t, []ID{id})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errs.Missing()
	}
	return found[0], nil
}

// BySerial finds at most two of a tenant's devices with one of the serials, compared exactly: a
// caller that looks for one device needs to know only whether there is a second.
func (s *Store) BySerial(ctx context.Context, t tenant.ID, serials []string) ([]ID, error) {
	var ids []ID
	err := s.db.Read(ctx).NewSelect().Model((*deviceRow)(nil)).Column("d.id").
		Where("d.tenant_id = ? AND d.serial IN (?)", t, bun.List(serials)).Limit(2).Scan(ctx, &ids)
	return ids, wrap("find by serial", err)
}

// ByIDs finds a tenant's devices by their numbers, in the order of ids; it omits deleted devices.
func (s *Store) ByIDs(ctx context.Context, t tenant.ID, ids []ID) ([]*Device, error) {
	found := make(map[ID]*Device, len(ids))
	err := eachDevice(ctx, s, t, "d.id", ids, func(d *Device) { found[d.ID] = d })
	list := make([]*Device, 0, len(found))
	for _, id := range ids {
		if d := found[id]; d != nil {
			list = append(list, d)
		}
	}
	return list, wrap("find by id", err)
}

// BySceneOrProduct finds a tenant's devices in the scenes (DefaultScene: in no scene) or of the
// products, ordered by title.
func (s *Store) BySceneOrProduct(ctx context.Context, t tenant.ID, scenes, products []int64) ([]*Device, error) {
	if len(scenes)+len(products) == 0 {
		return nil, nil
	}
	var rows []deviceRow
	err := s.db.Read(ctx).NewSelect().Model(&rows).Where("d.tenant_id = ?", t).
		WhereGroup(" AND ", func(sel *bun.SelectQuery) *bun.SelectQuery {
			return whereSceneOrProduct(sel, scenes, products)
		}).OrderExpr("CASE WHEN d.note_name = '' THEN d.name ELSE d.note_name END, d.id").Scan(ctx)
	if err != nil {
		return nil, wrap("find by scene or product", err)
	}
	list := make([]*Device, len(rows))
	for i := range rows {
		if list[i], err = rows[i].device(); err != nil {
			return nil, wrap("find by scene or product", err)
		}
	}
	return list, nil
}

// ProductCount counts the devices of one product in a selection.
type ProductCount struct {
	ProductID int64
	Devices   int
	Named     int // those of them that the selection names
}

// CountByProduct counts a tenant's devices per product, most devices first. It counts, once each,
// the devices with one of the names, in one of the scenes (DefaultScene: in no scene) or of one of
// the products.
func (s *Store) CountByProduct(
	ctx context.Context,
	t tenant.ID,
	names []string,
	scenes, products []int64,
) (counts []ProductCount, err error) {
	err = s.db.Read(ctx).NewSelect().Model((*deviceRow)(nil)).
		ColumnExpr("d.product_id, COUNT(*) AS devices").
		ColumnExpr("SUM(CASE WHEN d.name IN (?) THEN 1 ELSE 0 END) AS named", bun.List(names)).
		Where("d.tenant_id = ?", t).
		WhereGroup(" AND ", func(sel *bun.SelectQuery) *bun.SelectQuery {
			return whereSceneOrProduct(sel.Where("d.name IN (?)", bun.List(names)), scenes, products)
		}).GroupExpr("d.product_id").OrderExpr("devices DESC, d.product_id").Scan(ctx, &counts)
	return counts, wrap("count by product", err)
}

// whereSceneOrProduct adds the devices of the scenes and products to the selection.
func whereSceneOrProduct(sel *bun.SelectQuery, scenes, products []int64) *bun.SelectQuery {
	sel.WhereOr("d.scene_id IN (?)", bun.List(scenes)).WhereOr("d.product_id IN (?)", bun.List(products))
	if slices.Contains(scenes, DefaultScene) {
		sel.WhereOr("d.scene_id IS NULL")
	}
	return sel
}

// Put creates d if its ID is 0, and sets the new id; otherwise it changes the tenant's device of
// that id. The name never changes. The scene must be the tenant's own.
func (s *Store) Put(ctx context.Context, t tenant.ID, d *Device) error {
	r, err := s.row(t, d)
	if err != nil {
		return err
	}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if r.SceneID != nil {
			if err := requireScenes(ctx, tx, t, []int64{*r.SceneID}); err != nil {
				return err
			}
		}
		if d.ID == 0 {
			if _, err := tx.NewInsert().Model(r).Exec(ctx); err != nil {
				return err
			}
			d.ID, d.Tenant, d.CreateTime = r.ID, t, r.CreateTime
			s.db.AfterCommit(ctx, func() { s.Changed.Tell(Ref{Tenant: t, ID: r.ID}) })
			return nil
		}
		s.db.AfterCommit(ctx, func() { s.Changed.Tell(Ref{Tenant: t, ID: r.ID}) })
		res, err := tx.NewUpdate().Model(r).ExcludeColumn("id", "tenant_id", "name", "create_time", "swap_time").
			Where("d.tenant_id = ? AND d.id = ?", t, d.ID).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err == nil && n == 0 {
			return errs.Missing()
		}
		return err
	})
	return wrap("put", err)
}

// row makes the row of a tenant's device, created now.
func (s *Store) row(t tenant.ID, d *Device) (*deviceRow, error) {
	elementData := []byte("{}")
	if d.ElementData != nil {
		var err error
		if elementData, err = json.Marshal(d.ElementData); err != nil {
			return nil, err
		}
	}
	d.Origin = cmp.Or(d.Origin, OriginProvider)
	r := &deviceRow{
		ID: d.ID, TenantID: t, Name: d.Name, Serial: d.Serial, NoteName: d.NoteName,
		FoldedText: text.Fold(d.Name + "\n" + d.NoteName + "\n" + d.Serial), Video: d.IsVideo(),
		ProductID: d.ProductID, Longitude: d.Longitude, Latitude: d.Latitude, Facts: d.Facts,
		Gateway: d.Gateway, Disabled: d.Disabled, Origin: d.Origin,
		ElementData: string(elementData), CreateTime: s.now().UnixMilli(),
	}
	if d.SceneID != DefaultScene {
		r.SceneID = &d.SceneID
	}
	return r, nil
}

// Delete removes a tenant's device. A later device of the same name is another device. The readings
// store erases the readings.
func (s *Store) Delete(ctx context.Context, t tenant.ID, id ID) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		s.db.AfterCommit(ctx, func() { s.Changed.Tell(Ref{Tenant: t, ID: id}) })
		_, err := tx.NewDelete().Model((*deviceRow)(nil)).Where("d.tenant_id = ? AND d.id = ?", t, id).Exec(ctx)
		return err
	})
	return wrap("delete", err)
}

// Count counts a tenant's devices.
func (s *Store) Count(ctx context.Context, t tenant.ID) (int64, error) {
	n, err := s.db.Read(ctx).NewSelect().Model((*deviceRow)(nil)).Where("d.tenant_id = ?", t).Count(ctx)
	return n, wrap("count", err)
}

// PutSecrets replaces the secrets that the tenant's device may sign in with. A hash that another
// device has is a duplicate (db.IsDuplicate).
func (s *Store) PutSecrets(ctx context.Context, t tenant.ID, id ID, hashes ...SecretHash) error {
	return s.PutAllSecrets(ctx, t, []SecretsOfDevice{{ID: id, Hashes: hashes}})
}

// Secrets gives the hashes of the secrets that the tenant's device may sign in with, oldest first.
func (s *Store) Secrets(ctx context.Context, t tenant.ID, id ID) ([]SecretHash, error) {
	var rows []secretRow
	err := s.db.Read(ctx).NewSelect().Model(&rows).
		Where("device_id = (SELECT id FROM devices WHERE tenant_id = ? AND id = ?)", t, id).
		OrderExpr("create_time, rowid").Scan(ctx)
	hashes := make([]SecretHash, len(rows))
	for i, r := range rows {
		copy(hashes[i][:], r.Hash)
	}
	return hashes, wrap("read secrets", err)
}

// OwnerOf gives, for the provider, the tenant that has the device of that name; names are unique on
// the platform. It gives 0 if no tenant has one.
func (s *Store) OwnerOf(ctx context.Context, name string) (tenant.ID, error) {
	var owner tenant.ID
	err := s.db.Read(ctx).NewSelect().Model((*deviceRow)(nil)).Column("tenant_id").
		Where("d.name = ?", name).Scan(ctx, &owner)
	if db.IsMissing(err) {
		return 0, nil
	}
	return owner, wrap("find owner", err)
}

func (r *deviceRow) device() (*Device, error) {
	d := &Device{
		ID:         r.ID,
		Tenant:     r.TenantID,
		Name:       r.Name,
		Serial:     r.Serial,
		NoteName:   r.NoteName,
		ProductID:  r.ProductID,
		Longitude:  r.Longitude,
		Latitude:   r.Latitude,
		Facts:      r.Facts,
		Gateway:    r.Gateway,
		Disabled:   r.Disabled,
		Origin:     r.Origin,
		CreateTime: r.CreateTime,
		SwapTime:   r.SwapTime,
	}
	if r.SceneID != nil {
		d.SceneID = *r.SceneID
	}
	err := json.Unmarshal([]byte(r.ElementData), &d.ElementData)
	return d, err
}
