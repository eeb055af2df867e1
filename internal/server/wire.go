package server

import (
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"tilth/internal/domain/alarm"
	"tilth/internal/domain/captcha"
	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/selfservice"
	"tilth/internal/edge/console"
	"tilth/internal/edge/httpbase"
	"tilth/internal/edge/ingest"
	"tilth/internal/edge/openapi"
	"tilth/internal/edge/provider"
	"tilth/internal/settings"
	"tilth/web"
	"time"
)

func (s *Server) wire() error {
	st := s.Stores
	derived := st.derivation()
	s.Pipeline = ingest.NewPipeline(ingest.Options{
		Derivation:  derived,
		Admit:       st.Alarms.Admit,
		Registry:    st.Registry,
		Presence:    st.Presence,
		Diagnostics: st.Diagnostics,
		Traces:      st.Traces,
		Hints:       st.Hints,
		Journal:     st.Readings,
		Newest:      st.Readings,
		Logger:      s.logger,
		Limits:      st.Limits,
		Retention:   s.set.Retention,
		MaxMessage:  s.set.MessageLimit,
		Rate:        s.set.DeviceRate,
		Burst:       s.set.DeviceBurst,
		PerAddress:  s.set.PerAddress,
		Memory:      s.memory,
		OnFull:      func(why error) { s.connections.NoteRejected("mqtt", why) },
		ClientAddr:  func(r *http.Request) string { return httpbase.ClientAddr(r, s.set.Proxies).String() },
	})
	if err := s.newHomeAssistant(); err != nil {
		return err
	}
	st.Calibrations.OnChange(s.homeAssistant.Corrected)
	s.consumer = ingest.NewConsumer(ingest.ConsumerOptions{
		Journal:  st.Readings,
		Position: st.Positions,
		Alarms:   st.Alarms,
		Screens:  st.Live,
		Registry: st.Registry,
		Curves:   st.Readings.Curves,
		Follower: s.homeAssistant.Take,
		Logger:   s.logger,
	})
	st.Calibrations.Deriver, st.Calibrations.Past = derived, &past{st, s.Pipeline}
	s.mqtt = ingest.NewMQTT(s.Pipeline)
	remover := &device.Remover{
		DB:          st.DB,
		Catalog:     st.Catalog,
		Devices:     st.Devices,
		Registry:    st.Registry,
		Presence:    st.Presence,
		Diagnostics: st.Diagnostics,
		Traces:      st.Traces,
		Hints:       st.Hints,
		Readings:    st.Readings,
		Intake:      s.Pipeline,
		Rules:       st.Rules,
	}
	s.mails = newMailQueue(s.Stores.Mail, s.logger)
	slider := captcha.New(time.Now, captcha.Draw, st.Limits)
	embeds, err := embedKey(st.Key)
	if err != nil {
		return err
	}
	decoys, err := decoyKey(st.Key)
	if err != nil {
		return err
	}
	longs := reading.NewHistoryStreams(st.Limits)
	bodies := httpbase.NewBodies("console", s.memory.Limit(), st.Limits)
	programs, err := openapi.New(openapi.Options{
		Rate:           s.set.OpenAPIRate,
		Address:        func(r *http.Request) netip.Addr { return httpbase.ClientAddr(r, s.set.Proxies) },
		Now:            time.Now,
		Logger:         s.logger,
		Limits:         st.Limits,
		Memory:         s.memory,
		HistoryStreams: longs,
		Scheduler:      st.Turns,
		Bodies:         bodies,
		Audit:          st.Audit,
		Credentials:    st.Credentials,
		Catalog:        st.Catalog,
		Devices:        st.Devices,
		Scenes:         st.Scenes,
		Roster:         st.Roster,
		Presence:       st.Presence,
		Readings:       st.Readings,
		Notices:        st.Notices,
		Webhooks:       st.Webhooks,
		WebhookCaller:  st.WebhookCaller,
		Outbox:         st.Outbox,
	})
	if err != nil {
		return err
	}
	s.signIn = identity.NewSignIn(identity.SignInDeps{
		Tenants:  st.Tenants,
		Users:    st.Users,
		Sessions: st.Sessions,
		Factors:  st.Factors,
		Tickets:  st.Tickets,
		Hasher:   st.Hasher,
		Key:      decoys,
		Captcha:  identity.Captcha{Policy: s.set.Captcha, Verify: slider.Verify},
		Mailer:   newMailer(s.mails),
		Now:      time.Now,
		Meter:    st.Limits,
	})
	s.signOn = s.newSignOn()
	console, err := console.New(console.Options{
		PublicURL:      s.set.PublicURL,
		Listen:         s.listeners.deviceListeners(),
		EmbedKey:       embeds,
		Version:        Version,
		DefaultTenant:  s.set.DefaultTenant,
		MapTiles:       s.set.MapTiles,
		DemoPages:      s.set.DemoPages,
		Proxies:        s.set.Proxies,
		Now:            time.Now,
		Logger:         s.logger,
		Limits:         st.Limits,
		Memory:         s.memory,
		HistoryStreams: longs,
		Scheduler:      st.Turns,
		Bodies:         bodies,
		Ready:          s.isReady,
		StorageStopped: s.storage.state,
		AlarmLag:       st.Alarms.Behind,
		TenantAlarmLag: st.Alarms.TenantBehind,
		Audit:          st.Audit,
		Tenants:        st.Tenants,
		Users:          st.Users,
		Sessions:       st.Sessions,
		Captcha:        slider,
		Credentials:    st.Credentials,
		AnalysisViews:  st.AnalysisViews,
		Avatars:        st.Avatars,
		Account: identity.NewAccount(identity.AccountDeps{
			DB:                st.DB,
			Tenants:           st.Tenants,
			Users:             st.Users,
			Sessions:          st.Sessions,
			Codes:             st.Codes,
			Factors:           st.Factors,
			SignIn:            s.signIn,
			Hasher:            st.Hasher,
			Mailer:            newMailer(s.mails),
			Now:               time.Now,
			MinPasswordLength: s.set.PasswordMin,
		}),
		People: identity.NewPeople(identity.PeopleDeps{
			DB:                st.DB,
			Tenants:           st.Tenants,
			Users:             st.Users,
			Sessions:          st.Sessions,
			Factors:           st.Factors,
			Invitations:       st.Invitations,
			Credentials:       st.Credentials,
			Hasher:            st.Hasher,
			Mailer:            newMailer(s.mails),
			PublicURL:         s.linkBase(),
			Now:               time.Now,
			Meter:             st.Limits,
			MinPasswordLength: s.set.PasswordMin,
		}),
		SignIn:      s.signIn,
		SignOn:      s.signOn,
		Catalog:     st.Catalog,
		Devices:     st.Devices,
		Scenes:      st.Scenes,
		Roster:      st.Roster,
		Registry:    st.Registry,
		Presence:    st.Presence,
		Status:      st.Status,
		Diagnostics: st.Diagnostics,
		Hints:       st.Hints,
		SelfService: selfservice.New(selfservice.Deps{
			DB:              st.DB,
			Tenants:         st.Tenants,
			Catalog:         st.Catalog,
			Devices:         st.Devices,
			Scenes:          st.Scenes,
			Registry:        st.Registry,
			Remover:         remover,
			Hints:           st.Hints,
			Shelf:           st.Shelf,
			Key:             st.Key,
			Now:             time.Now,
			Meter:           st.Limits,
			LastRainCount:   ingest.LastRainCount(st.Readings),
			EndCalibrations: st.Calibrations.End,
		}),
		Calibrations:      st.Calibrations,
		Silence:           st.Silence,
		Readings:          st.Readings,
		Notices:           st.Notices,
		Messages:          st.Messages,
		Live:              st.Live,
		Channels:          st.Channels,
		SMSLogged:         s.set.Notifications.SMS == settings.SMSLog,
		Outbox:            st.Outbox,
		Webhooks:          st.Webhooks,
		WebhookCaller:     st.WebhookCaller,
		HomeAssistant:     s.homeAssistant,
		ReadingStore:      st.Readings,
		Derivation:        derived,
		Rules:             st.Rules,
		RuleForms:         alarm.NewChecker(st.Devices, st.Scenes, st.Catalog, st.Channels.Missing),
		Alarms:            st.Alarms,
		MaxNoticesPerHour: s.set.NoticesAnHour,
		Telemetry:         ingest.NewHTTP(s.Pipeline),
		LoRaWAN:           ingest.NewLoRaWAN(s.Pipeline, st.Credentials, st.Devices),
		MQTT:              ingest.NewWebSocket(s.mqtt),
		OpenAPI:           programs,
		Web: console.NewWeb(console.WebOptions{
			Dist:          web.Dist(),
			Tiles:         s.set.MapTiles,
			Proxies:       s.set.Proxies,
			Tenants:       st.Tenants,
			Catalog:       st.Catalog,
			Logger:        s.logger,
			Devices:       st.Devices,
			DefaultTenant: s.set.DefaultTenant,
		}),
	})
	if err != nil {
		return err
	}
	console = s.measureRequests(console)
	s.lastBackup = readBackupAge(s.set.DataDir, s.logger)
	s.Provider = provider.NewService(provider.Stores{
		DB:          st.DB,
		Tenants:     st.Tenants,
		Users:       st.Users,
		Sessions:    st.Sessions,
		Factors:     st.Factors,
		Connections: st.Connections,
		Hasher:      st.Hasher,
		Catalog:     st.Catalog,
		Devices:     st.Devices,
		Scenes:      st.Scenes,
		Registry:    st.Registry,
		Presence:    st.Presence,
		Shelf:       st.Shelf,
		Remover:     remover,
		Coverage:    st.Readings,
		Scheduler:   st.Turns,
		Intake:      s.Pipeline,
		DeviceKey:   st.Key,
		Outbox:      st.Outbox,
		TenantRecords: []provider.TenantRecords{
			st.Rules, st.Notices, st.Messages, st.Channels, st.Webhooks, st.HomeAssistant,
		},
		BackupSource: provider.BackupSource{
			Readings:    st.Readings,
			DataDir:     s.set.DataDir,
			Version:     Version,
			Now:         time.Now,
			SharedFiles: s.sharedFiles(),
			OnComplete:  s.lastBackup.setLast,
		},
		MinPassword: s.set.PasswordMin,
	})
	tokens, err := provider.NewTokens(os.Getenv("TILTH_PROVIDER_TOKEN"), filepath.Join(s.set.DataDir, "provider-token"))
	if err != nil {
		return err
	}
	s.describeMetrics()
	admin := http.NewServeMux()
	admin.Handle("/metrics", s.metrics.handler())
	addHealth(admin, s.isReady, s.isReady)
	admin.Handle(provider.Prefix, provider.New(provider.Options{
		Service: s.Provider,
		Audit:   st.Audit,
		Tokens:  tokens,
		Logger:  s.logger,
		Limits:  st.Limits,
		Memory:  s.memory,
		Address: func(r *http.Request) netip.Addr { return httpbase.ClientAddr(r, s.set.Proxies) },
	}))
	errLog := slog.NewLogLogger(s.logger.Handler(), slog.LevelDebug)
	s.http = webServer(console, errLog)
	if s.listeners.https != nil {
		s.http.Handler, s.http.TLSConfig = s.httpsPolicy(console), s.certificates.web()
	}
	s.http.Handler = s.certificates.challenges(ingest.TidyPaths(s.http.Handler))
	if s.listeners.mqttTLS != nil {
		s.listeners.mqttTLS = tls.NewListener(s.listeners.mqttTLS, s.certificates.devices())
	}
	s.admin = &http.Server{
		Handler:           admin,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          errLog,
	}
	for _, server := range []*http.Server{s.http, s.admin} {
		new(newConns).track(server)
	}
	return nil
}
