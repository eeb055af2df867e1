package console_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/audit"
	"tilth/internal/tools/testkit"
)

// crossTenantCall says how an operation that changes something could be used against another
// tenant: the call that the field's ada makes on a thing of the rival, and the answer that the
// rival's own ada gets to the same call, which proves that the call works.
type crossTenantCall struct {
	call      func(w *fixture) testkit.Call // the test sets its token
	code      int                           // of the field's ada; 0 means 200: she gets her own data, or nothing
	ownerGets string                        // in the answer to the rival's ada
}

// rivalRuleCall returns a call on a rule of the rival; format takes the rule's id.
func rivalRuleCall(format string) func(*fixture) testkit.Call {
	return func(w *fixture) testkit.Call {
		return testkit.Call{Path: rulesPath + fmt.Sprintf(format, w.createRivalRule())}
	}
}

// rivalChannelCall returns a call on a channel of the rival.
func rivalChannelCall(name string) func(*fixture) testkit.Call {
	return func(w *fixture) testkit.Call {
		return testkit.Call{Path: fmt.Sprint(channelsPath, name, "?id=", w.createRivalChannel())}
	}
}

const rivalDeviceName = marker + "-1"

var crossTenantCalls = map[string]crossTenantCall{
	"updateUser": {call: func(w *fixture) testkit.Call {
		return testkit.Call{
			Path: profilePath,
			Body: fmt.Sprintf(`{"id":%d,"nickname":"X","email":"x@example.com"}`, w.rival.Ada.ID),
		}
	}, code: 404, ownerGets: `"data":true`},

	"updateAnalysisView": {call: func(w *fixture) testkit.Call {
		body := fmt.Sprintf(`{"id":%d,"name":"x","query":"q"}`, w.createRivalView())
		return testkit.Call{Path: viewPath + "update", Body: body}
	}, code: 404, ownerGets: `"data":true`},
	"deleteAnalysisView": {call: func(w *fixture) testkit.Call {
		return testkit.Call{Path: fmt.Sprint(viewPath, "delete?id=", w.createRivalView())}
	}, code: 404, ownerGets: `"data":true`},

	"toggleCredential": {call: func(w *fixture) testkit.Call {
		return testkit.Call{Path: fmt.Sprint(togglePath, "?id=", w.createRivalCredential())}
	}, code: 404, ownerGets: `"data":true`},
	"deleteCredential": {call: func(w *fixture) testkit.Call {
		return testkit.Call{Path: fmt.Sprint(deletePath, "?id=", w.createRivalCredential())}
	}, code: 404, ownerGets: `"data":true`},

	"updateDevice": {call: func(*fixture) testkit.Call {
		return testkit.Call{
			Path: editPath,
			Body: `{"deviceName":"` + rivalDeviceName + `","noteName":"` + marker + `"}`,
		}
	}, code: 404, ownerGets: `"data":true`},
	"newDeviceSecret": {call: func(*fixture) testkit.Call {
		return testkit.Call{Path: secretPath, Body: `{"deviceName":"` + rivalDeviceName + `"}`}
	}, code: 404, ownerGets: `"data":"`},
	"swapDevice": {call: func(*fixture) testkit.Call {
		return testkit.Call{Path: swapPath, Body: `{"deviceName":"` + rivalDeviceName + `"}`}
	}, code: 404, ownerGets: `"secret":"`},
	"pageAudit": {call: func(w *fixture) testkit.Call {
		ctx := w.Audit.NewContext(context.Background(), audit.Actor{Kind: audit.User, ID: w.rival.Ada.ID})
		err := audit.Log(
			ctx,
			w.rival.ID,
			audit.Action{Name: "scene.create", Thing: audit.Thing{ID: 1, Name: marker + " scene"}},
		)
		if err != nil {
			panic(err)
		}
		return testkit.Call{Path: fmt.Sprint(auditPath, "?text=", marker)}
	}, ownerGets: marker + " scene"},
	"updateScene": {call: func(w *fixture) testkit.Call {
		return testkit.Call{
			Path: scenePath + "update",
			Body: fmt.Sprintf(`{"id":%d,"groupName":"%s scene","groupStatus":1}`, w.rivalScene, marker),
		}
	}, code: 404, ownerGets: `"data":true`},
	"deleteScene": {call: func(w *fixture) testkit.Call {
		return testkit.Call{Path: fmt.Sprint(scenePath, "delete?id=", w.createRivalScene())}
	}, code: 404, ownerGets: `"data":true`},

	"publishAlarmRule":   {call: rivalRuleCall("publish?alarmRulesId=%d"), code: 404, ownerGets: `"data":true`},
	"unpublishAlarmRule": {call: rivalRuleCall("unpublish?alarmRulesId=%d"), code: 404, ownerGets: `"data":true`},
	"deleteAlarmRule":    {call: rivalRuleCall("delete?id=%d"), code: 404, ownerGets: `"data":true`},
	"updateAlarmRule": {call: func(w *fixture) testkit.Call {
		return w.updateRuleCall(w.createRivalRule(), frostForm(rivalDeviceName, body{"alarmName": marker}))
	}, code: 404, ownerGets: `"data":true`},
	"copyAlarmRule": {call: func(w *fixture) testkit.Call {
		return w.adaCall(
			"",
			rulesPath+"copy",
			body{"id": w.createRivalRule(), "executionIds": []string{rivalDeviceName}},
		)
	}, code: 404, ownerGets: `"data":[`},
	"muteAlarmRule": {call: func(w *fixture) testkit.Call {
		return w.adaCall("", rulesPath+"mute", body{"id": w.createRivalRule(), "until": w.Clock.Milli() + 1000})
	}, code: 404, ownerGets: `"data":true`},

	"resolveAlarmNotice": {
		call:      func(w *fixture) testkit.Call { return w.resolve(w.createRivalNotice(), marker) },
		code:      404,
		ownerGets: `"data":true`,
	},

	"acknowledgeAlarmNotice": {call: func(w *fixture) testkit.Call {
		return w.adaCall("", noticesPath+"acknowledge", body{"id": w.createRivalNotice(), "note": marker})
	}, code: 404, ownerGets: `"data":true`},
	"unacknowledgeAlarmNotice": {call: func(w *fixture) testkit.Call {
		id := w.createRivalNotice()
		if err := w.engine.Acknowledge(context.Background(), w.rival.ID, id, marker, "", time.Hour); err != nil {
			panic(err)
		}
		return w.adaCall("", noticesPath+"unacknowledge", body{"id": id})
	}, code: 404, ownerGets: `"data":true`},

	"deleteNoticeChannel": {call: rivalChannelCall("delete"), code: 404, ownerGets: `"data":true`},
	"testNoticeChannel":   {call: rivalChannelCall("test"), code: 404, ownerGets: `"ok":true`},
	"updateNoticeChannel": {call: func(w *fixture) testkit.Call {
		return w.channelCall("", "update", nightShiftForm(body{"id": w.createRivalChannel(), "noticeName": marker}))
	}, code: 404, ownerGets: `"data":true`},

	"pageWebhooks": {call: func(w *fixture) testkit.Call {
		w.createRivalWebhook()
		return testkit.Call{Path: webhooksPath + "page"}
	}, ownerGets: marker + " hook"},
	"updateWebhook": {call: func(w *fixture) testkit.Call {
		return w.adaCall("", webhooksPath+"update", plannerForm(body{"id": w.createRivalWebhook(), "name": marker}))
	}, code: 404, ownerGets: `"data":true`},
	"toggleWebhook":        {call: rivalWebhookCall("enable-or-disable"), code: 404, ownerGets: `"data":true`},
	"deleteWebhook":        {call: rivalWebhookCall("delete"), code: 404, ownerGets: `"data":true`},
	"newWebhookSecret":     {call: rivalWebhookCall("new-secret"), code: 404, ownerGets: `"secret":"whsec_`},
	"testWebhook":          {call: rivalWebhookCall("test"), code: 404, ownerGets: `"ok":false`},
	"getWebhookDeliveries": {call: rivalWebhookCall("deliveries"), code: 404, ownerGets: marker + " frost"},
}

