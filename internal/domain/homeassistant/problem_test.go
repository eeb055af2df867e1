package homeassistant_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/homeassistant"
	"tilth/internal/domain/notify/guard"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/broker"
)

const (
	brokerUser     = "tilth"
	brokerPassword = "pond-and-orchard"
)

func TestWrongPassword(t *testing.T) {
	w := newFixture(t)
	b := broker.Start(t, broker.Options{UserName: brokerUser, Password: brokerPassword})
	w.set(t, &homeassistant.Form{Enabled: true, URL: &b.URL, UserName: new(brokerUser), Password: new("wrong")})
	w.await(t, homeassistant.Failed, homeassistant.WrongCredentials)
	w.set(t, &homeassistant.Form{Enabled: true, URL: &b.URL, UserName: new(brokerUser), Password: new(brokerPassword)})
	w.await(t, homeassistant.Connected, "")
	// Absent: it stays. Empty: it is removed.
	w.set(t, &homeassistant.Form{Enabled: true, URL: &b.URL, UserName: new(brokerUser), Base: new("farm")})
	awaitPayload(t, b, "farm/bridge", "online")
	w.set(t, &homeassistant.Form{Enabled: true, URL: &b.URL, UserName: new(brokerUser), Password: new("")})
	w.await(t, homeassistant.Failed, homeassistant.WrongCredentials)
	if set, _, err := w.service.Get(t.Context(), w.field.ID); err != nil || set.HasPassword {
		t.Errorf("%+v %v", set, err)
	}
	if logged := w.Log.Text(); strings.Contains(logged, brokerPassword) ||
		!strings.Contains(logged, "homeAssistant.credentials") {
		t.Errorf("the log: %s", logged)
	}
}

