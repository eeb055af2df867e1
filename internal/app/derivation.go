package app

import (
	"context"
	"time"

	"tilth/internal/domain/derivation"
	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/agronomy"
	"tilth/internal/platform/errs"
)

// derivation makes the engine of derived values. The registry tells it of changed structure, and
// the device store of changed positions.
func (s *Stores) derivation() *derivation.Engine {
	e := derivation.New(derivation.Options{Readings: s.Readings, Site: s.site})
	s.Registry.OnStructureChange(func() { e.Retain(s.derives) })
	s.Devices.OnChange(func(t tenant.ID, id device.ID) {
		ref := device.Ref{Tenant: t, ID: id}
		s.Registry.ForgetSite(ref) // before the engine forgets it and asks for it again
		e.Forget(ref)
	})
	return e
}

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
