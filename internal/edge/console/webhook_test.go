package console_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/pseudo"
)

const webhooksPath = "/admin-api/client/pc/webhook/"

// plannerForm returns a valid form of a webhook; with changes it, and nil removes a key.
func plannerForm(with body) body {
	b := body{
		"name":       "Planner",
		"url":        "https://planner.example/tilth",
		"events":     []string{"opened", "resolved"},
		"alarmLevel": 1,
		"enabled":    true,
	}
	maps.Copy(b, with)
	for key, value := range b {
		if value == nil {
			delete(b, key)
		}
	}
	return b
}

func (w *fixture) listWebhooks(t *testing.T) []wire.Webhook {
	t.Helper()
	page := testkit.Ask[wire.WebhookPage](t, w.Contract, w.get(webhooksPath+"page"))
	if page.Total != len(page.List) {
		t.Errorf("%d of %d", len(page.List), page.Total)
	}
	return page.List
}

func (w *fixture) webhookCall(method, name string, id int64) testkit.Call {
	return testkit.Call{Method: method, Path: fmt.Sprint(webhooksPath, name, "?id=", id), Token: w.ada}
}

// A webhook is made, listed, changed, toggled and deleted.
func TestWebhooks(t *testing.T) {
	w := newServer(t)
	if list := w.listWebhooks(t); list == nil || len(list) != 0 {
		t.Errorf("%+v", list)
	}
	made := testkit.Ask[wire.WebhookSecret](
		t,
		w.Contract,
		w.adaCall(http.MethodPost, webhooksPath+"create", plannerForm(nil)),
	)
	if !strings.HasPrefix(made.Secret, "whsec_") || len(made.Secret) < 40 {
		t.Errorf("%+v", made)
	}
	list := w.listWebhooks(t)
	if h := list[0]; h.Id != made.Id || h.Name != "Planner" || h.Url != "https://planner.example/tilth" ||
		fmt.Sprint(h.Events) != "[opened resolved]" ||
		h.AlarmLevel != 1 ||
		!h.Enabled ||
		h.Gone != nil ||
		h.OldSecretUntil != nil ||
		h.CreateTime != w.Clock.Milli() {
		t.Errorf("%s", asJSON(t, h))
	}
	if a := w.Do(t, w.get(webhooksPath+"page")); strings.Contains(string(a.Body), made.Secret) ||
		strings.Contains(string(a.Body), "whsec") {
		t.Errorf("the secret is answered again: %s", a.Body)
	}
	w.Run(t, []testkit.Scenario{
		{
			Name: "update",
			Call: w.adaCall(
				http.MethodPut,
				webhooksPath+"update",
				plannerForm(
					body{
						"id":         made.Id,
						"name":       " Pompalar ",
						"events":     []string{"resolved"},
						"alarmLevel": 2,
						"enabled":    false,
					},
				),
			),
			Contains: []string{`"data":true`},
		},
		{
			Name:     "toggle",
			Call:     w.webhookCall(http.MethodPut, "enable-or-disable", made.Id),
			Contains: []string{`"data":true`},
		},
	})
	if h := w.listWebhooks(t)[0]; h.Name != "Pompalar" || fmt.Sprint(h.Events) != "[resolved]" || h.AlarmLevel != 2 ||
		!h.Enabled {
		t.Errorf("%s", asJSON(t, h))
	}
	// A second call to switch off leaves the webhook off, as when the first answer was lost.
	for _, enabled := range []bool{false, false, true, true} {
		call := w.webhookCall(http.MethodPut, "enable-or-disable", made.Id)
		call.Path += fmt.Sprint("&enabled=", enabled)
		w.Run(t, []testkit.Scenario{{Name: "switch", Call: call, Contains: []string{`"data":true`}}})
		if w.listWebhooks(t)[0].Enabled != enabled {
			t.Errorf("enabled is not %t", enabled)
		}
	}
	again := testkit.Ask[wire.WebhookSecret](t, w.Contract, w.webhookCall(http.MethodPost, "new-secret", made.Id))
	if h := w.listWebhooks(t)[0]; again.Secret == made.Secret || h.OldSecretUntil == nil ||
		*h.OldSecretUntil != w.Clock.Now().Add(24*time.Hour).UnixMilli() {
		t.Errorf("%s", asJSON(t, h))
	}
	if err := w.Webhooks.SwitchOff(t.Context(), w.field.ID, made.Id, w.listWebhooks(t)[0].Url); err != nil {
		t.Fatal(err)
	}
	if h := w.listWebhooks(t)[0]; h.Gone == nil || !*h.Gone || h.Enabled {
		t.Errorf("%s", asJSON(t, h))
	}
	w.Run(t, []testkit.Scenario{
		{Name: "delete", Call: w.webhookCall(http.MethodDelete, "delete", made.Id), Contains: []string{`"data":true`}},
		{Name: "delete again", Call: w.webhookCall(http.MethodDelete, "delete", made.Id), Code: 404},
		{
			Name: "toggle a deleted webhook",
			Call: w.webhookCall(http.MethodPut, "enable-or-disable", made.Id),
			Code: 404,
		},
		{
			Name: "an invalid update of a deleted webhook",
			Call: w.adaCall(http.MethodPut, webhooksPath+"update", body{"id": made.Id}),
			Code: 404,
		},
		{Name: "test a deleted webhook", Call: w.webhookCall(http.MethodPost, "test", made.Id), Code: 404},
		{
			Name: "deliveries of a deleted webhook",
			Call: w.webhookCall(http.MethodGet, "deliveries", made.Id),
			Code: 404,
		},
		{Name: "a secret of a deleted webhook", Call: w.webhookCall(http.MethodPost, "new-secret", made.Id), Code: 404},
	})
	// A webhook belongs to the tenant, so a colleague can change it; its maker is the caller.
	theirs := w.adaCall(http.MethodPost, webhooksPath+"create", plannerForm(nil))
	theirs.Token, theirs.Header = w.rivalToken, map[string]string{"tenant-id": fmt.Sprint(w.field.ID)}
	testkit.Ask[wire.WebhookSecret](t, w.Contract, theirs)
	if list := w.listWebhooks(t); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	for _, secret := range []string{made.Secret, again.Secret} {
		if strings.Contains(w.Log.Text(), secret) {
			t.Error("a secret is in the log")
		}
	}
}

