package httpapi_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/audit"
	"tilth/internal/testkit"
)

// crossing is how an operation that changes something could be turned against
// another tenant: what the field's ada asks for of the rival's, and what the
// rival's own ada gets for the same, which proves that it can be done.
type crossing struct {
	ask  func(w *world) testkit.Call // its token is set by the test
	code int                         // for the field's ada; 200 when zero: she gets her own, or nothing
	own  string                      // in the answer to the rival's ada
}

// ofTheirRule asks for something of a rule of the rival's; it takes the rule's
// id.
func ofTheirRule(format string) func(*world) testkit.Call {
	return func(w *world) testkit.Call {
		return testkit.Call{Path: rulesPath + fmt.Sprintf(format, w.theirRule())}
	}
}

// ofTheirChannel asks for something of a channel of the rival's.
func ofTheirChannel(name string) func(*world) testkit.Call {
	return func(w *world) testkit.Call {
		return testkit.Call{Path: fmt.Sprint(channelsPath, name, "?id=", w.theirChannel())}
	}
}

const theirDevice = marker + "-1"

var crossings = map[string]crossing{
	"updateUser": {ask: func(w *world) testkit.Call {
		return testkit.Call{Path: profilePath, Body: fmt.Sprintf(`{"id":%d,"nickname":"X","email":"x@example.com"}`, w.rival.Ada.ID)}
	}, code: 404, own: `"data":true`},

	"toggleCredential": {ask: func(w *world) testkit.Call {
		return testkit.Call{Path: fmt.Sprint(togglePath, "?id=", w.theirCredential())}
	}, code: 404, own: `"data":true`},
	"deleteCredential": {ask: func(w *world) testkit.Call {
		return testkit.Call{Path: fmt.Sprint(deletePath, "?id=", w.theirCredential())}
	}, code: 404, own: `"data":true`},

	"updateDevice": {ask: func(*world) testkit.Call {
		return testkit.Call{Path: editPath, Body: `{"deviceName":"` + theirDevice + `","noteName":"` + marker + `"}`}
	}, code: 404, own: `"data":true`},
	"newDeviceSecret": {ask: func(*world) testkit.Call {
		return testkit.Call{Path: secretPath, Body: `{"deviceName":"` + theirDevice + `"}`}
	}, code: 404, own: `"data":"`},
	"pageAudit": {ask: func(w *world) testkit.Call {
		ctx := w.Audit.NewContext(context.Background(), audit.Actor{Kind: audit.User, ID: w.rival.Ada.ID})
		if err := audit.Log(ctx, w.rival.ID, audit.Action{Name: "scene.create", Thing: audit.Thing{ID: 1, Name: marker + " scene"}}); err != nil {
			panic(err)
		}
		return testkit.Call{Path: fmt.Sprint(auditPath, "?text=", marker)}
	}, own: marker + " scene"},
	"updateScene": {ask: func(w *world) testkit.Call {
		return testkit.Call{Path: scenePath + "update", Body: fmt.Sprintf(`{"id":%d,"groupName":"%s scene","groupStatus":1}`, w.theirScene, marker)}
	}, code: 404, own: `"data":true`},
	"deleteScene": {ask: func(w *world) testkit.Call {
		return testkit.Call{Path: fmt.Sprint(scenePath, "delete?id=", w.spareScene())}
	}, code: 404, own: `"data":true`},

	"publishAlarmRule":   {ask: ofTheirRule("publish?alarmRulesId=%d"), code: 404, own: `"data":true`},
	"unpublishAlarmRule": {ask: ofTheirRule("unpublish?alarmRulesId=%d"), code: 404, own: `"data":true`},
	"deleteAlarmRule":    {ask: ofTheirRule("delete?id=%d"), code: 404, own: `"data":true`},
	"updateAlarmRule": {ask: func(w *world) testkit.Call {
		return w.update(w.theirRule(), frost(theirDevice, body{"alarmName": marker}))
	}, code: 404, own: `"data":true`},
	"copyAlarmRule": {ask: func(w *world) testkit.Call {
		return w.sends("", rulesPath+"copy", body{"id": w.theirRule(), "executionIds": []string{theirDevice}})
	}, code: 404, own: `"data":[`},
	"muteAlarmRule": {ask: func(w *world) testkit.Call {
		return w.sends("", rulesPath+"mute", body{"id": w.theirRule(), "until": w.Clock.Milli() + 1000})
	}, code: 404, own: `"data":true`},

	"resolveAlarmNotice": {ask: func(w *world) testkit.Call { return w.resolve(w.theirNotice(), marker) }, code: 404, own: `"data":true`},

	"acknowledgeAlarmNotice": {ask: func(w *world) testkit.Call {
		return w.sends("", noticesPath+"acknowledge", body{"id": w.theirNotice(), "note": marker})
	}, code: 404, own: `"data":true`},
	"unacknowledgeAlarmNotice": {ask: func(w *world) testkit.Call {
		id := w.theirNotice()
		if err := w.engine.Acknowledge(context.Background(), w.rival.ID, id, marker, "", time.Hour); err != nil {
			panic(err)
		}
		return w.sends("", noticesPath+"unacknowledge", body{"id": id})
	}, code: 404, own: `"data":true`},

	"deleteNoticeChannel": {ask: ofTheirChannel("delete"), code: 404, own: `"data":true`},
	"testNoticeChannel":   {ask: ofTheirChannel("test"), code: 404, own: `"ok":true`},
	"updateNoticeChannel": {ask: func(w *world) testkit.Call {
		return w.channelSends("", "update", night(body{"id": w.theirChannel(), "noticeName": marker}))
	}, code: 404, own: `"data":true`},

	"pageWebhooks": {ask: func(w *world) testkit.Call { w.theirWebhook(); return testkit.Call{Path: webhooksPath + "page"} }, own: marker + " hook"},
	"updateWebhook": {ask: func(w *world) testkit.Call {
		return w.sends("", webhooksPath+"update", planner(body{"id": w.theirWebhook(), "name": marker}))
	}, code: 404, own: `"data":true`},
	"toggleWebhook":        {ask: ofTheirWebhook("enable-or-disable"), code: 404, own: `"data":true`},
	"deleteWebhook":        {ask: ofTheirWebhook("delete"), code: 404, own: `"data":true`},
	"newWebhookSecret":     {ask: ofTheirWebhook("new-secret"), code: 404, own: `"secret":"whsec_`},
	"testWebhook":          {ask: ofTheirWebhook("test"), code: 404, own: `"ok":false`},
	"getWebhookDeliveries": {ask: ofTheirWebhook("deliveries"), code: 404, own: marker + " frost"},
}