// The password is in no file as it is, and cannot be read in another tenant's row.
func TestPasswordIsEncrypted(t *testing.T) {
	w := newFixture(t)
	b := broker.Start(t, broker.Options{UserName: brokerUser, Password: brokerPassword})
	w.set(t, &homeassistant.Form{Enabled: true, URL: &b.URL, UserName: new(brokerUser), Password: new(brokerPassword)})
	w.await(t, homeassistant.Connected, "")
	var sealed []byte
	err := w.DB.Read(t.Context()).NewSelect().TableExpr("home_assistant").Column("password").
		Where("tenant_id = ?", w.field.ID).Scan(t.Context(), &sealed)
	if err != nil || len(sealed) == 0 || strings.Contains(string(sealed), brokerPassword) {
		t.Errorf("%q %v", sealed, err)
	}
	rival := w.Tenant(t, "rival")
	form := &homeassistant.Form{Enabled: true, URL: &b.URL, UserName: new(brokerUser), Password: new("theirs")}
	if err := w.service.Update(t.Context(), rival.ID, form); err != nil {
		t.Fatal(err)
	}
	err = w.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().TableExpr("home_assistant").Set("password = ?", sealed).
			Where("tenant_id = ?", rival.ID).Exec(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	w.stop()
	w.Restart(t)
	w.start(t)
	testkit.Eventually(t, "the rival's password to be unreadable", func() bool {
		_, status, err := w.service.Get(t.Context(), rival.ID)
		return err == nil && status.Problem == homeassistant.PasswordUnreadable
	})
	w.await(t, homeassistant.Connected, "")
}

func TestAddressesThatAreNotCalled(t *testing.T) {
	t.Parallel() // it takes as long as a lookup may
	none := func(d *homeassistant.Deps) { d.Guard = &guard.Guard{} }
	w, b := newFixture(t), broker.Start(t, broker.Options{})
	w.set(t, &homeassistant.Form{Enabled: true, URL: &b.URL})
	w.await(t, homeassistant.Connected, "")
	w.stop()
	// The provider allows the network no more: the stored address is not called.
	w.Restart(t)
	w.start(t, none)
	w.await(t, homeassistant.Failed, homeassistant.Forbidden)
	if len(b.Clients()) != 1 {
		t.Errorf("called: %q", b.Clients())
	}
	secure := "mqtts://localhost:" + b.Port
	w.set(t, &homeassistant.Form{Enabled: true, URL: &secure})
	w.await(t, homeassistant.Failed, homeassistant.Unreachable)
	if len(b.Clients()) != 1 {
		t.Errorf("called: %q", b.Clients())
	}
}

func TestForms(t *testing.T) {
	w := newFixture(t)
	strict := w.NewHomeAssistant(func(d *homeassistant.Deps) { d.Guard = &guard.Guard{} })
	update := func(s *homeassistant.Service, f homeassistant.Form) error {
		return s.Update(t.Context(), w.field.ID, &f)
	}
	for url, key := range map[string]string{
		"": "invalid.required", "mqtt://broker.example": "homeAssistant.urlPlain", "mqtts://": "homeAssistant.urlFormat",
		"https://broker.example": "homeAssistant.urlFormat", "mqtts://10.1.2.3": "homeAssistant.urlFigures",
		"mqtts://127.1": "homeAssistant.urlFigures", "mqtts://[::1]:8883": "homeAssistant.urlFigures",
		"mqtts://ada:secret@broker.example": "homeAssistant.urlUser", "mqtts://broker.example/x": "homeAssistant.urlFormat",
		"mqtts://broker.example:0": "homeAssistant.urlFormat", "mqtts://broker.example:99999": "homeAssistant.urlFormat",
		"mqtts://broker.example?x=1": "homeAssistant.urlFormat", "mqtts://broker .example": "homeAssistant.urlFormat",
		"mqtts://" + strings.Repeat("a", 255): "invalid.long", "broker.example": "homeAssistant.urlFormat",
	} {
		expectRefusal(t, update(strict, homeassistant.Form{Enabled: true, URL: &url}), key, "url")
	}
	good := "mqtts://broker.example"
	for _, c := range []struct {
		form       homeassistant.Form
		key, field string
	}{
		{homeassistant.Form{UserName: new(strings.Repeat("a", 257))}, "invalid.long", "userName"},
		{homeassistant.Form{Password: new("a\x00b")}, "invalid.format", "password"},
		{homeassistant.Form{Password: new("secret")}, "homeAssistant.userNameRequired", "userName"},
		{homeassistant.Form{Prefix: new("home/#")}, "homeAssistant.topicFormat", "discoveryPrefix"},
		{homeassistant.Form{Prefix: new("home//x")}, "homeAssistant.topicFormat", "discoveryPrefix"},
		{homeassistant.Form{Base: new("$SYS")}, "homeAssistant.topicFormat", "baseTopic"},
		{homeassistant.Form{Base: new("a b")}, "homeAssistant.topicFormat", "baseTopic"},
		{homeassistant.Form{Base: new("homeassistant")}, "homeAssistant.topicsSame", "baseTopic"},
		{homeassistant.Form{Base: new(strings.Repeat("ü", 129))}, "invalid.long", "baseTopic"},
	} {
		c.form.URL = &good
		expectRefusal(t, update(strict, c.form), c.key, c.field)
	}
	// A password is not sent to another broker than the one for which it was entered.
	if err := update(
		strict,
		homeassistant.Form{URL: &good, UserName: new("ada"), Password: new("secret")},
	); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"mqtts://evil.example", "mqtts://broker.example:8884"} {
		expectRefusal(
			t,
			update(strict, homeassistant.Form{URL: &other, UserName: new("ada")}),
			"homeAssistant.passwordAgain",
			"password",
		)
	}
	for _, same := range []string{"mqtts://Broker.example:8883", "mqtts://broker.example/"} {
		if err := update(strict, homeassistant.Form{URL: &same, UserName: new("ada")}); err != nil {
			t.Error(err)
		}
	}
	form := homeassistant.Form{URL: &good, UserName: new("ada"), Password: new("")}
	if err := update(strict, form); err != nil {
		t.Fatal(err)
	}
	if set, _, err := strict.Get(t.Context(), w.field.ID); err != nil || set.HasPassword || set.UserName != "ada" {
		t.Errorf("%+v %v: the password was removed", set, err)
	}
	form.Password = new("secret")
	if err := update(strict, form); err != nil {
		t.Fatal(err)
	}
	if err := update(strict, homeassistant.Form{URL: &good}); err != nil {
		t.Fatal(err)
	}
	if set, _, err := strict.Get(t.Context(), w.field.ID); err != nil || set.HasPassword || set.Base != "tilth/field" {
		t.Errorf("%+v %v: a password goes with its user name", set, err)
	}
}

