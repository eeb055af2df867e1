package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"
)

// request is the parts of a call.
type request struct {
	path, query, header map[string]string
	body                any
}

// operationCase makes a call of an operation that succeeds. The matrix then puts the other tenant's
// values into its parameters. An operation without a row fails.
type operationCase struct {
	query map[string]string // sent always
	// build makes the request for things of a tenant's own.
	build func(s *tenantFixture) request
	// undo undoes a call that succeeded.
	undo func(w *isolationEnv, s *tenantFixture, answer *httptest.ResponseRecorder)
	// rawRequest makes a request that is not JSON.
	rawRequest func(w *isolationEnv) *http.Request

	// mutates: the operation changes something, although it is a GET.
	mutates bool
	// wantRefusal: the call is refused, since it would delete something of the owner's, or cannot
	// succeed without something else.
	wantRefusal bool
	// noNames: the answer holds numbers or data of the platform, but no names of a tenant.
	noNames bool
	// nondeterministic: no two answers are alike; they are only searched.
	nondeterministic bool
	// onlyValues limits the values that are tried, since each costs a password hash.
	onlyValues []string
	// publicAnswer is a text of the answer that everybody gets, signed in or not.
	publicAnswer string
	// skipReason says why the matrix does not try the operation, or which test does.
	skipReason string
}

func queryRequest(pairs ...string) request {
	q := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q[pairs[i]] = pairs[i+1]
	}
	return request{query: q}
}

// noParams is a call without parameters.
func noParams(*tenantFixture) request { return request{} }

// absentID asks for an ID that nobody has, since the call would delete something of the owner's.
func absentID(*tenantFixture) request { return queryRequest("id", "1000000001") }

func number(n int64) string { return fmt.Sprint(n) }

var firstPage = map[string]string{"pageNo": "1", "pageSize": "10"}

// deleteCreated deletes what a call has just created: by the number in the answer, else the newest
// of the list.
func deleteCreated(page, remove string) func(*isolationEnv, *tenantFixture, *httptest.ResponseRecorder) {
	return func(w *isolationEnv, s *tenantFixture, res *httptest.ResponseRecorder) {
		var one struct{ Data int64 }
		var several struct{ Data []int64 }
		ids := []int64{}
		switch said := res.Body.Bytes(); {
		case json.Unmarshal(said, &one) == nil && one.Data > 0:
			ids = append(ids, one.Data)
		case json.Unmarshal(said, &several) == nil && len(several.Data) > 0:
			ids = several.Data
		default:
			var list struct{ List []struct{ ID int64 } }
			w.mustCall(s, http.MethodGet, pc+page+"?pageNo=1&pageSize=1", nil, &list)
			ids = append(ids, list.List[0].ID)
		}
		for _, id := range ids {
			w.mustCall(s, w.methods[pc+remove], fmt.Sprint(pc, remove, "?id=", id), nil, new(any))
		}
	}
}

// toggleBack toggles a thing of a tenant back.
func toggleBack(
	what string,
	id func(*tenantFixture) int64,
) func(*isolationEnv, *tenantFixture, *httptest.ResponseRecorder) {
	return func(w *isolationEnv, s *tenantFixture, _ *httptest.ResponseRecorder) {
		path := pc + what + "/enable-or-disable"
		w.mustCall(s, w.methods[path], fmt.Sprint(path, "?id=", id(s)), nil, new(any))
	}
}

func ticketAndCode(s *tenantFixture) request {
	return request{body: fields{"ticket": s.tag + "ticket", "code": "000000"}}
}

