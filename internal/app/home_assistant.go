package app

import (
	"tilth/internal/domain/homeassistant"
	"tilth/internal/domain/notify/guard"
)

// openHomeAssistant makes what serves the brokers of Home Assistant. They are called where webhooks may be.
func (s *Stores) openHomeAssistant() error {
	key, err := DeriveKey(s.Key, homeAssistant)
	if err != nil {
		return err
	}
	if s.HomeAssistantStore, err = homeassistant.NewStore(s.DB, key); err != nil {
		return err
	}
	s.HomeAssistant = homeassistant.New(homeassistant.Deps{
		Store:    s.HomeAssistantStore,
		Tenants:  s.Tenants,
		Catalog:  s.Catalog,
		Devices:  s.Devices,
		Roster:   s.Roster,
		Registry: s.Registry,
		Presence: s.Presence,
		Readings: s.Readings,
		Guard:    &guard.Guard{Private: s.Private},
		Key:      key,
		Version:  s.Version,
		Now:      s.Now,
		Logger:   s.Logger,
		Meter:    s.Limits,
	})
	return nil
}
