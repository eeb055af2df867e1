package device

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/db"
	"tilth/internal/errs"
	"tilth/internal/tenant"
	"tilth/internal/text"
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
	ElementData map[string]string // the device's own elementData by identifier, over its product's
	CreateTime  int64             // epoch milliseconds
}

// IsVideo tells whether the device is a camera: by the convention of the
// sensor makers, its serial contains SXT.
func (d *Device) IsVideo() bool { return strings.Contains(d.Serial, "SXT") }

// Title is what people read: the remark name, else the device name.
func (d *Device) Title() string {
	if d.NoteName != "" {
		return d.NoteName
	}
	return d.Name
}

type row struct {
	bun.BaseModel `bun:"table:devices,alias:d"`
	ID            ID `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	Name          string
	Serial        string
	NoteName      string
	FoldedTitle   string
	FoldedText    string
	ProductID     int64
	SceneID       *int64
	Longitude     *float64
	Latitude      *float64
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
	db  *db.DB
	now func() time.Time
}

// NewStore makes a store; now is the server's clock.
func NewStore(d *db.DB, now func() time.Time) *Store { return &Store{db: d, now: now} }

// Get finds a tenant's device by name.
func (s *Store) Get(ctx context.Context, t tenant.ID, name string) (*Device, error) {
	var r row
	err := s.db.Read(ctx).NewSelect().Model(&r).Where("d.tenant_id = ? AND d.name = ?", t, name).Scan(ctx)
	if err != nil {
		return nil, missing(err)
	}
	return r.device()
}

// Query selects and orders devices. Zero fields do not filter.
type Query struct {
	Search    string // part of name, remark name or serial, any case
	Scene     *int64 // DefaultScene: devices in no scene
	Names     []string
	ProductID int64
	Online    *bool
	Offset    int64
	Limit     int64
}

// Page gives the devices that q selects, by title then id, and how many there
// are in all.
func (s *Store) Page(ctx context.Context, t tenant.ID, q Query) ([]*Device, int64, error) {
	var rows []row
	sel := s.db.Read(ctx).NewSelect().Model(&rows).Where("d.tenant_id = ?", t)
	if q.Search != "" {
		sel.Where(`d.folded_text LIKE ? ESCAPE '\'`, text.Contains(q.Search))
	}
	switch {
	case q.Scene == nil:
	case *q.Scene == DefaultScene:
		sel.Where("d.scene_id IS NULL")
	default:
		sel.Where("d.scene_id = ?", *q.Scene)
	}
	if len(q.Names) > 0 {
		sel.Where("d.name IN (?)", bun.List(q.Names))
	}
	if q.ProductID != 0 {
		sel.Where("d.product_id = ?", q.ProductID)
	}
	if q.Online != nil {
		sel.Where("EXISTS (SELECT 1 FROM device_status ds WHERE ds.device_id = d.id AND ds.online) = ?", *q.Online)
	}
	total, err := sel.OrderExpr("d.folded_title, d.id").Offset(q.Offset).Limit(q.Limit).ScanAndCount(ctx)
	if err != nil {
		return nil, 0, err
	}
	list := make([]*Device, 0, len(rows))
	for i := range rows {
		d, err := rows[i].device()
		if err != nil {
			return nil, 0, err
		}
		list = append(list, d)
	}
	return list, total, nil
}

// GroupCount is how many devices a scene holds.
type GroupCount struct {
	SceneID int64
	Devices int
	Online  int
}

// CountByScene counts a tenant's devices by scene, DefaultScene included.
func (s *Store) CountByScene(ctx context.Context, t tenant.ID) (map[int64]GroupCount, error) {
	var counts []GroupCount
	err := s.db.Read(ctx).NewSelect().Model((*row)(nil)).
		ColumnExpr("COALESCE(d.scene_id, 0) AS scene_id").
		ColumnExpr("COUNT(*) AS devices").
		ColumnExpr("COALESCE(SUM(CASE WHEN ds.online THEN 1 ELSE 0 END), 0) AS online").
		Join("LEFT JOIN device_status AS ds ON ds.device_id = d.id").
		Where("d.tenant_id = ?", t).GroupExpr("1").Scan(ctx, &counts)
	by := make(map[int64]GroupCount, len(counts))
	for _, c := range counts {
		by[c.SceneID] = c
	}
	return by, err
}

// Place is a device on the map.
type Place struct {
	ID        ID
	Name      string
	NoteName  string
	SceneID   int64
	Longitude float64
	Latitude  float64
}

// Box is a part of the map, in degrees. It may reach over the date line (West
// greater than East).
type Box struct{ West, South, East, North float64 }

