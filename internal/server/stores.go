package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"tilth/internal/cluster"
	"tilth/internal/domain/alarm"
	"tilth/internal/domain/audit"
	"tilth/internal/domain/calibration"
	"tilth/internal/domain/device"
	"tilth/internal/domain/homeassistant"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/mail"
	"tilth/internal/domain/notify/webhook"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/selfservice"
	"tilth/internal/domain/silence"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console"
	"tilth/internal/edge/provider"
	"tilth/internal/platform/datafolder"
	"tilth/internal/platform/db"
	"tilth/internal/platform/limit"
	"tilth/internal/platform/live"
	"tilth/internal/settings"
)

// Stores is everything that the server stores, opened and loaded, and what it holds in memory over
// it.
type Stores struct {
	Folder        *datafolder.Lock
	DB            *db.DB
	Key           []byte
	Retention     *datafolder.RetentionClock
	Limits        *limit.Meter           // of all rate limits
	Turns         *reading.WorkScheduler // of work that reads many readings
	Audit         *audit.Store
	Tenants       *tenant.Store
	Users         *identity.UserStore
	Sessions      *identity.SessionStore
	Factors       *identity.SecondFactorStore
	Tickets       *identity.TicketStore
	Codes         *identity.CodeStore
	Credentials   *identity.CredentialStore
	Invitations   *identity.InvitationStore
	Connections   *identity.ConnectionStore
	AnalysisViews *identity.AnalysisViewStore
	Avatars       *identity.AvatarStore
	Hasher        *identity.Hasher
	Catalog       *device.Catalog
	Devices       *device.Store
	Scenes        *device.SceneStore
	Registry      *device.Registry
	Presence      *device.Presence
	Roster        *device.Roster
	Diagnostics   *device.Diagnostics
	Status        *device.StatusStore
	Traces        *device.TraceStore
	Hints         *device.Hints
	Shelf         *selfservice.Shelf
	Silence       *silence.Finder
	Readings      *reading.Store
	Notices       *alarm.NoticeStore
	Positions     *alarm.PositionStore
	Rules         *alarm.RuleStore
	Alarms        *alarm.Engine
	Calibrations  *calibration.Service
	Channels      *notify.ChannelStore
	Webhooks      *notify.WebhookStore
	WebhookCaller *webhook.Caller
	HomeAssistant *homeassistant.Store
	Messages      *notify.MessageStore
	Mail          *mail.SMTP // nil: mail is not set up
	Outbox        *notify.Outbox
	Live          *live.Hub
}

// foundation is what a server's stores stand on: the data folder, the database, the platform's key and
// the readings.
type foundation struct {
	folder    *datafolder.Lock
	db        *db.DB
	key       []byte
	retention *datafolder.RetentionClock
	readings  *reading.Store
	term      *cluster.Term          // nil: the server is no node of a cluster
	warm      *warm                  // what a node of a cluster has read while it stood by; nil: nothing
	archive   *cluster.ArchiveReader // nil: the server is no node of a cluster
}

// close closes all of it that is open, and unlocks the data folder.
func (f *foundation) close() error {
	var err error
	if f.readings != nil {
		err = f.readings.Close()
	}
	if f.db != nil {
		err = errors.Join(err, f.db.Close())
	}
	if f.archive != nil {
		err = errors.Join(err, f.archive.Close())
	}
	return errors.Join(err, f.folder.Close())
}

// OpenStores opens the data folder, and creates what is missing. links is the address that links in
// messages begin with.
func OpenStores(ctx context.Context, set *settings.Server, links string, logger *slog.Logger) (*Stores, error) {
	f, err := openFoundation(ctx, set, logger)
	if err != nil {
		return nil, err
	}
	s, err := newStores(ctx, set, links, logger, f)
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return s, nil
}

