package calibration

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
)

type row struct {
	bun.BaseModel `bun:"table:calibrations,alias:c"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	DeviceID      device.ID
	PropertyID    device.PropertyID
	FromTime      int64
	Kind          Kind
	Shift         float64
	Raw1          float64 `bun:"raw1"`
	True1         float64 `bun:"true1"`
	Raw2          float64 `bun:"raw2"`
	True2         float64 `bun:"true2"`
	Note          string
	MadeBy        string
	CreateTime    int64
	Swap          bool
	UndoneBy      string
	UndoTime      *int64
}

func (r *row) calibration() Calibration {
	return Calibration{
		ID: r.ID, Property: r.PropertyID, FromTime: r.FromTime, Kind: r.Kind,
		Numbers: Numbers{Shift: r.Shift, Raw1: r.Raw1, True1: r.True1, Raw2: r.Raw2, True2: r.True2},
		Note:    r.Note, MadeBy: r.MadeBy, CreateTime: r.CreateTime, Swap: r.Swap,
		UndoneBy: r.UndoneBy, UndoTime: deref(r.UndoTime, 0),
	}
}

// newRow is c as the tenant's device has it.
func newRow(t tenant.ID, d device.ID, c *Calibration) *row {
	n := &c.Numbers
	return &row{
		TenantID: t, DeviceID: d, PropertyID: c.Property, FromTime: c.FromTime, Kind: c.Kind,
		Shift: n.Shift, Raw1: n.Raw1, True1: n.True1, Raw2: n.Raw2, True2: n.True2,
		Note: c.Note, MadeBy: c.MadeBy, CreateTime: c.CreateTime, Swap: c.Swap,
	}
}

func wrap(operation string, err error) error {
	return errs.WrapOperation("calibration", operation, err)
}

// of gives the calibrations of a device that hold, by property and time.
func (s *Service) of(ctx context.Context, t tenant.ID, d device.ID) ([]Calibration, error) {
	var rows []row
	err := s.DB.Read(ctx).NewSelect().Model(&rows).
		Where("c.tenant_id = ? AND c.device_id = ? AND c.undo_time IS NULL", t, d).
		OrderExpr("c.property_id, c.from_time").Scan(ctx)
	list := make([]Calibration, len(rows))
	for i := range rows {
		list[i] = rows[i].calibration()
	}
	return list, wrap("read", err)
}

// Page gives up to limit calibrations of a tenant's device from offset on, also those that were undone, the
// newest first, and how many there are in all. property 0 is any.
func (s *Service) Page(
	ctx context.Context, t tenant.ID, d device.ID, property device.PropertyID, offset, limit int64,
) ([]Calibration, int64, error) {
	var rows []row
	q := s.DB.Read(ctx).NewSelect().Model(&rows).Where("c.tenant_id = ? AND c.device_id = ?", t, d)
	if property != 0 {
		q.Where("c.property_id = ?", property)
	}
	total, err := q.OrderExpr("c.from_time DESC, c.id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
	list := make([]Calibration, len(rows))
	for i := range rows {
		list[i] = rows[i].calibration()
	}
	return list, total, wrap("read page", err)
}

// In gives the calibrations of a tenant's device that were made or undone in from..to (epoch ms), the newest
// first, up to limit of each.
func (s *Service) In(
	ctx context.Context, t tenant.ID, d device.ID, from, to, limit int64,
) (made, undone []Calibration, err error) {
	for _, part := range []struct {
		column string
		into   *[]Calibration
	}{{"create_time", &made}, {"undo_time", &undone}} {
		var rows []row
		err := s.DB.Read(ctx).NewSelect().Model(&rows).Where("c.tenant_id = ? AND c.device_id = ?", t, d).
			Where("c.? BETWEEN ? AND ?", bun.Ident(part.column), from, to).
			OrderExpr("c.? DESC, c.id DESC", bun.Ident(part.column)).Limit(limit).Scan(ctx)
		if err != nil {
			return nil, nil, wrap("read events", err)
		}
		for i := range rows {
			*part.into = append(*part.into, rows[i].calibration())
		}
	}
	return made, undone, nil
}

// get gives a calibration of a tenant, and the device that it corrects.
func (s *Service) get(ctx context.Context, t tenant.ID, id int64) (*Calibration, device.ID, error) {
	var r row
	err := s.DB.Read(ctx).NewSelect().Model(&r).Where("c.tenant_id = ? AND c.id = ?", t, id).Scan(ctx)
	if db.IsMissing(err) {
		return nil, 0, errs.Missing()
	}
	if err != nil {
		return nil, 0, wrap("read", err)
	}
	c := r.calibration()
	return &c, r.DeviceID, nil
}

// put stores a new calibration of a tenant's device and gives its id. It refuses a time of another one.
func (s *Service) put(ctx context.Context, t tenant.ID, d device.ID, c *Calibration) (int64, error) {
	r := newRow(t, d, c)
	err := s.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(r).Exec(ctx)
		return err
	})
	if db.IsDuplicate(err) {
		return 0, refused("calibration.sameTime", "fromTime")
	}
	return r.ID, wrap("store", err)
}

// markUndone records that a calibration of a tenant is undone.
func (s *Service) markUndone(ctx context.Context, t tenant.ID, id int64, by string, at time.Time) error {
	return wrap("undo", s.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*row)(nil)).Set("undo_time = ?, undone_by = ?", at.UnixMilli(), by).
			Where("c.tenant_id = ? AND c.id = ?", t, id).Exec(ctx)
		return err
	}))
}