// Places gives a tenant's devices that have a position inside the box (nil:
// anywhere), by id, and how many devices have no position at all.
func (s *Store) Places(ctx context.Context, t tenant.ID, box *Box) ([]Place, int64, error) {
	var places []Place
	sel := s.db.Read(ctx).NewSelect().Model((*row)(nil)).
		ColumnExpr("d.id, d.name, d.note_name, COALESCE(d.scene_id, 0) AS scene_id, d.longitude, d.latitude").
		Where("d.tenant_id = ? AND d.longitude IS NOT NULL", t).OrderExpr("d.id")
	if box != nil {
		sel.Where("d.latitude BETWEEN ? AND ?", box.South, box.North)
		if box.West <= box.East {
			sel.Where("d.longitude BETWEEN ? AND ?", box.West, box.East)
		} else {
			sel.Where("(d.longitude >= ? OR d.longitude <= ?)", box.West, box.East)
		}
	}
	if err := sel.Scan(ctx, &places); err != nil {
		return nil, 0, err
	}
	unplaced, err := s.db.Read(ctx).NewSelect().Model((*row)(nil)).
		Where("d.tenant_id = ? AND d.longitude IS NULL", t).Count(ctx)
	return places, unplaced, err
}

// Put creates d (ID 0; the new id is set) or changes the tenant's device of
// that id. Its name never changes; a scene must be the tenant's own.
func (s *Store) Put(ctx context.Context, t tenant.ID, d *Device) error {
	own, err := json.Marshal(d.ElementData)
	if err != nil {
		return err
	}
	if d.ElementData == nil {
		own = []byte("{}")
	}
	r := row{
		ID: d.ID, TenantID: t, Name: d.Name, Serial: d.Serial, NoteName: d.NoteName,
		FoldedTitle: text.Fold(d.Title()),
		FoldedText:  text.Fold(d.Name + "\n" + d.NoteName + "\n" + d.Serial),
		ProductID:   d.ProductID, Longitude: d.Longitude, Latitude: d.Latitude,
		Gateway: d.Gateway, Disabled: d.Disabled, ElementData: string(own), CreateTime: s.now().UnixMilli(),
	}
	if d.SceneID != DefaultScene {
		r.SceneID = &d.SceneID
	}
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if r.SceneID != nil {
			mine, err := tx.NewSelect().Model((*sceneRow)(nil)).Where("tenant_id = ? AND id = ?", t, *r.SceneID).Exists(ctx)
			if err != nil {
				return err
			}
			if !mine {
				return errs.Missing().About("groupId")
			}
		}
		if d.ID == 0 {
			if _, err := tx.NewInsert().Model(&r).Exec(ctx); err != nil {
				return err
			}
			d.ID, d.Tenant, d.CreateTime = r.ID, t, r.CreateTime
			return nil
		}
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
		_, err := tx.NewDelete().Model((*row)(nil)).Where("d.tenant_id = ? AND d.id = ?", t, id).Exec(ctx)
		return err
	})
}

// PutSecrets makes hashes the secrets that let the tenant's device in; the
// others of it no longer do. A hash that another device has is refused as a
// duplicate (db.IsDuplicate).
func (s *Store) PutSecrets(ctx context.Context, t tenant.ID, id ID, hashes ...SecretHash) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		mine, err := tx.NewSelect().Model((*row)(nil)).Where("d.tenant_id = ? AND d.id = ?", t, id).Exists(ctx)
		if err != nil {
			return err
		}
		if !mine {
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
	err := s.db.Read(ctx).NewSelect().Model((*row)(nil)).Column("tenant_id").Where("d.name = ?", name).Scan(ctx, &owner)
	if db.IsMissing(err) {
		return 0, nil
	}
	return owner, err
}

// LoadRegistry makes the registry hold every device as the database has it,
// and reads the catalogue with it: both are of one moment, and an older reading
// never replaces a newer one.
func (s *Store) LoadRegistry(ctx context.Context, c *Catalog, r *Registry) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if err := c.Load(ctx); err != nil {
			return err
		}
		var rows []row
		var secrets []secretRow
		if err := tx.NewSelect().Model(&rows).Column("id", "tenant_id", "name", "product_id", "gateway", "disabled").Scan(ctx); err != nil {
			return err
		}
		if err := tx.NewSelect().Model(&secrets).Scan(ctx); err != nil {
			return err
		}
		hashes := make(map[ID][]SecretHash, len(rows))
		for _, sec := range secrets {
			hashes[sec.DeviceID] = append(hashes[sec.DeviceID], SecretHash(sec.Hash))
		}
		entries := make([]*Entry, 0, len(rows))
		for _, d := range rows {
			ref := Ref{Tenant: d.TenantID, ID: d.ID}
			entries = append(entries, NewEntry(ref, d.Name, c.Product(d.ProductID), d.Gateway, d.Disabled, hashes[d.ID]...))
		}
		r.Replace(entries)
		return nil
	})
}

func (r *row) device() (*Device, error) {
	d := &Device{
		ID: r.ID, Tenant: r.TenantID, Name: r.Name, Serial: r.Serial, NoteName: r.NoteName, ProductID: r.ProductID,
		Longitude: r.Longitude, Latitude: r.Latitude, Gateway: r.Gateway, Disabled: r.Disabled, CreateTime: r.CreateTime,
	}
	if r.SceneID != nil {
		d.SceneID = *r.SceneID
	}
	err := json.Unmarshal([]byte(r.ElementData), &d.ElementData)
	return d, err
}
