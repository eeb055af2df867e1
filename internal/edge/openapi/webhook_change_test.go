package openapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"tilth/internal/domain/notify"
	"tilth/internal/edge/openapi/wire"
)

// If two programs change different fields of a webhook at the same time, both changes stay: an
// absent field keeps its present value, not an earlier one.
func TestConcurrentWebhookChanges(t *testing.T) {
	w := newFixture(t)
	at := fmt.Sprint(
		"/webhooks/",
		ask[wire.WebhookWithSecret](t, w, w.newCall(http.MethodPost, "/webhooks", webhookBody)).Id,
	)
	for round := range 60 {
		name, enabled := fmt.Sprint("Planner ", round), round%2 == 1
		var both sync.WaitGroup
		for _, body := range []string{fmt.Sprintf(`{"name":%q}`, name), fmt.Sprintf(`{"enabled":%t}`, enabled)} {
			r := w.newCall(http.MethodPatch, at, body).request(t, w, "http://tilth.test")
			both.Go(func() {
				rec := httptest.NewRecorder()
				if w.handler.ServeHTTP(rec, r); rec.Code != http.StatusOK {
					t.Errorf("%s: %d %s", body, rec.Code, rec.Body)
				}
			})
		}
		both.Wait()
		if is := ask[wire.Webhook](t, w, call{path: at}); is.Name != name || is.Enabled != enabled {
			t.Fatalf("round %d: %q, enabled %t; want %q, %t", round, is.Name, is.Enabled, name, enabled)
		}
	}
}

// A body is exactly one JSON text; text after it is refused.
func TestTrailingBodyTextIsRefused(t *testing.T) {
	w := newFixture(t)
	for _, after := range []string{`{"enabled":false}`, " x", ",", "]", "\x00"} {
		w.mustRefuse(t, w.newCall(http.MethodPost, "/webhooks", webhookBody+after), http.StatusBadRequest)
	}
	if list := ask[wire.WebhookList](t, w, call{path: "/webhooks"}); len(list.Items) != 0 {
		t.Errorf("%+v", list)
	}
	made := ask[wire.WebhookWithSecret](t, w, w.newCall(http.MethodPost, "/webhooks", "\n"+webhookBody+"\r\n"))
	w.mustRefuse(
		t,
		w.newCall(http.MethodPatch, fmt.Sprint("/webhooks/", made.Id), `{"name":"a"}{"name":"b"}`),
		http.StatusBadRequest,
	)
}

// A name of invisible characters counts as empty, and the refusal names the parameter.
func TestInvisibleWebhookNameIsRefused(t *testing.T) {
	w := newFixture(t)
	at := fmt.Sprint(
		"/webhooks/",
		ask[wire.WebhookWithSecret](t, w, w.newCall(http.MethodPost, "/webhooks", webhookBody)).Id,
	)
	for _, name := range []string{"  ", "\u3000", "\u200b"} {
		for _, c := range []call{
			w.newCall(http.MethodPost, "/webhooks", fmt.Sprintf(`{"name":%q,"url":"https://a.example","events":["opened"]}`, name)),
			w.newCall(http.MethodPatch, at, fmt.Sprintf(`{"name":%q}`, name)),
		} {
			if p := w.mustRefuse(t, c, http.StatusBadRequest); p.Parameter != "name" {
				t.Errorf("%q: %+v", name, p)
			}
		}
	}
}

// A webhook whose network is no longer allowed can be changed and switched off: an unchanged
// address is not checked again, a new one is.
func TestWebhookOfBlockedNetworkCanBeChanged(t *testing.T) {
	w := newFixture(t)
	for _, url := range []string{"http://10.0.0.1:8080/", "https://192.168.0.9/"} {
		id, _, err := w.Webhooks.Create(
			t.Context(),
			w.field.ID,
			&notify.Webhook{Name: url, URL: url, Opened: true, Enabled: true},
		)
		if err != nil {
			t.Fatal(err)
		}
		at := fmt.Sprint("/webhooks/", id)
		for _, body := range []string{`{"enabled":false}`, fmt.Sprintf(`{"enabled":false,"url":%q}`, url), `{"level":"serious"}`} {
			if is := ask[wire.Webhook](t, w, w.newCall(http.MethodPatch, at, body)); is.Enabled || is.Url != url {
				t.Errorf("%s: %+v", body, is)
			}
		}
		p := w.mustRefuse(
			t,
			w.newCall(http.MethodPatch, at, fmt.Sprintf(`{"url":%q}`, url+"x")),
			http.StatusBadRequest,
		)
		if p.Parameter != "url" {
			t.Errorf("another address: %+v", p)
		}
	}
}
