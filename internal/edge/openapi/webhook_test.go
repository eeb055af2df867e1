package openapi_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/notify"
	"tilth/internal/edge/openapi/wire"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/tools/testkit"
)

const webhookBody = `{"name":"Planner","url":"https://planner.example/tilth?key=1","events":["opened","resolved"],"level":"important"}`

// deleteWebhooks removes the webhooks of both tenants and their deliveries.
func (w *fixture) deleteWebhooks(testing.TB) {
	err := w.DB.Tx(context.Background(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw("DELETE FROM deliveries").Exec(ctx)
		if err == nil {
			_, err = tx.NewRaw("DELETE FROM webhooks").Exec(ctx)
		}
		return err
	})
	if err != nil {
		panic(err) // a row of a table has no test to fail
	}
}

func (w *fixture) newCall(method, path, body string) call {
	return call{method: method, path: path, body: body}
}

// A webhook is made, listed, changed and deleted.
func TestWebhooks(t *testing.T) {
	w := newFixture(t)
	made := ask[wire.WebhookWithSecret](t, w, w.newCall(http.MethodPost, "/webhooks", webhookBody))
	if !strings.HasPrefix(made.Secret, "whsec_") || made.Name != "Planner" || made.Level != "important" ||
		!made.Enabled ||
		len(made.Events) != 2 ||
		made.CreateTime != wire.Moment(w.Clock.Milli()) {
		t.Errorf("%+v", made)
	}
	at := fmt.Sprint("/webhooks/", made.Id)
	if a := w.do(t, call{path: at}); strings.Contains(string(a.body), "ecret") ||
		!strings.Contains(string(a.body), `"url":"https://planner.example/tilth?key=1"`) {
		t.Errorf("%s", a.body)
	}
	changed := ask[wire.Webhook](
		t,
		w,
		w.newCall(http.MethodPatch, at, `{"level":"general","enabled":false,"events":["resolved"]}`),
	)
	if changed.Level != "general" || changed.Enabled || fmt.Sprint(changed.Events) != "[resolved]" ||
		changed.Name != "Planner" ||
		changed.Url != made.Url {
		t.Errorf("%+v", changed)
	}
	changed = ask[wire.Webhook](
		t,
		w,
		w.newCall(http.MethodPatch, at, `{"name":"Pumps","url":"https://b.example","enabled":true}`),
	)
	if changed.Name != "Pumps" || changed.Url != "https://b.example" || !changed.Enabled {
		t.Errorf("%+v", changed)
	}
	if same := ask[wire.Webhook](t, w, w.newCall(http.MethodPatch, at, `{}`)); same.Name != "Pumps" || !same.Enabled {
		t.Errorf("%+v", same)
	}
	renewed := ask[wire.WebhookWithSecret](t, w, w.newCall(http.MethodPost, at+"/secret", ""))
	if renewed.Secret == made.Secret || renewed.OldSecretUntil == nil ||
		*renewed.OldSecretUntil != wire.Moment(w.Clock.Now().Add(24*time.Hour).UnixMilli()) {
		t.Errorf("%+v", renewed)
	}
	if list := ask[wire.WebhookList](t, w, call{path: "/webhooks"}); len(list.Items) != 1 ||
		list.Items[0].Id != made.Id {
		t.Errorf("%+v", list)
	}
	if was := ask[wire.Webhook](t, w, w.newCall(http.MethodDelete, at, "")); was.Name != "Pumps" {
		t.Errorf("%+v", was)
	}
	for _, c := range []call{{path: at}, w.newCall(http.MethodDelete, at, ""), w.newCall(http.MethodPatch, at, "{}"), w.newCall(http.MethodPost, at+"/test", ""), w.newCall(http.MethodPost, at+"/secret", ""), {path: at + "/deliveries"}} {
		w.mustRefuse(t, c, http.StatusNotFound)
	}
	for _, secret := range []string{made.Secret, renewed.Secret} {
		if strings.Contains(w.Log.Text(), secret) {
			t.Error("a secret is in the log")
		}
	}
}

