package server

import (
	"time"

	"tilth/internal/domain/homeassistant"
	"tilth/internal/domain/notify/guard"
)

// openHomeAssistant makes the store of the brokers of Home Assistant.
func (s *Stores) openHomeAssistant() error {
	key, err := homeAssistantKey(s.Key)
	if err != nil {
		return err
	}
	s.HomeAssistant, err = homeassistant.NewStore(s.DB, key)
	return err
}

// newHomeAssistant makes what serves the brokers of Home Assistant. They are called where webhooks may be.
func (s *Server) newHomeAssistant() error {
	st := s.Stores
	key, err := homeAssistantKey(st.Key)
	if err != nil {
		return err
	}
	s.homeAssistant = homeassistant.New(homeassistant.Deps{
		Store:    st.HomeAssistant,
		Tenants:  st.Tenants,
		Catalog:  st.Catalog,
		Devices:  st.Devices,
		Roster:   st.Roster,
		Registry: st.Registry,
		Presence: st.Presence,
		Readings: st.Readings,
		Guard:    &guard.Guard{Private: s.set.Notifications.WebhookPrivate},
		Key:      key,
		Version:  Version,
		Now:      time.Now,
		Logger:   s.logger,
		Meter:    st.Limits,
	})
	return nil
}
