package device

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/agronomy"
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
	Elevation   *float64 // m above the sea; nil: not known
	Gateway     bool
	Disabled    bool
	ElementData map[string]string // the device's own elementData by identifier, over its product's
	CreateTime  int64             // epoch milliseconds
}

// videoSerial is what the serial of a camera contains, by the convention of the
// sensor makers.
const videoSerial = "SXT"

// IsVideo tells whether the device is a camera.
func (d *Device) IsVideo() bool { return strings.Contains(d.Serial, videoSerial) }

// Title is what people read: the remark name, else the device name.
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
	Elevation     *float64
	Gateway       bool
	Disabled      bool
	ElementData   string
	CreateTime    int64
}

type secretRow struct {
	bun.BaseModel `bun:"table:device_secrets"`
	Hash          []byte `bun:",pk"`
	DeviceID      ID
	CreateTime    int64
}

// Store keeps devices.
type Store struct {
	db      *db.DB
	now     func() time.Time
	changed listeners[ID]
}

// NewStore makes a store; now is the server's clock.
func NewStore(d *db.DB, now func() time.Time) *Store { return &Store{db: d, now: now} }

// OnTenantChange calls f after every change of a tenant's device that is kept, its
// making and its end included. f must not block.
func (s *Store) OnChange(f func(t tenant.ID, id ID)) { s.changed.add(f) }

