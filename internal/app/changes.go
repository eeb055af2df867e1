package app

import (
	"context"
	"encoding/json"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// connect says what a change in one domain causes in the others.
func (s *Stores) connect() {
	s.Presence.OnChange(s.publishPresence)
	s.Devices.OnChange(func(t tenant.ID, _ device.ID) { s.Alarms.Regroup(t) })
	s.Registry.OnTenantChange(s.Alarms.Regroup)
	s.Registry.OnStructureChange(func() { s.Derivation.Retain(s.derives) })
	s.Devices.OnChange(func(t tenant.ID, id device.ID) {
		ref := device.Ref{Tenant: t, ID: id}
		s.Registry.ForgetSite(ref) // before the engine forgets it and asks for it again
		s.Derivation.Forget(ref)
	})
	s.Calibrations.OnChange(s.HomeAssistant.Corrected)
	s.Tenants.OnDelete(s.Live.Forget)
}

// publishPresence tells a tenant's screens that a device went online or offline.
func (s *Stores) publishPresence(c device.StatusChange) {
	if !s.Live.Watched(c.Tenant) {
		return
	}
	state := 0
	if c.Online {
		state = 1
	}
	body, err := json.Marshal(struct {
		DeviceName  string `json:"deviceName"`
		OnlineState int    `json:"onlineState"`
		Time        int64  `json:"time"`
	}{c.Name, state, c.At})
	if err != nil {
		return // a struct of two numbers and a string always marshals
	}
	s.Live.Publish(c.Tenant, "presence", body)
}

// TenantRecords are further records of a tenant, besides its devices and users.
type TenantRecords interface {
	// Clear removes them; it is no error if they are gone already.
	Clear(ctx context.Context, t tenant.ID) error
}

// TenantRecords are removed with their tenant, in this order.
func (s *Stores) TenantRecords() []TenantRecords {
	return []TenantRecords{s.Rules, s.Notices, s.Messages, s.Channels, s.Webhooks, s.HomeAssistantStore}
}