// Both calls report every error in a form.
func TestWebhookRefusals(t *testing.T) {
	w := newServer(t)
	id := testkit.Ask[wire.WebhookSecret](
		t,
		w.Contract,
		w.adaCall(http.MethodPost, webhooksPath+"create", plannerForm(nil)),
	).Id
	testkit.Ask[wire.WebhookSecret](
		t,
		w.Contract,
		w.adaCall(http.MethodPost, webhooksPath+"create", plannerForm(body{"name": "Işık"})),
	)
	for name, c := range map[string]struct {
		with body
		want string
	}{
		"no name":      {body{"name": nil}, "Please enter a name"},
		"a long name":  {body{"name": strings.Repeat("ş", 65)}, "Name: at most 64 characters"},
		"NUL":          {body{"name": "a\x00"}, "Name: not in the right form"},
		"a known name": {body{"name": "IŞIK"}, "Name: another webhook has this name"},
		"no address":   {body{"url": nil}, "Address: "},
		"no https":     {body{"url": "ftp://a.example"}, "Address: must begin with https://"},
		"a user":       {body{"url": "https://a:b@a.example"}, "Address: must not hold a user name or password"},
		"inside":       {body{"url": "https://169.254.169.254/"}, "Address: needs the name of a host, not an IP address"},
		"no host":      {body{"url": "https:///x"}, "Address: not an address of the form https://host/path"},
		"no event":     {body{"events": nil}, "Events: select at least one"},
		"an event":     {body{"events": []string{"closed"}}, "Events: not one of the choices"},
		"a level":      {body{"alarmLevel": 3}, "Alarm severity: not one of the choices"},
	} {
		for _, call := range []testkit.Call{
			w.adaCall(http.MethodPost, webhooksPath+"create", plannerForm(c.with)),
			w.adaCall(http.MethodPut, webhooksPath+"update", plannerForm(func() body { b := maps.Clone(c.with); b["id"] = id; return b }())),
		} {
			if a := w.Do(t, call); a.Code != 601 || !strings.HasPrefix(a.Msg, c.want) {
				t.Errorf("%s: %d %q, want %q", name, a.Code, a.Msg, c.want)
			}
		}
	}
	// A stored address that is no longer allowed does not keep the user from changing the other
	// fields.
	closed := "http://10.0.0.1:8080/"
	old, _, err := w.Webhooks.Create(
		t.Context(),
		w.field.ID,
		&notify.Webhook{Name: "Old", URL: closed, Opened: true, Enabled: true},
	)
	if err != nil {
		t.Fatal(err)
	}
	for url, code := range map[string]int{closed: 200, closed + "x": 601} {
		a := w.Do(
			t,
			w.adaCall(http.MethodPut, webhooksPath+"update", plannerForm(body{"id": old, "name": "Old", "url": url})),
		)
		if a.Code != code {
			t.Errorf("%s: %d %s", url, a.Code, a.Msg)
		}
	}
	if err := w.Webhooks.Delete(t.Context(), w.field.ID, old); err != nil {
		t.Fatal(err)
	}
	call := w.adaCall(http.MethodPost, webhooksPath+"create", plannerForm(body{"url": "http:"}))
	for _, l := range pseudo.Languages() {
		call.Header = map[string]string{"Accept-Language": string(l)}
		if a := w.Do(t, call); a.Code != 601 || !strings.Contains(a.Msg, text.Translate(l, "webhook.urlFormat", nil)) {
			t.Errorf("%s: %s", l, a.Msg)
		}
	}
	for i := range notify.WebhooksATenant - 2 {
		testkit.Ask[wire.WebhookSecret](
			t,
			w.Contract,
			w.adaCall(http.MethodPost, webhooksPath+"create", plannerForm(body{"name": fmt.Sprint(i)})),
		)
	}
	w.Run(t, []testkit.Scenario{
		{
			Name:     "one too many",
			Call:     w.adaCall(http.MethodPost, webhooksPath+"create", plannerForm(body{"name": "x"})),
			Code:     601,
			Contains: []string{"You already have 20 webhooks"},
		},
		{
			Name: "no JSON",
			Call: testkit.Call{Method: http.MethodPost, Path: webhooksPath + "create", Token: w.ada, Body: "{"},
			Code: 400,
		},
		{Name: "id 0", Call: w.webhookCall(http.MethodPut, "enable-or-disable", 0), Code: 601},
	})
}

