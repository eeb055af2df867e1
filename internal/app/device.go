package app

import (
	"tilth/internal/domain/device"
	"tilth/internal/domain/selfservice"
	"tilth/internal/domain/silence"
)

// openDevices makes the devices and what is known of them.
func (s *Stores) openDevices() {
	s.Catalog = device.NewCatalog(s.DB)
	s.Devices = device.NewStore(s.DB, s.Now)
	s.Scenes = device.NewSceneStore(s.DB, s.Now)
	s.Registry = device.NewRegistry(s.Key)
	s.Diagnostics = device.NewDiagnostics()
	s.Presence = device.NewPresence(s.Registry, s.Now, s.Uptime, s.Logger)
	s.Roster = device.NewRoster(s.Devices, s.Scenes, s.Catalog, s.Presence)
	s.Status = device.NewStatusStore(s.DB, s.Registry, s.Presence, s.Diagnostics, s.RetentionClock)
	s.Traces = device.NewTraceStore(s.DB, s.Registry, s.Presence, s.Logger)
	s.Hints = device.NewHints(s.Registry, s.Now)
	s.Silence = &silence.Finder{
		Tenants:     s.Tenants,
		Catalog:     s.Catalog,
		Devices:     s.Devices,
		Presence:    s.Presence,
		Diagnostics: s.Diagnostics,
		Traces:      s.Traces,
		Readings:    s.Readings,
	}
}

// openSelfService makes what owners do with devices by themselves.
func (s *Stores) openSelfService() {
	s.Remover = &device.Remover{
		DB:          s.DB,
		Catalog:     s.Catalog,
		Devices:     s.Devices,
		Registry:    s.Registry,
		Presence:    s.Presence,
		Diagnostics: s.Diagnostics,
		Traces:      s.Traces,
		Hints:       s.Hints,
		Readings:    s.Readings,
		Rules:       s.Rules,
	}
	s.Shelf = selfservice.NewShelf(s.DB, s.Now)
	s.SelfService = selfservice.New(selfservice.Deps{
		DB:              s.DB,
		Tenants:         s.Tenants,
		Catalog:         s.Catalog,
		Devices:         s.Devices,
		Scenes:          s.Scenes,
		Registry:        s.Registry,
		Remover:         s.Remover,
		Hints:           s.Hints,
		Shelf:           s.Shelf,
		Key:             s.Key,
		Now:             s.Now,
		Meter:           s.Limits,
		EndCalibrations: s.Calibrations.End,
	})
}