// Get finds a tenant's device by name.
func (s *Store) Get(ctx context.Context, t tenant.ID, name string) (*Device, error) {
	var r deviceRow
	err := s.db.Read(ctx).NewSelect().Model(&r).Where("d.tenant_id = ? AND d.name = ?", t, name).Scan(ctx)
	if err != nil {
		return nil, asNotFound(err)
	}
	return r.device()
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

// BySerial finds those of a tenant's devices whose serial is one of some, as
// written; two at most, which is one too many for who looks for one.
func (s *Store) BySerial(ctx context.Context, t tenant.ID, serials []string) ([]ID, error) {
	var ids []ID
	err := s.db.Read(ctx).NewSelect().Model((*deviceRow)(nil)).Column("d.id").
		Where("d.tenant_id = ? AND d.serial IN (?)", t, bun.List(serials)).Limit(2).Scan(ctx, &ids)
	return ids, err
}

// ByIDs finds a tenant's devices by their numbers, in the order of ids; those
// that are gone are left out.
func (s *Store) ByIDs(ctx context.Context, t tenant.ID, ids []ID) ([]*Device, error) {
	found := make(map[ID]*Device, len(ids))
	err := inBatches(ids, func(batch []ID) error {
		var rows []deviceRow
		if err := s.db.Read(
			ctx,
		).NewSelect().Model(
			&rows,
		).Where(
			"d.tenant_id = ? AND d.id IN (?)",
			t,
			bun.List(batch),
		).Scan(
			ctx,
		); err != nil {
			return err
		}
		for i := range rows {
			d, err := rows[i].device()
			if err != nil {
				return err
			}
			found[d.ID] = d
		}
		return nil
	})
	list := make([]*Device, 0, len(found))
	for _, id := range ids {
		if d := found[id]; d != nil {
			list = append(list, d)
		}
	}
	return list, err
}

// BySceneOrProduct finds a tenant's devices that stand in one of some scenes (DefaultScene: in none)
// or are of one of some products, by their titles.
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
		return nil, err
	}
	list := make([]*Device, len(rows))
	for i := range rows {
		if list[i], err = rows[i].device(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ProductCount is how many devices of one product there are among some.
type ProductCount struct {
	ProductID int64
	Devices   int
	Named     int // of these, that are named by themselves
}

// CountByProduct counts a tenant's devices that are named, stand in one of some scenes
// (DefaultScene: in none) or are of one of some products, each once; by product, most
// devices first.
func (s *Store) CountByProduct(
	ctx context.Context,
	t tenant.ID,
	names []string,
	scenes, products []int64,
) (counts []ProductCount, err error) {
	err = s.db.Read(ctx).NewSelect().Model((*deviceRow)(nil)).ColumnExpr("d.product_id, COUNT(*) AS devices").
		ColumnExpr(
			"SUM(CASE WHEN d.name IN (?) THEN 1 ELSE 0 END) AS named",
			bun.List(names),
		).Where("d.tenant_id = ?", t).
		WhereGroup(" AND ", func(sel *bun.SelectQuery) *bun.SelectQuery {
			return whereSceneOrProduct(sel.Where("d.name IN (?)", bun.List(names)), scenes, products)
		}).GroupExpr("d.product_id").OrderExpr("devices DESC, d.product_id").Scan(ctx, &counts)
	return counts, err
}

// whereSceneOrProduct adds the devices of some scenes and products to those that are asked for.
func whereSceneOrProduct(sel *bun.SelectQuery, scenes, products []int64) *bun.SelectQuery {
	sel.WhereOr("d.scene_id IN (?)", bun.List(scenes)).WhereOr("d.product_id IN (?)", bun.List(products))
	if slices.Contains(scenes, DefaultScene) {
		sel.WhereOr("d.scene_id IS NULL")
	}
	return sel
}

// Put creates d (ID 0; the new id is set) or changes the tenant's device of
// that id. Its name never changes; a scene must be the tenant's own.
func (s *Store) Put(ctx context.Context, t tenant.ID, d *Device) error {
	elementData, err := json.Marshal(d.ElementData)
	if err != nil {
		return err
	}
	if d.ElementData == nil {
		elementData = []byte("{}")
	}
	r := deviceRow{
		ID: d.ID, TenantID: t, Name: d.Name, Serial: d.Serial, NoteName: d.NoteName,
		FoldedText: text.Fold(d.Name + "\n" + d.NoteName + "\n" + d.Serial), Video: d.IsVideo(),
		ProductID: d.ProductID, Longitude: d.Longitude, Latitude: d.Latitude, Elevation: d.Elevation,
		Gateway: d.Gateway, Disabled: d.Disabled, ElementData: string(elementData), CreateTime: s.now().UnixMilli(),
	}
	if d.SceneID != DefaultScene {
		r.SceneID = &d.SceneID
	}
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if r.SceneID != nil {
			exists, err := tx.NewSelect().Model(
				(*sceneRow)(nil),
			).Where(
				"tenant_id = ? AND id = ?",
				t,
				*r.SceneID,
			).Exists(
				ctx,
			)
			if err != nil {
				return err
			}
			if !exists {
				return errs.Missing().WithField("groupId")
			}
		}
		if d.ID == 0 {
			if _, err := tx.NewInsert().Model(&r).Exec(ctx); err != nil {
				return err
			}
			d.ID, d.Tenant, d.CreateTime = r.ID, t, r.CreateTime
			s.db.AfterCommit(ctx, func() { s.changed.notify(t, r.ID) })
			return nil
		}
		s.db.AfterCommit(ctx, func() { s.changed.notify(t, r.ID) })
		res, err := tx.NewUpdate().Model(&r).ExcludeColumn("id", "tenant_id", "name", "create_time").
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
}

// Delete removes a tenant's device; its name may be made again, as another
// device. Its readings are erased by the readings store.
func (s *Store) Delete(ctx context.Context, t tenant.ID, id ID) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		s.db.AfterCommit(ctx, func() { s.changed.notify(t, id) })
		_, err := tx.NewDelete().Model((*deviceRow)(nil)).Where("d.tenant_id = ? AND d.id = ?", t, id).Exec(ctx)
		return err
	})
}

// Count is how many devices a tenant has.
func (s *Store) Count(ctx context.Context, t tenant.ID) (int64, error) {
	return s.db.Read(ctx).NewSelect().Model((*deviceRow)(nil)).Where("d.tenant_id = ?", t).Count(ctx)
}