// A program gets test calls and events. Its answers are shown with the webhook and in the notice's
// deliveries.
func TestWebhookDeliveries(t *testing.T) {
	w, program := newServer(t), testkit.NewWebhookReceiver(t)
	made := testkit.Ask[wire.WebhookSecret](
		t,
		w.Contract,
		w.adaCall(http.MethodPost, webhooksPath+"create", plannerForm(body{"url": program.URL, "alarmLevel": 0})),
	)
	o := testkit.Ask[wire.WebhookOutcome](t, w.Contract, w.webhookCall(http.MethodPost, "test", made.Id))
	if !o.Ok || *o.Answer != "200 thank you" || o.Msg != nil || len(program.TakeCalls()) != 1 {
		t.Errorf("%s", asJSON(t, o))
	}
	program.SetResponse(503, "down\nfor repair")
	call := w.webhookCall(http.MethodPost, "test", made.Id)
	call.Header = map[string]string{"Accept-Language": "tr-tr"}
	if o := testkit.Ask[wire.WebhookOutcome](t, w.Contract, call); o.Ok || *o.Answer != "503 down" ||
		*o.Msg != text.Translate(text.Turkish, "webhook.notAccepted", map[string]string{"status": "503"}) {
		t.Errorf("%s", asJSON(t, o))
	}
	for range 3 {
		w.Do(t, call)
	}
	if a := w.Do(t, call); a.Code != 429 {
		t.Errorf("%s", a.Body)
	}
	program.TakeCalls()

	rule, notice := w.openRuleNotice(t, frostForm("WS-1", nil), air(1))
	step := func() {
		t.Helper()
		if _, err := w.Outbox.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	step()
	sent := testkit.Ask[[]wire.WebhookDelivery](t, w.Contract, w.webhookCall(http.MethodGet, "deliveries", made.Id))
	if d := sent[0]; len(sent) != 1 || d.NoticeId != notice || d.Title == "" || d.Event != "opened" ||
		d.State != "queued" ||
		*d.Reason != "retry" ||
		*d.Answer != "503 down" ||
		d.Attempts != 1 ||
		d.NextTime == nil {
		t.Errorf("%s", asJSON(t, sent))
	}
	program.SetResponse(200, "")
	w.Clock.Advance(time.Minute)
	step()
	deliveries := w.notice(t, notice).Deliveries
	host := strings.TrimPrefix(program.URL, "http://")
	if len(deliveries) != 1 {
		t.Fatalf("%s", asJSON(t, deliveries))
	}
	d := deliveries[0]
	if d.Mode != "webhook" || d.Channel != "Planner" || d.Recipient != host || d.State != "sent" ||
		d.Attempts != 2 ||
		len(d.Steps) != 3 ||
		*d.Steps[2].Answer != "200" {
		t.Errorf("%s", asJSON(t, d))
	}
	sent = testkit.Ask[[]wire.WebhookDelivery](t, w.Contract, w.webhookCall(http.MethodGet, "deliveries", made.Id))
	if len(sent) != 1 || sent[0].State != "sent" || *sent[0].Answer != "200" || sent[0].NextTime != nil {
		t.Errorf("%s", asJSON(t, sent))
	}
	// A webhook from before does not get acknowledgements; one that selects them does.
	program.TakeCalls()
	w.mustSucceed(t, w.acknowledge(notice, nil))
	step()
	if heard := program.TakeCalls(); len(heard) != 0 {
		t.Errorf("%s", heard)
	}
	w.mustSucceed(
		t,
		w.adaCall(
			http.MethodPut,
			webhooksPath+"update",
			plannerForm(
				body{"id": made.Id, "url": program.URL, "events": []string{"acknowledged", "opened", "resolved"}},
			),
		),
	)
	if got := fmt.Sprint(w.listWebhooks(t)[0].Events); got != "[opened resolved acknowledged]" {
		t.Error(got)
	}
	w.mustSucceed(t, w.acknowledge(notice, nil))
	w.mustSucceed(t, w.unacknowledge(notice))
	step()
	step()
	sent = testkit.Ask[[]wire.WebhookDelivery](t, w.Contract, w.webhookCall(http.MethodGet, "deliveries", made.Id))
	if len(sent) != 3 || sent[0].Event != "unacknowledged" || sent[1].Event != "acknowledged" ||
		sent[0].State != "sent" {
		t.Errorf("%s", asJSON(t, sent))
	}
	if list := w.notice(t, notice).Deliveries; len(list) != 3 || list[2].Event != "unacknowledged" {
		t.Errorf("%s", asJSON(t, list))
	}
	// Programs get the end of a notice even if people are not notified of it.
	program.TakeCalls()
	w.mustSucceed(t, w.updateRuleCall(rule, frostForm("WS-1", body{"alarmDesc": "changed"})))
	step()
	heard := program.TakeCalls()
	if len(heard) != 1 || !strings.Contains(string(heard[0].Body), `"type":"notice.resolved"`) ||
		!strings.Contains(string(heard[0].Body), `"deviceName":"WS-1"`) {
		t.Errorf("%d %s", len(heard), heard)
	}
}
