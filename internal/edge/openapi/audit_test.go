package openapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"tilth/api"
	"tilth/internal/domain/audit"
	"tilth/internal/edge/openapi/wire"
)

// A program's changes are audited under its credential's name; reading and test calls are not, and
// the log holds no secret.
func TestWebhookChangesAreAudited(t *testing.T) {
	w := newFixture(t)
	made := ask[wire.WebhookWithSecret](t, w, w.newCall(http.MethodPost, "/webhooks", webhookBody))
	at := fmt.Sprint("/webhooks/", made.Id)
	ask[wire.Webhook](t, w, w.newCall(http.MethodPatch, at, `{"level":"general"}`))
	ask[wire.Webhook](t, w, w.newCall(http.MethodPatch, at, `{}`))
	renewed := ask[wire.WebhookWithSecret](t, w, w.newCall(http.MethodPost, at+"/secret", ""))
	w.do(t, w.newCall(http.MethodPost, at+"/test", ""))
	ask[wire.Webhook](t, w, w.newCall(http.MethodDelete, at, ""))
	list, _, err := w.Audit.Page(t.Context(), w.field.ID, audit.Query{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, fmt.Sprint(e.Kind, ".", e.Action, " ", e.Thing.Name))
		if e.Actor.Kind != audit.Credential || e.Actor.ID == 0 || e.Actor.Name != "test" || e.Address == "" ||
			e.Request == "" {
			t.Errorf("actor %+v from %q in request %q", e.Actor, e.Address, e.Request)
		}
	}
	slices.Reverse(got)
	if want := []string{
		"webhook.create Planner",
		"webhook.update Planner",
		"webhook.update Planner",
		"webhook.delete Planner",
	}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, secret := range []string{made.Secret, renewed.Secret, "key=1"} {
		if text := fmt.Sprintf("%+v", list); strings.Contains(text, secret) {
			t.Errorf("%q is in %s", secret, text)
		}
	}
}

// The test above covers all calls of the contract that do more than read.
func TestChangingOperationsAreListed(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(api.Open)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if method != http.MethodGet {
				found = append(found, op.OperationID)
			}
		}
	}
	slices.Sort(found)
	if want := []string{
		"changeWebhook",
		"createWebhook",
		"deleteWebhook",
		"renewWebhookSecret",
		"testWebhook",
	}; !slices.Equal(found, want) {
		t.Errorf("%v: add new calls to TestWebhookChangesAreAudited, or say why they leave no entry", found)
	}
}