// What one tenant may not do to another's things, their owner may. All other
// operations, and all other ways to ask, are in TestIsolationMatrix of
// internal/app, where each operation has a row.
func TestOwnersMayWhatOthersMayNot(t *testing.T) {
	w := newServer(t)
	known := map[string]bool{}
	for _, op := range w.Operations(testkit.ConsoleTags...) {
		row, ok := crossings[op.ID]
		if known[op.ID] = true; !ok {
			continue
		}
		t.Run(op.ID, func(t *testing.T) {
			call := row.ask(w)
			call.Method, call.Token = op.Method, w.ada
			a := w.Do(t, call)
			// What was asked for may be named in a refusal, never in data.
			if a.Code != cmp.Or(row.code, 200) || strings.Contains(string(a.Data), marker) {
				t.Errorf("code %d, %s", a.Code, a.Body)
			}
			if row.code == 404 && string(a.Body) != `{"code":404,"data":null,"msg":"This resource does not exist"}` {
				t.Errorf("told from what does not exist at all: %s", a.Body)
			}
			call.Token = w.enemy
			if a := w.Do(t, call); a.Code != 200 || !strings.Contains(string(a.Body), row.own) {
				t.Errorf("its owner does not get %q: %s", row.own, a.Body)
			}
		})
	}
	for id := range crossings {
		if !known[id] {
			t.Errorf("the contract has no %s any more", id)
		}
	}
}

// A user signs in to the tenant that has that user, with that user's password.
func TestSignInCrossing(t *testing.T) {
	w := newServer(t)
	only := w.User(t, w.field.ID, "only-here")
	if err := w.Users.PutPassword(t.Context(), w.rival.ID, w.rival.Ada.ID, testkit.PasswordHash("another password")); err != nil {
		t.Fatal(err)
	}
	w.Run(t, apart([]testkit.Scenario{
		{Name: "at home", Call: login("field", only.UserName, testkit.Password)},
		{Name: "in the other tenant", Call: login(marker, only.UserName, testkit.Password), Code: 601},
		{Name: "with the other ada's password", Call: login("field", "ada", "another password"), Code: 601},
		{Name: "with this ada's password there", Call: login(marker, "ada", testkit.Password), Code: 601},
		{Name: "the other ada", Call: login(marker, "ada", "another password")},
	}))
	// Ending one's own session ends nobody else's.
	if a := w.Do(t, testkit.Call{Method: http.MethodPost, Path: logoutPath, Token: w.enemy, Header: map[string]string{"tenant-id": fmt.Sprint(w.field.ID)}}); a.Code != 200 {
		t.Fatalf("%s", a.Body)
	}
	if a := w.Do(t, w.get(userPath)); a.Code != 200 {
		t.Errorf("%s", a.Body)
	}
}
