package testkit

import (
	"net/netip"
	"time"

	"tilth/internal/domain/homeassistant"
	"tilth/internal/domain/notify/guard"
)

// NewHomeAssistant makes what serves brokers, which may be on this machine. It is faster than the
// server's. The functions with change it before it is made.
func (s *Stores) NewHomeAssistant(with ...func(*homeassistant.Deps)) *homeassistant.Service {
	d := homeassistant.Deps{
		Store:      s.HomeAssistantStore,
		Tenants:    s.Tenants,
		Catalog:    s.Catalog,
		Devices:    s.Devices,
		Roster:     s.Roster,
		Registry:   s.Registry,
		Presence:   s.Presence,
		Readings:   s.Readings,
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
	s.HomeAssistant = homeassistant.New(d)
	return s.HomeAssistant
}
