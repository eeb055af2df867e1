package httpapi_test

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

	"tilth/internal/alarm"
	"tilth/internal/audit"
	"tilth/internal/httpapi/wire"
	"tilth/internal/reading"
	"tilth/internal/testkit"
)

const auditPath = "/admin-api/client/pc/audit/page"

// log is the field's audit log as the given query shows it.
func (w *world) log(t *testing.T, token, query string) wire.AuditPage {
	t.Helper()
	if err := w.Audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	return testkit.Ask[wire.AuditPage](t, w.Contract, testkit.Call{Path: auditPath + query, Token: token})
}

// said is an entry in one line: what, which thing, field: before > after.
func said(e *wire.AuditEntry) string {
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

// act is how one operation is done so that something comes of it, and what the
// log says then.
type act struct {
	do   func(t *testing.T, w *world) testkit.Call
	says string

	because string // of an operation that leaves no entry: why
}

// acts are all operations that do more than read.
var acts = map[string]act{
	"refreshToken":          {because: "goes on with what a sign-in began"},
	"getCaptcha":            {because: "changes nothing of a tenant"},
	"checkCaptcha":          {because: "changes nothing of a tenant"},
	"sendSmsCode":           {because: "changes nothing; what is done with the code is written down"},
	"rehearseAlarmRule":     {because: "reads"},
	"testNoticeChannel":     {because: "a test changes nothing"},
	"updateMessagesRead":    {because: "what a person has read is nobody else's business"},
	"updateAllMessagesRead": {because: "what a person has read is nobody else's business"},

	"rehearseAlarmRuleDevices": {because: "reads"},

	"loginUsername": {says: "session.signIn ada of 1", do: func(*testing.T, *world) testkit.Call { return login("field", "ada", testkit.Password) }},
	"logout": {says: "session.signOut ada of 1", do: func(t *testing.T, w *world) testkit.Call {
		return testkit.Call{Method: http.MethodPost, Path: logoutPath, Token: w.Session(t, w.field.Ada).Access}
	}},
	"updateUser": {says: "user.update ada of 1; nickname: ada of 1 > Ada; email: a•••@1.example > a•••@example.com", do: func(_ *testing.T, w *world) testkit.Call {
		return asks(w.ada, profilePath, "nickname", "Ada", "email", "ada@example.com")
	}},
	"updateAvatar": {says: "user.update ada of 1; avatar hidden", do: func(t *testing.T, w *world) testkit.Call {
		return form(t, w.ada, part{name: "avatarFile", file: "a.png", body: pictureFile(t)})
	}},
	"updateUserPassword": {says: "user.update ada of 1; password hidden", do: func(t *testing.T, w *world) testkit.Call {
		return asks(w.ada, passwordPath, "code", w.code(t, w.ada, adasPhone), "password", newPassword)
	}},
	"updateUserMobile": {says: "user.update ada of 1; mobile: +90•••••001 > +90•••••002", do: func(t *testing.T, w *world) testkit.Call {
		return asks(w.ada, mobilePath, "mobile", newPhone, "scene", 2, "code", w.code(t, w.ada, newPhone))
	}},
	"validateSmsCode": {says: "user.update bora of 1; mobile: <nil> > +90•••••002", do: func(t *testing.T, w *world) testkit.Call {
		return asks(w.bora, bindPath, "mobile", newPhone, "scene", 2, "code", w.code(t, w.bora, newPhone))
	}},
	"createCredential": {says: "credential.create Pump house; appKey: <nil> > tk_; enabled: <nil> > 1", do: func(_ *testing.T, w *world) testkit.Call { return create(w.ada, "Pump house") }},
	"toggleCredential": {says: "credential.update Pump house; enabled: 1 > 0", do: func(t *testing.T, w *world) testkit.Call {
		return w.get(fmt.Sprint(togglePath, "?id=", w.myCredential(t)))
	}},
	"deleteCredential": {says: "credential.delete Pump house; appKey: tk_ > <nil>; enabled: 1 > <nil>", do: func(t *testing.T, w *world) testkit.Call {
		return w.get(fmt.Sprint(deletePath, "?id=", w.myCredential(t)))
	}},
	"exportDeviceData": {says: "device.export Mast; startTime: <nil> > ", do: func(_ *testing.T, w *world) testkit.Call {
		return w.get(w.around(exportPath, "WS-1", "airTemperature"))
	}},
	"updateDevice": {says: "device.update Mast; noteName: Mast > Pump 3; groupName: North > <nil>; longitude: 32.85 > <nil>; latitude: 39.92 > <nil>", do: func(_ *testing.T, w *world) testkit.Call {
		return w.edit(`{"deviceName":"WS-1","noteName":"Pump 3","groupId":0}`)
	}},
	"newDeviceSecret": {says: "device.update Mast; secrets hidden", do: func(_ *testing.T, w *world) testkit.Call {
		return w.sends(http.MethodPost, secretPath, body{"deviceName": "WS-1"})
	}},
	"createScene": {says: "scene.create South; name: <nil> > South; groupStatus: <nil> > 1", do: func(_ *testing.T, w *world) testkit.Call {
		return w.sceneCall(http.MethodPost, "create", `{"groupName":"South","groupStatus":1}`)
	}},
	"updateScene": {says: "scene.update North; groupStatus: 1 > 2", do: func(_ *testing.T, w *world) testkit.Call {
		return w.sceneCall(http.MethodPut, "update", fmt.Sprintf(`{"id":%d,"groupName":"North","groupStatus":2}`, w.north))
	}},
	"deleteScene": {says: "scene.delete North; name: North > <nil>; groupStatus: 1 > <nil>", do: func(_ *testing.T, w *world) testkit.Call {
		return w.sceneCall(http.MethodDelete, fmt.Sprint("delete?id=", w.north), "")
	}},
	"createAlarmRule": {says: "rule.create Frost; alarmName: <nil> > Frost; executionId: <nil> > Mast; triggerType: <nil> > 0; " +
		"conditions: <nil> > [map[andor:and subconditions:< tslAttribute:airTemperature value:2]]", do: func(_ *testing.T, w *world) testkit.Call { return w.create(frost("WS-1", nil)) }},
	"updateAlarmRule": {says: "rule.update Frost; conditions: [map[andor:and subconditions:< tslAttribute:airTemperature value:2]] > " +
		"[map[andor:and subconditions:> tslAttribute:airTemperature value:30]]; alarmLevel: 2 > 0", do: func(t *testing.T, w *world) testkit.Call {
		return w.update(w.made(t, frost("WS-1", nil)), frost("WS-1", body{"alarmLevel": 0, "conditions": []body{
			{"andor": "and", "tslAttribute": "airTemperature", "subconditions": ">", "value": 30},
		}}))
	}},
	"publishAlarmRule": {says: "rule.publish Frost; deployState: 0 > 1", do: func(t *testing.T, w *world) testkit.Call {
		return w.deploy("publish", w.made(t, frost("WS-1", nil)))
	}},
	"unpublishAlarmRule": {says: "rule.unpublish Frost; deployState: 1 > 2", do: func(t *testing.T, w *world) testkit.Call {
		id := w.made(t, frost("WS-1", nil))
		w.done(t, w.deploy("publish", id))
		return w.deploy("unpublish", id)
	}},
	"deleteAlarmRule": {says: "rule.delete Frost; alarmName: Frost > <nil>", do: func(t *testing.T, w *world) testkit.Call {
		return w.remove(w.made(t, frost("WS-1", nil)))
	}},
	"copyAlarmRule": {says: "rule.create Frost; alarmName: <nil> > Frost; executionId: <nil> > WS-2;", do: func(t *testing.T, w *world) testkit.Call {
		return w.sends(http.MethodPost, rulesPath+"copy", body{"id": w.made(t, frost("WS-1", nil)), "executionIds": []string{"WS-2"}})
	}},
	"muteAlarmRule": {says: "rule.mute Frost; muteUntil: <nil> > ", do: func(t *testing.T, w *world) testkit.Call {
		return w.sends(http.MethodPut, rulesPath+"mute", body{"id": w.made(t, frost("WS-1", nil)), "until": w.Clock.Milli() + 60_000})
	}},
	"resolveAlarmNotice": {says: "notice.resolve Frost; remark: <nil> > Heater on", do: func(t *testing.T, w *world) testkit.Call {
		return w.resolve(w.openNotice(t), "Heater on")
	}},
	"acknowledgeAlarmNotice": {says: "notice.acknowledge Frost; note: <nil> > At the pump; remindAt: <nil> > 1.795255202e+12", do: func(t *testing.T, w *world) testkit.Call {
		return w.sends(http.MethodPut, noticesPath+"acknowledge", body{"id": w.openNotice(t), "note": "At the pump", "remindHours": 1})
	}},
	"unacknowledgeAlarmNotice": {says: "notice.unacknowledge Frost", do: func(t *testing.T, w *world) testkit.Call {
		id := w.openNotice(t)
		w.done(t, w.sends(http.MethodPut, noticesPath+"acknowledge", body{"id": id}))
		return w.sends(http.MethodPut, noticesPath+"unacknowledge", body{"id": id})
	}},
	"createNoticeChannel": {says: "channel.create Night shift; noticeName: <nil> > Night shift; noticeMode: <nil> > [email phoneMessage]; " +
		"emails: <nil> > [ada@example.com bora@example.com]; phoneMessage: <nil> > [+905551112233]; language: <nil> > tr-tr", do: func(_ *testing.T, w *world) testkit.Call {
		return w.channelSends(http.MethodPost, "create", night(nil))
	}},
	"updateNoticeChannel": {says: "channel.update Night shift; noticeName: Night shift > Day shift", do: func(t *testing.T, w *world) testkit.Call {
		return w.channelSends(http.MethodPut, "update", night(body{"id": w.myChannel(t), "noticeName": "Day shift"}))
	}},
	"testWebhook": {because: "a test changes nothing"},
	"createWebhook": {says: "webhook.create Planner; name: <nil> > Planner; url: <nil> > https://planner.example; events: <nil> > [opened resolved]; " +
		"alarmLevel: <nil> > 1; enabled: <nil> > true", do: func(_ *testing.T, w *world) testkit.Call {
		return w.sends(http.MethodPost, webhooksPath+"create", planner(nil))
	}},
	"updateWebhook": {says: "webhook.update Planner; alarmLevel: 1 > 2", do: func(t *testing.T, w *world) testkit.Call {
		return w.sends(http.MethodPut, webhooksPath+"update", planner(body{"id": w.myWebhook(t), "alarmLevel": 2, "url": "https://planner.example/another-path"}))
	}},
	"toggleWebhook": {says: "webhook.update Planner; enabled: true > false", do: func(t *testing.T, w *world) testkit.Call {
		return w.ofWebhook(http.MethodPut, "enable-or-disable", w.myWebhook(t))
	}},
	"newWebhookSecret": {says: "webhook.update Planner; secret hidden", do: func(t *testing.T, w *world) testkit.Call {
		return w.ofWebhook(http.MethodPost, "new-secret", w.myWebhook(t))
	}},
	"deleteWebhook": {says: "webhook.delete Planner; name: Planner > <nil>; url: https://planner.example > <nil>;", do: func(t *testing.T, w *world) testkit.Call {
		return w.ofWebhook(http.MethodDelete, "delete", w.myWebhook(t))
	}},
	"deleteNoticeChannel": {says: "channel.delete Night shift; noticeName: Night shift > <nil>", do: func(t *testing.T, w *world) testkit.Call {
		return w.channelDelete(w.myChannel(t))
	}},
}

// newPassword and others are what no entry may hold.
const newPassword = "another horse entirely"

func (w *world) myCredential(t *testing.T) int64 {
	return testkit.Ask[wire.NewCredential](t, w.Contract, create(w.ada, "Pump house")).Id
}

func (w *world) myWebhook(t *testing.T) int64 {
	for _, one := range w.webhooks(t) { // no two have one name
		w.done(t, w.ofWebhook(http.MethodDelete, "delete", one.Id))
	}
	return testkit.Ask[wire.WebhookSecret](t, w.Contract, w.sends(http.MethodPost, webhooksPath+"create", planner(nil))).Id
}

func (w *world) myChannel(t *testing.T) int64 {
	return testkit.Ask[int64](t, w.Contract, w.channelSends(http.MethodPost, "create", night(nil)))
}

// Every operation of the console that does more than read leaves one entry, by
// who did it, in that very request; or there is a reason for none.
func TestEverythingIsAudited(t *testing.T) {
	known := map[string]bool{}
	for _, op := range accounts(t).Operations(testkit.ConsoleTags...) {
		known[op.ID] = true
		one, ok := acts[op.ID]
		switch {
		case !ok && op.Method == http.MethodGet && (strings.HasPrefix(op.ID, "get") || strings.HasPrefix(op.ID, "page")):
			continue
		case !ok:
			t.Errorf("%s has no row: say what it leaves in the audit log, or why nothing", op.ID)
			continue
		case (one.because == "") == (one.do == nil):
			t.Errorf("%s: a row says either how it is done, or why it leaves nothing", op.ID)
			continue
		case one.because != "":
			continue
		}
		t.Run(op.ID, func(t *testing.T) {
			w := accounts(t)
			call := one.do(t, w)
			call.From = "198.51.100.7"
			w.Clock.Advance(time.Second)
			a := w.Do(t, call)
			if a.Status != 200 || a.Code != 200 && len(a.Data) > 0 {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
			var found []string
			for _, e := range w.log(t, w.ada, "?pageSize=400").List {
				if sent(e.Request) != a.Header.Get("X-Request-Id") {
					continue
				}
				found = append(found, said(&e))
				user := w.field.Ada
				if call.Token == w.bora {
					user = w.field.Bora
				}
				if e.Who != fmt.Sprint("user:", user.ID) || e.By != "user" || e.Name == "" || sent(e.Address) != "198.51.100.7" || e.Time != w.Clock.Milli() {
					t.Errorf("who %s %s %q from %s at %d", e.Who, e.By, e.Name, sent(e.Address), e.Time)
				}
			}
			if len(found) != 1 || !fits(found[0], one.says) {
				t.Errorf("the log says %q, want %q", found, one.says)
			}
		})
	}
	for id := range acts {
		if !known[id] {
			t.Errorf("the contract has no %s any more", id)
		}
	}
}

func sent(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// fits tells whether a line is as wanted, where app keys are cut short and the
// rest of a long line is not written out.
func fits(line, want string) bool {
	words := strings.Split(line, " ")
	for i, word := range words {
		if strings.HasPrefix(word, "tk_") {
			words[i] = "tk_" + strings.TrimLeft(word[3:], "0123456789abcdefghjkmnpqrstvwxyz")
		}
	}
	return strings.HasPrefix(strings.Join(words, " "), want)
}

// What is refused, and what changes nothing, leaves no entry.
func TestNothingIsAuditedOfNothing(t *testing.T) {
	w := newServer(t)
	id := w.made(t, frost("WS-1", nil))
	w.done(t, w.deploy("publish", id))
	before := w.log(t, w.ada, "").Total
	for _, call := range []testkit.Call{
		w.sceneCall(http.MethodPost, "create", `{"groupName":"North","groupStatus":1}`), // taken
		w.sceneCall(http.MethodDelete, "delete?id=999", ""),
		w.sceneCall(http.MethodPut, "update", fmt.Sprintf(`{"id":%d,"groupName":"North","groupStatus":1}`, w.north)), // as it is
		w.edit(`{"deviceName":"WS-1","noteName":"Mast","groupId":99}`),
		w.deploy("publish", id), // it runs
		w.resolve(999, ""),
		login("field", "nobody", "x"),
		w.channelDelete(999),
		create(w.ada, " "),
		w.get(fmt.Sprint(deletePath, "?id=", w.theirCredential())),
	} {
		w.Do(t, call)
	}
	if after := w.log(t, w.ada, ""); after.Total != before {
		t.Errorf("%d entries more: %s", after.Total-before, said(&after.List[0]))
	}
}

// A rule that is saved as it was is another revision, whose notice begins anew.
func TestSavedAsItWas(t *testing.T) {
	w := newServer(t)
	w.done(t, w.update(w.made(t, frost("WS-1", nil)), frost("WS-1", nil)))
	if got := w.log(t, w.ada, "").List[0]; said(&got) != "rule.update Frost" {
		t.Error(said(&got))
	}
}

// An entry that cannot be written keeps the change from being made.
func TestNoChangeWithoutEntry(t *testing.T) {
	w := newServer(t)
	id := alarmRule(t, w)
	testkit.Refuse(t, w.DB, "INSERT ON audit_entries")
	for _, call := range []testkit.Call{
		w.sceneCall(http.MethodPost, "create", `{"groupName":"South","groupStatus":1}`),
		w.edit(`{"deviceName":"WS-1","noteName":"Pump 3","groupId":0}`),
		w.sends(http.MethodPost, secretPath, body{"deviceName": "WS-1"}),
		w.deploy("publish", id),
		w.remove(id),
		create(w.ada, "x"),
		login("field", "ada", testkit.Password),
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

// openNotice has a rule begin a notice, and answers its id.
func (w *world) openNotice(t *testing.T) int64 {
	t.Helper()
	id := w.made(t, frost("WS-1", nil))
	w.done(t, w.deploy("publish", id))
	w.Clock.Advance(time.Second)
	w.judged(t, w.ws1, air(-1))
	return w.rule(t, id).OpenNotice.Id
}

// alarmRule makes a rule past the edge, which would write it down.
func alarmRule(t *testing.T, w *world) int64 {
	t.Helper()
	rule := alarm.Rule{
		Name: "Frost", Device: w.ws1.ID, Hits: 1, Window: alarm.Windows[0],
		Conditions: []alarm.Condition{{Join: "and", Attribute: "airTemperature", Operator: alarm.Below, Value: reading.Number(2)}},
	}
	id, err := w.Rules.Create(t.Context(), w.field.ID, &rule)
	if err != nil {
		t.Fatal(err)
	}
	return int64(id)
}

// After everything was done with secrets that are known, none is in the log.
func TestNoSecretIsAudited(t *testing.T) {
	w := accounts(t)
	secrets := []string{testkit.Password, newPassword, w.ada, w.bora, "$argon2id$", "/tilth", "another-path", "whsec_"}
	for _, id := range slices.Sorted(maps.Keys(acts)) {
		one := acts[id]
		if one.do == nil || id == "logout" {
			continue
		}
		if strings.HasPrefix(id, "updateUser") || id == "validateSmsCode" {
			w.Clock.Advance(time.Minute + time.Second) // codes are sent once a minute
		}
		call := one.do(t, w)
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
	w.Do(t, login("field", "ada", "a wrong password"))
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

// A wrong password of a user that there is is written down, by the name tried.
func TestFailedSignInIsAudited(t *testing.T) {
	w := newServer(t)
	w.Do(t, login("field", "ADA", "a wrong password"))
	got := w.log(t, w.bora, "?kind=session")
	if got.Total != 1 || said(&got.List[0]) != "session.fail ada of 1" || got.List[0].Who != fmt.Sprint("user:", w.field.Ada.ID) || sent(got.List[0].Address) != "192.0.2.1" {
		t.Errorf("%+v", got)
	}
}

// A session that ends because a used refresh token came again is told of: by whose
// account, and from which address it came. Its other end is told nothing.
func TestStolenSessionIsAudited(t *testing.T) {
	w := newServer(t)
	pair := w.Session(t, w.field.Ada)
	again := testkit.Call{Method: http.MethodPost, Path: refreshPath + "?refreshToken=" + pair.Refresh}
	next := testkit.Ask[wire.Session](t, w.Contract, again)
	w.Clock.Advance(time.Minute)
	// The second time it is over, and there is nothing more to tell.
	for _, c := range []testkit.Call{again, again, {Path: userPath, Token: next.AccessToken}} {
		if a := w.Do(t, c); a.Code != 401 {
			t.Errorf("%s: %d %s", c.Path, a.Code, a.Msg)
		}
	}
	got := w.log(t, w.bora, "?kind=session")
	if got.Total != 1 || said(&got.List[0]) != "session.reuse ada of 1" || got.List[0].By != "server" || sent(got.List[0].Address) != "192.0.2.1" {
		t.Errorf("%+v", got)
	}
}

func TestAuditPage(t *testing.T) {
	w := newServer(t)
	w.done(t, w.edit(`{"deviceName":"WS-1","noteName":"Pump 3","groupId":0}`))
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
		"?text=PUMP":                        "device.update", // as it is called now
		"?text=mast":                        "device.update", // as it was
		"?text=ws-1":                        "device.update",
		"?text=" + url.QueryEscape("IĞDIR"): "scene.create",
		"?text=%25":                         "",
		"?startTime=" + fmt.Sprint(noon):    "scene.create",
		"?endTime=" + fmt.Sprint(noon-1):    "device.update",
		"?pageSize=1&pageNo=2":              "device.update",
		"?pageSize=1&pageNo=3":              "",
	} {
		var got []string
		page := w.log(t, w.ada, query)
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
		if want := fmt.Sprintf("user:%d ada of 1, user:%d bora of 1", w.field.Ada.ID, w.field.Bora.ID); strings.Join(people, ", ") != want {
			t.Errorf("people %v, want %s", people, want)
		}
	}
	w.Run(t, []testkit.Scenario{
		{Name: "a person that cannot be", Call: w.get(auditPath + "?who=user:0"), Code: 601},
		{Name: "a kind that cannot be", Call: w.get(auditPath + "?kind=Device"), Code: 601},
		{Name: "the wrong way round", Call: w.get(auditPath + "?startTime=2&endTime=1"), Code: 601, Contains: []string{"The start must not be after the end"}},
		{Name: "a page too large", Call: w.get(auditPath + "?pageSize=401"), Code: 601},
	})
}

// What the rival does is nowhere in the field's log, what the platform does in
// nobody's.
func TestAuditsAreApart(t *testing.T) {
	w := newServer(t)
	rename := w.edit(`{"deviceName":"` + theirDevice + `","noteName":"` + marker + ` pump","groupId":0}`)
	rename.Token = w.enemy
	w.done(t, rename)
	platform := w.Audit.NewContext(t.Context(), audit.Actor{Kind: audit.Provider})
	if err := audit.Log(platform, 0, audit.Action{Name: "product.create", Thing: audit.Thing{ID: 1, Name: "platform's"}}); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"", "?text=" + marker, "?who=provider", "?kind=product", fmt.Sprint("?who=user:", w.rival.Ada.ID)} {
		if got := w.log(t, w.ada, query); got.Total != 0 || len(got.People) != 0 {
			t.Errorf("%s: the field sees %+v", query, got)
		}
	}
	if got := w.log(t, w.enemy, ""); got.Total != 1 || said(&got.List[0]) != "device.update "+marker+" mast; noteName: "+marker+" mast > "+marker+" pump; "+
		"groupName: "+marker+" scene > <nil>; longitude: 32.85 > <nil>; latitude: 39.92 > <nil>" {
		t.Errorf("the rival sees %+v", got)
	}
}

// Of what is done where nobody is known to act the caller has forgotten to say
// who.
func TestNobodyActs(t *testing.T) {
	w := newServer(t)
	err := audit.Log(w.Audit.NewContext(t.Context(), audit.Actor{}), w.field.ID, audit.Action{Name: "scene.create"})
	if err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
