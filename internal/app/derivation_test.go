package app_test

import (
	"context"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

// mastProduct is a product with a derived property.
func mastProduct(t *testing.T, s *testkit.Stores) *device.Product {
	t.Helper()
	p := &device.Product{Name: "mast", OfflineAfter: testkit.OfflineAfter, Properties: []device.Property{
		{Identifier: "airTemperature", DataType: device.Number, AccessMode: "r"},
		{Identifier: "airHumidity", DataType: device.Number, AccessMode: "r"},
		{
			Identifier: "dewPoint",
			DataType:   device.Number,
			AccessMode: "r",
			Formula:    "dewPoint",
			Inputs:     []string{"airTemperature", "airHumidity"},
		},
	}}
	if err := s.Catalog.PutProduct(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	s.Reload(t)
	return p
}

// The engine knows all positions since the start, so that no derived value is lost while the
// database is away.
func TestSiteIsKnownWithoutDatabase(t *testing.T) {
	k := testkit.NewStores(t)
	field := k.Tenant(t, "field")
	mast := mastProduct(t, k)
	at := func(d *device.Device) { d.Latitude, d.Longitude = new(52.5), new(13.4) }
	d := k.Device(t, field.ID, mast, "M-1", at)
	moved := k.Device(t, field.ID, mast, "M-2", at)
	if err := k.Devices.Edit(
		t.Context(),
		field.ID,
		"M-2",
		device.Edit{NoteName: "Mast", Latitude: new(-33.9), Longitude: new(18.4)},
	); err != nil {
		t.Fatal(err)
	}
	if site, err := k.SiteOf(t.Context(), testkit.Ref(moved)); err != nil || *site.Latitude != -33.9 {
		t.Errorf("after the move: %+v, %v", site, err)
	}
	away, leave := context.WithCancel(t.Context())
	leave() // the database answers nothing with this context
	site, err := k.SiteOf(away, testkit.Ref(d))
	if err != nil || site.Zone.String() != field.TimeZone.String() || *site.Latitude != 52.5 ||
		*site.Longitude != 13.4 ||
		site.Elevation != nil {
		t.Errorf("%+v, %v", site, err)
	}
	if _, err := k.SiteOf(away, testkit.Ref(moved)); err == nil {
		t.Error("the test's database answers although it should be down")
	}
	// The registry is loaded again after the tenant's time zone has changed.
	field.TimeZone = tenant.Zone("Asia/Shanghai")
	if err := k.Tenants.Put(t.Context(), field.Tenant); err != nil {
		t.Fatal(err)
	}
	k.Reload(t)
	site, err = k.SiteOf(away, testkit.Ref(moved))
	if err != nil || site.Zone.String() != "Asia/Shanghai" || *site.Latitude != -33.9 {
		t.Errorf("after the registry was loaded again: %+v, %v", site, err)
	}
	site, err = k.SiteOf(t.Context(), device.Ref{Tenant: field.ID + 1, ID: d.ID})
	if err != nil || site != (device.Site{Zone: time.UTC}) {
		t.Errorf("the device of another tenant: %+v, %v", site, err)
	}
}
