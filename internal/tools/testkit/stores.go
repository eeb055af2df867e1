package testkit

import (
	"context"
	"errors"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/audit"
	"tilth/internal/domain/calibration"
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
	"tilth/internal/platform/live"
)

// SecretKey is the installation's key with which device secrets are hashed.
var SecretKey = []byte("the key of every test's platform")

// Stores contains every store of the database, wired as the server wires them, over one new
// database and one clock.
type Stores struct {
	Clock *Clock
	Log   *Log
	DB    *db.DB

	Audit         *audit.Store
	Tenants       *tenant.Store
	Users         *identity.UserStore
	Sessions      *identity.SessionStore
	SignIn        *identity.SignIn
	Codes         *identity.CodeStore
	Account       *identity.Account
	Phones        *Phones
	Mails         *MailRecorder
	Credentials   *identity.CredentialStore
	Invitations   *identity.InvitationStore
	People        *identity.People
	Factors       *identity.SecondFactorStore
	Tickets       *identity.TicketStore
	Connections   *identity.ConnectionStore
	SignOn        *identity.SignOn
	AnalysisViews *identity.AnalysisViewStore
	Avatars       *identity.AvatarStore
	Slider        *Slider
	Catalog       *device.Catalog
	Devices       *device.Store
	Scenes        *device.SceneStore
	Registry      *device.Registry
	Presence      *device.Presence
	Diagnostics   *device.Diagnostics
	Traces        *device.TraceStore
	Hints         *device.Hints
	Shelf         *selfservice.Shelf
	Roster        *device.Roster
	Status        *device.StatusStore
	Notices       *alarm.NoticeStore
	Rules         *alarm.RuleStore
	RuleForms     *alarm.Checker
	Channels      *notify.ChannelStore
	Webhooks      *notify.WebhookStore
	WebhookCaller *webhook.Caller // may call addresses of this machine
	HomeAssistant *homeassistant.Store
	Messages      *notify.MessageStore
	MailSender    *FakeSender // of e-mail
	SMSSender     *FakeSender // of SMS
	Outbox        *notify.Outbox
	Notifier      *notify.Notifier
	Screens       *live.Hub
}

// PublicURL is the server's address in links.
const PublicURL = "https://tilth.example"

// NewStores opens all stores.
func NewStores(t testing.TB) *Stores {
	t.Helper()
	s := &Stores{Clock: NewClock(), Log: NewLog(), DB: DB(t)}
	s.Audit = audit.NewStore(s.DB, audit.DefaultRetention, s.Clock.Now)
	s.Tenants = tenant.NewStore(s.DB, s.Clock.Now)
	s.Users = identity.NewUserStore(s.DB, s.Clock.Now)
	s.Sessions = identity.NewSessionStore(s.DB, s.Clock.Now)
	s.Slider = NewSlider(s.Clock)
	s.Credentials = identity.NewCredentialStore(s.DB, s.Clock.Now)
	s.Invitations = identity.NewInvitationStore(s.DB, s.Clock.Now)
	s.AnalysisViews = identity.NewAnalysisViewStore(s.DB)
	s.Avatars = identity.NewAvatarStore(s.DB, s.Clock.Now)
	s.Factors = newSecondFactorStore(t, s)
	s.Tickets = identity.NewTicketStore(s.DB, s.Clock.Now)
	s.Phones, s.Mails = &Phones{}, &MailRecorder{}
	s.SignIn = identity.NewSignIn(identity.SignInDeps{
		Tenants:  s.Tenants,
		Users:    s.Users,
		Sessions: s.Sessions,
		Factors:  s.Factors,
		Tickets:  s.Tickets,
		Hasher:   identity.NewHasherAt(PasswordCost, nil),
		Key:      SecretKey,
		Captcha: identity.Captcha{
			Policy: identity.CaptchaAdaptive,
			Verify: s.Slider.Verify,
		},
		Mailer: s.Mails,
		Now:    s.Clock.Now,
	})
	s.Codes = identity.NewCodeStore(s.DB, SecretKey, s.Phones, s.Clock.Now)
	s.Account = identity.NewAccount(identity.AccountDeps{
		DB:       s.DB,
		Tenants:  s.Tenants,
		Users:    s.Users,
		Sessions: s.Sessions,
		Codes:    s.Codes,
		Factors:  s.Factors,
		SignIn:   s.SignIn,
		Hasher:   identity.NewHasherAt(PasswordCost, nil),
		Mailer:   s.Mails,
		Now:      s.Clock.Now,
	})
	s.People = identity.NewPeople(identity.PeopleDeps{
		DB:          s.DB,
		Tenants:     s.Tenants,
		Users:       s.Users,
		Sessions:    s.Sessions,
		Factors:     s.Factors,
		Invitations: s.Invitations,
		Credentials: s.Credentials,
		Hasher:      identity.NewHasherAt(PasswordCost, nil),
		Mailer:      s.Mails,
		PublicURL:   PublicURL,
		Now:         s.Clock.Now,
	})
	s.UseIssuer(t, nil)
	s.Catalog = device.NewCatalog(s.DB)
	s.Devices = device.NewStore(s.DB, s.Clock.Now)
	s.Scenes = device.NewSceneStore(s.DB, s.Clock.Now)
	s.Notices = alarm.NewNoticeStore(s.DB)
	s.Rules = alarm.NewRuleStore(s.DB, s.Catalog, s.Clock.Now)
	s.Channels = notify.NewChannelStore(s.DB, s.Clock.Now)
	s.RuleForms = alarm.NewChecker(s.Devices, s.Scenes, s.Catalog, s.Channels.Missing)
	s.Webhooks = newWebhookStore(t, s)
	s.HomeAssistant = newHomeAssistantStore(t, s)
	s.WebhookCaller = NewWebhookCaller(s)
	s.Messages = notify.NewMessageStore(s.DB)
	s.MailSender, s.SMSSender, s.Screens = &FakeSender{}, &FakeSender{}, live.NewHub("e")
	s.Outbox = notify.NewOutbox(notify.OutboxOptions{
		DB:       s.DB,
		Tenants:  s.Tenants,
		Channels: s.Channels,
		Webhooks: s.Webhooks,
		Senders: map[notify.ChannelKind]notify.Sender{
			notify.KindEmail:   s.MailSender,
			notify.KindSMS:     s.SMSSender,
			notify.KindWebhook: s.WebhookCaller,
		},
		Muted: func(ctx context.Context, t tenant.ID, rule int64) (int64, error) {
			return s.Rules.MutedUntil(ctx, t, alarm.RuleID(rule))
		},
		DigestAfter: notify.DefaultDigestAfter,
		Now:         s.Clock.Now,
		Ran:         s.Clock.Elapsed,
		Logger:      s.Log.Logger,
	})
	s.Notifier = notify.NewNotifier(s.DB, s.Messages, s.Outbox, s.Screens)
	s.Restart(t)
	return s
}

