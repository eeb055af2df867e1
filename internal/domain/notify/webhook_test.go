package notify_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/guard"
	"tilth/internal/platform/errs"
)

// addWebhook adds a webhook of the tenant field, changed by with. The store accepts any URL.
func (p *outboxFixture) addWebhook(name string, with ...func(w *notify.Webhook)) int64 {
	p.t.Helper()
	w := &notify.Webhook{Name: name, URL: "https://" + name + ".example/tilth", Opened: true, Resolved: true,
		Enabled: true}
	for _, f := range with {
		f(w)
	}
	id, secret, err := p.Webhooks.Create(p.t.Context(), p.field.ID, w)
	p.must(err)
	if _, err := notify.SecretBytes(secret); err != nil || !strings.HasPrefix(secret, "whsec_") {
		p.t.Errorf("secret %q: %v", secret, err)
	}
	return id
}

func (p *outboxFixture) webhook(id int64) *notify.Webhook {
	p.t.Helper()
	w, err := p.Webhooks.Get(p.t.Context(), p.field.ID, id)
	p.must(err)
	return w
}

func TestWebhookStore(t *testing.T) {
	p := newOutboxFixture(t)
	ctx, mine, other := t.Context(), p.field.ID, p.rival.ID
	a := p.addWebhook("planner")
	p.Clock.Advance(time.Second)
	b := p.addWebhook("Pumps", func(w *notify.Webhook) { w.Level, w.Opened, w.Enabled = 2, false, false })
	list, total, err := p.Webhooks.Page(ctx, mine, 0, 10)
	want := notify.Webhook{ID: b, Name: "Pumps", URL: "https://Pumps.example/tilth", Resolved: true, Level: 2,
		CreateTime: p.Clock.Milli()}
	if err != nil || total != 2 || len(list) != 2 || list[0] != want || list[1].ID != a {
		t.Errorf("%+v of %d, %v", list, total, err)
	}
	if list, total, err := p.Webhooks.Page(ctx, mine, 1, 1); err != nil || total != 2 || len(list) != 1 ||
		list[0].ID != a {
		t.Errorf("%+v of %d, %v", list, total, err)
	}

	change := notify.Webhook{ID: a, Name: "PUMPS", URL: "https://b.example", Opened: true, Enabled: true}
	if err := p.Webhooks.Update(ctx, mine, &change); !errs.Is(err, errs.Refused) ||
		errs.As(err).Key != "webhook.nameTaken" {
		t.Errorf("%v", err)
	}
	change.Name, change.Level, change.Acknowledged = "Planner", 1, true
	p.must(p.Webhooks.Update(ctx, mine, &change))
	if got := p.webhook(a); got.Name != "Planner" || got.URL != change.URL || got.Resolved || !got.Acknowledged ||
		got.Level != 1 || fmt.Sprint(got.Events()) != "[opened acknowledged]" {
		t.Errorf("%+v", got)
	}
	if err := p.Webhooks.SwitchOff(ctx, mine, a, "https://a.example/before"); !errs.Is(err, errs.NotFound) ||
		!p.webhook(a).Enabled {
		t.Errorf("switched off for the answer of another URL: %v", err)
	}
	p.must(p.Webhooks.SwitchOff(ctx, mine, a, change.URL))
	if got := p.webhook(a); got.Enabled || !got.Gone {
		t.Errorf("%+v", got)
	}
	change.Enabled = false
	p.must(p.Webhooks.Update(ctx, mine, &change))
	if !p.webhook(a).Gone {
		t.Error("a change of a webhook that is off clears Gone")
	}
	p.must(p.Webhooks.Toggle(ctx, mine, a))
	if got := p.webhook(a); !got.Enabled || got.Gone {
		t.Errorf("%+v", got)
	}

	// All calls for another tenant give NotFound.
	for what, err := range map[string]error{
		"get":        func() error { _, err := p.Webhooks.Get(ctx, other, a); return err }(),
		"update":     p.Webhooks.Update(ctx, other, &notify.Webhook{ID: a, Name: "x"}),
		"toggle":     p.Webhooks.Toggle(ctx, other, a),
		"switch off": p.Webhooks.SwitchOff(ctx, other, a, change.URL),
		"rotate":     func() error { _, err := p.Webhooks.RotateSecret(ctx, other, a); return err }(),
		"endpoint":   func() error { _, err := p.Webhooks.Endpoint(ctx, other, a); return err }(),
		"deliveries": func() error { _, err := p.outbox.WebhookDeliveries(ctx, other, a); return err }(),
		"delete":     p.Webhooks.Delete(ctx, other, a),
	} {
		if !errs.Is(err, errs.NotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if list, total, err := p.Webhooks.Page(ctx, other, 0, 10); err != nil || total != 0 || len(list) != 0 {
		t.Errorf("%v %d %v", list, total, err)
	}
	p.must(p.Webhooks.Delete(ctx, mine, a))
	if err := p.Webhooks.Delete(ctx, mine, a); !errs.Is(err, errs.NotFound) {
		t.Errorf("%v", err)
	}
	for i := range notify.WebhooksATenant - 1 {
		p.addWebhook(fmt.Sprint("h", i))
	}
	if _, _, err := p.Webhooks.Create(ctx, mine, &notify.Webhook{Name: "more"}); !errs.Is(err, errs.Refused) ||
		errs.As(err).Key != "webhook.tooMany" {
		t.Errorf("%v", err)
	}
	if _, _, err := p.Webhooks.Create(ctx, other, &notify.Webhook{Name: "Pumps"}); err != nil {
		t.Errorf("a name that another tenant has: %v", err)
	}
}

// The previous secret is valid for a day and removed then. The database has neither secret in plain
// text, and a secret cannot be moved to another tenant.
func TestWebhookSecrets(t *testing.T) {
	p := newOutboxFixture(t)
	ctx, mine := t.Context(), p.field.ID
	id, first, err := p.Webhooks.Create(ctx, mine, &notify.Webhook{Name: "a", URL: "https://a.example", Enabled: true})
	p.must(err)
	second, err := p.Webhooks.RotateSecret(ctx, mine, id)
	p.must(err)
	if got, want := p.webhook(id).OldSecretUntil, p.Clock.Now().Add(24*time.Hour).UnixMilli(); got != want ||
		first == second {
		t.Errorf("until %d, want %d", got, want)
	}
	wantSecrets := func(secrets ...string) {
		t.Helper()
		e, err := p.Webhooks.Endpoint(ctx, mine, id)
		p.must(err)
		var want [][]byte
		for _, s := range secrets {
			raw, err := notify.SecretBytes(s)
			p.must(err)
			want = append(want, raw)
		}
		if e.URL != "https://a.example" || !bytes.Equal(bytes.Join(e.Secrets, nil), bytes.Join(want, nil)) ||
			len(e.Secrets) != len(want) {
			t.Errorf("%d secrets at %s, want %d", len(e.Secrets), e.URL, len(want))
		}
	}
	wantSecrets(second, first)
	var rows []struct{ Secret, OldSecret []byte }
	countStored := func() (n int) {
		rows = nil
		p.must(p.DB.Read(ctx).NewRaw("SELECT secret, old_secret FROM webhooks").Scan(ctx, &rows))
		for _, secret := range []string{first, second} {
			raw, err := notify.SecretBytes(secret)
			p.must(err)
			if all := append(append([]byte{}, rows[0].Secret...), rows[0].OldSecret...); bytes.Contains(all, raw) ||
				bytes.Contains(all, []byte(secret)) {
				t.Error("a secret is stored in plain text")
			}
		}
		for _, sealed := range [][]byte{rows[0].Secret, rows[0].OldSecret} {
			if len(sealed) > 32 {
				n++
			}
		}
		return n
	}
	p.Clock.Advance(24*time.Hour - time.Millisecond)
	p.must(p.Webhooks.Sweep(ctx, p.Clock.Now()))
	wantSecrets(second, first)
	if n := countStored(); n != 2 {
		t.Errorf("%d secrets are stored, want 2", n)
	}
	p.Clock.Advance(time.Millisecond)
	wantSecrets(second)
	if got := p.webhook(id).OldSecretUntil; got != 0 {
		t.Errorf("until %d", got)
	}
	p.must(p.Webhooks.Sweep(ctx, p.Clock.Now()))
	wantSecrets(second)
	if n := countStored(); n != 1 {
		t.Errorf("%d secrets are stored, want 1", n)
	}

	theirs, _, err := p.Webhooks.Create(ctx, p.rival.ID,
		&notify.Webhook{Name: "a", URL: "https://a.example", Enabled: true})
	p.must(err)
	p.must(p.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw("UPDATE webhooks SET secret = ? WHERE id = ?", rows[0].Secret, theirs).Exec(ctx)
		return err
	}))
	if _, err := p.Webhooks.Endpoint(ctx, p.rival.ID, theirs); err == nil || errs.Is(err, errs.NotFound) {
		t.Errorf("another tenant's secret signs: %v", err)
	}
	if _, err := notify.NewWebhookStore(p.DB, []byte("short"), p.Clock.Now); err == nil {
		t.Error("a short key is accepted")
	}
	for _, secret := range []string{"", "AAAA", "whsec_%"} {
		if _, err := notify.SecretBytes(secret); err == nil {
			t.Errorf("%q is accepted as a secret", secret)
		}
	}
}

