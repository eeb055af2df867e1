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

// derivation makes what computes derived values. It is told of changes of
// structure, and where one device stands otherwise.
func (s *Stores) derivation() *derivation.Engine {
	e := derivation.New(derivation.Options{Readings: s.Readings, Site: s.site})
	s.Registry.OnStructureChange(func() { e.Retain(s.derives) })
	s.Devices.OnChange(func(t tenant.ID, id device.ID) {
		ref := device.Ref{Tenant: t, ID: id}
		s.Registry.ForgetSite(ref) // before it is forgotten, and so asked for
		e.Forget(ref)
	})
	return e
}

// derives tells whether anything is computed from what a device sends.
func (s *Stores) derives(ref device.Ref) bool {
	entry := s.Registry.Get(ref.ID)
	return entry != nil && entry.Ref == ref && entry.Derives()
}

// site is where a device stands, with its tenant's days. The database is asked
// only for one that was changed since all were loaded, so that it may be away
// without anything derived being lost.
func (s *Stores) site(ctx context.Context, ref device.Ref) (device.Site, error) {
	if site, known := s.Registry.Site(ref); known {
		return site, nil
	}
	d, err := s.Devices.ByID(ctx, ref.Tenant, ref.ID)
	if errs.Is(err, errs.NotFound) { // being deleted, its readings too
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
