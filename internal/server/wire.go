package server

import (
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"tilth/internal/app"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console"
	"tilth/internal/edge/httpbase"
	"tilth/internal/edge/ingest"
	"tilth/internal/edge/openapi"
	"tilth/internal/edge/provider"
	"tilth/internal/settings"
	"tilth/web"
)

// wire makes the edges over the stores, and the HTTP servers that serve them.
func (s *Server) wire() error {
	s.wireIngest()
	people, err := s.newConsole()
	if err != nil {
		return err
	}
	providers, err := s.newProvider()
	if err != nil {
		return err
	}
	s.describeMetrics()
	admin := http.NewServeMux()
	admin.Handle("/metrics", s.metrics.handler())
	addHealth(admin, s.isReady, s.takesClients)
	admin.Handle(provider.Prefix, providers)
	s.serveHTTP(s.measureRequests(people), admin)
	return nil
}

// wireIngest makes what takes readings in, and what judges and shows them.
func (s *Server) wireIngest() {
	st := s.Stores
	s.Pipeline = ingest.NewPipeline(ingest.Options{
		Derivation:  st.Derivation,
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
		ClientAddr:  func(r *http.Request) string { return s.clientAddr(r).String() },
	})
	s.mqtt = ingest.NewMQTT(s.Pipeline)
	s.consumer = ingest.NewConsumer(ingest.ConsumerOptions{
		Journal:  st.Readings,
		Position: st.Positions,
		Alarms:   st.Alarms,
		Screens:  st.Live,
		Registry: st.Registry,
		Curves:   st.Readings.Curves,
		Follower: st.HomeAssistant.Take,
		Logger:   s.logger,
	})
	st.ConnectIntake(s.Pipeline, s.mqtt)
	st.Remover.Intake = s.Pipeline
	st.Calibrations.Past = st.Past(s.Pipeline)
	st.SelfService.LastRainCount = ingest.LastRainCount(st.Readings)
}

// clientAddr is the address of whoever sent a request.
func (s *Server) clientAddr(r *http.Request) netip.Addr { return httpbase.ClientAddr(r, s.set.Proxies) }

// newConsole makes the handler of the HTTP address: for people, programs and devices.
func (s *Server) newConsole() (http.Handler, error) {
	st := s.Stores.Stores
	embeds, err := app.DeriveKey(st.Key, app.EmbeddedVideo)
	if err != nil {
		return nil, err
	}
	histories := reading.NewHistoryStreams(st.Limits)
	bodies := httpbase.NewBodies("console", s.memory.Limit(), st.Limits)
	programs, err := openapi.New(openapi.Options{
		Stores:         st,
		Rate:           s.set.OpenAPIRate,
		Address:        s.clientAddr,
		Memory:         s.memory,
		HistoryStreams: histories,
		Bodies:         bodies,
	})
	if err != nil {
		return nil, err
	}
	return console.New(console.Options{
		Stores:         st,
		PublicURL:      s.set.PublicURL,
		Listen:         s.listeners.deviceListeners(),
		EmbedKey:       embeds,
		DefaultTenant:  s.set.DefaultTenant,
		MapTiles:       s.set.MapTiles,
		DemoPages:      s.set.DemoPages,
		Proxies:        s.set.Proxies,
		SMSLogged:      s.set.Notifications.SMS == settings.SMSLog,
		StorageStopped: s.storage.state,
		Memory:         s.memory,
		HistoryStreams: histories,
		Bodies:         bodies,
		Ready:          s.isReady,
		Telemetry:      ingest.NewHTTP(s.Pipeline),
		LoRaWAN:        ingest.NewLoRaWAN(s.Pipeline, st.Credentials, st.Devices),
		MQTT:           ingest.NewWebSocket(s.mqtt),
		OpenAPI:        programs,
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
}

// newProvider makes the handler of the provider's calls.
func (s *Server) newProvider() (http.Handler, error) {
	st := s.Stores
	s.lastBackup = readBackupAge(s.set.DataDir, s.logger)
	s.Provider = provider.NewService(provider.Deps{
		Stores: st.Stores,
		Intake: s.Pipeline,
		BackupSource: provider.BackupSource{
			Readings:    st.Readings,
			DataDir:     s.set.DataDir,
			Version:     Version,
			Now:         time.Now,
			SharedFiles: s.sharedFiles(),
			OnComplete:  s.lastBackup.setLast,
		},
	})
	tokens, err := provider.NewTokens(os.Getenv("TILTH_PROVIDER_TOKEN"), filepath.Join(s.set.DataDir, "provider-token"))
	if err != nil {
		return nil, err
	}
	return provider.New(provider.Options{
		Service: s.Provider,
		Audit:   st.Audit,
		Tokens:  tokens,
		Logger:  s.logger,
		Limits:  st.Limits,
		Memory:  s.memory,
		Address: s.clientAddr,
	}), nil
}

// serveHTTP makes the servers of the HTTP and the admin addresses.
func (s *Server) serveHTTP(people, admin http.Handler) {
	errLog := slog.NewLogLogger(s.logger.Handler(), slog.LevelDebug)
	s.http = webServer(people, errLog)
	if s.listeners.https != nil {
		s.http.Handler, s.http.TLSConfig = s.httpsPolicy(people), s.certificates.web()
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
}
