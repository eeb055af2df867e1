package device

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/agronomy"
)

// loadTries is how often LoadRegistry reads beside other writers before it keeps them out.
const loadTries = 3

// registryRow is what the registry needs of a device.
type registryRow struct {
	bun.BaseModel `bun:"table:devices,alias:d"`
	ID            ID `bun:",pk"`
	TenantID      tenant.ID
	Name          string
	ProductID     int64
	Gateway       bool
	Disabled      bool
	Latitude      *float64
	Longitude     *float64
	Elevation     *float64
	SwapTime      int64
}

func (d *registryRow) entry(c *Catalog, secrets []SecretHash, former []formerSecret) *Entry {
	e := NewEntry(
		Ref{Tenant: d.TenantID, ID: d.ID}, d.Name, c.Product(d.ProductID), d.Gateway, d.Disabled, secrets...,
	)
	e.former, e.swapped = former, d.SwapTime
	return e
}

func (d *registryRow) site(zone *time.Location) Site {
	return Site{zone, agronomy.Place{Latitude: d.Latitude, Longitude: d.Longitude, Elevation: d.Elevation}}
}

// Reload makes the registry follow the database for some of a tenant's devices, which were created,
// changed or deleted. It reads in a transaction, as LoadRegistry does, so that a reload never replaces
// newer data.
func (s *Store) Reload(ctx context.Context, t tenant.ID, c *Catalog, r *Registry, ids ...ID) error {
	return wrap("reload", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		zones, err := tenant.Zones(ctx, tx, t)
		if err != nil {
			return err
		}
		refs := make([]Ref, len(ids))
		for i, id := range ids {
			refs[i] = Ref{Tenant: t, ID: id}
		}
		var entries []*Entry
		sites := map[Ref]Site{}
		if err := inBatches(ids, func(batch []ID) error {
			var rows []registryRow
			if err := tx.NewSelect().Model(&rows).Where("d.tenant_id = ? AND d.id IN (?)", t, bun.List(batch)).
				Scan(ctx); err != nil {
				return err
			}
			secrets, err := s.SecretsOf(ctx, t, batch)
			if err != nil {
				return err
			}
			former, err := readFormerSecrets(ctx, tx, batch...)
			if err != nil {
				return err
			}
			for i := range rows {
				if c.Product(rows[i].ProductID) == nil {
					continue // the provider has just stored it with its product, and is about to load both
				}
				e := rows[i].entry(c, secrets[rows[i].ID], former[rows[i].ID])
				entries = append(entries, e)
				if e.Derives() {
					sites[e.Ref] = rows[i].site(zones[t])
				}
			}
			return nil
		}); err != nil {
			return err
		}
		r.update(refs, entries, sites)
		return nil
	}))
}

// LoadRegistry reloads the catalogue and fills the registry with every device, and with the site of
// each device that derives values. A reload never replaces newer data: if a person changed something
// meanwhile, it reads again. The provider's changes do not run at the same time.
func (s *Store) LoadRegistry(ctx context.Context, c *Catalog, r *Registry) error {
	for range loadTries {
		if loaded, err := s.loadOnce(ctx, s.db.Read(ctx), c, r); loaded || err != nil {
			return wrap("load registry", err)
		}
	}
	return s.loadAlone(ctx, c, r)
}

// loadAlone loads while nobody else writes. Changes are noted in the registry after their commit, so it
// may read once more, too.
func (s *Store) loadAlone(ctx context.Context, c *Catalog, r *Registry) error {
	for loaded := false; !loaded; {
		if err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) (err error) {
			loaded, err = s.loadOnce(ctx, tx, c, r)
			return err
		}); err != nil {
			return wrap("load registry", err)
		}
	}
	return nil
}

// loadOnce reports false if a person changed something meanwhile, so that nothing was replaced.
func (s *Store) loadOnce(ctx context.Context, tx bun.IDB, c *Catalog, r *Registry) (bool, error) {
	changes := r.changeCount()
	if err := c.Load(ctx); err != nil {
		return false, err
	}
	entries, sites, err := readRegistry(ctx, tx, c, r.Total())
	if err != nil {
		return false, err
	}
	return r.replaceUnlessChanged(changes, entries, sites), nil
}

// readRegistry reads what the registry holds; room is about how many devices there are.
func readRegistry(ctx context.Context, tx bun.IDB, c *Catalog, room int) (
	entries []*Entry,
	sites map[Ref]Site,
	err error,
) {
	zones, err := tenant.Zones(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	former, err := readFormerSecrets(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	hashes, err := loadSecrets(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	entries, sites = make([]*Entry, 0, room), map[Ref]Site{}
	err = eachRow(ctx, tx.NewSelect().Model((*registryRow)(nil)).
		Column("id", "tenant_id", "name", "product_id", "gateway", "disabled").
		Column("latitude", "longitude", "elevation", "swap_time"), func(rows *sql.Rows) error {
		var d registryRow
		if err := rows.Scan(&d.ID, &d.TenantID, &d.Name, &d.ProductID, &d.Gateway, &d.Disabled,
			&d.Latitude, &d.Longitude, &d.Elevation, &d.SwapTime); err != nil {
			return err
		}
		e := d.entry(c, hashes[d.ID], former[d.ID])
		entries = append(entries, e)
		if e.Derives() {
			sites[e.Ref] = d.site(zones[d.TenantID])
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return entries, sites, nil
}

// loadSecrets reads the hashes of all devices' secrets.
func loadSecrets(ctx context.Context, tx bun.IDB) (map[ID][]SecretHash, error) {
	hashes := map[ID][]SecretHash{}
	err := eachRow(
		ctx,
		tx.NewSelect().Model((*secretRow)(nil)).Column("hash", "device_id"),
		func(rows *sql.Rows) error {
			var id ID
			var hash sql.RawBytes
			if err := rows.Scan(&hash, &id); err != nil {
				return err
			}
			hashes[id] = append(hashes[id], SecretHash(hash))
			return nil
		},
	)
	return hashes, err
}

// eachRow calls fn for each row of a query. For many rows this takes a third of the time of the library's
// own scan.
func eachRow(ctx context.Context, q *bun.SelectQuery, fn func(*sql.Rows) error) (err error) {
	rows, err := q.Rows(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
