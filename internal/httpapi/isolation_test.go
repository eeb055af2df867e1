package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tilth/internal/testkit"
)

// crossing is how one operation could be turned against another tenant: what
// the field's ada asks for of the rival's, and what the rival's own ada gets
// for the same, which proves that there is something to be had.
type crossing struct {
	ask  func(w *world) testkit.Call // its token is set by the test
	code int                         // for the field's ada; 200 when zero: she gets her own, or nothing
	own  string                      // in the answer to the rival's ada

	// Where there is nothing of another tenant to ask for: why.
	because string
}

func path(format string, args ...any) func(*world) testkit.Call {
	return func(*world) testkit.Call { return testkit.Call{Path: fmt.Sprintf(format, args...)} }
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
	"loginUsername":        {because: "needs no session; a user of another tenant is tried below"},
	"getCaptcha":           {because: "public: a captcha belongs to nobody"},
	"checkCaptcha":         {because: "public: a captcha belongs to nobody"},
	"refreshToken":         {because: "needs no session; the presented token tells the tenant"},
	"getTenantIdByName":    {because: "public: tells a tenant's number to whoever knows its name"},
	"getTenantByWebsite":   {because: "public: tells a tenant's branding to whoever knows its host"},
	"getConsoleSettings":   {because: "public: the same for all tenants"},
	"logout":               {because: "ends the presented session only, tried below"},
	"getLive":              {because: "a stream, tried in TestLiveTenantsAreApart"},
	"getProductSimpleList": {because: "products are the platform's, the same for all tenants"},
	"getElementMap":        {because: "elements are the platform's, the same for all tenants"},

	"sendSmsCode":        {because: "sends to the number that is given, tried in TestAccountsAreApart"},
	"updateUserMobile":   {because: "a code is the caller's own, tried in TestAccountsAreApart"},
	"validateSmsCode":    {because: "a code is the caller's own, tried in TestAccountsAreApart"},
	"updateUserPassword": {because: "a code is the caller's own, tried in TestAccountsAreApart"},
	"updateUser": {ask: func(w *world) testkit.Call {
		return testkit.Call{Path: profilePath, Body: fmt.Sprintf(`{"id":%d,"nickname":"X","email":"x@example.com"}`, w.rival.Ada.ID)}
	}, code: 404, own: `"data":true`},

	"createCredential": {because: "makes the caller's own, tried in TestCredentialsAreApart"},
	"updateAvatar":     {because: "changes the caller's own, tried in TestAvatarsAreApart"},
	"pageCredentials":  {ask: func(w *world) testkit.Call { w.theirCredential(); return testkit.Call{Path: credentialsPath} }, own: marker},
	"toggleCredential": {ask: func(w *world) testkit.Call {
		return testkit.Call{Path: fmt.Sprint(togglePath, "?id=", w.theirCredential())}
	}, code: 404, own: `"data":true`},
	"deleteCredential": {ask: func(w *world) testkit.Call {
		return testkit.Call{Path: fmt.Sprint(deletePath, "?id=", w.theirCredential())}
	}, code: 404, own: `"data":true`},

	"getUser":               {ask: path(userPath), own: marker},
	"getOverviewStatistics": {ask: path(overviewPath), own: `"deviceCount":1`},
	"getUnreadCount":        {because: "a number, tried in TestMessagesAreRead"},
	"pageMyMessages": {ask: func(w *world) testkit.Call {
		w.theirMessage()
		return testkit.Call{Path: messagesPath + "my-page"}
	}, own: marker + " frost"},
	"updateMessagesRead":    {because: "another tenant's ids are passed over, tried in TestMessagesAreRead"},
	"updateAllMessagesRead": {because: "marks the caller's own, tried in TestMessagesAreRead"},
	"getDevicePage":         {ask: path("%s?deviceName=%s", pagePath, marker), own: theirDevice},
	"getGroupDeviceList": {ask: func(w *world) testkit.Call {
		return testkit.Call{Path: fmt.Sprint(groupsPath, "?groupId=", w.theirScene)}
	}, own: marker + " scene"},
	"getDevicesByNames": {ask: path("%s?deviceNames=%s", namesPath, theirDevice), own: theirDevice},
	"getDeviceMap":      {ask: path(mapPath), own: theirDevice},
	"updateDevice": {ask: func(*world) testkit.Call {
		return testkit.Call{Path: editPath, Body: `{"deviceName":"` + theirDevice + `","noteName":"` + marker + `"}`}
	}, code: 404, own: `"data":true`},
	"newDeviceSecret": {ask: func(*world) testkit.Call {
		return testkit.Call{Path: secretPath, Body: `{"deviceName":"` + theirDevice + `"}`}
	}, code: 404, own: `"data":"`},
	"getDeviceConnection": {ask: path("%s?deviceName=%s", connectionPath, theirDevice), code: 404, own: theirDevice},
	"getDevicePresence":   {ask: path("%s?deviceName=%s", comingsPath, theirDevice), code: 404, own: `"onlineState":1`},
	"getDeviceVideo":      {ask: path("%s?deviceName=%s", videoPath, theirDevice), code: 404, own: `"kind":"none"`},
	"createScene":         {because: "makes the caller's own, tried in TestScenesAreApart"},
	"pageScenes":          {ask: path("%spage?groupName=%s", scenePath, marker), own: marker + " scene"},
	"getScene": {ask: func(w *world) testkit.Call {
		return testkit.Call{Path: fmt.Sprint(scenePath, "get?id=", w.theirScene)}
	}, code: 404, own: marker + " scene"},
	"updateScene": {ask: func(w *world) testkit.Call {
		return testkit.Call{Path: scenePath + "update", Body: fmt.Sprintf(`{"id":%d,"groupName":"%s scene","groupStatus":1}`, w.theirScene, marker)}
	}, code: 404, own: `"data":true`},
	"deleteScene": {ask: func(w *world) testkit.Call {
		return testkit.Call{Path: fmt.Sprint(scenePath, "delete?id=", w.spareScene())}
	}, code: 404, own: `"data":true`},

	"getDataLast":            {ask: path("%s?deviceName=%s", lastPath, theirDevice), code: 404, own: "note of " + theirDevice},
	"getTsl":                 {ask: path("%s?deviceName=%s", tslPath, theirDevice), code: 404, own: theirDevice},
	"getTimeIntervalDataMap": {ask: func(w *world) testkit.Call { return testkit.Call{Path: w.series(theirDevice, "note")} }, code: 404, own: "note of " + theirDevice},
	"getDeviceDiagnostics":   {ask: path("%s?deviceName=%s", countsPath, theirDevice), code: 404, own: "id of " + theirDevice},

	"getTimeIntervalDataColumns": {ask: func(w *world) testkit.Call {
		return testkit.Call{Path: w.around(columnsPath, theirDevice, "note")}
	}, code: 404, own: "note of " + theirDevice},
	"getTimeIntervalDataRows": {ask: func(w *world) testkit.Call {
		return testkit.Call{Path: w.around(rowsPath, theirDevice, "note")}
	}, code: 404, own: "note of " + theirDevice},
	"getDeviceCoverage": {ask: func(w *world) testkit.Call {
		return testkit.Call{Path: w.around(coveragePath, theirDevice, "")}
	}, code: 404, own: `"frames":`},
	"getSignData":         {ask: func(w *world) testkit.Call { return testkit.Call{Path: w.around(signPath, theirDevice, "note")} }, code: 404, own: "note of " + theirDevice},
	"getDeviceProperties": {ask: path("%s?deviceName=%s", propertyPath, theirDevice), code: 404, own: "note of " + theirDevice},

	"createAlarmRule":   {because: "makes the caller's own, tried in TestAlarmsAreApart"},
	"rehearseAlarmRule": {because: "names a device, tried in TestAlarmsAreApart"},
	"pageAlarmRules": {ask: func(w *world) testkit.Call {
		w.theirRule()
		return testkit.Call{Path: fmt.Sprint(rulesPath, "page?alarmName=", marker)}
	}, own: marker + " frost"},
	"getAlarmRule":       {ask: ofTheirRule("get?id=%d"), code: 404, own: marker + " frost"},
	"publishAlarmRule":   {ask: ofTheirRule("publish?alarmRulesId=%d"), code: 404, own: `"data":true`},
	"unpublishAlarmRule": {ask: ofTheirRule("unpublish?alarmRulesId=%d"), code: 404, own: `"data":true`},
	"deleteAlarmRule":    {ask: ofTheirRule("delete?id=%d"), code: 404, own: `"data":true`},
	"getAlarmOutlook":    {ask: ofTheirRule("get/outlook?ids=%d"), own: `"fits":true`},
	"updateAlarmRule": {ask: func(w *world) testkit.Call {
		return w.update(w.theirRule(), frost(theirDevice, body{"alarmName": marker}))
	}, code: 404, own: `"data":true`},
	"copyAlarmRule": {ask: func(w *world) testkit.Call {
		return w.sends("", rulesPath+"copy", body{"id": w.theirRule(), "executionIds": []string{theirDevice}})
	}, code: 404, own: `"data":[`},
	"muteAlarmRule": {ask: func(w *world) testkit.Call {
		return w.sends("", rulesPath+"mute", body{"id": w.theirRule(), "until": w.Clock.Milli() + 1000})
	}, code: 404, own: `"data":true`},

	"pageAlarmNotices": {ask: func(w *world) testkit.Call {
		w.theirNotice()
		return testkit.Call{Path: fmt.Sprint(noticesPath, "page?title=", marker)}
	}, own: marker + " frost"},
	"getAllAlarmNotices": {ask: func(w *world) testkit.Call { w.theirNotice(); return testkit.Call{Path: noticesPath + "get/all"} }, own: marker + " frost"},
	"getAlarmNotice": {ask: func(w *world) testkit.Call {
		return testkit.Call{Path: fmt.Sprint(noticesPath, "get?id=", w.theirNotice())}
	}, code: 404, own: marker + " frost"},
	"resolveAlarmNotice": {ask: func(w *world) testkit.Call { return w.resolve(w.theirNotice(), marker) }, code: 404, own: `"data":true`},

	"createNoticeChannel": {because: "makes the caller's own; a rule with another tenant's is tried in TestChannelsAreApart"},
	"getNoticeWays":       {because: "the server's, the same for all tenants"},
	"pageNoticeChannels": {ask: func(w *world) testkit.Call {
		w.theirChannel()
		return testkit.Call{Path: fmt.Sprint(channelsPath, "page?noticeName=", marker)}
	}, own: marker + " channel"},
	"getNoticeChannel":    {ask: ofTheirChannel("get"), code: 404, own: marker + " channel"},
	"deleteNoticeChannel": {ask: ofTheirChannel("delete"), code: 404, own: `"data":true`},
	"testNoticeChannel":   {ask: ofTheirChannel("test"), code: 404, own: `"ok":true`},
	"updateNoticeChannel": {ask: func(w *world) testkit.Call {
		return w.channelSends("", "update", night(body{"id": w.theirChannel(), "noticeName": marker}))
	}, code: 404, own: `"data":true`},

	"exportDeviceData": {because: "a file without an envelope, tried in TestExportsAreApart"},
}