// PutSecrets makes hashes the secrets that let the tenant's device in; the
// others of it no longer do. A hash that another device has is refused as a
// duplicate (db.IsDuplicate).
func (s *Store) PutSecrets(ctx context.Context, t tenant.ID, id ID, hashes ...SecretHash) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		exists, err := tx.NewSelect().Model((*deviceRow)(nil)).Where("d.tenant_id = ? AND d.id = ?", t, id).Exists(ctx)
		if err != nil {
			return err
		}
		if !exists {
			return errs.Missing()
		}
		if _, err := tx.NewDelete().Model((*secretRow)(nil)).Where("device_id = ?", id).Exec(ctx); err != nil {
			return err
		}
		for _, h := range hashes {
			r := secretRow{Hash: h[:], DeviceID: id, CreateTime: s.now().UnixMilli()}
			if _, err := tx.NewInsert().Model(&r).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// Secrets gives the hashes that let the tenant's device in, oldest first.
func (s *Store) Secrets(ctx context.Context, t tenant.ID, id ID) ([]SecretHash, error) {
	var rows []secretRow
	err := s.db.Read(ctx).NewSelect().Model(&rows).
		Where("device_id = (SELECT id FROM devices WHERE tenant_id = ? AND id = ?)", t, id).
		OrderExpr("create_time, rowid").Scan(ctx)
	hashes := make([]SecretHash, len(rows))
	for i, r := range rows {
		copy(hashes[i][:], r.Hash)
	}
	return hashes, err
}

// OwnerOf tells which tenant has a device of that name, for whoever runs the
// platform: names are unique on it. 0 when nobody has.
func (s *Store) OwnerOf(ctx context.Context, name string) (tenant.ID, error) {
	var owner tenant.ID
	err := s.db.Read(
		ctx,
	).NewSelect().Model(
		(*deviceRow)(nil),
	).Column(
		"tenant_id",
	).Where(
		"d.name = ?",
		name,
	).Scan(
		ctx,
		&owner,
	)
	if db.IsMissing(err) {
		return 0, nil
	}
	return owner, err
}

// LoadRegistry makes the registry hold every device as the database has it,
// with the sites of those from which anything is derived, and reads the
// catalogue with it: all are of one moment, and an older reading never replaces
// a newer one.
func (s *Store) LoadRegistry(ctx context.Context, c *Catalog, r *Registry) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if err := c.Load(ctx); err != nil {
			return err
		}
		var rows []deviceRow
		var secrets []secretRow
		if err := tx.NewSelect().Model(&rows).
			Column(
				"id",
				"tenant_id",
				"name",
				"product_id",
				"gateway",
				"disabled",
				"latitude",
				"longitude",
				"elevation",
			).Scan(ctx); err != nil {
			return err
		}
		zones, err := tenant.Zones(ctx, tx)
		if err != nil {
			return err
		}
		if err := tx.NewSelect().Model(&secrets).Scan(ctx); err != nil {
			return err
		}
		hashes := make(map[ID][]SecretHash, len(rows))
		for _, sec := range secrets {
			hashes[sec.DeviceID] = append(hashes[sec.DeviceID], SecretHash(sec.Hash))
		}
		entries, sites := make([]*Entry, 0, len(rows)), map[Ref]Site{}
		for _, d := range rows {
			ref := Ref{Tenant: d.TenantID, ID: d.ID}
			e := NewEntry(ref, d.Name, c.Product(d.ProductID), d.Gateway, d.Disabled, hashes[d.ID]...)
			entries = append(entries, e)
			if e.Derives() {
				sites[ref] = Site{
					zones[d.TenantID],
					agronomy.Place{Latitude: d.Latitude, Longitude: d.Longitude, Elevation: d.Elevation},
				}
			}
		}
		r.replace(entries, sites)
		return nil
	})
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
		Elevation:  r.Elevation,
		Gateway:    r.Gateway,
		Disabled:   r.Disabled,
		CreateTime: r.CreateTime,
	}
	if r.SceneID != nil {
		d.SceneID = *r.SceneID
	}
	err := json.Unmarshal([]byte(r.ElementData), &d.ElementData)
	return d, err
}
