package app

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

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/mail"
	"tilth/internal/domain/notify/webhook"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console"
	"tilth/internal/edge/provider"
	"tilth/internal/platform/db"
	"tilth/internal/platform/limit"
	"tilth/internal/platform/live"
)

// stores is everything that is kept, opened and loaded, and what lives in
// memory over it.
type stores struct {
	folder        *folderLock
	db            *db.DB
	key           []byte
	retention     *retentionClock
	limits        *limit.Meter           // of everybody's
	turns         *reading.WorkScheduler // of work that passes over readings
	audit         *audit.Store
	tenants       *tenant.Store
	users         *identity.UserStore
	sessions      *identity.SessionStore
	codes         *identity.CodeStore
	credentials   *identity.CredentialStore
	avatars       *identity.AvatarStore
	hasher        *identity.Hasher
	catalog       *device.Catalog
	devices       *device.Store
	scenes        *device.SceneStore
	registry      *device.Registry
	presence      *device.Presence
	roster        *device.Roster
	diagnostics   *device.Diagnostics
	status        *device.StatusStore
	readings      *reading.Store
	notices       *alarm.NoticeStore
	positions     *alarm.PositionStore
	rules         *alarm.RuleStore
	alarms        *alarm.Engine
	channels      *notify.ChannelStore
	webhooks      *notify.WebhookStore
	webhookCaller *webhook.Caller
	messages      *notify.MessageStore
	mail          *mail.SMTP // nil: mail is not set up
	outbox        *notify.Outbox
	live          *live.Hub
}

// openStores opens the data folder, creating what is missing. links is where
// letters' links lead.
func openStores(ctx context.Context, set *Settings, links string, logger *slog.Logger) (_ *stores, err error) {
	folder, err := lockFolder(set.DataDir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, folder.Close())
		}
	}()
	if err := reading.RefuseNewer(filepath.Join(set.DataDir, "readings")); err != nil {
		return nil, explainDamage(set.DataDir, err)
	}
	d, err := openDatabase(
		ctx,
		set.DataDir,
		set.DatabaseURL,
	) // refuses what is newer, too: up to here nothing is written
	if err != nil {
		return nil, explainDamage(set.DataDir, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	key, err := deviceKey(ctx, d, set.DataDir)
	if err != nil {
		return nil, err
	}
	if err := provider.RemoveLeftovers(set.DataDir); err != nil {
		return nil, fmt.Errorf("--data-dir: %w", err)
	}
	codes, err := codeKey(key)
	if err != nil {
		return nil, err
	}
	until := readRetentionClock(set.DataDir, time.Now, logger)
	readings, err := reading.Open(ctx, reading.Options{
		Dir: filepath.Join(
			set.DataDir,
			"readings",
		),
		Retention:      set.Retention,
		RetentionClock: until.now,
		Logger:         logger,
	})
	if err != nil {
		return nil, explainDamage(set.DataDir, err)
	}
	epoch := make([]byte, 6)
	if _, err := rand.Read(epoch); err != nil {
		return nil, err
	}
	limits := &limit.Meter{}
	s := &stores{
		folder:      folder,
		db:          d,
		key:         key,
		retention:   until,
		limits:      limits,
		turns:       reading.NewWorkScheduler(limits),
		readings:    readings,
		audit:       audit.NewStore(d, set.AuditRetention, time.Now),
		tenants:     tenant.NewStore(d, time.Now),
		users:       identity.NewUserStore(d, time.Now),
		codes:       identity.NewCodeStore(d, codes, newTextSender(&set.Notifications, logger), time.Now),
		sessions:    identity.NewSessionStore(d, time.Now),
		hasher:      identity.NewHasherAt(set.PasswordCost, limits),
		credentials: identity.NewCredentialStore(d, time.Now),
		avatars:     identity.NewAvatarStore(d, time.Now),
		catalog:     device.NewCatalog(d),
		devices:     device.NewStore(d, time.Now),
		scenes:      device.NewSceneStore(d, time.Now),
		registry:    device.NewRegistry(key),
		diagnostics: device.NewDiagnostics(),
		notices:     alarm.NewNoticeStore(d),
		positions:   alarm.NewPositionStore(d),
		channels:    notify.NewChannelStore(d, time.Now),
		messages:    notify.NewMessageStore(d),
		live:        live.NewHub(hex.EncodeToString(epoch)),
	}
	s.live.MaxPerPerson, s.live.MaxPerTenant = set.ScreensAUser, set.ScreensATenant
	s.presence = device.NewPresence(s.registry, time.Now, nil, logger)
	s.rules = alarm.NewRuleStore(d, s.catalog, time.Now)
	s.roster = device.NewRoster(s.devices, s.scenes, s.catalog, s.presence)
	s.status = device.NewStatusStore(d, s.registry, s.presence, s.diagnostics, until.now)
	if set.Notifications.Mail != nil {
		s.mail = mail.NewSMTP(*set.Notifications.Mail, time.Now)
	}
	if err := s.openWebhooks(set, logger); err != nil {
		return nil, errors.Join(err, readings.Close())
	}
	s.outbox = s.newOutbox(set, links, logger)
	s.alarms = alarm.NewEngine(alarm.EngineOptions{
		Notifier:          notify.NewNotifier(d, s.messages, s.outbox, s.live),
		DB:                d,
		Catalog:           s.catalog,
		Rules:             s.rules,
		Positions:         s.positions,
		Devices:           s.devices,
		Registry:          s.registry,
		Presence:          s.presence,
		Readings:          readings,
		Screens:           s.live,
		Now:               time.Now,
		RetentionClock:    until.now,
		PreviousStop:      until.previousAccepted,
		SaveAlive:         until.markAccepting,
		FlushPresence:     func(ctx context.Context) error { return s.status.Flush(ctx, false) },
		Logger:            logger,
		MaxNoticesPerHour: set.NoticesAnHour,
		Turns:             s.turns,
		OnCaughtUp:        func(tenant.ID) { s.outbox.Wake() },
	})
	if err := s.load(ctx); err != nil {
		return nil, errors.Join(explainDamage(set.DataDir, err), readings.Close())
	}
	s.presence.OnChange(s.publishPresence)
	s.devices.OnChange(func(t tenant.ID, _ device.ID) { s.alarms.Regroup(t) })
	s.registry.OnTenantChange(s.alarms.Regroup)
	s.tenants.OnDelete(s.live.Forget)
	s.sessions.OnEnd(func(session int64) { s.live.EndKey(console.SessionKey(session)) })
	return s, nil
}

func (s *stores) load(ctx context.Context) error {
	if err := s.catalog.Load(ctx); err != nil {
		return err
	}
	if err := s.devices.LoadRegistry(ctx, s.catalog, s.registry); err != nil {
		return err
	}
	if err := s.status.Load(ctx); err != nil {
		return err
	}
	return s.alarms.Start(s.audit.NewContext(ctx, audit.Actor{Kind: audit.Server}))
}

// publishPresence tells a tenant's screens that a device came or went.
func (s *stores) publishPresence(c device.StatusChange) {
	if !s.live.Watched(c.Tenant) {
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
	s.live.Publish(c.Tenant, "presence", body)
}

func (s *stores) close() error {
	if s.mail != nil {
		s.mail.Close()
	}
	return errors.Join(s.readings.Close(), s.db.Close(), s.folder.Close())
}