func newSecondFactorStore(t testing.TB, s *Stores) *identity.SecondFactorStore {
	t.Helper()
	store, err := identity.NewSecondFactorStore(s.DB, s.Users, SecretKey, s.Clock.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// Restart drops what the server holds in memory of devices and loads it again from the database, as
// a start does.
func (s *Stores) Restart(t testing.TB) {
	t.Helper()
	s.Registry = device.NewRegistry(SecretKey)
	s.Presence = device.NewPresence(s.Registry, s.Clock.Now, s.Clock.Elapsed, s.Log.Logger)
	s.Diagnostics = device.NewDiagnostics()
	s.Roster = device.NewRoster(s.Devices, s.Scenes, s.Catalog, s.Presence)
	s.Status = device.NewStatusStore(s.DB, s.Registry, s.Presence, s.Diagnostics, s.Clock.Now)
	s.Traces = device.NewTraceStore(s.DB, s.Registry, s.Presence, s.Log.Logger)
	s.Hints = device.NewHints(s.Registry, s.Clock.Now)
	s.Shelf = selfservice.NewShelf(s.DB, s.Clock.Now)
	s.Reload(t)
	if err := s.Status.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Traces.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Remover makes what deletes devices; readings erases their readings.
func (s *Stores) Remover(readings device.Eraser, intake device.CommitWaiter) *device.Remover {
	return &device.Remover{
		DB:          s.DB,
		Catalog:     s.Catalog,
		Devices:     s.Devices,
		Registry:    s.Registry,
		Presence:    s.Presence,
		Diagnostics: s.Diagnostics,
		Traces:      s.Traces,
		Hints:       s.Hints,
		Readings:    readings,
		Intake:      intake,
		Rules:       s.Rules,
	}
}

// SelfService makes what adds devices in the console.
func (s *Stores) SelfService(remover *device.Remover) *selfservice.Service {
	return selfservice.New(selfservice.Deps{
		DB:       s.DB,
		Tenants:  s.Tenants,
		Catalog:  s.Catalog,
		Devices:  s.Devices,
		Scenes:   s.Scenes,
		Registry: s.Registry,
		Remover:  remover,
		Hints:    s.Hints,
		Shelf:    s.Shelf,
		Key:      SecretKey,
		Now:      s.Clock.Now,
	})
}

// Calibrations makes what corrects readings. A test that runs it sets Past.
func (s *Stores) Calibrations(readings *reading.Store, judge calibration.Judge) *calibration.Service {
	return calibration.New(calibration.Deps{
		DB:             s.DB,
		Devices:        s.Devices,
		Registry:       s.Registry,
		Catalog:        s.Catalog,
		Readings:       readings,
		Judge:          judge,
		Deriver:        NothingDerived{},
		Now:            s.Clock.Now,
		Retention:      Retention,
		RetentionClock: s.Clock.Now,
	})
}

// Retention is how long the stores' readings count as kept.
const Retention = 400 * 24 * time.Hour

// NothingDerived is a deriver that holds nothing in memory.
type NothingDerived struct{}

// Forget does nothing.
func (NothingDerived) Forget(device.Ref) {}

// NothingInTransit is an intake without readings in transit.
type NothingInTransit struct{}

// WaitCommitted returns at once.
func (NothingInTransit) WaitCommitted() {}

// SilenceFinder makes a finder of causes of silence over the stores and readings.
func (s *Stores) SilenceFinder(readings reading.AggregateReader) *silence.Finder {
	return &silence.Finder{
		Tenants:     s.Tenants,
		Catalog:     s.Catalog,
		Devices:     s.Devices,
		Presence:    s.Presence,
		Diagnostics: s.Diagnostics,
		Traces:      s.Traces,
		Readings:    readings,
	}
}

// Reload reads the catalogue and the registry again, as the server does after products or devices
// changed.
func (s *Stores) Reload(t testing.TB) {
	t.Helper()
	if err := errors.Join(s.Tenants.LoadHold(t.Context()), s.Catalog.Load(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := s.Devices.LoadRegistry(t.Context(), s.Catalog, s.Registry); err != nil {
		t.Fatal(err)
	}
}
