package app

import (
	"context"
	"encoding/json"

	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
)

// connect says what each kind of change causes: what others keep of the thing or do for it. What screens
// show of it is in ConnectConsole.
func (s *Stores) connect() {
	s.Tenants.Changed.Then(func(t tenant.ID) {
		s.HomeAssistant.DevicesChanged(t) // names are in its language
	})
	s.Tenants.Released.Then(func(struct{}) { s.HomeAssistant.Released() })
	s.Tenants.Deleted.Then(s.Live.Forget)

	s.Sessions.Ended.Then(func(session int64) { s.Live.EndKey(LiveKey(session)) })

	s.Devices.Changed.Then(func(d device.Ref) {
		s.Roster.DeviceChanged(d)
		s.Alarms.Regroup(d.Tenant)
		s.Registry.ForgetSite(d) // before derivation forgets it and asks for it again
		s.Derivation.Forget(d)
		s.HomeAssistant.DevicesChanged(d.Tenant)
	})
	s.Scenes.Deleted.Then(s.Roster.SceneDeleted)
	// The registry changes a moment after the store of devices, and who reads it in between misses the
	// change; so a change of the registry is told again.
	s.Registry.TenantChanged.Then(func(t tenant.ID) {
		s.Status.DevicesChanged(t)
		s.Alarms.Regroup(t)
		s.HomeAssistant.DevicesChanged(t)
	})
	s.Registry.StructureChanged.Then(func(struct{}) {
		s.Calibrations.StructureChanged()
		s.Alarms.StructureChanged()
		s.Derivation.Retain(s.derives)
	})
	s.Catalog.Loaded.Then(func(struct{}) { s.HomeAssistant.CatalogLoaded() })
	s.Presence.Changed.Then(func(c device.StatusChange) {
		s.Status.PresenceChanged(c)
		s.Alarms.PresenceChanged(c)
		s.HomeAssistant.PresenceChanged(c)
		s.publishPresence(c)
	})
	s.Presence.PastChanged.Then(func(c device.StatusChange) { s.Status.PresenceChanged(c) })

	s.Calibrations.Changed.Then(s.HomeAssistant.Corrected)
}

// ConnectIntake says what changes cause where readings are taken in.
func (s *Stores) ConnectIntake(intake ...interface{ StructureChanged() }) {
	for _, one := range intake {
		s.Registry.StructureChanged.Then(func(struct{}) { one.StructureChanged() })
	}
}

// ConnectConsole says what screens are told of changes by whoever made them. What only calls of the console
// change is in the contract (x-changes).
func (s *Stores) ConnectConsole(hint func(device.GivenHint)) {
	tell := func(t tenant.ID, kind string) { s.Screens.Tell(Audience{Tenant: t}, kind) }
	s.Devices.Changed.Then(func(d device.Ref) { tell(d.Tenant, "device") })
	s.Registry.TenantChanged.Then(func(t tenant.ID) { tell(t, "device") })
	s.Scenes.Changed.Then(func(c device.SceneRef) { tell(c.Tenant, "scene") })
	s.HomeAssistant.Changed.Then(func(t tenant.ID) { tell(t, "integration") })
	s.Users.Changed.Then(func(u identity.UserRef) {
		tell(u.Tenant, "people")
		s.Screens.Tell(Audience{Tenant: u.Tenant, User: u.ID}, "me")
	})
	s.Hints.Given.Then(hint)
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
