package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"
)

// request is what a call is made of.
type request struct {
	path, query, header map[string]string
	body                any
}

// row says how an operation is asked for in a way that succeeds; the matrix puts
// the other tenant's things into its slots. An operation without a row fails.
type row struct {
	query map[string]string                                              // what is asked for, always
	of    func(s *party) request                                         // what is asked for of a tenant's own
	undo  func(w *isolated, s *party, answer *httptest.ResponseRecorder) // takes back what a call that succeeded did
	raw   func(w *isolated) *http.Request                                // what is no JSON

	// changes: it does, although it is a GET.
	changes bool
	// refused: what is asked for is refused, since the owner's own would be gone or
	// nothing can be right without another's help.
	refused bool
	// bare: the answer has no names, but numbers, or what is of the platform.
	bare bool
	// loose: answers are never the same twice; they are only searched.
	loose bool
	// only these values are tried, since each costs a password's hash.
	only []string
	// public tells what it says to everybody, signed in or not.
	public string
	// because nothing can be asked for here: where it is tried, or why not.
	because string
}

func query(pairs ...string) request {
	q := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q[pairs[i]] = pairs[i+1]
	}
	return request{query: q}
}

// unnamed is a call that asks for nothing by name.
func unnamed(*party) request { return request{} }

// absent asks for what nobody has: an owner's own would be gone after it.
func absent(*party) request { return query("id", "1000000001") }

func number(n int64) string { return fmt.Sprint(n) }

// ofDevice asks for the mast.
func ofDevice(s *party) request { return query("deviceName", s.device("mast")) }

// around asks for the mast's readings of now.
func around(s *party) request {
	now := time.Now().UnixMilli()
	return query("deviceName", s.device("mast"), "yeuSignList", "note,airTemperature", "startTime", number(now-3_600_000), "endTime", number(now+3_600_000))
}

var firstPage = map[string]string{"pageNo": "1", "pageSize": "10"}

// forget deletes what a call just made: by the number in its answer, else the
// newest of the list.
func forget(page, remove string) func(*isolated, *party, *httptest.ResponseRecorder) {
	return func(w *isolated, s *party, res *httptest.ResponseRecorder) {
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
			w.must(s, http.MethodGet, pc+page+"?pageNo=1&pageSize=1", nil, &list)
			ids = append(ids, list.List[0].ID)
		}
		for _, id := range ids {
			w.must(s, w.methods[pc+remove], fmt.Sprint(pc, remove, "?id=", id), nil, new(any))
		}
	}
}

// toggle switches a thing of a tenant back.
func toggle(what string, id func(*party) int64) func(*isolated, *party, *httptest.ResponseRecorder) {
	return func(w *isolated, s *party, _ *httptest.ResponseRecorder) {
		path := pc + what + "/enable-or-disable"
		w.must(s, w.methods[path], fmt.Sprint(path, "?id=", id(s)), nil, new(any))
	}
}