var operationCases = map[string]operationCase{
	// Sign-in, and calls before it.
	"console loginUsername": {build: func(s *tenantFixture) request {
		return request{body: fields{"tenantName": s.tag + "farm", "userName": s.tag + "ada", "password": s.password}}
	}, nondeterministic: true, onlyValues: []string{"tenant name", "user name", "password"}},
	"console logout": {
		skipReason: "ends the presented session and takes nothing else; TestSignInIsTenantScoped of console",
	},
	"console getSignInWays": {
		noNames:      true, // no tenant has an issuer
		build:        func(s *tenantFixture) request { return queryRequest("tenantName", s.tag+"farm") },
		publicAnswer: "the issuer of whoever's name is known",
	},
	"console openOidcSession": {wantRefusal: true, build: func(*tenantFixture) request {
		return request{body: fields{"ticket": "x", "binding": "x"}}
	}},
	"console oidcLogout": {
		skipReason: "ends the presented session and takes nothing else; TestSignOnCalls of console",
	},
	"console linkOidc": {wantRefusal: true, build: func(*tenantFixture) request {
		return request{body: fields{"binding": strings.Repeat("x", 43)}}
	}},
	"console refreshToken": {
		build:      func(*tenantFixture) request { return queryRequest("refreshToken", "x") },
		skipReason: "the presented token is the session; TestSignInIsTenantScoped of console",
	},
	"console getCaptcha": {
		build:            func(*tenantFixture) request { return request{body: fields{"captchaType": "blockPuzzle"}} },
		nondeterministic: true,
		publicAnswer:     "a picture that belongs to nobody",
	},
	"console checkCaptcha": {build: func(*tenantFixture) request {
		return request{body: fields{"captchaType": "blockPuzzle", "pointJson": "x", "token": "x"}}
	}},
	"console getTenantIdByName": {
		noNames:      true,
		build:        func(s *tenantFixture) request { return queryRequest("name", s.tag+"farm") },
		publicAnswer: "the number of whoever's name is known",
	},
	"console getTenantByWebsite": {
		build:        func(s *tenantFixture) request { return queryRequest("website", s.tag+"host.example") },
		publicAnswer: "the branding of whoever's host is known",
	},
	"console getConsoleSettings": {noNames: true, build: noParams},
	"console getInvitation": {
		build:        func(s *tenantFixture) request { return request{body: fields{"token": s.invitationToken}} },
		publicAnswer: "what is offered to whoever has the link",
	},
	// A ticket stands for its user alone, and nobody has one here.
	"console loginCode":        {wantRefusal: true, build: ticketAndCode},
	"console loginTotpConfirm": {wantRefusal: true, build: ticketAndCode},
	"console loginTotpBegin": {wantRefusal: true, build: func(s *tenantFixture) request {
		return request{body: fields{"ticket": s.tag + "ticket"}}
	}},
	// The name is taken and the password is short, so that no value in one place lets anybody in.
	"console acceptInvitation": {wantRefusal: true, build: func(s *tenantFixture) request {
		return request{body: fields{"token": s.invitationToken, "userName": s.tag + "ada", "password": "short"}}
	}},

	// People.
	"console getUser": {build: noParams},
	"console updateUser": {build: func(s *tenantFixture) request {
		return request{body: fields{"nickname": s.tag + " nick", "email": s.tag + "@mail.example"}}
	}},
	"console updateAvatar": {
		rawRequest:       func(w *isolationEnv) *http.Request { return avatarUpload(w.t) },
		build:            func(*tenantFixture) request { return request{} },
		nondeterministic: true,
	},
	"console updateUserPassword": {wantRefusal: true, build: func(*tenantFixture) request {
		return request{body: fields{"code": "000000", "password": "another one"}}
	}},
	"console updateUserMobile": {wantRefusal: true, build: func(s *tenantFixture) request {
		return request{body: fields{"mobile": s.mobile, "scene": 2, "code": "000000"}}
	}},
	"console validateSmsCode": {wantRefusal: true, build: func(s *tenantFixture) request {
		return request{body: fields{"mobile": s.mobile, "scene": 2, "code": "000000"}}
	}},
	// Nothing is turned on: a wrong password or code would count as a failed sign-in.
	"console beginSecondFactor": {build: func(s *tenantFixture) request {
		return request{body: fields{"password": s.password}}
	}, nondeterministic: true, onlyValues: []string{"password"}},
	"console confirmSecondFactor": {wantRefusal: true, build: func(*tenantFixture) request {
		return request{body: fields{"code": "000000"}}
	}, onlyValues: []string{"device"}}, // the fifth wrong code ends the key
	"console disableSecondFactor": {wantRefusal: true, build: func(s *tenantFixture) request {
		return request{body: fields{"password": s.password, "code": "000000"}}
	}},
	"console newRecoveryCodes": {wantRefusal: true, build: func(*tenantFixture) request {
		return request{body: fields{"code": "000000"}}
	}},
	"console sendSmsCode": {
		build:      func(s *tenantFixture) request { return request{body: fields{"mobile": s.mobile, "scene": 2}} },
		skipReason: "one a minute: TestAccountsAreTenantScoped of console",
	},
	"console pagePeople": {query: firstPage},
	"console updatePerson": {build: func(s *tenantFixture) request {
		return request{body: fields{"id": s.person, "role": "operator", "language": "tr-tr"}}
	}},
	"console togglePerson": {build: func(s *tenantFixture) request {
		return request{body: fields{"id": s.person, "enabled": false}}
	}},
	"console endPersonSessions": {build: func(s *tenantFixture) request {
		return request{body: fields{"id": s.person}}
	}},
	"console updatePeopleSettings": {build: func(*tenantFixture) request {
		return request{body: fields{"secondFactor": "optional"}}
	}},
	"console resetSecondFactor": {build: func(s *tenantFixture) request {
		return request{body: fields{"id": s.person}}
	}},
	"console deletePerson": {build: absentID, wantRefusal: true},
	"console pagePersonKeys": {
		query: firstPage,
		build: func(s *tenantFixture) request { return queryRequest("id", number(s.user)) },
	},
	"console deletePersonKey": {wantRefusal: true, build: func(s *tenantFixture) request {
		return queryRequest("id", number(s.user), "key", "1000000001")
	}},
	"console pageInvitations": {query: firstPage},
	"console invitePerson": {
		build: func(s *tenantFixture) request {
			return request{body: invitationForm(s.tag + "@new.example")}
		},
		nondeterministic: true,
		undo:             deleteCreated("people/invitations/page", "people/invitations/delete"),
	},
	"console resendInvitation": {
		build:            func(s *tenantFixture) request { return request{body: fields{"id": s.invitation}} },
		nondeterministic: true,
	},
	"console deleteInvitation": {build: absentID, wantRefusal: true},
	"console pageCredentials":  {query: firstPage},
	"console createCredential": {
		build:            func(s *tenantFixture) request { return request{body: fields{"name": s.tag + " other"}} },
		nondeterministic: true,
		undo:             deleteCreated("apicredentials/page", "apicredentials/delete"),
	},
	"console toggleCredential": {
		mutates: true,
		build:   func(s *tenantFixture) request { return queryRequest("id", number(s.credential)) },
		undo:    toggleBack("apicredentials", func(s *tenantFixture) int64 { return s.credential }),
	},
	"console deleteCredential": {build: absentID, wantRefusal: true},
	"console getAnalysisViews": {build: noParams},
	"console createAnalysisView": {build: func(s *tenantFixture) request {
		return request{body: viewForm(s.tag+" other", s.tag)}
	}, nondeterministic: true, undo: deleteCreated("analysis-view/list", "analysis-view/delete")},
	"console updateAnalysisView": {build: func(s *tenantFixture) request {
		body := viewForm(s.tag+" view", s.tag)
		body["id"] = s.view
		return request{body: body}
	}},
	"console deleteAnalysisView": {build: absentID, wantRefusal: true},

	// Home and devices.
	"console getOverviewStatistics": {noNames: true, build: noParams},
	"console getAttention":          {build: noParams},
	"console getProductSimpleList":  {noNames: true, build: noParams},
	"console getElementMap": {
		noNames: true,
		build:   func(*tenantFixture) request { return queryRequest("yeuSigns", "airTemperature") },
	},
	"console getSearchResult": {build: func(s *tenantFixture) request { return queryRequest("text", s.tag) }},
	"console getDevicePage":   {query: firstPage},
	"console getGroupDeviceList": {
		build: func(s *tenantFixture) request { return queryRequest("groupId", number(s.scene)) },
	},
	"console getDevicesByNames": {
		build: func(s *tenantFixture) request { return queryRequest("deviceNames", s.device("mast")) },
	},
	"console getDeviceMap":        {build: noParams},
	"console getDataLast":         {build: mastQuery},
	"console getTsl":              {build: mastQuery},
	"console getDeviceConnection": {build: mastQuery},
	"console getDevicePresence":   {noNames: true, build: mastQuery},
	"console getDeviceVideo": {
		build: func(s *tenantFixture) request { return queryRequest("deviceName", s.device("stream")) },
	},
	"console getDeviceDiagnostics": {noNames: true, build: mastQuery},
	"console getDeviceSilence":     {noNames: true, build: mastQuery},
	"console getDeviceProperties":  {build: mastQuery},
	"console getDeviceCoverage":    {noNames: true, build: recentReadings},
	"console getDerivedAccount": {noNames: true, build: func(s *tenantFixture) request {
		return queryRequest("deviceName", s.device("mast"), "yeuSign", "chill")
	}},
	"console getTimeIntervalDataMap":     {build: recentReadings},
	"console getTimeIntervalDataRows":    {build: recentReadings},
	"console getTimeIntervalDataColumns": {build: recentReadings},
	"console getAggregatedData":          {build: recentReadings},
	"console getOnTimes":                 {noNames: true, build: recentSwitch},
	"console getDayLines": {build: func(s *tenantFixture) request {
		return queryRequest("deviceNames", s.device("mast"), "yeuSigns", "airTemperature")
	}},
	"console getSignData":      {build: recentReadings},
	"console exportDeviceData": {build: recentReadings},
	"console updateDevice": {build: func(s *tenantFixture) request {
		return request{
			body: fields{
				"deviceName": s.device("mast"),
				"noteName":   s.tag + " note",
				"groupId":    s.scene,
				"longitude":  32.85,
				"latitude":   39.92,
			},
		}
	}},
	"console newDeviceSecret": {
		build: func(s *tenantFixture) request {
			return request{body: fields{"deviceName": s.device("stream")}}
		},
		nondeterministic: true,
	},

	// Adding devices.
	"console getDeviceOffer": {noNames: true, build: noParams},
	"console createDevice": {
		build: func(s *tenantFixture) request {
			return request{body: fields{
				"noteName": s.tag + " added", "productId": s.product, "serial": s.tag + "-added", "groupId": s.scene,
			}}
		},
		nondeterministic: true,
		// Each costs one of the tenant's few changes in an hour.
		onlyValues: []string{"device", "note", "serial", "scene", "tenant", "tenant name", "host"},
		undo: func(w *isolationEnv, s *tenantFixture, res *httptest.ResponseRecorder) {
			var made struct{ Data struct{ DeviceName string } }
			if err := json.Unmarshal(res.Body.Bytes(), &made); err != nil {
				w.t.Fatal(err)
			}
			w.mustCall(s, http.MethodDelete, pc+"device/delete?deviceName="+made.Data.DeviceName, nil, new(any))
		},
	},
	"console deleteDevice":    {build: mastQuery, wantRefusal: true},
	"console getFirstReading": {build: mastQuery},
	"console readClaim": {
		build:        func(*tenantFixture) request { return request{body: fields{"text": "7K3Q-9DMX-2B4F-7"}} },
		noNames:      true,
		publicAnswer: "what the text itself says",
	},
	// A mistyped code is refused before anything is looked up; codes of other tenants: TestClaimOfAnotherTenant.
	"console claimDevice": {wantRefusal: true, build: func(s *tenantFixture) request {
		return request{body: fields{"text": "7K3Q-9DMX-2B4F-8", "noteName": s.tag + " claimed", "groupId": s.scene}}
	}},
	"console importDevices": {build: func(s *tenantFixture) request {
		return request{body: fields{"csv": "noteName,product\n" + s.tag + " added,mast\n", "dryRun": true}}
	}},

	// Scenes.
	"console pageScenes": {query: firstPage},
	"console getScene":   {build: func(s *tenantFixture) request { return queryRequest("id", number(s.scene)) }},
	"console createScene": {build: func(s *tenantFixture) request {
		return request{body: fields{"groupName": s.tag + " other", "groupStatus": 1}}
	}, undo: deleteCreated("group/page", "group/delete")},
	"console updateScene": {build: func(s *tenantFixture) request {
		return request{body: fields{"id": s.scene, "groupName": s.tag + " scene", "groupStatus": 1}}
	}},
	"console deleteScene": {build: absentID, wantRefusal: true},

	// Alarms.
	"console pageAlarmRules": {query: firstPage},
	"console getAlarmRule": {
		build: func(s *tenantFixture) request { return queryRequest("id", number(s.rule)) },
	},
	"console pageAlarmRuleDevices": {
		build: func(s *tenantFixture) request { return queryRequest("id", number(s.rule)) },
	},
	"console getAlarmTargetAttributes": {noNames: true, build: func(s *tenantFixture) request {
		return queryRequest("devices", s.device("mast"), "groups", number(s.scene))
	}},
	"console getAlarmRehearsed": {
		noNames: true,
		build:   func(s *tenantFixture) request { return queryRequest("id", number(s.rule)) },
	},
	"console getAlarmOutlook": {
		noNames: true,
		build:   func(s *tenantFixture) request { return queryRequest("ids", number(s.rule)) },
	},
	"console publishAlarmRule": {
		mutates: true,
		build:   func(s *tenantFixture) request { return queryRequest("alarmRulesId", number(s.rule)) },
	},
	"console unpublishAlarmRule": {
		mutates: true,
		build:   func(s *tenantFixture) request { return queryRequest("alarmRulesId", number(s.rule)) },
	},
	"console deleteAlarmRule": {build: absentID, wantRefusal: true},
	"console createAlarmRule": {
		build: func(s *tenantFixture) request { return request{body: ruleOf(s, s.tag+" other")} },
		undo:  deleteCreated("alarm-rules/page", "alarm-rules/delete"),
	},
	"console updateAlarmRule": {build: func(s *tenantFixture) request {
		body := ruleOf(s, s.tag+" frost")
		body["id"] = s.rule
		return request{body: body}
	}},
	"console copyAlarmRule": {build: func(s *tenantFixture) request {
		return request{body: fields{"id": s.rule, "executionIds": []any{s.device("gateway")}}}
	}, undo: deleteCreated("alarm-rules/page", "alarm-rules/delete")},
	"console rehearseAlarmRuleDevices": {build: func(s *tenantFixture) request {
		return request{body: ruleOf(s, s.tag+" other")}
	}},
	"console muteAlarmRule": {
		build: func(s *tenantFixture) request { return request{body: fields{"id": s.rule, "until": 0}} },
	},
	"console rehearseAlarmRule": {
		build: func(s *tenantFixture) request { return request{body: ruleOf(s, s.tag+" other")} },
	},
	"console pageAlarmNotices":   {query: firstPage},
	"console getAllAlarmNotices": {query: firstPage},
	"console getAlarmNotice": {
		build: func(s *tenantFixture) request { return queryRequest("id", number(s.notice)) },
	},
	"console getAlarmAdvice": {
		noNames: true,
		build:   func(s *tenantFixture) request { return queryRequest("id", number(s.notice)) },
	},
	"console acknowledgeAlarmNotice": {wantRefusal: true, build: func(s *tenantFixture) request {
		return request{body: fields{"id": s.notice, "note": s.tag + " note", "remindHours": 1}}
	}},
	"console unacknowledgeAlarmNotice": {
		wantRefusal: true,
		build:       func(s *tenantFixture) request { return request{body: fields{"id": s.notice}} },
	},
	"console resolveAlarmNotice": {
		wantRefusal: true,
		build:       func(s *tenantFixture) request { return request{body: fields{"id": s.notice, "remark": "x"}} },
	},

	// Notification channels.
	"console pageNoticeChannels": {query: firstPage},
	"console getNoticeChannel": {
		build: func(s *tenantFixture) request { return queryRequest("id", number(s.channel)) },
	},
	"console getNoticeWays": {noNames: true, build: noParams},
	"console createNoticeChannel": {
		build: func(s *tenantFixture) request { return request{body: channelOf(s.tag + " other")} },
		undo:  deleteCreated("notice-channel/page", "notice-channel/delete"),
	},
	"console updateNoticeChannel": {build: func(s *tenantFixture) request {
		body := channelOf(s.tag + " channel")
		body["id"] = s.channel
		return request{body: body}
	}},
	"console deleteNoticeChannel": {build: absentID, wantRefusal: true},
	"console testNoticeChannel": {
		nondeterministic: true,
		build:            func(s *tenantFixture) request { return queryRequest("id", number(s.channel)) },
	},
	"console getUnreadCount": {noNames: true, build: noParams},
	"console pageMyMessages": {query: firstPage},
	"console updateMessagesRead": {
		build: func(s *tenantFixture) request { return queryRequest("ids", number(s.message)) },
	},
	"console updateAllMessagesRead": {build: noParams},
	"console getLive":               {skipReason: "a stream: TestIsolationOfLiveScreens"},

	// Webhooks and the audit log.
	"console pageAudit":    {query: firstPage},
	"console pageWebhooks": {query: firstPage},
	"console createWebhook": {
		build:            func(s *tenantFixture) request { return request{body: webhookForm(s.tag + " other")} },
		nondeterministic: true,
		undo:             deleteCreated("webhook/page", "webhook/delete"),
	},
	"console updateWebhook": {build: func(s *tenantFixture) request {
		body := webhookForm(s.tag + " hook")
		body["id"] = s.hook
		return request{body: body}
	}},
	"console toggleWebhook": {
		build: func(s *tenantFixture) request { return queryRequest("id", number(s.hook)) },
		undo:  toggleBack("webhook", func(s *tenantFixture) int64 { return s.hook }),
	},
	"console deleteWebhook": {build: absentID, wantRefusal: true},
	"console newWebhookSecret": {
		build:            func(s *tenantFixture) request { return queryRequest("id", number(s.hook)) },
		nondeterministic: true,
	},
	"console testWebhook": {build: absentID, wantRefusal: true},
	"console getWebhookDeliveries": {
		noNames: true,
		build:   func(s *tenantFixture) request { return queryRequest("id", number(s.hook)) },
	},

	// Home Assistant.
	"console getHomeAssistant": {build: noParams, nondeterministic: true}, // its broker refuses, now or a moment later
	"console updateHomeAssistant": {
		build:            func(s *tenantFixture) request { return request{body: homeAssistantForm(s.tag)} },
		nondeterministic: true,
	},

	// The open API.
	"open listDevices": {build: noParams},
	"open getDevice":   {build: pathOf},
	"open getLatest":   {build: pathOf},
	"open getHistory": {build: func(s *tenantFixture) request {
		q := pathOf(s)
		q.query = map[string]string{"from": "0", "to": number(time.Now().Add(time.Hour).UnixMilli())}
		return q
	}},
	"open getAggregates": {noNames: true, build: func(s *tenantFixture) request {
		q := pathOf(s)
		q.query = map[string]string{"from": "0", "to": number(time.Now().Add(time.Hour).UnixMilli())}
		return q
	}},
	"open listNotices": {build: noParams},
	"open getNotice": {
		build: func(s *tenantFixture) request { return request{path: map[string]string{"id": number(s.notice)}} },
	},
	"open listWebhooks": {build: noParams},
	"open getWebhook":   {build: hookPath},
	"open createWebhook": {build: func(s *tenantFixture) request {
		return request{
			body: fields{"name": s.tag + " other", "url": "https://other.example/hook", "events": []any{"opened"}},
		}
	}, nondeterministic: true, undo: deleteCreated("webhook/page", "webhook/delete")},
	"open changeWebhook": {build: func(s *tenantFixture) request {
		q := hookPath(s)
		q.body = fields{"name": s.tag + " hook", "url": webhookURL(s.tag)}
		return q
	}},
	"open deleteWebhook": {
		wantRefusal: true,
		build:       func(*tenantFixture) request { return request{path: map[string]string{"id": "1000000001"}} },
	},
	"open renewWebhookSecret": {build: hookPath, nondeterministic: true},
	"open testWebhook": {
		wantRefusal: true,
		build:       func(*tenantFixture) request { return request{path: map[string]string{"id": "1000000001"}} },
	},
	"open listWebhookDeliveries": {noNames: true, build: hookPath},

	// On the devices' edge a secret establishes the tenant.
	"devices postTelemetry":      {skipReason: "TestIsolationOfDevices"},
	"devices postAttributes":     {skipReason: "TestIsolationOfDevices"},
	"devices postEcowitt":        {skipReason: "TestIsolationOfDevices"},
	"devices getWeatherStation":  {skipReason: "TestIsolationOfDevices"},
	"devices postWeatherStation": {skipReason: "TestIsolationOfDevices"},
	"devices postChirpStack":     {skipReason: "TestIsolationOfDevices"},
	"devices postTheThingsStack": {skipReason: "TestIsolationOfDevices"},

	// The provider's calls concern all tenants.
	"provider apply":         {skipReason: "the operator's, who sees all tenants"},
	"provider delete":        {skipReason: "the operator's, who sees all tenants"},
	"provider resetUser":     {skipReason: "the operator's, who sees all tenants"},
	"provider derive":        {skipReason: "the operator's, who sees all tenants"},
	"provider backup":        {skipReason: "the operator's, who sees all tenants"},
	"provider seed":          {skipReason: "the operator's, who sees all tenants"},
	"provider releaseOutbox": {skipReason: "the operator's, who sees all tenants"},
	"console getHealthz":     {noNames: true, build: noParams},
	"console startOidc": {wantRefusal: true, build: func(s *tenantFixture) request {
		return queryRequest("tenant", s.tag+"farm")
	}},
	"console answerOidc": {wantRefusal: true, build: func(*tenantFixture) request {
		return queryRequest("state", "x")
	}},
	"console endOidcSessions": {wantRefusal: true, build: noParams},
	"console getReadyz":       {noNames: true, build: noParams},
}

func pathOf(s *tenantFixture) request {
	return request{path: map[string]string{"deviceName": s.device("mast")}}
}

func hookPath(s *tenantFixture) request {
	return request{path: map[string]string{"id": number(s.hook)}}
}

func channelOf(name string) fields {
	return fields{
		"noticeName": name,
		"noticeMode": []any{"email"},
		"email":      fields{"emails": []any{strings.Fields(name)[0] + "@channel.example"}},
	}
}
