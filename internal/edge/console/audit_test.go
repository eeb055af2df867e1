package console_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/audit"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

const auditPath = "/admin-api/client/pc/audit/page"

// auditLog returns the field's audit log for a query.
func (w *fixture) auditLog(t *testing.T, token, query string) wire.AuditPage {
	t.Helper()
	if err := w.Audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	return testkit.Ask[wire.AuditPage](t, w.Contract, testkit.Call{Path: auditPath + query, Token: token})
}

// textOf returns an entry in one line: action, thing, and for each field before > after.
func textOf(e *wire.AuditEntry) string {
	line := fmt.Sprintf("%s.%s %s", e.Kind, e.Action, e.Thing)
	for _, c := range e.Changes {
		switch {
		case c.Hidden != nil:
			line += fmt.Sprintf("; %s hidden", c.Field)
		default:
			line += fmt.Sprintf("; %s: %v > %v", c.Field, c.Before, c.After)
		}
	}
	return line
}

// auditedOperation says how a test calls an operation so that it changes something, and what the
// audit log then says.
type auditedOperation struct {
	call func(t *testing.T, w *fixture) testkit.Call
	want string

	exemption string // why the operation leaves no entry
}

// auditedOperations holds all operations that do more than read.
var auditedOperations = map[string]auditedOperation{
	"refreshToken":          {exemption: "continues a session that a sign-in began"},
	"getCaptcha":            {exemption: "changes nothing of a tenant"},
	"checkCaptcha":          {exemption: "changes nothing of a tenant"},
	"sendSmsCode":           {exemption: "changes nothing; the use of the code is audited"},
	"rehearseAlarmRule":     {exemption: "reads"},
	"testNoticeChannel":     {exemption: "a test changes nothing"},
	"updateMessagesRead":    {exemption: "private to the user"},
	"updateAllMessagesRead": {exemption: "private to the user"},

	"rehearseAlarmRuleDevices": {exemption: "reads"},

	"loginUsername": {
		want: "session.signIn ada of 1",
		call: func(*testing.T, *fixture) testkit.Call { return loginCall("field", "ada", testkit.Password) },
	},
	"logout": {want: "session.signOut ada of 1", call: func(t *testing.T, w *fixture) testkit.Call {
		return testkit.Call{Method: http.MethodPost, Path: logoutPath, Token: w.Session(t, w.field.Ada).Access}
	}},
	"updateUser": {
		want: "user.update ada of 1; nickname: ada of 1 > Ada; email: a•••@1.example > a•••@example.com",
		call: func(_ *testing.T, w *fixture) testkit.Call {
			return jsonCall(w.ada, profilePath, "nickname", "Ada", "email", "ada@example.com")
		},
	},
	"updateAvatar": {want: "user.update ada of 1; avatar hidden", call: func(t *testing.T, w *fixture) testkit.Call {
		return multipartCall(t, w.ada, formPart{name: "avatarFile", file: "a.png", body: testPNG(t)})
	}},
	"updateUserPassword": {
		want: "user.update ada of 1; password hidden",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return jsonCall(w.ada, passwordPath, "code", w.requestCode(t, w.ada, adaPhone), "password", newPassword)
		},
	},
	"updateUserMobile": {
		want: "user.update ada of 1; mobile: +90•••••001 > +90•••••002",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return jsonCall(
				w.ada,
				mobilePath,
				"mobile",
				newPhone,
				"scene",
				2,
				"code",
				w.requestCode(t, w.ada, newPhone),
			)
		},
	},
	"validateSmsCode": {
		want: "user.update bora of 1; mobile: <nil> > +90•••••002",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return jsonCall(
				w.bora,
				bindPath,
				"mobile",
				newPhone,
				"scene",
				2,
				"code",
				w.requestCode(t, w.bora, newPhone),
			)
		},
	},
	"createCredential": {
		want: "credential.create Pump house; appKey: <nil> > tk_; enabled: <nil> > 1",
		call: func(_ *testing.T, w *fixture) testkit.Call { return createCredentialCall(w.ada, "Pump house") },
	},
	"toggleCredential": {
		want: "credential.update Pump house; enabled: 1 > 0",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.get(fmt.Sprint(togglePath, "?id=", w.createCredential(t)))
		},
	},
	"deleteCredential": {
		want: "credential.delete Pump house; appKey: tk_ > <nil>; enabled: 1 > <nil>",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.get(fmt.Sprint(deletePath, "?id=", w.createCredential(t)))
		},
	},
	"exportDeviceData": {
		want: "device.export Mast; startTime: <nil> > ",
		call: func(_ *testing.T, w *fixture) testkit.Call {
			return w.get(w.pathAroundNow(exportPath, "WS-1", "airTemperature"))
		},
	},
	"updateDevice": {
		want: "device.update Mast; noteName: Mast > Pump 3; groupName: North > <nil>; longitude: 32.85 > <nil>; latitude: 39.92 > <nil>",
		call: func(_ *testing.T, w *fixture) testkit.Call {
			return w.editCall(`{"deviceName":"WS-1","noteName":"Pump 3","groupId":0}`)
		},
	},
	"newDeviceSecret": {want: "device.update Mast; secrets hidden", call: func(_ *testing.T, w *fixture) testkit.Call {
		return w.adaCall(http.MethodPost, secretPath, body{"deviceName": "WS-1"})
	}},
	"createScene": {
		want: "scene.create South; name: <nil> > South; groupStatus: <nil> > 1",
		call: func(_ *testing.T, w *fixture) testkit.Call {
			return w.sceneCall(http.MethodPost, "create", `{"groupName":"South","groupStatus":1}`)
		},
	},
	"updateScene": {want: "scene.update North; groupStatus: 1 > 2", call: func(_ *testing.T, w *fixture) testkit.Call {
		return w.sceneCall(
			http.MethodPut,
			"update",
			fmt.Sprintf(`{"id":%d,"groupName":"North","groupStatus":2}`, w.north),
		)
	}},
	"deleteScene": {
		want: "scene.delete North; name: North > <nil>; groupStatus: 1 > <nil>",
		call: func(_ *testing.T, w *fixture) testkit.Call {
			return w.sceneCall(http.MethodDelete, fmt.Sprint("delete?id=", w.north), "")
		},
	},
	"createAlarmRule": {
		want: "rule.create Frost; alarmName: <nil> > Frost; executionId: <nil> > Mast; triggerType: <nil> > 0; " +
			"conditions: <nil> > [map[andor:and subconditions:< tslAttribute:airTemperature value:2]]",
		call: func(_ *testing.T, w *fixture) testkit.Call { return w.createRuleCall(frostForm("WS-1", nil)) },
	},
	"updateAlarmRule": {
		want: "rule.update Frost; conditions: [map[andor:and subconditions:< tslAttribute:airTemperature value:2]] > " +
			"[map[andor:and subconditions:> tslAttribute:airTemperature value:30]]; alarmLevel: 2 > 0",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.updateRuleCall(
				w.createRule(t, frostForm("WS-1", nil)),
				frostForm("WS-1", body{"alarmLevel": 0, "conditions": []body{
					{"andor": "and", "tslAttribute": "airTemperature", "subconditions": ">", "value": 30},
				}}),
			)
		},
	},
	"publishAlarmRule": {
		want: "rule.publish Frost; deployState: 0 > 1",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.deployCall("publish", w.createRule(t, frostForm("WS-1", nil)))
		},
	},
	"unpublishAlarmRule": {
		want: "rule.unpublish Frost; deployState: 1 > 2",
		call: func(t *testing.T, w *fixture) testkit.Call {
			id := w.createRule(t, frostForm("WS-1", nil))
			w.mustSucceed(t, w.deployCall("publish", id))
			return w.deployCall("unpublish", id)
		},
	},
	"deleteAlarmRule": {
		want: "rule.delete Frost; alarmName: Frost > <nil>",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.deleteRuleCall(w.createRule(t, frostForm("WS-1", nil)))
		},
	},
	"copyAlarmRule": {
		want: "rule.create Frost; alarmName: <nil> > Frost; executionId: <nil> > WS-2;",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.adaCall(
				http.MethodPost,
				rulesPath+"copy",
				body{"id": w.createRule(t, frostForm("WS-1", nil)), "executionIds": []string{"WS-2"}},
			)
		},
	},
	"muteAlarmRule": {want: "rule.mute Frost; muteUntil: <nil> > ", call: func(t *testing.T, w *fixture) testkit.Call {
		return w.adaCall(
			http.MethodPut,
			rulesPath+"mute",
			body{"id": w.createRule(t, frostForm("WS-1", nil)), "until": w.Clock.Milli() + 60_000},
		)
	}},
	"resolveAlarmNotice": {
		want: "notice.resolve Frost; remark: <nil> > Heater on",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.resolve(w.openFrostNotice(t), "Heater on")
		},
	},
	"acknowledgeAlarmNotice": {
		want: "notice.acknowledge Frost; note: <nil> > At the pump; remindAt: <nil> > 1.795255202e+12",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.adaCall(
				http.MethodPut,
				noticesPath+"acknowledge",
				body{"id": w.openFrostNotice(t), "note": "At the pump", "remindHours": 1},
			)
		},
	},
	"unacknowledgeAlarmNotice": {want: "notice.unacknowledge Frost", call: func(t *testing.T, w *fixture) testkit.Call {
		id := w.openFrostNotice(t)
		w.mustSucceed(t, w.adaCall(http.MethodPut, noticesPath+"acknowledge", body{"id": id}))
		return w.adaCall(http.MethodPut, noticesPath+"unacknowledge", body{"id": id})
	}},
	"createNoticeChannel": {
		want: "channel.create Night shift; noticeName: <nil> > Night shift; noticeMode: <nil> > [email phoneMessage]; " +
			"emails: <nil> > [ada@example.com bora@example.com]; phoneMessage: <nil> > [+905551112233]; language: <nil> > tr-tr",
		call: func(_ *testing.T, w *fixture) testkit.Call {
			return w.channelCall(http.MethodPost, "create", nightShiftForm(nil))
		},
	},
	"updateNoticeChannel": {
		want: "channel.update Night shift; noticeName: Night shift > Day shift",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.channelCall(
				http.MethodPut,
				"update",
				nightShiftForm(body{"id": w.createChannel(t), "noticeName": "Day shift"}),
			)
		},
	},
	"testWebhook": {exemption: "a test changes nothing"},
	"createWebhook": {
		want: "webhook.create Planner; name: <nil> > Planner; url: <nil> > https://planner.example; events: <nil> > [opened resolved]; " +
			"alarmLevel: <nil> > 1; enabled: <nil> > true",
		call: func(_ *testing.T, w *fixture) testkit.Call {
			return w.adaCall(http.MethodPost, webhooksPath+"create", plannerForm(nil))
		},
	},
	"updateWebhook": {
		want: "webhook.update Planner; alarmLevel: 1 > 2",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.adaCall(
				http.MethodPut,
				webhooksPath+"update",
				plannerForm(
					body{"id": w.createWebhook(t), "alarmLevel": 2, "url": "https://planner.example/another-path"},
				),
			)
		},
	},
	"toggleWebhook": {
		want: "webhook.update Planner; enabled: true > false",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.webhookCall(http.MethodPut, "enable-or-disable", w.createWebhook(t))
		},
	},
	"newWebhookSecret": {
		want: "webhook.update Planner; secret hidden",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.webhookCall(http.MethodPost, "new-secret", w.createWebhook(t))
		},
	},
	"deleteWebhook": {
		want: "webhook.delete Planner; name: Planner > <nil>; url: https://planner.example > <nil>;",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.webhookCall(http.MethodDelete, "delete", w.createWebhook(t))
		},
	},
	"deleteNoticeChannel": {
		want: "channel.delete Night shift; noticeName: Night shift > <nil>",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.deleteChannelCall(w.createChannel(t))
		},
	},
}