func TestChangesAreLimited(t *testing.T) {
	w := newFixture(t)
	for range 60 {
		w.set(t, &homeassistant.Form{})
	}
	if err := w.service.Update(t.Context(), w.field.ID, &homeassistant.Form{}); !errs.Is(err, errs.TooMany) {
		t.Errorf("%v", err)
	}
}

func TestTLS(t *testing.T) {
	cert, key, roots := testkit.Certificate(t, t.TempDir(), time.Now())
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	b := broker.Start(
		t,
		broker.Options{TLS: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}},
	)
	w := newFixture(t)
	w.set(t, &homeassistant.Form{Enabled: true, URL: &b.URL})
	w.await(t, homeassistant.Failed, homeassistant.WrongCertificate)
	w.stop()
	w.Restart(t)
	w.start(t, func(d *homeassistant.Deps) { d.Roots = roots })
	w.await(t, homeassistant.Connected, "")
	plain := strings.Replace(b.URL, "mqtts", "mqtt", 1)
	w.set(t, &homeassistant.Form{Enabled: true, URL: &plain})
	w.await(t, homeassistant.Failed, homeassistant.NotABroker)
}

// A broker that sends a long packet is not listened to.
func TestHostileBroker(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", testkit.AnyPort)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	var sent atomic.Int64
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.ReadAtLeast(conn, make([]byte, 1024), 1)
			_, _ = conn.Write([]byte{0x20, 2, 0, 0, 0x30, 0xff, 0xff, 0xff, 0x7f}) // CONNACK, and 256 MB begin
			n, _ := io.Copy(conn, io.LimitReader(zeros{}, 64<<20))
			sent.Add(n)
			_ = conn.Close()
		}
	}()
	w := newFixture(t)
	url := "mqtt://" + l.Addr().String()
	w.set(t, &homeassistant.Form{Enabled: true, URL: &url})
	w.await(t, homeassistant.Failed, homeassistant.Ended)
	testkit.Eventually(t, "a connection to end", func() bool { return sent.Load() > 0 })
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Without the right to read Home Assistant's status, everything is published, and people are told.
func TestStatusTopicMustBeReadable(t *testing.T) {
	w := newFixture(t)
	b := broker.Start(t, broker.Options{DenyReading: "homeassistant/status"})
	w.set(t, &homeassistant.Form{Enabled: true, URL: &b.URL})
	w.await(t, homeassistant.Connected, homeassistant.NotSubscribed)
	awaitRetained(t, b, "homeassistant/", configs("WS-1")...)
}

// A server that was restored from a backup connects once it is released.
func TestHeld(t *testing.T) {
	w := newFixture(t)
	if err := errors.Join(tenant.Hold(t.Context(), w.DB, w.Clock.Now()), w.Tenants.LoadHold(t.Context())); err != nil {
		t.Fatal(err)
	}
	b := broker.Start(t, broker.Options{})
	w.set(t, &homeassistant.Form{Enabled: true, URL: &b.URL})
	w.await(t, homeassistant.Failed, homeassistant.Held)
	if held, err := w.Tenants.Release(t.Context()); !held || err != nil {
		t.Fatal(held, err)
	}
	w.await(t, homeassistant.Connected, "")
}

// A fault of the database shows, and the next attempt succeeds.
func TestFaultOfTheDatabase(t *testing.T) {
	w, b := newFixture(t), broker.Start(t, broker.Options{})
	mend := testkit.FailStatement(t, w.DB, "INSERT ON home_assistant_topics")
	w.set(t, &homeassistant.Form{Enabled: true, URL: &b.URL})
	w.await(t, homeassistant.Failed, homeassistant.Fault)
	if n := len(b.Retained("homeassistant/")); n != 0 {
		t.Errorf("%d announcements that are not written down", n)
	}
	mend()
	w.await(t, homeassistant.Connected, "")
}