// A refusal names the wrong parameter.
func TestWebhookRefusals(t *testing.T) {
	w := newFixture(t)
	made := ask[wire.WebhookWithSecret](t, w, w.newCall(http.MethodPost, "/webhooks", webhookBody))
	at := fmt.Sprint("/webhooks/", made.Id)
	for body, parameter := range map[string]string{
		`{}`: "name", `{"name":"x"}`: "url", `{"name":"x","url":"https://a.example"}`: "events", `{"name":7,"url":"https://a.example","events":["opened"]}`: "name",
		`{"name":"x","url":"https://a.example","events":[]}`:                                           "events",
		`{"name":"x","url":"https://a.example","events":["closed"]}`:                                   "events",
		`{"name":"x","url":"https://a.example","events":"opened"}`:                                     "events",
		`{"name":"x","url":"https://a.example","events":["opened"],"level":"high"}`:                    "level",
		`{"name":"x","url":"https://a.example","events":["opened"],"secret":"whsec_mine"}`:             "",
		`{"name":"","url":"https://a.example","events":["opened"]}`:                                    "name",
		`{"name":"x","url":"ftp://a.example","events":["opened"]}`:                                     "url",
		`{"name":"x","url":"https://169.254.169.254/","events":["opened"]}`:                            "url",
		`{"name":"x","url":"https://u:p@a.example/","events":["opened"]}`:                              "url",
		`{"name":"planner","url":"https://a.example","events":["opened"]}`:                             "name",
		`{"name":"` + strings.Repeat("x", 65) + `","url":"https://a.example","events":["opened"]}`:     "name",
		`{"name":"x","url":"https://a.example/` + strings.Repeat("x", 1024) + `","events":["opened"]}`: "url",
	} {
		p := w.mustRefuse(t, w.newCall(http.MethodPost, "/webhooks", body), http.StatusBadRequest)
		if p.Code != "invalid" || p.Parameter != parameter {
			t.Errorf("%.80s: %+v", body, p)
		}
	}
	for body, status := range map[string]int{"": 400, "{": 400, "null": 400, "[]": 400, `{"name":"` + strings.Repeat("x", 70_000) + `"}`: 413} {
		w.mustRefuse(t, w.newCall(http.MethodPost, "/webhooks", body), status)
	}
	w.mustRefuse(
		t,
		call{
			method: http.MethodPost,
			path:   "/webhooks",
			body:   webhookBody,
			header: map[string]string{"Content-Type": "text/plain"},
		},
		http.StatusBadRequest,
	)
	w.mustRefuse(t, w.newCall(http.MethodPatch, at, `{"url":"gopher://a.example/"}`), http.StatusBadRequest)
	w.mustRefuse(t, w.newCall(http.MethodPatch, at, `{"id":1}`), http.StatusBadRequest)
	w.mustRefuse(t, w.newCall(http.MethodPut, at, `{}`), http.StatusMethodNotAllowed)
	w.mustRefuse(t, w.newCall(http.MethodPost, at+"/test?x=1", ""), http.StatusBadRequest)
	w.mustRefuse(
		t,
		call{method: http.MethodPost, path: "/webhooks", body: webhookBody, as: &key{}},
		http.StatusUnauthorized,
	)
	for range notify.WebhooksATenant - 1 {
		w.Clock.Advance(time.Second)
		ask[wire.WebhookWithSecret](
			t,
			w,
			w.newCall(
				http.MethodPost,
				"/webhooks",
				strings.Replace(webhookBody, "Planner", fmt.Sprint("P", w.Clock.Milli()), 1),
			),
		)
	}
	p := w.mustRefuse(
		t,
		w.newCall(http.MethodPost, "/webhooks", strings.Replace(webhookBody, "Planner", "more", 1)),
		http.StatusBadRequest,
	)
	if !strings.Contains(p.Detail, "20 webhooks") {
		t.Errorf("%+v", p)
	}
}

