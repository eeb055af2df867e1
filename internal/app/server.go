package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/audit"
	"tilth/internal/domain/captcha"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify/mail"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console"
	"tilth/internal/edge/httpbase"
	"tilth/internal/edge/ingest"
	"tilth/internal/edge/openapi"
	"tilth/internal/edge/provider"
	"tilth/internal/platform/listen"
	"tilth/internal/platform/memory"
	"tilth/web"
)

// Server is a whole Tilth in one process.
type Server struct {
	set         *Settings
	logger      *slog.Logger
	stores      *stores
	pipeline    *ingest.Pipeline
	consumer    *ingest.Consumer
	mqtt        *ingest.MQTT
	provider    *provider.Service
	mails       *mail.Queue // nil: no mail is sent
	signIn      *identity.SignIn
	metrics     *metrics
	http        *http.Server
	admin       *http.Server
	listeners   listeners
	connections *listen.Limiter // for their connections
	accepting   chan struct{}   // closed when devices are
	ready       atomic.Bool

	certificates certificates
	disk         *disk
	database     *databaseHealth
	lastBackup   *backupAge
	memory       *memory.Gauge
}

// listeners are the addresses that a server listens on. They are taken first of
// all: a port in use is told at once, and who connects meanwhile waits.
type listeners struct{ http, https, mqtt, mqttTLS, admin net.Listener }

func openListeners(ctx context.Context, set *Settings) (p listeners, err error) {
	var lc net.ListenConfig
	for _, want := range []struct {
		flag, addr string
		l          *net.Listener
	}{
		{"http-addr", set.HTTPAddr, &p.http}, {"https-addr", set.HTTPSAddr, &p.https}, {"mqtt-addr", set.MQTTAddr, &p.mqtt},
		{"mqtt-tls-addr", set.MQTTTLSAddr, &p.mqttTLS}, {"admin-addr", set.AdminAddr, &p.admin},
	} {
		if want.addr == "" {
			continue
		}
		if *want.l, err = lc.Listen(ctx, "tcp", want.addr); err != nil {
			return p, errors.Join(fmt.Errorf("--%s: %w", want.flag, err), p.close())
		}
	}
	return p, nil
}

// listenAddr is what a listener that may be absent listens on, for the log.
func listenAddr(l net.Listener) string {
	if l == nil {
		return "off"
	}
	return l.Addr().String()
}

// deviceListeners is where devices connect.
func (p listeners) deviceListeners() console.Listeners {
	l := console.Listeners{MQTT: p.mqtt.Addr()}
	if p.mqttTLS != nil {
		l.MQTTTLS = p.mqttTLS.Addr()
	}
	return l
}

func (p listeners) close() error {
	var err error
	for _, l := range []net.Listener{p.http, p.https, p.mqtt, p.mqttTLS, p.admin} {
		if l != nil {
			if e := l.Close(); !errors.Is(e, net.ErrClosed) {
				err = errors.Join(err, e)
			}
		}
	}
	return err
}

// newServer takes the ports, opens the data folder and wires everything; Run
// lets people and devices in.
func newServer(ctx context.Context, set *Settings, logger *slog.Logger) (_ *Server, err error) {
	figures := newMetrics()
	logger = figures.countingLogger(logger)
	s := &Server{
		set:       set,
		logger:    logger,
		metrics:   figures,
		accepting: make(chan struct{}),
		memory:    set.Memory.gauge(logger),
	}
	if err = s.ownCertificate(); err != nil {
		return nil, err
	}
	if s.listeners, err = openListeners(ctx, set); err != nil {
		return nil, err
	}
	if err = s.limitConnections(); err != nil {
		return nil, errors.Join(err, s.listeners.close())
	}
	if s.stores, err = openStores(ctx, set, s.linkBase(), logger); err != nil {
		return nil, errors.Join(err, s.listeners.close())
	}
	s.disk = newDisk(set.DataDir, s.stores.readings.Broken, s.stores.db.StorageFailures, logger)
	s.database = &databaseHealth{ping: s.stores.db.Ping, logger: logger}
	if err = s.issuedCertificates(ctx); err == nil {
		err = s.wire()
	}
	if err != nil {
		return nil, errors.Join(err, s.stores.close(), s.listeners.close())
	}
	return s, nil
}