var rows = map[string]row{
	// Signing in and what is there before.
	"console loginUsername": {of: func(s *party) request {
		return request{body: fields{"tenantName": s.tag + "farm", "userName": s.tag + "ada", "password": s.password}}
	}, loose: true, only: []string{"tenant name", "user name", "password"}},
	"console logout":       {because: "ends the presented session and takes nothing else; TestSignInCrossing of httpapi"},
	"console refreshToken": {of: func(*party) request { return query("refreshToken", "x") }, because: "the presented token is the session; TestSignInCrossing of httpapi"},
	"console getCaptcha":   {of: func(*party) request { return request{body: fields{"captchaType": "blockPuzzle"}} }, loose: true, public: "a picture that belongs to nobody"},
	"console checkCaptcha": {of: func(*party) request {
		return request{body: fields{"captchaType": "blockPuzzle", "pointJson": "x", "token": "x"}}
	}},
	"console getTenantIdByName":  {bare: true, of: func(s *party) request { return query("name", s.tag+"farm") }, public: "the number of whoever's name is known"},
	"console getTenantByWebsite": {of: func(s *party) request { return query("website", s.tag+"host.example") }, public: "the branding of whoever's host is known"},
	"console getConsoleSettings": {bare: true, of: unnamed},

	// People.
	"console getUser": {of: unnamed},
	"console updateUser": {of: func(s *party) request {
		return request{body: fields{"nickname": s.tag + " nick", "email": s.tag + "@mail.example"}}
	}},
	"console updateAvatar":       {raw: func(w *isolated) *http.Request { return avatarUpload(w.t) }, of: func(*party) request { return request{} }, loose: true},
	"console updateUserPassword": {refused: true, of: func(*party) request { return request{body: fields{"code": "000000", "password": "another one"}} }},
	"console updateUserMobile":   {refused: true, of: func(s *party) request { return request{body: fields{"mobile": s.mobile, "scene": 2, "code": "000000"}} }},
	"console validateSmsCode":    {refused: true, of: func(s *party) request { return request{body: fields{"mobile": s.mobile, "scene": 2, "code": "000000"}} }},
	"console sendSmsCode":        {of: func(s *party) request { return request{body: fields{"mobile": s.mobile, "scene": 2}} }, because: "one a minute: TestAccountsAreApart of httpapi"},
	"console pageCredentials":    {query: firstPage},
	"console createCredential":   {of: func(s *party) request { return request{body: fields{"name": s.tag + " other"}} }, loose: true, undo: forget("apicredentials/page", "apicredentials/delete")},
	"console toggleCredential":   {changes: true, of: func(s *party) request { return query("id", number(s.credential)) }, undo: toggle("apicredentials", func(s *party) int64 { return s.credential })},
	"console deleteCredential":   {of: absent, refused: true},

	// Home and devices.
	"console getOverviewStatistics":      {bare: true, of: unnamed},
	"console getProductSimpleList":       {bare: true, of: unnamed},
	"console getElementMap":              {bare: true, of: func(*party) request { return query("yeuSigns", "airTemperature") }},
	"console getDevicePage":              {query: firstPage},
	"console getGroupDeviceList":         {of: func(s *party) request { return query("groupId", number(s.scene)) }},
	"console getDevicesByNames":          {of: func(s *party) request { return query("deviceNames", s.device("mast")) }},
	"console getDeviceMap":               {of: unnamed},
	"console getDataLast":                {of: ofDevice},
	"console getTsl":                     {of: ofDevice},
	"console getDeviceConnection":        {of: ofDevice},
	"console getDevicePresence":          {bare: true, of: ofDevice},
	"console getDeviceVideo":             {of: func(s *party) request { return query("deviceName", s.device("stream")) }},
	"console getDeviceDiagnostics":       {bare: true, of: ofDevice},
	"console getDeviceProperties":        {of: ofDevice},
	"console getDeviceCoverage":          {bare: true, of: around},
	"console getDerivedAccount":          {bare: true, of: func(s *party) request { return query("deviceName", s.device("mast"), "yeuSign", "chill") }},
	"console getTimeIntervalDataMap":     {of: around},
	"console getTimeIntervalDataRows":    {of: around},
	"console getTimeIntervalDataColumns": {of: around},
	"console getSignData":                {of: around},
	"console exportDeviceData":           {of: around},
	"console updateDevice": {of: func(s *party) request {
		return request{body: fields{"deviceName": s.device("mast"), "noteName": s.tag + " note", "groupId": s.scene, "longitude": 32.85, "latitude": 39.92}}
	}},
	"console newDeviceSecret": {of: func(s *party) request { return request{body: fields{"deviceName": s.device("stream")}} }, loose: true},

	// Scenes.
	"console pageScenes":  {query: firstPage},
	"console getScene":    {of: func(s *party) request { return query("id", number(s.scene)) }},
	"console createScene": {of: func(s *party) request { return request{body: fields{"groupName": s.tag + " other", "groupStatus": 1}} }, undo: forget("group/page", "group/delete")},
	"console updateScene": {of: func(s *party) request {
		return request{body: fields{"id": s.scene, "groupName": s.tag + " scene", "groupStatus": 1}}
	}},
	"console deleteScene": {of: absent, refused: true},

	// Alarms.
	"console pageAlarmRules":       {query: firstPage},
	"console getAlarmRule":         {of: func(s *party) request { return query("id", number(s.rule)) }},
	"console pageAlarmRuleDevices": {of: func(s *party) request { return query("id", number(s.rule)) }},
	"console getAlarmTargetAttributes": {bare: true, of: func(s *party) request {
		return query("devices", s.device("mast"), "groups", number(s.scene))
	}},
	"console getAlarmOutlook":    {bare: true, of: func(s *party) request { return query("ids", number(s.rule)) }},
	"console publishAlarmRule":   {changes: true, of: func(s *party) request { return query("alarmRulesId", number(s.rule)) }},
	"console unpublishAlarmRule": {changes: true, of: func(s *party) request { return query("alarmRulesId", number(s.rule)) }},
	"console deleteAlarmRule":    {of: absent, refused: true},
	"console createAlarmRule":    {of: func(s *party) request { return request{body: ruleOf(s, s.tag+" other")} }, undo: forget("alarm-rules/page", "alarm-rules/delete")},
	"console updateAlarmRule": {of: func(s *party) request {
		body := ruleOf(s, s.tag+" frost")
		body["id"] = s.rule
		return request{body: body}
	}},
	"console copyAlarmRule": {of: func(s *party) request {
		return request{body: fields{"id": s.rule, "executionIds": []any{s.device("gateway")}}}
	}, undo: forget("alarm-rules/page", "alarm-rules/delete")},
	"console rehearseAlarmRuleDevices": {of: func(s *party) request {
		return request{body: ruleOf(s, s.tag+" other")}
	}},
	"console muteAlarmRule":      {of: func(s *party) request { return request{body: fields{"id": s.rule, "until": 0}} }},
	"console rehearseAlarmRule":  {of: func(s *party) request { return request{body: ruleOf(s, s.tag+" other")} }},
	"console pageAlarmNotices":   {query: firstPage},
	"console getAllAlarmNotices": {query: firstPage},
	"console getAlarmNotice":     {of: func(s *party) request { return query("id", number(s.notice)) }},
	"console getAlarmAdvice":     {bare: true, of: func(s *party) request { return query("id", number(s.notice)) }},
	"console acknowledgeAlarmNotice": {refused: true, of: func(s *party) request {
		return request{body: fields{"id": s.notice, "note": s.tag + " note", "remindHours": 1}}
	}},
	"console unacknowledgeAlarmNotice": {refused: true, of: func(s *party) request { return request{body: fields{"id": s.notice}} }},
	"console resolveAlarmNotice":       {refused: true, of: func(s *party) request { return request{body: fields{"id": s.notice, "remark": "x"}} }},

	// Who is told.
	"console pageNoticeChannels":  {query: firstPage},
	"console getNoticeChannel":    {of: func(s *party) request { return query("id", number(s.channel)) }},
	"console getNoticeWays":       {bare: true, of: unnamed},
	"console createNoticeChannel": {of: func(s *party) request { return request{body: channelOf(s.tag + " other")} }, undo: forget("notice-channel/page", "notice-channel/delete")},
	"console updateNoticeChannel": {of: func(s *party) request {
		body := channelOf(s.tag + " channel")
		body["id"] = s.channel
		return request{body: body}
	}},
	"console deleteNoticeChannel":   {of: absent, refused: true},
	"console testNoticeChannel":     {loose: true, of: func(s *party) request { return query("id", number(s.channel)) }},
	"console getUnreadCount":        {bare: true, of: unnamed},
	"console pageMyMessages":        {query: firstPage},
	"console updateMessagesRead":    {of: func(s *party) request { return query("ids", number(s.message)) }},
	"console updateAllMessagesRead": {of: unnamed},
	"console getLive":               {because: "a stream: TestIsolationOfLiveScreens"},

	// Webhooks and what was done.
	"console pageAudit":     {query: firstPage},
	"console pageWebhooks":  {query: firstPage},
	"console createWebhook": {of: func(s *party) request { return request{body: hookOf(s.tag + " other")} }, loose: true, undo: forget("webhook/page", "webhook/delete")},
	"console updateWebhook": {of: func(s *party) request {
		body := hookOf(s.tag + " hook")
		body["id"] = s.hook
		return request{body: body}
	}},
	"console toggleWebhook":        {of: func(s *party) request { return query("id", number(s.hook)) }, undo: toggle("webhook", func(s *party) int64 { return s.hook })},
	"console deleteWebhook":        {of: absent, refused: true},
	"console newWebhookSecret":     {of: func(s *party) request { return query("id", number(s.hook)) }, loose: true},
	"console testWebhook":          {of: absent, refused: true},
	"console getWebhookDeliveries": {bare: true, of: func(s *party) request { return query("id", number(s.hook)) }},

	// Programs.
	"open listDevices": {of: unnamed},
	"open getDevice":   {of: pathOf},
	"open getLatest":   {of: pathOf},
	"open getHistory": {of: func(s *party) request {
		q := pathOf(s)
		q.query = map[string]string{"from": "0", "to": number(time.Now().Add(time.Hour).UnixMilli())}
		return q
	}},
	"open listNotices":  {of: unnamed},
	"open getNotice":    {of: func(s *party) request { return request{path: map[string]string{"id": number(s.notice)}} }},
	"open listWebhooks": {of: unnamed},
	"open getWebhook":   {of: hookPath},
	"open createWebhook": {of: func(s *party) request {
		return request{body: fields{"name": s.tag + " other", "url": "https://other.example/hook", "events": []any{"opened"}}}
	}, loose: true, undo: forget("webhook/page", "webhook/delete")},
	"open changeWebhook": {of: func(s *party) request {
		q := hookPath(s)
		q.body = fields{"name": s.tag + " hook", "url": hookAt(s.tag)}
		return q
	}},
	"open deleteWebhook":         {refused: true, of: func(*party) request { return request{path: map[string]string{"id": "1000000001"}} }},
	"open renewWebhookSecret":    {of: hookPath, loose: true},
	"open testWebhook":           {refused: true, of: func(*party) request { return request{path: map[string]string{"id": "1000000001"}} }},
	"open listWebhookDeliveries": {bare: true, of: hookPath},

	// The devices' side establishes its tenant by a secret.
	"devices postTelemetry":      {because: "TestIsolationOfDevices"},
	"devices postAttributes":     {because: "TestIsolationOfDevices"},
	"devices postChirpStack":     {because: "TestIsolationOfDevices"},
	"devices postTheThingsStack": {because: "TestIsolationOfDevices"},

	// The operator's, for all tenants.
	"provider apply":         {because: "the operator's, who sees all tenants"},
	"provider delete":        {because: "the operator's, who sees all tenants"},
	"provider resetUser":     {because: "the operator's, who sees all tenants"},
	"provider derive":        {because: "the operator's, who sees all tenants"},
	"provider backup":        {because: "the operator's, who sees all tenants"},
	"provider releaseOutbox": {because: "the operator's, who sees all tenants"},
	"console getHealthz":     {bare: true, of: unnamed},
	"console getReadyz":      {bare: true, of: unnamed},
}

func pathOf(s *party) request {
	return request{path: map[string]string{"deviceName": s.device("mast")}}
}

func hookPath(s *party) request { return request{path: map[string]string{"id": number(s.hook)}} }

func channelOf(name string) fields {
	return fields{"noticeName": name, "noticeMode": []any{"email"}, "email": fields{"emails": []any{strings.Fields(name)[0] + "@channel.example"}}}
}
