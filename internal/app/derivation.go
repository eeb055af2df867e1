package app

import (
	"context"
	"errors"
	"time"

	"tilth/internal/domain/calibration"
	"tilth/internal/domain/derivation"
	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/agronomy"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
)

// openDerivation makes what computes derived values, and the calibrations on which they depend.
func (s *Stores) openDerivation() {
	s.Derivation = derivation.New(derivation.Options{Readings: s.Readings, Site: s.site})
	s.Calibrations = calibration.New(calibration.Deps{
		DB:             s.DB,
		Devices:        s.Devices,
		Registry:       s.Registry,
		Catalog:        s.Catalog,
		Readings:       s.Readings,
		Judge:          s.Alarms,
		Deriver:        s.Derivation,
		Now:            s.Now,
		Retention:      s.Retention,
		RetentionClock: s.RetentionClock,
		Meter:          s.Limits,
	})
}

// Past computes derived values of the past again through the intake of readings.
func (s *Stores) Past(intake derivation.Recomputer) calibration.Past { return &past{s, intake} }

// past computes the derived values of the past again, in between the messages that arrive.
type past struct {
	stores *Stores
	intake derivation.Recomputer
}

// Recompute is calibration.Past.
func (p *past) Recompute(
	ctx context.Context, t tenant.ID, d device.ID, from, to int64,
) (days, values int, err error) {
	s := p.stores
	owner, err := s.Tenants.Get(ctx, t)
	if err != nil {
		return 0, 0, err
	}
	task, why := s.Turns.Enter(ctx, t, calibrationUser)
	switch {
	case why != limit.NotFull:
		return 0, 0, errors.New("too much work on this tenant's readings is waiting")
	case task == nil:
		return 0, 0, ctx.Err()
	}
	defer task.Leave()
	ctx = limit.WithTask(ctx, task)
	covered, err := s.Readings.Coverage(ctx, t, d, from, to, owner.TimeZone)
	if err != nil {
		return 0, 0, err
	}
	ref := device.Ref{Tenant: t, ID: d}
	return derivation.RecomputeDays(ctx, task, p.intake, ref, covered, nil, context.Context.Err)
}

// calibrationUser stands for calibrations in place of a user id.
const calibrationUser = -1

// derives reports whether anything is computed from a device's readings.
func (s *Stores) derives(ref device.Ref) bool {
	entry := s.Registry.Get(ref.ID)
	return entry != nil && entry.Ref == ref && entry.Derives()
}

// site is the position of a device, and its tenant's time zone. Only for a device that was changed
// since the registry was loaded does it ask the database, so that no derived value is lost while
// the database is away.
func (s *Stores) site(ctx context.Context, ref device.Ref) (device.Site, error) {
	if site, known := s.Registry.Site(ref); known {
		return site, nil
	}
	d, err := s.Devices.ByID(ctx, ref.Tenant, ref.ID)
	if errs.Is(err, errs.NotFound) { // the device and its readings are being deleted
		return device.Site{Zone: time.UTC}, nil
	}
	if err != nil {
		return device.Site{}, err
	}
	owner, err := s.Tenants.Get(ctx, ref.Tenant)
	if err != nil {
		return device.Site{}, err
	}
	return device.Site{
		Zone:  owner.TimeZone,
		Place: agronomy.Place{Latitude: d.Latitude, Longitude: d.Longitude, Elevation: d.Elevation},
	}, nil
}