// newPassword and the other constants are values that no entry may hold.
const newPassword = "another horse entirely"

func (w *fixture) createCredential(t *testing.T) int64 {
	return testkit.Ask[wire.NewCredential](t, w.Contract, createCredentialCall(w.ada, "Pump house")).Id
}

func (w *fixture) createWebhook(t *testing.T) int64 {
	for _, one := range w.listWebhooks(t) { // names are unique
		w.mustSucceed(t, w.webhookCall(http.MethodDelete, "delete", one.Id))
	}
	return testkit.Ask[wire.WebhookSecret](
		t,
		w.Contract,
		w.adaCall(http.MethodPost, webhooksPath+"create", plannerForm(nil)),
	).Id
}

func (w *fixture) createChannel(t *testing.T) int64 {
	return testkit.Ask[int64](t, w.Contract, w.channelCall(http.MethodPost, "create", nightShiftForm(nil)))
}

// Every operation of the console that does more than read leaves one entry, by the user who made
// that very request, or has a reason to leave none.
func TestEveryChangingOperationIsAudited(t *testing.T) {
	known := map[string]bool{}
	for _, op := range newServerWithPhones(t).Operations(testkit.ConsoleTags...) {
		known[op.ID] = true
		one, ok := auditedOperations[op.ID]
		switch {
		case !ok && op.Method == http.MethodGet &&
			(strings.HasPrefix(op.ID, "get") || strings.HasPrefix(op.ID, "page")):
			continue
		case !ok:
			t.Errorf("%s has no row: add what it leaves in the audit log, or why it leaves nothing", op.ID)
			continue
		case (one.exemption == "") == (one.call == nil):
			t.Errorf("%s: a row must have either a call or an exemption", op.ID)
			continue
		case one.exemption != "":
			continue
		}
		t.Run(op.ID, func(t *testing.T) {
			w := newServerWithPhones(t)
			call := one.call(t, w)
			call.From = "198.51.100.7"
			w.Clock.Advance(time.Second)
			a := w.Do(t, call)
			if a.Status != 200 || a.Code != 200 && len(a.Data) > 0 {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
			var found []string
			for _, e := range w.auditLog(t, w.ada, "?pageSize=400").List {
				if deref(e.Request) != a.Header.Get("X-Request-Id") {
					continue
				}
				found = append(found, textOf(&e))
				user := w.field.Ada
				if call.Token == w.bora {
					user = w.field.Bora
				}
				if e.Who != fmt.Sprint("user:", user.ID) || e.By != "user" || e.Name == "" ||
					deref(e.Address) != "198.51.100.7" ||
					e.Time != w.Clock.Milli() {
					t.Errorf("entry by %s %s %q from %s at %d", e.Who, e.By, e.Name, deref(e.Address), e.Time)
				}
			}
			if len(found) != 1 || !matchesAuditLine(found[0], one.want) {
				t.Errorf("the log says %q, want %q", found, one.want)
			}
		})
	}
	for id := range auditedOperations {
		if !known[id] {
			t.Errorf("the contract no longer has %s", id)
		}
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// matchesAuditLine tells whether a line matches the wanted one, in which app keys are cut short and
// a long line may be incomplete.
func matchesAuditLine(line, want string) bool {
	words := strings.Split(line, " ")
	for i, word := range words {
		if strings.HasPrefix(word, "tk_") {
			words[i] = "tk_" + strings.TrimLeft(word[3:], "0123456789abcdefghjkmnpqrstvwxyz")
		}
	}
	return strings.HasPrefix(strings.Join(words, " "), want)
}

// Calls that are refused or change nothing leave no entry.
func TestRefusedAndEmptyChangesAreNotAudited(t *testing.T) {
	w := newServer(t)
	id := w.createRule(t, frostForm("WS-1", nil))
	w.mustSucceed(t, w.deployCall("publish", id))
	before := w.auditLog(t, w.ada, "").Total
	for _, call := range []testkit.Call{
		w.sceneCall(http.MethodPost, "create", `{"groupName":"North","groupStatus":1}`), // the name is taken
		w.sceneCall(http.MethodDelete, "delete?id=999", ""),
		// unchanged
		w.sceneCall(http.MethodPut, "update", fmt.Sprintf(`{"id":%d,"groupName":"North","groupStatus":1}`, w.north)),
		w.editCall(`{"deviceName":"WS-1","noteName":"Mast","groupId":99}`),
		w.deployCall("publish", id), // the rule runs already
		w.resolve(999, ""),
		loginCall("field", "nobody", "x"),
		w.deleteChannelCall(999),
		createCredentialCall(w.ada, " "),
		w.get(fmt.Sprint(deletePath, "?id=", w.createRivalCredential())),
	} {
		w.Do(t, call)
	}
	if after := w.auditLog(t, w.ada, ""); after.Total != before {
		t.Errorf("%d more entries: %s", after.Total-before, textOf(&after.List[0]))
	}
}

// Saving a rule unchanged makes a new revision, whose notice begins anew; so it is audited.
func TestUnchangedRuleSaveIsAudited(t *testing.T) {
	w := newServer(t)
	w.mustSucceed(t, w.updateRuleCall(w.createRule(t, frostForm("WS-1", nil)), frostForm("WS-1", nil)))
	if got := w.auditLog(t, w.ada, "").List[0]; textOf(&got) != "rule.update Frost" {
		t.Error(textOf(&got))
	}
}

// If the entry cannot be written, the change is not made.
func TestChangeFailsWithoutAuditEntry(t *testing.T) {
	w := newServer(t)
	id := createRuleInStore(t, w)
	testkit.FailStatement(t, w.DB, "INSERT ON audit_entries")
	for _, call := range []testkit.Call{
		w.sceneCall(http.MethodPost, "create", `{"groupName":"South","groupStatus":1}`),
		w.editCall(`{"deviceName":"WS-1","noteName":"Pump 3","groupId":0}`),
		w.adaCall(http.MethodPost, secretPath, body{"deviceName": "WS-1"}),
		w.deployCall("publish", id),
		w.deleteRuleCall(id),
		createCredentialCall(w.ada, "x"),
		loginCall("field", "ada", testkit.Password),
		{Method: http.MethodPost, Path: logoutPath, Token: w.ada},
	} {
		if a := w.Do(t, call); a.Code != 500 {
			t.Errorf("%s: %d %s", call.Path, a.Code, a.Body)
		}
	}
	if got := w.sceneList(t, ""); !strings.Contains(got, "of 1") {
		t.Errorf("scenes %s", got)
	}
	if r := w.rule(t, id); r.DeployState != 0 {
		t.Errorf("the rule runs: %+v", r)
	}
	if got := w.credentials(t, w.ada, ""); got.Total != 0 {
		t.Errorf("%d credentials", got.Total)
	}
	d, err := w.Devices.Get(t.Context(), w.field.ID, "WS-1")
	if err != nil || d.NoteName != "Mast" {
		t.Errorf("%v %v", d, err)
	}
}

// openFrostNotice makes a rule begin a notice, and returns the notice's id.
func (w *fixture) openFrostNotice(t *testing.T) int64 {
	t.Helper()
	id := w.createRule(t, frostForm("WS-1", nil))
	w.mustSucceed(t, w.deployCall("publish", id))
	w.Clock.Advance(time.Second)
	w.evaluate(t, w.ws1, air(-1))
	return w.rule(t, id).OpenNotice.Id
}

// createRuleInStore makes a rule without the edge, which would audit it.
func createRuleInStore(t *testing.T, w *fixture) int64 {
	t.Helper()
	rule := alarm.Rule{
		Name:   "Frost",
		Device: w.ws1.ID,
		Hits:   1,
		Window: alarm.Windows[0],
		Conditions: []alarm.Condition{
			{Join: "and", Attribute: "airTemperature", Operator: alarm.Below, Value: reading.Number(2)},
		},
	}
	id, err := w.Rules.Create(t.Context(), w.field.ID, &rule)
	if err != nil {
		t.Fatal(err)
	}
	return int64(id)
}

// After all operations that handle secrets, the audit log holds none of the secrets.
func TestNoSecretIsAudited(t *testing.T) {
	w := newServerWithPhones(t)
	secrets := []string{testkit.Password, newPassword, w.ada, w.bora, "$argon2id$", "/tilth", "another-path", "whsec_"}
	for _, id := range slices.Sorted(maps.Keys(auditedOperations)) {
		one := auditedOperations[id]
		if one.call == nil || id == "logout" {
			continue
		}
		if strings.HasPrefix(id, "updateUser") || id == "validateSmsCode" {
			w.Clock.Advance(time.Minute + time.Second) // a user gets one code a minute
		}
		call := one.call(t, w)
		a := w.Do(t, call)
		if strings.Contains(call.Body, `"code":"`) {
			code, _, _ := strings.Cut(strings.SplitAfter(call.Body, `"code":"`)[1], `"`)
			secrets = append(secrets, code)
		}
		switch id {
		case "createCredential":
			_, rest, _ := strings.Cut(string(a.Data), `"appSecret":"`)
			secret, _, _ := strings.Cut(rest, `"`)
			secrets = append(secrets, secret)
		case "newDeviceSecret", "updateAvatar":
			secrets = append(secrets, strings.Trim(string(a.Data), `"`))
		case "loginUsername":
			for _, part := range strings.Split(string(a.Data), `"`) {
				if len(part) == 43 {
					secrets = append(secrets, part)
				}
			}
		}
	}
	w.Do(t, loginCall("field", "ada", "a wrong password"))
	secrets = append(secrets, "a wrong password")
	if err := w.Audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	if err := w.DB.Read(t.Context()).NewRaw("SELECT * FROM audit_entries").Scan(t.Context(), &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) < 25 || len(secrets) < 10 {
		t.Fatalf("%d entries, %d secrets", len(rows), len(secrets))
	}
	for _, row := range rows {
		line := fmt.Sprint(row)
		for _, secret := range secrets {
			if len(secret) < 6 || strings.Contains(line, secret) {
				t.Errorf("%q is in %s", secret, line)
			}
		}
	}
}

// A wrong password of an existing user is audited under the name that was tried.
func TestFailedSignInIsAudited(t *testing.T) {
	w := newServer(t)
	w.Do(t, loginCall("field", "ADA", "a wrong password"))
	got := w.auditLog(t, w.bora, "?kind=session")
	if got.Total != 1 || textOf(&got.List[0]) != "session.fail ada of 1" ||
		got.List[0].Who != fmt.Sprint("user:", w.field.Ada.ID) ||
		deref(got.List[0].Address) != "192.0.2.1" {
		t.Errorf("%+v", got)
	}
}

// A session that ends because a used refresh token was sent again is audited, with the account and
// the address of that call. The holder of the session learns nothing.
func TestRefreshTokenReuseIsAudited(t *testing.T) {
	w := newServer(t)
	pair := w.Session(t, w.field.Ada)
	again := testkit.Call{Method: http.MethodPost, Path: refreshPath + "?refreshToken=" + pair.Refresh}
	next := testkit.Ask[wire.Session](t, w.Contract, again)
	w.Clock.Advance(time.Minute)
	// At the second time the session has ended, and nothing more is audited.
	for _, c := range []testkit.Call{again, again, {Path: userPath, Token: next.AccessToken}} {
		if a := w.Do(t, c); a.Code != 401 {
			t.Errorf("%s: %d %s", c.Path, a.Code, a.Msg)
		}
	}
	got := w.auditLog(t, w.bora, "?kind=session")
	if got.Total != 1 || textOf(&got.List[0]) != "session.reuse ada of 1" || got.List[0].By != "server" ||
		deref(got.List[0].Address) != "192.0.2.1" {
		t.Errorf("%+v", got)
	}
}

func TestAuditPage(t *testing.T) {
	w := newServer(t)
	w.mustSucceed(t, w.editCall(`{"deviceName":"WS-1","noteName":"Pump 3","groupId":0}`))
	w.Clock.Advance(time.Minute)
	noon := w.Clock.Milli()
	call := w.sceneCall(http.MethodPost, "create", `{"groupName":"İğdır Tarlası","groupStatus":1}`)
	call.Token = w.bora
	testkit.Ask[int64](t, w.Contract, call)
	for query, want := range map[string]string{
		"":             "scene.create device.update",
		"?kind=device": "device.update",
		"?kind=rule":   "",
		"?who=user:" + fmt.Sprint(w.field.Bora.ID): "scene.create",
		"?who=provider":                     "",
		"?text=PUMP":                        "device.update", // its present name
		"?text=mast":                        "device.update", // its name before
		"?text=ws-1":                        "device.update",
		"?text=" + url.QueryEscape("IĞDIR"): "scene.create",
		"?text=%25":                         "",
		"?startTime=" + fmt.Sprint(noon):    "scene.create",
		"?endTime=" + fmt.Sprint(noon-1):    "device.update",
		"?pageSize=1&pageNo=2":              "device.update",
		"?pageSize=1&pageNo=3":              "",
	} {
		var got []string
		page := w.auditLog(t, w.ada, query)
		for _, e := range page.List {
			got = append(got, e.Kind+"."+e.Action)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", query, got, want)
		}
		var people []string
		for _, p := range page.People {
			people = append(people, p.Who+" "+p.Name)
		}
		want := fmt.Sprintf("user:%d ada of 1, user:%d bora of 1", w.field.Ada.ID, w.field.Bora.ID)
		if strings.Join(people, ", ") != want {
			t.Errorf("people %v, want %s", people, want)
		}
	}
	w.Run(t, []testkit.Scenario{
		{Name: "an invalid user", Call: w.get(auditPath + "?who=user:0"), Code: 601},
		{Name: "an invalid kind", Call: w.get(auditPath + "?kind=Device"), Code: 601},
		{
			Name:     "the wrong way round",
			Call:     w.get(auditPath + "?startTime=2&endTime=1"),
			Code:     601,
			Contains: []string{"The start must not be after the end"},
		},
		{Name: "a page too large", Call: w.get(auditPath + "?pageSize=401"), Code: 601},
	})
}

// The field's audit log shows nothing of the rival, and no tenant's log shows what the platform
// does.
func TestAuditLogIsTenantScoped(t *testing.T) {
	w := newServer(t)
	rename := w.editCall(`{"deviceName":"` + rivalDeviceName + `","noteName":"` + marker + ` pump","groupId":0}`)
	rename.Token = w.rivalToken
	w.mustSucceed(t, rename)
	platform := w.Audit.NewContext(t.Context(), audit.Actor{Kind: audit.Provider})
	err := audit.Log(platform, 0, audit.Action{Name: "product.create", Thing: audit.Thing{ID: 1, Name: "platform's"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"", "?text=" + marker, "?who=provider", "?kind=product", fmt.Sprint("?who=user:", w.rival.Ada.ID)} {
		if got := w.auditLog(t, w.ada, query); got.Total != 0 || len(got.People) != 0 {
			t.Errorf("%s: the field sees %+v", query, got)
		}
	}
	if got := w.auditLog(t, w.rivalToken, ""); got.Total != 1 ||
		textOf(&got.List[0]) != "device.update "+marker+" mast; noteName: "+marker+" mast > "+marker+" pump; "+
			"groupName: "+marker+" scene > <nil>; longitude: 32.85 > <nil>; latitude: 39.92 > <nil>" {
		t.Errorf("the rival sees %+v", got)
	}
}

// An action without an actor is an error: the caller has forgotten to set one.
func TestAuditWithoutActorFails(t *testing.T) {
	w := newServer(t)
	err := audit.Log(w.Audit.NewContext(t.Context(), audit.Actor{}), w.field.ID, audit.Action{Name: "scene.create"})
	if err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