// A tenant cannot change another tenant's things, their owner can. All other operations and
// parameters are in TestIsolationMatrix of internal/server, where each operation has a row.
func TestCrossTenantChangesAreRefused(t *testing.T) {
	w := newServer(t)
	known := map[string]bool{}
	for _, op := range w.Operations(testkit.ConsoleTags...) {
		row, ok := crossTenantCalls[op.ID]
		if known[op.ID] = true; !ok {
			continue
		}
		t.Run(op.ID, func(t *testing.T) {
			call := row.call(w)
			call.Method, call.Token = op.Method, w.ada
			a := w.Do(t, call)
			// A refusal may repeat the name from the call, data may not.
			if a.Code != cmp.Or(row.code, 200) || strings.Contains(string(a.Data), marker) {
				t.Errorf("code %d, %s", a.Code, a.Body)
			}
			if row.code == 404 && string(a.Body) != `{"code":404,"data":null,"msg":"This resource does not exist"}` {
				t.Errorf("differs from the answer for a missing thing: %s", a.Body)
			}
			call.Token = w.rivalToken
			if a := w.Do(t, call); a.Code != 200 || !strings.Contains(string(a.Body), row.ownerGets) {
				t.Errorf("the owner does not get %q: %s", row.ownerGets, a.Body)
			}
		})
	}
	for id := range crossTenantCalls {
		if !known[id] {
			t.Errorf("the contract no longer has %s", id)
		}
	}
}

// A user can sign in only to the user's own tenant, with the user's own password.
func TestSignInIsTenantScoped(t *testing.T) {
	w := newServer(t)
	only := w.User(t, w.field.ID, "only-here")
	err := w.Users.PutPassword(t.Context(), w.rival.ID, w.rival.Ada.ID, testkit.PasswordHash("another password"))
	if err != nil {
		t.Fatal(err)
	}
	w.Run(t, distinctClients([]testkit.Scenario{
		{Name: "at home", Call: loginCall("field", only.UserName, testkit.Password)},
		{Name: "in the other tenant", Call: loginCall(marker, only.UserName, testkit.Password), Code: 601},
		{Name: "with the other ada's password", Call: loginCall("field", "ada", "another password"), Code: 601},
		{Name: "with this ada's password there", Call: loginCall(marker, "ada", testkit.Password), Code: 601},
		{Name: "the other ada", Call: loginCall(marker, "ada", "another password")},
	}))
	// Logging out ends only the caller's own session.
	logout := w.Do(t, testkit.Call{
		Method: http.MethodPost,
		Path:   logoutPath,
		Token:  w.rivalToken,
		Header: map[string]string{"tenant-id": fmt.Sprint(w.field.ID)},
	})
	if logout.Code != 200 {
		t.Fatalf("%s", logout.Body)
	}
	if a := w.Do(t, w.get(userPath)); a.Code != 200 {
		t.Errorf("%s", a.Body)
	}
}
