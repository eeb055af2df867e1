// Package app makes Tilth of its domains: their stores, their services, and what each change in one of them
// causes in the others. A server and the tests open it alike. It knows no port and no settings; the edges
// serve it.
package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"net/netip"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/audit"
	"tilth/internal/domain/calibration"
	"tilth/internal/domain/captcha"
	"tilth/internal/domain/derivation"
	"tilth/internal/domain/device"
	"tilth/internal/domain/homeassistant"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/webhook"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/selfservice"
	"tilth/internal/domain/silence"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/limit"
	"tilth/internal/platform/live"
)

// Deps is what Open is given: what the stores stand on, the clock, the senders, and what the settings say.
type Deps struct {
	DB       *db.DB
	Readings *reading.Store
	Key      []byte // the installation's; each use has a key that is derived from it
	Logger   *slog.Logger
	Version  string // of the server
	Epoch    string // names this start in the positions of live events; empty: a random text

	Now func() time.Time
	// Uptime is how long the process has run, by a clock that nobody sets; nil: by that of Now.
	Uptime func() time.Duration
	// RetentionClock is the time by which stored things expire; nil: Now.
	RetentionClock func() time.Time

	Mailer identity.Mailer    // of mails about accounts; nil: none are sent
	SMS    identity.SMSSender // of SMS codes; nil: none are sent
	// Senders makes the senders of notifications, but for that of webhooks.
	Senders func(*Stores) map[notify.ChannelKind]notify.Sender
	// AlarmNotifier is told of notices; nil: the outbox is.
	AlarmNotifier alarm.Notifier
	// Private are the networks of the installation's own that webhooks, brokers and issuers may be in.
	Private []netip.Prefix
	// Issuer is the issuer of tenants without one of their own; nil: there is none.
	Issuer *identity.Connection
	// Picture draws a picture of the captcha; nil: captcha.Draw.
	Picture func() (captcha.Picture, error)

	LinkBase                         string        // what links in messages begin with; empty: it is not known
	Retention                        time.Duration // of readings; 0: forever
	AuditRetention                   time.Duration
	PasswordCost                     identity.Cost
	MinPasswordLength                int // 0: identity.PasswordMin
	CaptchaPolicy                    identity.CaptchaPolicy
	MaxNoticesPerHour                int // of a rule, before the next one is unsteady; 0: any number
	DigestAfter                      int
	PerDay                           map[notify.ChannelKind]int
	ScreensPerUser, ScreensPerTenant int

	// PreviousStop and SaveAlive are those of alarm.EngineOptions.
	PreviousStop time.Time
	SaveAlive    func() error
	// TakenOver tells that another node of the cluster may have led before.
	TakenOver bool
}

// Stores is everything that Tilth stores, opened and loaded, and the services over it.
type Stores struct {
	Deps
	Limits  *limit.Meter           // of all rate limits
	Turns   *reading.WorkScheduler // of work that reads many readings
	Live    *live.Hub
	Screens *Screens // are told over Live what has changed
	Audit   *audit.Store

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
	Captcha       *captcha.Service
	SignIn        *identity.SignIn
	SignOn        *identity.SignOn
	Account       *identity.Account
	People        *identity.People

	Catalog     *device.Catalog
	Devices     *device.Store
	Scenes      *device.SceneStore
	Registry    *device.Registry
	Presence    *device.Presence
	Roster      *device.Roster
	Diagnostics *device.Diagnostics
	Status      *device.StatusStore
	Traces      *device.TraceStore
	Hints       *device.Hints
	Remover     *device.Remover // its Intake is set by whoever takes readings in
	Shelf       *selfservice.Shelf
	SelfService *selfservice.Service
	Silence     *silence.Finder

	Derivation   *derivation.Engine
	Calibrations *calibration.Service

	Rules     *alarm.RuleStore
	RuleForms *alarm.Checker
	Notices   *alarm.NoticeStore
	Positions *alarm.PositionStore
	Alarms    *alarm.Engine

	Channels      *notify.ChannelStore
	Messages      *notify.MessageStore
	Webhooks      *notify.WebhookStore
	WebhookCaller *webhook.Caller
	Outbox        *notify.Outbox
	Notifier      *notify.Notifier

	HomeAssistantStore *homeassistant.Store
	HomeAssistant      *homeassistant.Service
}

// Open makes the stores and services and loads what they hold in memory. It closes nothing that it is given.
func Open(ctx context.Context, d Deps) (*Stores, error) {
	if d.RetentionClock == nil {
		d.RetentionClock = d.Now
	}
	if d.Picture == nil {
		d.Picture = captcha.Draw
	}
	s := &Stores{Deps: d, Limits: &limit.Meter{}, Live: live.NewHub(cmp.Or(d.Epoch, rand.Text()[:12]))}
	s.Screens = newScreens(s.Live)
	s.Live.MaxPerPerson, s.Live.MaxPerTenant = d.ScreensPerUser, d.ScreensPerTenant
	s.Turns = reading.NewWorkScheduler(s.Limits)
	s.Audit = audit.NewStore(d.DB, d.AuditRetention, d.Now)
	s.Tenants = tenant.NewStore(d.DB, d.Now)
	if err := s.openIdentity(); err != nil {
		return nil, err
	}
	s.openDevices()
	if err := s.openNotify(); err != nil {
		return nil, err
	}
	s.openAlarms()
	s.openDerivation()
	s.openSelfService()
	if err := s.openHomeAssistant(); err != nil {
		return nil, err
	}
	s.connect()
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// load loads what the stores have in memory.
func (s *Stores) load(ctx context.Context) error {
	if err := s.Tenants.LoadHold(ctx); err != nil {
		return err
	}
	if err := s.Catalog.Load(ctx); err != nil {
		return err
	}
	if err := s.Devices.LoadRegistry(ctx, s.Catalog, s.Registry); err != nil {
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
	if s.TakenOver {
		if err := s.Status.TakeOver(ctx); err != nil {
			return err
		}
	}
	return s.Alarms.Start(s.Audit.NewContext(ctx, audit.Actor{Kind: audit.Server}))
}