// openFoundation opens the foundation of one server alone.
func openFoundation(ctx context.Context, set *settings.Server, logger *slog.Logger) (_ *foundation, err error) {
	f := &foundation{}
	if f.folder, err = datafolder.LockFolder(set.DataDir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	if err := reading.RefuseNewer(readingsDir(set)); err != nil {
		return nil, ExplainDamage(set.DataDir, err)
	}
	// Up to here nothing has been written; this refuses a newer database, too.
	if f.db, err = openDatabase(ctx, set.DataDir, set.DatabaseURL); err != nil {
		return nil, ExplainDamage(set.DataDir, err)
	}
	if f.key, err = datafolder.DeviceKey(ctx, f.db, set.DataDir); err != nil {
		return nil, err
	}
	if err := f.openReadings(ctx, set, logger, nil); err != nil {
		return nil, err
	}
	return f, nil
}

// openReadings opens the readings of a data folder. onBroken, which may be nil, is called once they
// cannot be written any more.
func (f *foundation) openReadings(
	ctx context.Context,
	set *settings.Server,
	logger *slog.Logger,
	onBroken func(error),
) (err error) {
	if err := provider.RemoveLeftovers(set.DataDir); err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	f.retention = datafolder.ReadRetentionClock(set.DataDir, time.Now, logger)
	o := reading.Options{
		Dir:            readingsDir(set),
		Retention:      set.Retention,
		RetentionClock: f.retention.Now,
		Logger:         logger,
		OnBroken:       onBroken,
	}
	if f.archive != nil {
		o.Archive, o.Archiving = f.archive, set.Cluster.Archive
	}
	f.readings, err = reading.Open(ctx, o)
	return ExplainDamage(set.DataDir, err)
}

// readingsDir is the folder of the readings.
func readingsDir(set *settings.Server) string { return filepath.Join(set.DataDir, "readings") }

// newStores makes the stores and loads them.
func newStores(
	ctx context.Context,
	set *settings.Server,
	links string,
	logger *slog.Logger,
	f *foundation,
) (*Stores, error) {
	folder, d, key, until, readings := f.folder, f.db, f.key, f.retention, f.readings
	codes, err := codeKey(key)
	if err != nil {
		return nil, err
	}
	factors, err := factorKey(key)
	if err != nil {
		return nil, err
	}
	connections, err := newConnectionStore(d, key, set.SignOn)
	if err != nil {
		return nil, err
	}
	epoch := make([]byte, 6)
	if _, err := rand.Read(epoch); err != nil {
		return nil, err
	}
	limits := &limit.Meter{}
	s := &Stores{
		Folder:        folder,
		DB:            d,
		Key:           key,
		Retention:     until,
		Limits:        limits,
		Turns:         reading.NewWorkScheduler(limits),
		Readings:      readings,
		Audit:         audit.NewStore(d, set.AuditRetention, time.Now),
		Tenants:       tenant.NewStore(d, time.Now),
		Users:         identity.NewUserStore(d, time.Now),
		Codes:         identity.NewCodeStore(d, codes, newTextSender(&set.Notifications, logger), time.Now),
		Sessions:      identity.NewSessionStore(d, time.Now),
		Hasher:        identity.NewHasherAt(set.PasswordCost, limits),
		Credentials:   identity.NewCredentialStore(d, time.Now),
		Invitations:   identity.NewInvitationStore(d, time.Now),
		Tickets:       identity.NewTicketStore(d, time.Now),
		Connections:   connections,
		AnalysisViews: identity.NewAnalysisViewStore(d),
		Avatars:       identity.NewAvatarStore(d, time.Now),
		Catalog:       device.NewCatalog(d),
		Devices:       device.NewStore(d, time.Now),
		Scenes:        device.NewSceneStore(d, time.Now),
		Registry:      device.NewRegistry(key),
		Diagnostics:   device.NewDiagnostics(),
		Notices:       alarm.NewNoticeStore(d),
		Positions:     alarm.NewPositionStore(d),
		Channels:      notify.NewChannelStore(d, time.Now),
		Messages:      notify.NewMessageStore(d),
		Live:          live.NewHub(hex.EncodeToString(epoch)),
	}
	if s.Factors, err = identity.NewSecondFactorStore(d, s.Users, factors, time.Now, limits); err != nil {
		return nil, err
	}
	s.Live.MaxPerPerson, s.Live.MaxPerTenant = set.ScreensAUser, set.ScreensATenant
	s.Presence = device.NewPresence(s.Registry, time.Now, nil, logger)
	s.Rules = alarm.NewRuleStore(d, s.Catalog, time.Now)
	s.Roster = device.NewRoster(s.Devices, s.Scenes, s.Catalog, s.Presence)
	s.Status = device.NewStatusStore(d, s.Registry, s.Presence, s.Diagnostics, until.Now)
	s.Traces = device.NewTraceStore(d, s.Registry, s.Presence, logger)
	s.Hints = device.NewHints(s.Registry, time.Now)
	s.Shelf = selfservice.NewShelf(d, time.Now)
	s.Silence = &silence.Finder{
		Tenants:     s.Tenants,
		Catalog:     s.Catalog,
		Devices:     s.Devices,
		Presence:    s.Presence,
		Diagnostics: s.Diagnostics,
		Traces:      s.Traces,
		Readings:    readings,
	}
	if set.Notifications.Mail != nil {
		s.Mail = mail.NewSMTP(*set.Notifications.Mail, time.Now)
	}
	if err := s.openWebhooks(set, logger); err != nil {
		return nil, err
	}
	if err := s.openHomeAssistant(); err != nil {
		return nil, err
	}
	before, saveAlive, err := f.alive(ctx)
	if err != nil {
		return nil, err
	}
	s.Outbox = s.newOutbox(set, links, logger)
	s.Alarms = alarm.NewEngine(alarm.EngineOptions{
		Notifier:          notify.NewNotifier(d, s.Messages, s.Outbox, s.Live),
		DB:                d,
		Catalog:           s.Catalog,
		Rules:             s.Rules,
		Positions:         s.Positions,
		Devices:           s.Devices,
		Registry:          s.Registry,
		Presence:          s.Presence,
		Readings:          readings,
		Screens:           s.Live,
		Now:               time.Now,
		RetentionClock:    until.Now,
		Retention:         set.Retention,
		PreviousStop:      before,
		SaveAlive:         saveAlive,
		FlushPresence:     func(ctx context.Context) error { return s.Status.Flush(ctx, false) },
		Logger:            logger,
		MaxNoticesPerHour: set.NoticesAnHour,
		Turns:             s.Turns,
		OnCaughtUp:        func(tenant.ID) { s.Outbox.Wake() },
		Warm:              f.warm.ofRules(),
	})
	s.Calibrations = calibration.New(calibration.Deps{
		DB:             d,
		Devices:        s.Devices,
		Registry:       s.Registry,
		Catalog:        s.Catalog,
		Readings:       readings,
		Judge:          s.Alarms,
		Now:            time.Now,
		Retention:      set.Retention,
		RetentionClock: until.Now,
		Meter:          limits,
	})
	if err := s.load(ctx, f); err != nil {
		return nil, ExplainDamage(set.DataDir, err)
	}
	s.Presence.OnChange(s.publishPresence)
	s.Hints.OnHint(func(e *device.Entry, h device.Hint) { console.PublishHint(s.Live, e, h) })
	s.Devices.OnChange(func(t tenant.ID, _ device.ID) { s.Alarms.Regroup(t) })
	s.Registry.OnTenantChange(s.Alarms.Regroup)
	s.Tenants.OnDelete(s.Live.Forget)
	s.Sessions.OnEnd(func(session int64) { s.Live.EndKey(console.SessionKey(session)) })
	return s, nil
}

// load loads what a server has in memory.
func (s *Stores) load(ctx context.Context, f *foundation) error {
	if err := errors.Join(s.Tenants.LoadHold(ctx), s.Catalog.Load(ctx)); err != nil {
		return err
	}
	if err := s.Devices.LoadRegistryFrom(ctx, s.Catalog, s.Registry, f.warm.ofDevices()); err != nil {
		return err
	}
	if err := s.Calibrations.Load(ctx); err != nil { // before alarm rules look at readings
		return err
	}
	if err := s.Status.Load(ctx); err != nil {
		return err
	}
	if err := s.Traces.Load(ctx); err != nil {
		return err
	}
	if f.term != nil {
		if err := s.Status.TakeOver(ctx); err != nil {
			return err
		}
	}
	return s.Alarms.Start(s.Audit.NewContext(ctx, audit.Actor{Kind: audit.Server}))
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

// Close closes the stores and unlocks the data folder.
func (s *Stores) Close() error {
	if s.Mail != nil {
		s.Mail.Close()
	}
	return errors.Join(s.Readings.Close(), s.DB.Close(), s.Folder.Close())
}

// openDatabase opens the database of a data folder. An empty address means the database in the
// folder.
func openDatabase(ctx context.Context, dir, address string) (*db.DB, error) {
	if address == "" {
		return db.Open(ctx, dir)
	}
	return db.OpenPostgres(ctx, dir, address)
}