// linkBase is where letters' links lead, but for the tenant's host; empty: not told.
func (s *Server) linkBase() string {
	if s.set.PublicURL == "" && s.set.LinksToHTTPAddr {
		return "http://" + localAddr(s.listeners.http.Addr())
	}
	return s.set.PublicURL
}

func (s *Server) wire() error {
	st := s.stores
	derived := st.derivation()
	s.pipeline = ingest.NewPipeline(ingest.Options{
		Derivation:  derived,
		Admit:       st.alarms.Admit,
		Registry:    st.registry,
		Presence:    st.presence,
		Diagnostics: st.diagnostics,
		Journal:     st.readings,
		Logger:      s.logger,
		Limits:      st.limits,
		Retention:   s.set.Retention,
		MaxMessage:  s.set.MessageLimit,
		Rate:        s.set.DeviceRate,
		Burst:       s.set.DeviceBurst,
		PerAddress:  s.set.PerAddress,
		Memory:      s.memory,
		OnFull:      func(why error) { s.connections.NoteRejected("mqtt", why) },
		ClientAddr:  func(r *http.Request) string { return httpbase.ClientAddr(r, s.set.Proxies).String() },
	})
	s.consumer = ingest.NewConsumer(ingest.ConsumerOptions{
		Journal:  st.readings,
		Position: st.positions,
		Alarms:   st.alarms,
		Screens:  st.live,
		Registry: st.registry,
		Logger:   s.logger,
	})
	s.mqtt = ingest.NewMQTT(s.pipeline)
	s.mails = newMailQueue(s.stores.mail, s.logger)
	slider := captcha.New(time.Now, captcha.Draw, st.limits)
	embeds, err := embedKey(st.key)
	if err != nil {
		return err
	}
	decoys, err := decoyKey(st.key)
	if err != nil {
		return err
	}
	longs := reading.NewHistoryStreams(st.limits)
	programs, err := openapi.New(openapi.Options{
		Rate:           s.set.OpenAPIRate,
		Address:        func(r *http.Request) netip.Addr { return httpbase.ClientAddr(r, s.set.Proxies) },
		Now:            time.Now,
		Logger:         s.logger,
		Limits:         st.limits,
		Memory:         s.memory,
		HistoryStreams: longs,
		Scheduler:      st.turns,
		Audit:          st.audit,
		Credentials:    st.credentials,
		Catalog:        st.catalog,
		Devices:        st.devices,
		Scenes:         st.scenes,
		Roster:         st.roster,
		Presence:       st.presence,
		Readings:       st.readings,
		Notices:        st.notices,
		Webhooks:       st.webhooks,
		WebhookCaller:  st.webhookCaller,
		Outbox:         st.outbox,
	})
	if err != nil {
		return err
	}
	s.signIn = identity.NewSignIn(identity.SignInDeps{
		Tenants: st.tenants, Users: st.users, Sessions: st.sessions, Hasher: st.hasher, Key: decoys,
		Captcha: identity.Captcha{Policy: s.set.Captcha, Verify: slider.Verify},
		Mailer:  newPostbox(s.mails), Now: time.Now, Meter: st.limits,
	})
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
		Limits:         st.limits,
		Memory:         s.memory,
		HistoryStreams: longs,
		Scheduler:      st.turns,
		Ready:          s.isReady,
		AlarmLag:       st.alarms.Behind,
		TenantAlarmLag: st.alarms.TenantBehind,
		Audit:          st.audit,
		Tenants:        st.tenants,
		Users:          st.users,
		Sessions:       st.sessions,
		Captcha:        slider,
		Credentials:    st.credentials,
		Avatars:        st.avatars,
		Account: identity.NewAccount(identity.AccountDeps{
			DB: st.db, Tenants: st.tenants, Users: st.users, Sessions: st.sessions, Codes: st.codes, Hasher: st.hasher,
			Mailer: newPostbox(s.mails), Now: time.Now, MinPasswordLength: s.set.PasswordMin,
		}),
		SignIn:            s.signIn,
		Catalog:           st.catalog,
		Devices:           st.devices,
		Scenes:            st.scenes,
		Roster:            st.roster,
		Registry:          st.registry,
		Presence:          st.presence,
		Status:            st.status,
		Diagnostics:       st.diagnostics,
		Readings:          st.readings,
		Notices:           st.notices,
		Messages:          st.messages,
		Live:              st.live,
		Channels:          st.channels,
		SMSLogged:         s.set.Notifications.SMS == smsLog,
		Outbox:            st.outbox,
		Webhooks:          st.webhooks,
		WebhookCaller:     st.webhookCaller,
		ReadingStore:      st.readings,
		Derivation:        derived,
		Rules:             st.rules,
		RuleForms:         alarm.NewChecker(st.devices, st.scenes, st.catalog, st.channels.Missing),
		Alarms:            st.alarms,
		MaxNoticesPerHour: s.set.NoticesAnHour,
		Telemetry: ingest.NewHTTP(
			s.pipeline,
		),
		LoRaWAN: ingest.NewLoRaWAN(s.pipeline, st.credentials, st.devices),
		MQTT:    ingest.NewWebSocket(s.mqtt),
		OpenAPI: programs,
		Web: console.NewWeb(console.WebOptions{
			Dist:          web.Dist(),
			Tiles:         s.set.MapTiles,
			Proxies:       s.set.Proxies,
			Tenants:       st.tenants,
			Catalog:       st.catalog,
			Logger:        s.logger,
			Devices:       st.devices,
			DefaultTenant: s.set.DefaultTenant,
		}),
	})
	if err != nil {
		return err
	}
	console = s.measureRequests(console)
	s.lastBackup = readBackupAge(s.set.DataDir, s.logger)
	s.provider = provider.NewService(provider.Stores{
		DB:            st.db,
		Tenants:       st.tenants,
		Users:         st.users,
		Sessions:      st.sessions,
		Hasher:        st.hasher,
		Catalog:       st.catalog,
		Devices:       st.devices,
		Scenes:        st.scenes,
		Registry:      st.registry,
		Presence:      st.presence,
		Diagnostics:   st.diagnostics,
		Readings:      st.readings,
		Coverage:      st.readings,
		Scheduler:     st.turns,
		Intake:        s.pipeline,
		DeviceKey:     st.key,
		Outbox:        st.outbox,
		Rules:         st.rules,
		TenantRecords: []provider.TenantRecords{st.rules, st.notices, st.messages, st.channels, st.webhooks},
		BackupSource: provider.BackupSource{
			Readings:   st.readings,
			DataDir:    s.set.DataDir,
			Version:    Version,
			Now:        time.Now,
			OnComplete: s.lastBackup.setLast,
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
	admin.Handle(provider.Prefix, provider.New(provider.Options{
		Service: s.provider, Audit: st.audit, Tokens: tokens, Logger: s.logger, Limits: st.limits, Memory: s.memory,
		Address: func(r *http.Request) netip.Addr { return httpbase.ClientAddr(r, s.set.Proxies) },
	}))
	errLog := slog.NewLogLogger(s.logger.Handler(), slog.LevelDebug)
	s.http = webServer(console, errLog)
	if s.listeners.https != nil {
		s.http.Handler, s.http.TLSConfig = s.httpsPolicy(console), s.certificates.web()
	}
	s.http.Handler = s.certificates.challenges(s.http.Handler)
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

// isReady is nil while the server takes requests; what it says is for strangers.
func (s *Server) isReady(ctx context.Context) error {
	if !s.ready.Load() {
		return errors.New("starting or stopping")
	}
	if err := s.disk.ready(); err != nil {
		return err
	}
	if err := s.connections.Ready(); err != nil {
		return err
	}
	return s.database.ready(ctx)
}

// Run works until ctx ends, then stops: accepts nothing more, finishes what was
// accepted, closes the stores. prepare, when not nil, is called before devices
// and people are let in; ready once they are. What an earlier run left is judged
// meanwhile.
func (s *Server) Run(ctx context.Context, prepare func(context.Context) error, ready func()) error {
	// The judge and the writers behind outlive the listeners: they finish what
	// the listeners accepted.
	inner, stopInner := context.WithCancel(context.WithoutCancel(ctx))
	defer stopInner()
	work, inner := errgroup.WithContext(inner)
	outer, stopOuter := context.WithCancel(ctx)
	defer stopOuter()
	var restartDue atomic.Bool
	stopped := make(chan struct{})
	defer close(stopped)
	work.Go(func() error {
		if s.disk.run(inner) != nil {
			restartDue.Store(true)
			go exitIfHanging(stopped, 2*stopTimeout, s.logger)
			stopOuter()
		}
		return nil
	})
	work.Go(func() error { return s.consumer.Run(inner) })
	work.Go(func() error { return s.stores.readings.Run(inner) })
	work.Go(func() error {
		select {
		case <-s.accepting:
			return s.stores.alarms.Run(s.stores.audit.NewContext(inner, audit.Actor{Kind: audit.Server}))
		case <-inner.Done():
			return nil
		}
	})
	work.Go(func() error {
		select {
		case <-s.accepting:
			return s.stores.outbox.Run(s.stores.audit.NewContext(inner, audit.Actor{Kind: audit.Server}))
		case <-inner.Done():
			return nil
		}
	})
	work.Go(func() error {
		select {
		case <-s.accepting: // whoever issues them asks at our addresses
			s.certificates.run(inner)
		case <-inner.Done():
		}
		return nil
	})
	work.Go(func() error { return s.stores.status.Run(inner) })
	work.Go(func() error {
		select {
		case <-s.accepting:
			// Nobody's silence counts while the server stops: they cannot report.
			s.stores.presence.Run(outer)
		case <-outer.Done():
		}
		return nil
	})
	work.Go(func() error { return s.stores.credentials.Run(inner, s.logger) })
	work.Go(func() error { return s.signIn.Run(inner, s.logger) })
	work.Go(func() error { return s.stores.audit.Run(inner, s.logger) })
	work.Go(func() error { return s.sweepHourly(inner) })
	if s.mails != nil {
		work.Go(func() error { s.mails.Run(inner); return nil })
	}

	// A part that cannot go on stops the whole: half a server loses readings.
	defer context.AfterFunc(inner, stopOuter)()
	err := s.serve(outer, prepare, ready)
	stopInner()
	if e := work.Wait(); e != nil && !errors.Is(e, context.Canceled) {
		err = errors.Join(err, e)
	}
	err = errors.Join(err, s.stores.close())
	if restartDue.Load() {
		err = errors.Join(errRestartDue, err)
	}
	return err
}

func (s *Server) serve(ctx context.Context, prepare func(context.Context) error, ready func()) error {
	if ctx.Err() != nil {
		return s.listeners.close()
	}
	if prepare != nil {
		if err := prepare(ctx); err != nil {
			return errors.Join(err, s.listeners.close())
		}
	}
	s.stores.presence.AcceptDevices()
	close(s.accepting)
	serving, ctx := errgroup.WithContext(ctx)
	serving.Go(func() error { return ignoreClosed(s.mqtt.Serve(ctx, s.listeners.mqtt)) })
	if s.listeners.mqttTLS != nil {
		serving.Go(func() error { return ignoreClosed(s.mqtt.Serve(ctx, s.listeners.mqttTLS)) })
	}
	serving.Go(func() error { return ignoreClosed(s.http.Serve(s.listeners.http)) })
	if s.listeners.https != nil {
		serving.Go(func() error { return ignoreClosed(s.http.ServeTLS(s.listeners.https, "", "")) })
	}
	serving.Go(func() error { return ignoreClosed(s.admin.Serve(s.listeners.admin)) })
	serving.Go(func() error {
		<-ctx.Done()
		return s.stop()
	})
	s.ready.Store(true)
	s.logger.Info(
		"tilth is ready",
		"version",
		Version,
		"http",
		s.listeners.http.Addr().String(),
		"https",
		listenAddr(s.listeners.https),
		"mqtt",
		s.listeners.mqtt.Addr().String(),
		"mqtt-tls",
		listenAddr(s.listeners.mqttTLS),
		"admin",
		s.listeners.admin.Addr().String(),
		"data",
		s.set.DataDir,
	)
	if err := s.warnIfHeld(ctx); err != nil && ctx.Err() == nil {
		s.logger.Warn("whether mail, SMS and webhooks are held is not known", "error", err)
	}
	if ready != nil {
		ready()
	}
	err := serving.Wait()
	s.logger.Info("tilth has stopped")
	return err
}

// ignoreClosed is no error where a stop came before serving began.
func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) || errors.Is(err, ingest.ErrClosed) {
		return nil
	}
	return err
}

// sweepHourly does remove, at once and then once an hour.
func (s *Server) sweepHourly(ctx context.Context) error {
	hourly := time.NewTicker(time.Hour)
	defer hourly.Stop()
	for {
		s.removeExpired(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-hourly.C:
		}
	}
}

// removeExpired removes ended sessions, old codes, messages, deliveries and audit entries;
// the former are refused without it, it keeps the tables small. What is gone for good
// then is old by how far time has come, whatever the clock shows.
func (s *Server) removeExpired(ctx context.Context) {
	until := s.stores.retention.now()
	for _, task := range []struct {
		do   func() error
		fail string
	}{
		{s.stores.retention.save, "how far time has come not written down"},
		{func() error { return s.stores.sessions.Sweep(ctx, until) }, "ended sessions not removed"},
		{func() error { return s.stores.users.Sweep(ctx, until) }, "networks of old sign-ins not removed"},
		{func() error { return s.stores.codes.Sweep(ctx) }, "old codes not removed"},
		{func() error { return s.stores.messages.Sweep(ctx, until) }, "old messages not removed"},
		{func() error { return s.stores.outbox.Sweep(ctx, until) }, "old deliveries not removed"},
		{func() error { return s.stores.webhooks.Sweep(ctx, until) }, "old secrets of webhooks not removed"},
		{func() error { return s.stores.audit.Sweep(ctx, until) }, "old entries of the audit log not removed"},
	} {
		if err := task.do(); err != nil && ctx.Err() == nil {
			s.logger.Warn(task.fail+", trying again in an hour", "error", err)
		}
	}
}

// describeMetrics publishes the parts' figures.
func (s *Server) describeMetrics() {
	m, edge, readings := s.metrics, s.pipeline.Stats, s.stores.readings.Stats
	m.counter(
		"tilth_edge_messages_total",
		"Messages of devices taken in.",
		func() float64 { return float64(edge().Messages) },
	)
	m.counter("tilth_edge_values_total", "Values kept.", func() float64 { return float64(edge().Values) })
	m.counter(
		"tilth_edge_received_bytes_total",
		"Bytes received from devices.",
		func() float64 { return float64(edge().Bytes) },
	)
	m.counter("tilth_edge_commits_total", "Batches made durable.", func() float64 { return float64(edge().Commits) })
	m.counter(
		"tilth_edge_commit_failures_total",
		"Batches that could not be made durable.",
		func() float64 { return float64(edge().CommitFailures) },
	)
	m.counter(
		"tilth_edge_sign_in_failures_total",
		"Devices refused at sign-in.",
		func() float64 { return float64(edge().SignInFailures) },
	)
	m.labelled(
		"tilth_mqtt_turned_away_total",
		"MQTT connections that were not wanted, by reason.",
		"reason",
		func() map[string]uint64 {
			e := edge()
			return map[string]uint64{
				"full":      e.RefusedFull,
				"address":   e.RefusedAddress,
				"tls":       e.HandshakeFailures,
				"connect":   e.ConnectsRefused,
				"silent":    e.IdleTimeouts,
				"stalled":   e.Stalls,
				"malformed": e.Malformed,
			}
		},
	)
	m.counter(
		"tilth_mqtt_panics_total",
		"Connections ended by a fault of the server.",
		func() float64 { return float64(edge().Panics) },
	)
	m.gauge(
		"tilth_edge_waiting",
		"Messages accepted and not yet committed.",
		func() float64 { return float64(edge().Waiting) },
	)
	m.gauge("tilth_mqtt_connections", "Open MQTT connections.", func() float64 { return float64(edge().Connections) })
	m.labelled("tilth_edge_refused_total", "What was refused, by reason.", "reason", func() map[string]uint64 {
		by := map[string]uint64{}
		for reason, n := range edge().Refused {
			by[string(reason)] = n
		}
		return by
	})
	m.counter("tilth_readings_frames_total", "Frames appended.", func() float64 { return float64(readings().Frames) })
	m.counter(
		"tilth_readings_fsync_seconds_total",
		"Time that writes waited for the disk.",
		func() float64 { return readings().FsyncSeconds },
	)
	m.gauge("tilth_readings_journal_lag", "Batches written and not yet judged.", func() float64 {
		return float64(readings().JournalLag + s.stores.alarms.Stats().Unevaluated)
	})
	m.gauge(
		"tilth_readings_disk_bytes",
		"Size of the readings on disk.",
		func() float64 { return float64(readings().DiskBytes) },
	)
	alarms := s.stores.alarms.Stats
	m.counter(
		"tilth_alarm_judged_total",
		"Frames judged, once for each rule of their device.",
		func() float64 { return float64(alarms().Evaluated) },
	)
	m.counter(
		"tilth_alarm_opened_total",
		"Alarm notices that began.",
		func() float64 { return float64(alarms().Opened) },
	)
	m.counter(
		"tilth_alarm_resolved_total",
		"Alarm notices that ended.",
		func() float64 { return float64(alarms().Resolved) },
	)
	m.gauge("tilth_alarm_open", "Open alarm notices.", func() float64 { return float64(alarms().Open) })
	m.gauge("tilth_alarm_rules", "Alarm rules that are judged.", func() float64 { return float64(alarms().Rules) })
	m.gauge(
		"tilth_alarm_unrecorded",
		"Journal entries that are judged while the notices that they led to are not on disk yet.",
		func() float64 { return float64(alarms().Unrecorded) },
	)
	m.gauge(
		"tilth_alarm_lag_seconds",
		"For how long the oldest reading that waits to be judged has been here.",
		func() float64 { return alarms().Lag.Seconds() },
	)
	m.gauge(
		"tilth_alarm_tenants_behind",
		"Tenants whose judging is more than 5 s behind.",
		func() float64 { return float64(s.stores.alarms.Behind().Tenants) },
	)
	m.gauge(
		"tilth_alarm_tenants_waiting",
		"Tenants whose devices wait until their judging has caught up.",
		func() float64 { return float64(alarms().ThrottledTenants) },
	)
	s.describeNotifications()
	s.describeDisk()
	m.registry.MustRegister(&s.certificates)
	s.describeOperation()
	s.describeLimits()
	s.describeMemory()
	s.describeListeners()
	m.gauge("tilth_live_screens", "Open screens.", func() float64 { return float64(s.stores.live.Screens()) })
}
