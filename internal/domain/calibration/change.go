package calibration

import (
	"context"
	"slices"
	"strconv"
	"time"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// Load reads the calibrations of all tenants that hold, and gives the store of readings their curves.
func (s *Service) Load(ctx context.Context) error {
	var rows []row
	if err := s.DB.Read(ctx).NewSelect().Model(&rows).Where("c.undo_time IS NULL").
		OrderExpr("c.device_id, c.property_id, c.from_time").Scan(ctx); err != nil {
		return wrap("load", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setClamps()
	clear(s.holding)
	for i := range rows {
		ref := device.Ref{Tenant: rows[i].TenantID, ID: rows[i].DeviceID}
		s.holding[ref] = append(s.holding[ref], rows[i].calibration())
	}
	for ref := range s.holding {
		s.apply(ref)
	}
	return nil
}

// StructureChanged makes all curves anew, because properties may have other decimals and ranges, or devices
// be gone.
func (s *Service) StructureChanged() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setClamps()
	for ref := range s.holding {
		if e := s.Registry.Get(ref.ID); e == nil || e.Ref != ref {
			delete(s.holding, ref)
		}
		s.apply(ref)
	}
}

// apply gives the store of readings the curves of a device. The caller holds mu.
func (s *Service) apply(ref device.Ref) {
	if len(s.holding[ref]) == 0 {
		s.Readings.SetCurves(ref, nil) // those of its product, if there are some
		return
	}
	p := &device.Product{}
	if e := s.Registry.Get(ref.ID); e != nil && e.Ref == ref && e.Product != nil {
		p = e.Product
	}
	s.Readings.SetCurves(ref, curves(s.holding[ref], p))
}

// follow lets everything that reads follow the calibrations of a device that hold from now on.
func (s *Service) follow(ref device.Ref, list []Calibration) {
	s.hold(ref, list)
	s.Deriver.Forget(ref)
	s.Changed.Tell(ref)
}

// hold takes the calibrations of a device that hold from now on.
func (s *Service) hold(ref device.Ref, list []Calibration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holding[ref] = list; len(list) == 0 {
		delete(s.holding, ref)
	}
	s.apply(ref)
}

// Create makes a calibration of a tenant's device for a person (by display name), and gives its id.
func (s *Service) Create(ctx context.Context, t tenant.ID, name, by string, f Form) (id int64, err error) {
	d, p, err := s.device(ctx, t, name)
	if err != nil {
		return 0, err
	}
	c, property, err := s.check(&f, p)
	if err != nil {
		return 0, err
	}
	if err := s.countChange(t); err != nil {
		return 0, err
	}
	c.MadeBy, c.CreateTime = by, s.Now().UnixMilli()
	err = s.change(ctx, d, p, c, func(ctx context.Context, holding []Calibration) error {
		of := slices.DeleteFunc(slices.Clone(holding), func(o Calibration) bool { return o.Property != c.Property })
		if len(of) >= mostOfProperty {
			return refused("calibration.tooMany", "yeuSign", "limit", strconv.Itoa(mostOfProperty))
		}
		if id, err = s.put(ctx, t, d.ID, c); err != nil {
			return err
		}
		return audit.Log(ctx, t, audit.Action{
			Name: "device.calibrate", Thing: d.AuditThing(), Changes: auditChanges(c, property),
		})
	})
	return id, err
}

// Undo undoes a calibration of a tenant for a person (by display name).
func (s *Service) Undo(ctx context.Context, t tenant.ID, id int64, by string) error {
	c, of, err := s.get(ctx, t, id)
	if err != nil {
		return err
	}
	d, err := s.Devices.ByID(ctx, t, of)
	if err != nil {
		return err
	}
	_, p, err := s.device(ctx, t, d.Name)
	if err != nil {
		return err
	}
	if err := s.countChange(t); err != nil {
		return err
	}
	return s.change(ctx, d, p, c, func(ctx context.Context, _ []Calibration) error {
		// Once more: somebody else may have undone it meanwhile.
		if c, _, err = s.get(ctx, t, id); err != nil {
			return err
		}
		switch {
		case c.UndoTime != 0:
			return errs.New(errs.Refused, "calibration.undone")
		case c.Swap:
			return errs.New(errs.Refused, "calibration.bySwap")
		}
		if err := s.markUndone(ctx, t, id, by, s.Now()); err != nil {
			return err
		}
		return audit.Log(ctx, t, audit.Action{
			Name: "device.undoCalibration", Thing: d.AuditThing(), Changes: auditChanges(c, p.PropertyByID(c.Property)),
		})
	})
}

// change changes the calibrations of a device in a transaction, and lets everything that reads follow.
func (s *Service) change(
	ctx context.Context,
	d *device.Device,
	p *device.Product,
	c *Calibration,
	write func(ctx context.Context, holding []Calibration) error,
) error {
	ref := device.Ref{Tenant: d.Tenant, ID: d.ID}
	properties := dependents(p, c.Property)
	var holding []Calibration
	return s.Judge.Recalibrate(ctx, ref, func(ctx context.Context) ([]device.PropertyID, error) {
		before, err := s.of(ctx, ref.Tenant, ref.ID)
		if err != nil {
			return nil, err
		}
		if err := write(ctx, before); err != nil {
			return nil, err
		}
		if holding, err = s.of(ctx, ref.Tenant, ref.ID); err != nil {
			return nil, err
		}
		if len(properties) > 1 {
			err = s.askRederivation(ctx, ref.Tenant, ref.ID, c.FromTime)
		}
		return properties, err
	}, func() {
		s.follow(ref, holding)
		s.wakeUp()
	})
}

// End ends all corrections of a tenant's device at a time, because the device is swapped. The context carries
// the transaction of the swap.
func (s *Service) End(ctx context.Context, t tenant.ID, d device.ID, by string, at time.Time) error {
	holding, err := s.of(ctx, t, d)
	if err != nil {
		return err
	}
	for i := range holding {
		last := i == len(holding)-1 || holding[i+1].Property != holding[i].Property
		if !last || holding[i].Kind == None {
			continue
		}
		end := &Calibration{
			Property: holding[i].Property, Kind: None, MadeBy: by, CreateTime: at.UnixMilli(), Swap: true,
			FromTime: max(at.UnixMilli(), holding[i].FromTime+1),
		}
		if _, err := s.put(ctx, t, d, end); err != nil {
			return err
		}
	}
	if len(holding) == 0 {
		return nil
	}
	if holding, err = s.of(ctx, t, d); err != nil {
		return err
	}
	ref := device.Ref{Tenant: t, ID: d}
	s.DB.AfterCommit(ctx, func() {
		s.follow(ref, holding)
	})
	return nil
}

// Holding gives the calibrations of a device that hold, by property and time.
func (s *Service) Holding(ref device.Ref) []Calibration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.holding[ref])
}

