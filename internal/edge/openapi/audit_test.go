package openapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"tilth/internal/domain/audit"
	"tilth/internal/edge/openapi/wire"
)

// A program's call that changes nothing leaves no entry.
func TestEmptyWebhookChangeIsNotAudited(t *testing.T) {
	w := newFixture(t)
	made := ask[wire.WebhookWithSecret](t, w, w.newCall(http.MethodPost, "/webhooks", webhookBody))
	ask[wire.Webhook](t, w, w.newCall(http.MethodPatch, fmt.Sprint("/webhooks/", made.Id), `{}`))
	list, _, err := w.Audit.Page(t.Context(), w.field.ID, audit.Query{Limit: 100})
	if err != nil || len(list) != 1 || list[0].Action != "create" {
		t.Errorf("%+v, %v", list, err)
	}
}
