package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

// auditedOperation says how a test calls an operation so that it changes something, and what the
// audit log then says.
type auditedOperation struct {
	call func(t *testing.T, w *fixture) testkit.Call
	want string
	also string // a further entry, before that one

	newUser   bool   // the user who did it is the one that it made
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
	"createAnalysisView":    {exemption: "private to the user"},
	"updateAnalysisView":    {exemption: "private to the user"},
	"deleteAnalysisView":    {exemption: "private to the user"},

	"rehearseAlarmRuleDevices": {exemption: "reads"},

	"linkOidc": {exemption: "leads to the issuer; openOidcSession links the account"},
	"openOidcSession": {want: "session.signIn ada of 1", call: func(t *testing.T, w *fixture) testkit.Call {
		return w.openSignOn(t, w.signOnTicket(t, w.withIssuer(t)))
	}},
	"oidcLogout": {want: "session.signOut ada of 1", call: func(t *testing.T, w *fixture) testkit.Call {
		return testkit.Call{
			Method: http.MethodPost,
			Path:   signOnPath + "oidc-logout",
			Token:  w.Session(t, w.field.Ada).Access,
		}
	}},
	"getInvitation": {exemption: "reads"},
	"readClaim":     {exemption: "reads"},
	"createCalibration": {
		want: "device.calibrate Mast; attribute: <nil> > airTemperature; fromTime: <nil> > 1.7952516e+12; " +
			"calibrationKind: <nil> > offset; offset: <nil> > -0.5",
		call: func(_ *testing.T, w *fixture) testkit.Call { return w.calibrateCall(w.offsetForm(-0.5, nil)) },
	},
	"undoCalibration": {
		want: "device.undoCalibration Mast; attribute: <nil> > airTemperature; fromTime: <nil> > 1.7952516e+12; " +
			"calibrationKind: <nil> > offset; offset: <nil> > -0.5",
		also: "device.calibrate Mast; attribute: <nil> > airTemperature; fromTime: <nil> > 1.7952516e+12; " +
			"calibrationKind: <nil> > offset; offset: <nil> > -0.5",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.undoCall(w.calibrate(t, w.offsetForm(-0.5, nil)))
		},
	},
	"createDevice": {
		want: "device.create Lower field; product: <nil> > weather-station; noteName: <nil> > Lower field",
		call: func(t *testing.T, w *fixture) testkit.Call {
			w.allowAdding(t)
			return w.adaCall(
				http.MethodPost,
				addPath+"create",
				body{"noteName": "Lower field", "productId": w.station.ID},
			)
		},
	},
	"importDevices": {
		want: "device.create From a table; product: <nil> > weather-station; noteName: <nil> > From a table",
		call: func(t *testing.T, w *fixture) testkit.Call {
			w.allowAdding(t)
			return w.adaCall(http.MethodPost, addPath+"import", body{
				"csv": "noteName,product\nFrom a table,weather-station\n", "dryRun": false,
			})
		},
	},
	"claimDevice": {
		want: "device.create Claimed; product: <nil> > weather-station; serial: <nil> > S-2001; noteName: <nil> > Claimed",
		call: func(t *testing.T, w *fixture) testkit.Call {
			w.allowAdding(t)
			w.shelve(t, "SP-2001", claimCode)
			return w.adaCall(http.MethodPost, addPath+"claim", body{"text": claimCode, "noteName": "Claimed"})
		},
	},
	"deleteDevice": {
		want: "device.delete Short-lived",
		also: "device.update Short-lived; disabled: false > true", // until it is deleted
		call: func(t *testing.T, w *fixture) testkit.Call {
			w.allowAdding(t)
			name, _ := w.addDevice(t, "Short-lived")
			return testkit.Call{Method: http.MethodDelete, Path: addPath + "delete?deviceName=" + name, Token: w.ada}
		},
	},
	"acceptInvitation": {
		newUser: true,
		want:    "user.create cem; role: <nil> > viewer",
		call: func(t *testing.T, w *fixture) testkit.Call {
			_, token := w.invite(t, body{"role": "viewer", "sendMail": false})
			return testkit.Call{Method: http.MethodPost, Path: invitationPath + "accept", Body: asJSON(t, body{
				"token": token, "userName": "cem", "password": newPassword,
			})}
		},
	},
	"invitePerson": {
		want: "invitation.create c•••@example.com; role: <nil> > operator",
		call: func(_ *testing.T, w *fixture) testkit.Call {
			return w.adaCall(http.MethodPost, peoplePath+"invite", body{
				"role": "operator", "email": "cem@example.com", "sendMail": true,
			})
		},
	},
	"resendInvitation": {
		want: "invitation.update Cem; role: <nil> > viewer",
		call: func(t *testing.T, w *fixture) testkit.Call {
			id, _ := w.invite(t, body{"role": "viewer", "nickname": "Cem", "sendMail": false})
			return w.adaCall(http.MethodPost, peoplePath+"invitations/resend", body{"id": id})
		},
	},
	"deleteInvitation": {
		want: "invitation.delete Cem; role: <nil> > viewer",
		call: func(t *testing.T, w *fixture) testkit.Call {
			id, _ := w.invite(t, body{"role": "viewer", "nickname": "Cem", "sendMail": false})
			return testkit.Call{
				Method: http.MethodDelete, Path: peoplePath + "invitations/delete?id=" + fmt.Sprint(id), Token: w.ada,
			}
		},
	},
	"updatePerson": {
		want: "user.update gul of 1; role: owner > viewer; language: <nil> > tr-tr",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.adaCall(http.MethodPut, peoplePath+"update", body{
				"id": w.User(t, w.field.ID, "gul").ID, "role": "viewer", "language": "tr-tr",
			})
		},
	},
	"togglePerson": {
		want: "user.update emre of 1; disabled: false > true",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.adaCall(
				http.MethodPut,
				peoplePath+"enable-or-disable",
				body{"id": w.User(t, w.field.ID, "emre").ID, "enabled": false},
			)
		},
	},
	"endPersonSessions": {
		want: "user.endSessions filiz of 1",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.adaCall(http.MethodPost, peoplePath+"end-sessions", body{"id": w.User(t, w.field.ID, "filiz").ID})
		},
	},
	"deletePerson": {
		want: "user.delete Deniz",
		call: func(t *testing.T, w *fixture) testkit.Call {
			deniz := &identity.User{UserName: "deniz", Nickname: "Deniz", MadeHere: true}
			if err := w.Users.Create(t.Context(), w.field.ID, deniz, ""); err != nil {
				t.Fatal(err)
			}
			return testkit.Call{
				Method: http.MethodDelete,
				Path:   peoplePath + "delete?id=" + fmt.Sprint(deniz.ID),
				Token:  w.ada,
			}
		},
	},
	"deletePersonKey": auditedPersonKey,
	"updatePeopleSettings": {
		want: "tenant.update field; secondFactor: optional > required",
		call: func(t *testing.T, w *fixture) testkit.Call {
			w.SecondFactor(t, w.field.Ada)
			return w.adaCall(http.MethodPut, peoplePath+"settings", body{"secondFactor": "required"})
		},
	},
	"resetSecondFactor": {
		want: "user.update bora of 1; secondFactor: true > false",
		call: func(t *testing.T, w *fixture) testkit.Call {
			w.SecondFactor(t, w.field.Bora)
			return w.adaCall(http.MethodPost, peoplePath+"reset-second-factor", body{"id": w.field.Bora.ID})
		},
	},
	"beginSecondFactor": {
		want: "user.update ada of 1; secondFactorKey hidden",
		call: func(_ *testing.T, w *fixture) testkit.Call {
			return w.adaCall(http.MethodPost, totpPath+"begin", body{"password": testkit.Password})
		},
	},
	"confirmSecondFactor": {
		want: "user.update ada of 1; secondFactor: false > true; recoveryCodes hidden",
		call: func(t *testing.T, w *fixture) testkit.Call {
			e := testkit.Ask[wire.Enrolment](
				t, w.Contract, w.adaCall(http.MethodPost, totpPath+"begin", body{"password": testkit.Password}),
			)
			return w.adaCall(
				http.MethodPost,
				totpPath+"confirm",
				body{"code": testkit.TOTP(t, e.Secret, w.Clock.Now())},
			)
		},
	},
	"disableSecondFactor": {
		want: "user.update ada of 1; secondFactor: true > false",
		call: func(t *testing.T, w *fixture) testkit.Call {
			_, codes := w.SecondFactor(t, w.field.Ada)
			return w.adaCall(http.MethodPost, totpPath+"disable", body{"password": testkit.Password, "code": codes[0]})
		},
	},
	"newRecoveryCodes": {
		want: "user.update ada of 1; recoveryCodes hidden",
		call: func(t *testing.T, w *fixture) testkit.Call {
			_, codes := w.SecondFactor(t, w.field.Ada)
			return w.adaCall(http.MethodPost, totpPath+"recovery-codes", body{"code": codes[0]})
		},
	},
	"loginCode": {
		want: "session.signIn ada of 1",
		call: func(t *testing.T, w *fixture) testkit.Call {
			_, codes := w.SecondFactor(t, w.field.Ada)
			return publicPost(t, loginCodePath, body{"ticket": w.demand(t, "ada").Ticket, "code": codes[0]})
		},
	},
	"loginTotpBegin": {
		want: "user.update ada of 1; secondFactorKey hidden",
		call: func(t *testing.T, w *fixture) testkit.Call {
			w.requireSecondFactor(t, true)
			return publicPost(t, loginTotpPath+"begin", body{"ticket": w.demand(t, "ada").Ticket})
		},
	},
	"loginTotpConfirm": {
		want: "session.signIn ada of 1",
		also: "user.update ada of 1; secondFactor: false > true; recoveryCodes hidden",
		call: func(t *testing.T, w *fixture) testkit.Call {
			w.requireSecondFactor(t, true)
			ticket := w.demand(t, "ada").Ticket
			e := testkit.Ask[wire.Enrolment](
				t,
				w.Contract,
				publicPost(t, loginTotpPath+"begin", body{"ticket": ticket}),
			)
			return publicPost(t, loginTotpPath+"confirm", body{
				"ticket": ticket, "code": testkit.TOTP(t, e.Secret, w.Clock.Now()),
			})
		},
	},
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
	"swapDevice": {
		want: "device.swap Mast; secrets hidden; serial: SN-WS-1 > S-2; note: <nil> > hail",
		call: func(_ *testing.T, w *fixture) testkit.Call {
			return w.adaCall(http.MethodPost, swapPath, body{"deviceName": "WS-1", "serial": "S-2", "note": "hail"})
		},
	},
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
			"emails: <nil> > [a•••@example.com b•••@example.com]; phoneMessage: <nil> > [+90•••••233]; language: <nil> > tr-tr",
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
	"updateHomeAssistant": auditedHomeAssistant,
	"deleteNoticeChannel": {
		want: "channel.delete Night shift; noticeName: Night shift > <nil>",
		call: func(t *testing.T, w *fixture) testkit.Call {
			return w.deleteChannelCall(w.createChannel(t))
		},
	},
}

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
				found = append(found, entryText(&e))
				user := w.field.Ada
				if call.Token == w.bora {
					user = w.field.Bora
				}
				if (e.Who != fmt.Sprint("user:", user.ID)) != one.newUser || e.By != "user" || e.Name == "" ||
					deref(e.Address) != "198.51.100.7" ||
					e.Time != w.Clock.Milli() {
					t.Errorf("entry by %s %s %q from %s at %d", e.Who, e.By, e.Name, deref(e.Address), e.Time)
				}
			}
			if one.also != "" && len(found) == 2 && found[1] == one.also {
				found = found[:1]
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