// device finds a tenant's device and its product.
func (s *Service) device(ctx context.Context, t tenant.ID, name string) (*device.Device, *device.Product, error) {
	d, err := s.Devices.Get(ctx, t, name)
	if err != nil {
		return nil, nil, err
	}
	p := s.Catalog.Product(d.ProductID)
	if p == nil {
		return nil, nil, errs.Missing()
	}
	return d, p, nil
}

// countChange counts a change, and refuses one too many.
func (s *Service) countChange(t tenant.ID) error {
	if state := s.changes.Allow(t); state.Retry > 0 {
		return errs.New(errs.TooMany, "error.429").RetryAfter(state.Retry)
	}
	return nil
}

// auditChanges are a calibration as the activity shows it. The property may be gone.
func auditChanges(c *Calibration, p *device.Property) []audit.Change {
	list := []audit.Change{{Field: "fromTime", After: c.FromTime}, {Field: "calibrationKind", After: string(c.Kind)}}
	if p != nil {
		list = slices.Insert(list, 0, audit.Change{Field: "attribute", After: p.Identifier})
	}
	n := &c.Numbers
	switch c.Kind {
	case Offset:
		list = append(list, audit.Change{Field: "offset", After: n.Shift})
	case TwoPoint:
		list = append(list,
			audit.Change{Field: "raw1", After: n.Raw1}, audit.Change{Field: "true1", After: n.True1},
			audit.Change{Field: "raw2", After: n.Raw2}, audit.Change{Field: "true2", After: n.True2},
		)
	}
	if c.Note != "" {
		list = append(list, audit.Change{Field: "note", After: c.Note})
	}
	return list
}
