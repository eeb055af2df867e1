package console_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/audit"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/comparator"
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

// entryText returns an entry in one line: action, thing, and for each field before > after.
func entryText(e *wire.AuditEntry) string {
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
		t.Errorf("%d more entries: %s", after.Total-before, entryText(&after.List[0]))
	}
}

// Saving a rule unchanged makes a new revision, whose notice begins anew; so it is audited.
func TestUnchangedRuleSaveIsAudited(t *testing.T) {
	w := newServer(t)
	w.mustSucceed(t, w.updateRuleCall(w.createRule(t, frostForm("WS-1", nil)), frostForm("WS-1", nil)))
	if got := w.auditLog(t, w.ada, "").List[0]; entryText(&got) != "rule.update Frost" {
		t.Error(entryText(&got))
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

// createRuleInStore makes a rule without the edge, which would audit it.
func createRuleInStore(t *testing.T, w *fixture) int64 {
	t.Helper()
	rule := alarm.Rule{
		Name:   "Frost",
		Device: w.ws1.ID,
		Hits:   1,
		Window: alarm.Windows[0],
		Conditions: []alarm.Condition{
			{Join: "and", Attribute: "airTemperature", Operator: comparator.Below, Value: reading.Number(2)},
		},
	}
	id, err := w.Rules.Create(t.Context(), w.field.ID, &rule)
	if err != nil {
		t.Fatal(err)
	}
	return int64(id)
}

// A wrong password of an existing user is audited under the name that was tried.
func TestFailedSignInIsAudited(t *testing.T) {
	w := newServer(t)
	w.Do(t, loginCall("field", "ADA", "a wrong password"))
	got := w.auditLog(t, w.bora, "?kind=session")
	if got.Total != 1 || entryText(&got.List[0]) != "session.fail ada of 1" ||
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
	if got.Total != 1 || entryText(&got.List[0]) != "session.reuse ada of 1" || got.List[0].By != "server" ||
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
		entryText(&got.List[0]) != "device.update "+marker+" mast; noteName: "+marker+" mast > "+marker+" pump; "+
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

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
