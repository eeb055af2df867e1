package testkit

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/homeassistant"
	"tilth/internal/domain/notify/guard"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

// newHomeAssistantStore makes the store of brokers.
func newHomeAssistantStore(t testing.TB, s *Stores) *homeassistant.Store {
	t.Helper()
	key := sha256.Sum256(SecretKey)
	store, err := homeassistant.NewStore(s.DB, key[:])
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// LatestReadings give the newest values of a device.
type LatestReadings interface {
	Latest(ctx context.Context, t tenant.ID, d device.ID) []reading.Last
}

// NewHomeAssistant makes what serves brokers, which may be on this machine. It is faster than the
// server's. The functions with change it before it is made.
func (s *Stores) NewHomeAssistant(
	readings LatestReadings,
	with ...func(*homeassistant.Deps),
) *homeassistant.Service {
	d := homeassistant.Deps{
		Store:      s.HomeAssistant,
		Tenants:    s.Tenants,
		Catalog:    s.Catalog,
		Devices:    s.Devices,
		Roster:     s.Roster,
		Registry:   s.Registry,
		Presence:   s.Presence,
		Readings:   readings,
		Guard:      &guard.Guard{Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
		Key:        SecretKey,
		Version:    "1.2.3",
		Now:        s.Clock.Now,
		Logger:     s.Log.Logger,
		Pace:       10 * time.Millisecond,
		AgainPace:  20 * time.Millisecond,
		MinBackoff: 5 * time.Millisecond,
		MaxBackoff: 50 * time.Millisecond,
	}
	for _, f := range with {
		f(&d)
	}
	return homeassistant.New(d)
}