// Every operation of the contract has its row, and none tells one tenant
// anything of another, whatever the request says of its tenant.
func TestTenantsAreApart(t *testing.T) {
	w := newServer(t)
	known := map[string]bool{}
	for _, op := range w.Operations(testkit.ConsoleTags...) {
		known[op.ID] = true
		row, ok := crossings[op.ID]
		switch {
		case !ok:
			t.Errorf("%s has no row: say how it could be turned against another tenant", op.ID)
			continue
		case row.because != "" && row.ask != nil || row.because == "" && (row.ask == nil || row.own == ""):
			t.Errorf("%s: a row says either why there is nothing to ask for, or what is asked and found", op.ID)
			continue
		case row.because != "":
			continue
		}
		t.Run(op.ID, func(t *testing.T) {
			for name, header := range map[string]map[string]string{
				"plain": {},
				"naming the other tenant": {
					"tenant-id": fmt.Sprint(w.rival.ID), "Tenant-Name": w.rival.Name, "X-Forwarded-Host": w.rival.Hosts[0],
				},
			} {
				call := row.ask(w)
				call.Method, call.Token, call.Header = op.Method, w.ada, header
				a := w.Do(t, call)
				want := row.code
				if want == 0 {
					want = 200
				}
				// What was asked for may be named in a refusal, never in data.
				if a.Code != want || strings.Contains(string(a.Data), marker) {
					t.Errorf("%s: code %d, %s", name, a.Code, a.Body)
				}
				if row.code == 404 && string(a.Body) != `{"code":404,"data":null,"msg":"This resource does not exist"}` {
					t.Errorf("%s: told from what does not exist at all: %s", name, a.Body)
				}
				call.Token = w.enemy
				if a := w.Do(t, call); a.Code != 200 || !strings.Contains(string(a.Body), row.own) {
					t.Errorf("%s: its owner does not get %q: %s", name, row.own, a.Body)
				}
			}
		})
	}
	for id := range crossings {
		if !known[id] {
			t.Errorf("the contract has no %s any more", id)
		}
	}
}

// The tenant of a signed-in call comes from its token alone: every answer is
// the same whatever tenant-id it carries.
func TestTenantHeaderIsIgnored(t *testing.T) {
	w := newServer(t)
	for _, path := range []string{userPath, overviewPath, pagePath, groupsPath, mapPath, unreadPath, lastPath + "?deviceName=WS-1"} {
		plain := w.Do(t, w.get(path))
		for _, id := range []string{fmt.Sprint(w.rival.ID), "1", "0", "-1", "99", "x", ""} {
			call := w.get(path)
			call.Header = map[string]string{"tenant-id": id}
			if a := w.Do(t, call); string(a.Body) != string(plain.Body) {
				t.Errorf("%s with tenant-id %q: %s, without: %s", path, id, a.Body, plain.Body)
			}
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
