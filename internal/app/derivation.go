package app

import (
	"context"
	"time"

	"tilth/internal/agronomy"
	"tilth/internal/derivation"
	"tilth/internal/device"
	"tilth/internal/errs"
	"tilth/internal/tenant"
)

// derivation makes what computes derived values. It is told of changes of
// structure, and where one device stands otherwise.
func (s *stores) derivation() *derivation.Engine {
	e := derivation.New(derivation.Options{Readings: s.readings, Site: s.site})
	s.registry.Watch(func() { e.Keep(s.derives) })
	s.devices.OnChange(func(t tenant.ID, id device.ID) { e.Forget(device.Ref{Tenant: t, ID: id}) })
	return e
}

// derives tells whether anything is computed from what a device sends.
func (s *stores) derives(ref device.Ref) bool {
	entry := s.registry.Get(ref.ID)
	return entry != nil && entry.Ref == ref && entry.Derives()
}

// site is where a device stands, with its tenant's days.
func (s *stores) site(ctx context.Context, ref device.Ref) (derivation.Site, error) {
	d, err := s.devices.ByID(ctx, ref.Tenant, ref.ID)
	if errs.Is(err, errs.NotFound) { // being deleted, its readings too
		return derivation.Site{Zone: time.UTC}, nil
	}
	if err != nil {
		return derivation.Site{}, err
	}
	owner, err := s.tenants.Get(ctx, ref.Tenant)
	if err != nil {
		return derivation.Site{}, err
	}
	return derivation.Site{
		Zone:  owner.TimeZone,
		Place: agronomy.Place{Latitude: d.Latitude, Longitude: d.Longitude, Elevation: d.Elevation},
	}, nil
}