func TestWebhookForm(t *testing.T) {
	long := strings.Repeat("x", 65)
	for _, c := range []struct {
		name, url string
		events    []string
		level     int
		private   bool // the provider allows 10.0.0.0/8
		field     string
		key       string // of the error; empty: the form is valid
	}{
		{name: " Planner ", url: " https://planner.example/tilth?a=b&c=%20 ", events: []string{"opened"}},
		{name: "Planner", url: "https://planner.example:8443", events: []string{"opened", "resolved", "resolved"}, level: 2},
		{name: "Планировщик", url: "https://ферма.example/x", events: []string{"resolved"}},
		{name: "x", url: "https://10.0.0.1/", events: []string{"resolved"}, private: true},
		{name: "x", url: "https://[::ffff:10.0.0.1]:8443/", events: []string{"resolved"}, private: true},
		{name: "x", url: "http://10.0.0.1:8080/", events: []string{"resolved"}, private: true},
		{name: "x", url: "http://anything.example/", events: []string{"resolved"}, private: true}, // checked at each call
		{name: " ", key: "common.nameRequired"},
		{name: long, field: "name", key: "invalid.long"},
		{name: "a\u202eb", field: "name", key: "invalid.format"},
		{name: "a\x00b", field: "name", key: "invalid.format"},
		{name: "x", field: "url", key: "invalid.required"},
		{name: "x", url: "https://a.example/" + strings.Repeat("x", 1024), field: "url", key: "invalid.long"},
		{name: "x", url: "http://a.example/", field: "url", key: "webhook.urlPlain"},
		{name: "x", url: "ftp://a.example/", field: "url", key: "webhook.urlPlain"},
		{name: "x", url: "a.example/x", field: "url", key: "webhook.urlPlain"},
		{name: "x", url: "javascript:alert(1)", field: "url", key: "webhook.urlPlain"},
		{name: "x", url: "https:a.example", field: "url", key: "webhook.urlFormat"},
		{name: "x", url: "https://", field: "url", key: "webhook.urlFormat"},
		{name: "x", url: "https:///path", field: "url", key: "webhook.urlFormat"},
		{name: "x", url: "https://a.example:/", field: "url", key: "webhook.urlFormat"},
		{name: "x", url: "https://a.example:0/", field: "url", key: "webhook.urlFormat"},
		{name: "x", url: "https://a.example:99999/", field: "url", key: "webhook.urlFormat"},
		{name: "x", url: "https://a.example/#b", field: "url", key: "webhook.urlFormat"},
		{name: "x", url: "https://a.example/#", field: "url", key: "webhook.urlFormat"},
		{name: "x", url: "https://a b.example/", field: "url", key: "webhook.urlFormat"},
		{name: "x", url: "https://a.example/a\r\nHost: b", field: "url", key: "webhook.urlFormat"},
		{name: "x", url: "https://a.example/%zz", field: "url", key: "webhook.urlFormat"},
		{name: "x", url: "https://ada:pass@a.example/", field: "url", key: "webhook.urlUser"},
		{name: "x", url: "https://@a.example/", field: "url", key: "webhook.urlUser"},
		{name: "x", url: "https://a.example/", field: "events", key: "webhook.eventRequired"},
		{name: "x", url: "https://a.example/", events: []string{"opened", "closed"}, field: "events", key: "invalid.choice"},
		{name: "x", url: "https://a.example/", events: []string{"acknowledged", "unacknowledged"}, field: "events", key: "invalid.choice"},
		{name: "x", url: "https://a.example/", events: []string{"opened"}, level: 3, field: "alarmLevel", key: "invalid.choice"},
		{name: "x", url: "https://a.example/", events: []string{"opened"}, level: -1, field: "alarmLevel", key: "invalid.choice"},
	} {
		g := &guard.Guard{}
		if c.private {
			g.Private = prefixes("10.0.0.0/8")
		}
		f := notify.WebhookForm{Name: &c.name, URL: &c.url, Events: c.events, Level: &c.level}
		w, err := f.Webhook(g)
		if c.key == "" {
			if err != nil || w.Name != strings.TrimSpace(c.name) || w.URL != strings.TrimSpace(c.url) ||
				w.Level != c.level || !w.Enabled {
				t.Errorf("%q %q: %+v %v", c.name, c.url, w, err)
			}
			continue
		}
		if e := errs.As(err); err == nil || e.Kind != errs.Refused || e.Key != c.key || e.Field != c.field {
			t.Errorf("%q %q: %v, want %s: %s", c.name, c.url, err, c.field, c.key)
		}
	}
	// IP addresses are refused in every notation, public ones too, except those in networks that
	// the provider allows, in the usual notation.
	for _, host := range []string{
		"127.0.0.1", "169.254.169.254", "8.8.8.8", "127.0.0.1.", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "0", "[::1]", "[::ffff:10.0.0.9]", "[2606:4700::1111]",
		"[fe80::1%25eth0]", "１２７.０.０.１", "127。0。0。1", "a.example.0x1",
	} {
		for _, g := range []*guard.Guard{{}, {Private: prefixes("192.168.0.0/16")}} {
			for _, scheme := range []string{"https", "http"} {
				url := scheme + "://" + host + ":8443/x"
				_, err := (&notify.WebhookForm{Name: new("x"), URL: &url, Events: []string{"opened"}}).Webhook(g)
				want := "webhook.urlFigures"
				if scheme == "http" && g.Private == nil {
					want = "webhook.urlPlain"
				}
				if e := errs.As(err); err == nil || e.Kind != errs.Refused || e.Key != want || e.Field != "url" {
					t.Errorf("%s with %v: %v", url, g.Private, err)
				}
			}
		}
	}
	for _, host := range []string{"0x0a000001", "167772161", "10.1", "10.0.0.1.", "012.0.0.1"} { // some programs read these as 10.0.0.1
		url := "https://" + host + "/"
		_, err := (&notify.WebhookForm{Name: new("x"), URL: &url, Events: []string{"opened"}}).
			Webhook(&guard.Guard{Private: prefixes("10.0.0.0/8")})
		if e := errs.As(err); err == nil || e.Key != "webhook.urlFigures" {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := (&notify.WebhookForm{}).Webhook(&guard.Guard{}); !errs.Is(err, errs.Refused) {
		t.Errorf("an empty form: %v", err)
	}
	alone, err := (&notify.WebhookForm{Name: new("x"), URL: new("https://a.example"),
		Events: []string{"acknowledged"}}).Webhook(&guard.Guard{})
	if err != nil || alone.Opened || alone.Resolved || !alone.Acknowledged {
		t.Errorf("%+v %v", alone, err)
	}
	w, err := (&notify.WebhookForm{Name: new("x"), URL: new("https://a.example"), Events: []string{"resolved"},
		Enabled: new(false)}).Webhook(&guard.Guard{})
	if err != nil || w.Enabled || w.Opened || fmt.Sprint(w.Events()) != "[resolved]" {
		t.Errorf("%+v %v", w, err)
	}
}
