package console_test

import (
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

// adaIs gives the field's ada a role.
func (w *fixture) adaIs(t *testing.T, role identity.Role) {
	t.Helper()
	w.field.Ada.Role = role
	if err := w.Users.Update(t.Context(), w.field.ID, w.field.Ada); err != nil {
		t.Fatal(err)
	}
}

// A role is refused before anything of the call is looked at: no id and no field is told.
func TestRoleIsCheckedBeforeTheCall(t *testing.T) {
	w := newServer(t)
	w.adaIs(t, identity.Viewer)
	if u := testkit.Ask[wire.User](t, w.Contract, w.get(userPath)); u.Role != "viewer" {
		t.Errorf("%s", asJSON(t, u))
	}
	for path, b := range map[string]body{
		"device/update":         {"deviceName": "no such device", "noteName": "x"},
		"alarm-notice/resolve":  {"id": "not a number"},
		"notice-channel/update": {"id": 999999999, "noticeName": "x"},
	} {
		a := w.Do(t, w.adaCall("PUT", "/admin-api/client/pc/"+path, b))
		if !strings.Contains(string(a.Body), `"code":403`) ||
			!strings.Contains(string(a.Body), "This needs an operator.") {
			t.Errorf("%s: %s", path, a.Body)
		}
	}
	w.adaIs(t, identity.Operator)
	if a := w.Do(t, w.get(credentialsPath)); !strings.Contains(string(a.Body), "This needs an owner") {
		t.Errorf("%s", a.Body)
	}
}

// Viewers see addresses and numbers as mails show them, in channels and in deliveries.
func TestViewersSeeMaskedRecipients(t *testing.T) {
	w := newServer(t)
	channel := w.Channel(t, w.field.ID, "Staff", func(c *notify.Channel) {
		c.To = notify.Recipients{
			notify.KindEmail: {
				"ada@example.com",
			},
			notify.KindSMS:      {"+905551112233"},
			notify.KindTelegram: {"@farm_chat"},
		}
	}).ID
	w.SMSSender.Break(&notify.Failure{Kind: notify.Permanent, Answer: "30005 +905551112233 is unknown"})
	_, id := w.openRuleNotice(t, frostForm("WS-1", body{"passageway": []int64{channel}}), air(1))
	w.Clock.Advance(time.Second)
	if _, err := w.Outbox.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	plain := []string{"ada@example.com", "+905551112233", "@farm_chat"}
	masked := []string{"a•••@example.com", "+90•••••233", "•••"}
	for _, role := range []identity.Role{identity.Operator, identity.Viewer} {
		w.adaIs(t, role)
		seen, hidden := plain, masked[:2]
		if role == identity.Viewer {
			seen, hidden = masked, plain
		}
		for name, text := range map[string]string{
			"channel":  asJSON(t, w.getChannel(t, channel)),
			"channels": asJSON(t, testkit.Ask[wire.NoticeChannelPage](t, w.Contract, w.get(channelsPath+"page?pageNo=1&pageSize=10"))),
			"notice":   asJSON(t, w.notice(t, id).Deliveries),
		} {
			for _, s := range seen {
				if !strings.Contains(text, s) {
					t.Errorf("%s for the %s: no %s in %s", name, role, s, text)
				}
			}
			for _, s := range hidden {
				if strings.Contains(text, s) {
					t.Errorf("%s for the %s: %s in %s", name, role, s, text)
				}
			}
		}
	}
}