// A page of another site cannot change anything, even if the browser remembers the credential.
func TestCrossOriginRequestsAreRefused(t *testing.T) {
	w := newFixture(t)
	for _, header := range []map[string]string{{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.example"}, {"Origin": "null"}} {
		p := w.mustRefuse(
			t,
			call{method: http.MethodPost, path: "/webhooks", body: webhookBody, header: header},
			http.StatusForbidden,
		)
		if p.Code != "forbidden" {
			t.Errorf("%+v", p)
		}
	}
	for _, header := range []map[string]string{{"Sec-Fetch-Site": "same-origin", "Origin": "http://tilth.test"}, {}} {
		w.deleteWebhooks(t)
		ask[wire.WebhookWithSecret](
			t,
			w,
			call{method: http.MethodPost, path: "/webhooks", body: webhookBody, header: header},
		)
	}
}

// An event has the same notice as the API answers, and matches the contract.
func TestWebhookEvents(t *testing.T) {
	w, program := newFixture(t), testkit.NewWebhookReceiver(t)
	made := ask[wire.WebhookWithSecret](
		t,
		w,
		w.newCall(
			http.MethodPost,
			"/webhooks",
			fmt.Sprintf(`{"name":"x","url":%q,"events":["opened","resolved","acknowledged"]}`, program.URL),
		),
	)
	at := fmt.Sprint("/webhooks/", made.Id)
	n, err := w.Notices.GetListed(t.Context(), w.field.ID, w.notice)
	if err != nil {
		t.Fatal(err)
	}
	a := &alertmsg.Alarm{
		Event:       alertmsg.Triggered,
		Notice:      n.ID,
		Title:       n.Title,
		Level:       int(n.Level),
		DeviceName:  n.DeviceName,
		NoteName:    n.NoteName,
		Start:       n.Start,
		Description: n.Description,
	}
	if err := w.Notifier.NoticeOpened(t.Context(), w.field.ID, a, &alertmsg.DeliveryOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Outbox.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	heard := program.TakeCalls()
	if len(heard) != 1 {
		t.Fatalf("%d calls", len(heard))
	}
	w.contract.checkEvent(t, heard[0].Body)
	read := w.do(t, call{path: fmt.Sprint("/notices/", n.ID)}).body
	event := fmt.Sprintf(`{"type":"notice.opened","timestamp":%q,"data":%s}`, rfc3339(time.UnixMilli(n.Start)), read)
	if !sameJSON(t, event, string(heard[0].Body)) {
		t.Errorf("%s\nwant %s", heard[0].Body, event)
	}
	for _, ack := range []*alertmsg.Ack{{User: "Ada", Time: n.Start + 1000, Note: "at the pump", RemindAt: n.Start + hour}, nil} {
		w.setAcknowledgement(t, n.ID, ack)
		on := *a
		on.Event, on.At, on.Ack = alertmsg.Acknowledged, n.Start+1000, ack
		kind := "notice.acknowledged"
		if ack == nil {
			on.Event, kind = alertmsg.Unacknowledged, "notice.unacknowledged"
		}
		if err := w.Notifier.NoticeAcknowledged(t.Context(), w.field.ID, &on); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Outbox.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		body := program.TakeCalls()[0].Body
		w.contract.checkEvent(t, body)
		read := w.do(t, call{path: fmt.Sprint("/notices/", n.ID)}).body
		want := fmt.Sprintf(`{"type":%q,"timestamp":%q,"data":%s}`, kind, rfc3339(time.UnixMilli(n.Start+1000)), read)
		if !sameJSON(t, want, string(body)) {
			t.Errorf("%s\nwant %s", body, want)
		}
	}
	program.SetResponse(503, "later")
	a.Event, a.End = alertmsg.Resolved, w.Clock.Milli()
	if err := w.Notifier.NoticeClosed(t.Context(), w.field.ID, a, true); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Outbox.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.contract.checkEvent(t, program.TakeCalls()[0].Body)
	list := ask[wire.WebhookDeliveryList](t, w, call{path: at + "/deliveries"}).Items
	if len(list) != 4 || list[0].Type != "notice.resolved" || list[0].State != "queued" ||
		*list[0].Answer != "503 later" ||
		list[0].NextTime == nil ||
		list[1].Type != "notice.unacknowledged" ||
		list[2].Type != "notice.acknowledged" ||
		list[3].State != "sent" ||
		*list[3].Answer != "200 thank you" ||
		list[3].Notice != n.ID {
		t.Errorf("%+v", list)
	}
	o := ask[wire.WebhookOutcome](t, w, w.newCall(http.MethodPost, at+"/test", ""))
	if o.Ok || *o.Answer != "503 later" || !strings.Contains(*o.Detail, "status 503") {
		t.Errorf("%+v", o)
	}
	program.SetResponse(204, "")
	if o := ask[wire.WebhookOutcome](t, w, w.newCall(http.MethodPost, at+"/test", "")); !o.Ok ||
		*o.Answer != "204" || o.Detail != nil {
		t.Errorf("%+v", o)
	}
	w.contract.checkEvent(t, program.TakeCalls()[1].Body)
	for range 3 {
		w.do(t, w.newCall(http.MethodPost, at+"/test", ""))
	}
	p := w.mustRefuse(t, w.newCall(http.MethodPost, at+"/test", ""), http.StatusTooManyRequests)
	if p.Code != "tooMany" {
		t.Errorf("%+v", p)
	}
}
