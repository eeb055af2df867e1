package testkit

import (
	"net/netip"
	"testing"
	"time"

	"tilth/internal/app"
	"tilth/internal/domain/alarm"
	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/reading"
)

// SecretKey is the installation's key with which device secrets are hashed.
var SecretKey = []byte("the key of every test's platform")

// PublicURL is the server's address in links.
const PublicURL = "https://tilth.example"

// Retention is how long readings are kept.
const Retention = 400 * 24 * time.Hour

// Stores are the stores and services of the product, over a new database and folder of readings, one
// clock, and senders that keep what they are given.
type Stores struct {
	*app.Stores
	Clock      *Clock
	Log        *Log
	Phones     *Phones // get SMS codes
	Mails      *MailRecorder
	Slider     *Slider
	MailSender *FakeSender // of e-mail
	SMSSender  *FakeSender // of SMS

	deps app.Deps
}

// NewStores opens all stores. The functions with change what they are given.
func NewStores(t testing.TB, with ...func(*app.Deps)) *Stores {
	t.Helper()
	s := &Stores{
		Clock: NewClock(), Log: NewLog(), Phones: &Phones{}, Mails: &MailRecorder{}, Slider: NewSlider(),
		MailSender: &FakeSender{}, SMSSender: &FakeSender{},
	}
	s.deps = app.Deps{
		DB:       DB(t),
		Readings: s.openReadings(t),
		Key:      SecretKey,
		Logger:   s.Log.Logger,
		Version:  "1.2.3",
		Epoch:    "e",
		Now:      s.Clock.Now,
		Uptime:   s.Clock.Elapsed,
		Mailer:   s.Mails,
		SMS:      s.Phones,
		Senders: func(*app.Stores) map[notify.ChannelKind]notify.Sender {
			return map[notify.ChannelKind]notify.Sender{notify.KindEmail: s.MailSender, notify.KindSMS: s.SMSSender}
		},
		Private:           []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Picture:           s.Slider.Draw,
		LinkBase:          PublicURL,
		Retention:         Retention,
		AuditRetention:    audit.DefaultRetention,
		PasswordCost:      PasswordCost,
		CaptchaPolicy:     identity.CaptchaAdaptive,
		MaxNoticesPerHour: alarm.MaxNoticesPerHour,
		DigestAfter:       notify.DefaultDigestAfter,
	}
	s.Restart(t, with...)
	return s
}

func (s *Stores) openReadings(t testing.TB) *reading.Store {
	t.Helper()
	readings, err := reading.Open(t.Context(), reading.Options{
		Dir: t.TempDir(), Retention: Retention, Now: s.Clock.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := readings.Close(); err != nil {
			t.Error(err)
		}
	})
	return readings
}

// Restart drops what the server holds in memory and opens the stores again, as a start does. The
// functions with change what they are given from now on.
func (s *Stores) Restart(t testing.TB, with ...func(*app.Deps)) {
	t.Helper()
	for _, f := range with {
		f(&s.deps)
	}
	opened, err := app.Open(t.Context(), s.deps)
	if err != nil {
		t.Fatal(err)
	}
	s.Stores, s.Slider.Service = opened, opened.Captcha
	s.Remover.Intake = NothingInTransit{}
}

// UseIssuer restarts with an issuer for tenants without one of their own.
func (s *Stores) UseIssuer(t testing.TB, installation *identity.Connection) {
	t.Helper()
	s.Restart(t, func(d *app.Deps) { d.Issuer = installation })
}

// Reload reads the catalogue and the registry again, as the server does after products or devices
// changed.
func (s *Stores) Reload(t testing.TB) {
	t.Helper()
	if err := s.Catalog.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Devices.LoadRegistry(t.Context(), s.Catalog, s.Registry); err != nil {
		t.Fatal(err)
	}
}

// NothingInTransit is an intake without readings in transit.
type NothingInTransit struct{}

// WaitCommitted returns at once.
func (NothingInTransit) WaitCommitted() {}
