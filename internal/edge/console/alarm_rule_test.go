package console_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/pseudo"
)

// A rule comes back as it was filled in; its values have the type of their attribute.
func TestAlarmRule(t *testing.T) {
	w := newServer(t)
	id := w.createRule(t, frostForm("WS-1", body{
		"alarmName": " İlk Don ",
		"hitCounts": 3,
		"durations": 600_000,
		"alarmDesc": "Fan A\nfirst",
		"startTime": "06:00",
		"endTime":   "24:00",
		"weekdays":  []int{5, 1},
		"conditions": []body{
			{"tslAttribute": "airTemperature", "subconditions": "<", "value": "2.0", "recovery": 2.5},
			{"andor": "or", "tslAttribute": "heating", "subconditions": "!=", "value": "1", "recovery": nil},
			{"andor": "and", "tslAttribute": "note", "subconditions": "=", "value": "12"},
		},
	}))
	now := w.Clock.Milli()
	want := fmt.Sprintf(
		`{"alarmDesc":"Fan A\nfirst","alarmLevel":2,"alarmName":"İlk Don","complexTime":0,"conditions":[`+
			`{"andor":"and","recovery":2.5,"subconditions":"\u003c","tslAttribute":"airTemperature","value":2},`+
			`{"andor":"or","subconditions":"!=","tslAttribute":"heating","value":true},`+
			`{"andor":"and","subconditions":"=","tslAttribute":"note","value":"12"}],`+
			`"createTime":%d,"dataSource":1,"deployState":0,"deviceCount":1,"durations":600000,"endTime":"24:00","executionId":"WS-1","hitCounts":3,"id":%d,`+
			`"manualRelease":1,"noteName":"Mast","noticeCount":0,"openCount":0,"passageway":[],"startTime":"06:00",`+
			`"targets":{"devices":["WS-1"],"groups":[],"products":[]},"timePeriods":[],"triggerType":0,"updateTime":%d,"weekdays":[1,5]}`,
		now,
		id,
		now,
	)
	if got := asJSON(t, w.rule(t, id)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	// A change replaces the whole rule: fields that it leaves out are unset.
	w.Clock.Advance(time.Minute)
	w.mustSucceed(t, w.updateRuleCall(id, frostForm("WS-2", body{
		"alarmName":     "Gone",
		"triggerType":   1,
		"alarmLevel":    0,
		"manualRelease": 0,
		"complexTime":   1,
		"timePeriods":   []int{0, 47},
		"conditions":    []body{{"andor": "and", "tslAttribute": "onlineState", "subconditions": "=", "value": 0}},
	})))
	want = fmt.Sprintf(`{"alarmDesc":"","alarmLevel":0,"alarmName":"Gone","complexTime":1,"conditions":[`+
		`{"andor":"and","subconditions":"=","tslAttribute":"onlineState","value":0}],`+
		`"createTime":%d,"dataSource":1,"deployState":0,"deviceCount":1,"durations":60000,"executionId":"WS-2","hitCounts":1,"id":%d,`+
		`"manualRelease":0,"noteName":"","noticeCount":0,"openCount":0,"passageway":[],`+
		`"targets":{"devices":["WS-2"],"groups":[],"products":[]},"timePeriods":[0,47],"triggerType":1,"updateTime":%d,"weekdays":[]}`, now, id, w.Clock.Milli())
	if got := asJSON(t, w.rule(t, id)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	w.mustSucceed(t, w.deleteRuleCall(id))
	w.Run(t, []testkit.Scenario{
		{Name: "gone", Call: w.get(fmt.Sprint(rulesPath, "get?id=", id)), Code: 404},
		{Name: "deleted again", Call: w.deleteRuleCall(id), Code: 404},
		{Name: "changed", Call: w.updateRuleCall(id, frostForm("WS-1", nil)), Code: 404},
		{Name: "changed wrongly", Call: w.updateRuleCall(id, body{}), Code: 404},
		{Name: "run", Call: w.deployCall("publish", id), Code: 404},
		{Name: "stopped", Call: w.deployCall("unpublish", id), Code: 404},
	})
}

// Weekdays come back in order. Without hours they mean whole days, and a change without weekdays
// removes them. The audit log shows them.
func TestAlarmRuleOnWeekdays(t *testing.T) {
	w := newServer(t)
	id := w.createRule(t, frostForm("WS-1", body{"weekdays": []int{5, 1}}))
	if r := w.rule(t, id); !slices.Equal(r.Weekdays, []int{1, 5}) || r.ComplexTime != 0 || r.StartTime != nil ||
		r.EndTime != nil {
		t.Errorf("%v, %d %v to %v", r.Weekdays, r.ComplexTime, r.StartTime, r.EndTime)
	}
	for _, change := range []struct {
		with body
		want []int
		says string
	}{
		{body{"weekdays": []int{6, 7}}, []int{6, 7}, "rule.update Frost; weekdays: [1 5] > [6 7]"},
		{body{"weekdays": []int{1, 2, 3, 4, 5, 6, 7}}, []int{}, "rule.update Frost; weekdays: [6 7] > <nil>"},
		{body{"weekdays": []int{1}, "complexTime": 1, "timePeriods": []int{0}}, []int{1}, "rule.update Frost; timePeriods: <nil> > [0]; weekdays: <nil> > [1]"},
		{body{"weekdays": nil}, []int{}, "rule.update Frost; timePeriods: [0] > <nil>; weekdays: [1] > <nil>"},
	} {
		w.Clock.Advance(time.Second)
		w.mustSucceed(t, w.updateRuleCall(id, frostForm("WS-1", change.with)))
		if got := w.rule(t, id).Weekdays; got == nil || !slices.Equal(got, change.want) {
			t.Errorf("%v: %v, want %v", change.with, got, change.want)
		}
		if got := entryText(&w.auditLog(t, w.ada, "").List[0]); got != change.says {
			t.Errorf("the log says %q, want %q", got, change.says)
		}
	}
}

// The refusals of missing fields have the specification's words in every language; the other
// refusals name their field.
func TestAlarmRuleRefusals(t *testing.T) {
	w := newServer(t)
	for key, b := range map[string]body{
		"rule.nameRequired":       {"alarmName": nil},
		"rule.sourceRequired":     {"dataSource": nil},
		"rule.deviceRequired":     {"executionId": " "},
		"rule.triggerRequired":    {"triggerType": nil},
		"rule.conditionsRequired": {"conditions": []body{}},
		"rule.levelRequired":      {"alarmLevel": nil},
		"rule.releaseRequired":    {"manualRelease": nil},
		"rule.timeOrder":          {"startTime": "07:00", "endTime": "06:45"},
		"rule.timeNone":           {"startTime": "07:00", "endTime": "07:00"},
	} {
		for _, l := range pseudo.Languages() {
			call := w.createRuleCall(frostForm("WS-1", b))
			call.Header = map[string]string{"Accept-Language": string(l)}
			if a := w.Do(t, call); a.Code != 601 || a.Msg != text.Translate(l, key, nil) || !text.HasKey(key) {
				t.Errorf("%s in %s: %d %q", key, l, a.Code, a.Msg)
			}
		}
	}
	condition := func(attribute, operator string, value any) body {
		c := body{"tslAttribute": attribute, "subconditions": operator, "value": value}
		if value == nil {
			delete(c, "value")
		}
		return body{"conditions": []body{c}}
	}
	for name, c := range map[string]struct {
		with body
		code int
		msg  string
	}{
		"another device":    {body{"executionId": "none"}, 404, "Device: This resource does not exist"},
		"too long":          {body{"alarmName": strings.Repeat("ş", 65)}, 601, "Alarm name: at most 64 characters"},
		"level":             {body{"alarmLevel": 3}, 601, "Alarm severity: not one of the choices"},
		"hits":              {body{"hitCounts": 11}, 601, "Hit count: at most 10"},
		"window":            {body{"durations": 120_000}, 601, "Duration: not one of the choices"},
		"a quarter":         {body{"startTime": "06:10", "endTime": "07:00"}, 601, "Start time: from 00:00 to 24:00 in steps of 15 minutes"},
		"a day twice":       {body{"weekdays": []int{1, 1}}, 601, "Days of the week: days from 1 (Monday) to 7 (Sunday), each once"},
		"half hours":        {body{"complexTime": 1}, 601, "Notification period: choose at least 1"},
		"a channel":         {body{"passageway": []int{3}}, 601, "Notification channels: There is no notification channel with the number 3"},
		"a hasty reminder":  {body{"remindEvery": 4}, 601, "Reminder interval (minutes): at least 5"},
		"a late reminder":   {body{"remindEvery": 1441}, 601, "Reminder interval (minutes): at most 1,440"},
		"description":       {body{"alarmDesc": strings.Repeat("ş", 501)}, 601, "Description: at most 500 characters"},
		"attribute":         {condition("wind", ">", 1), 601, "Condition 1: the device has no attribute “wind”"},
		"decimals":          {condition("airTemperature", ">", 1.25), 601, "Condition 1: too many decimals, the attribute has 1"},
		"operator":          {condition("heating", ">", true), 601, "Condition 1: this attribute can only be compared with = and !="},
		"words":             {condition("rain", ">", "much"), 601, "Condition 1: the value must be a number"},
		"no value":          {condition("rain", ">", nil), 601, "Condition 1: enter a value"},
		"offline and rain":  {body{"triggerType": 1, "conditions": []body{{"tslAttribute": "rain", "subconditions": ">", "value": 1}}}, 601, "Conditions: A rule on a device being offline takes no other condition"},
		"a number in words": {body{"alarmLevel": "1"}, 400, ""},
		"too many by far":   {body{"conditions": make([]body, 401)}, 601, "Conditions: choose at most 400"},
	} {
		form := frostForm("WS-1", c.with)
		for _, call := range []testkit.Call{w.createRuleCall(form), w.rehearse(form), w.rehearseAll(form)} {
			rehearsing := strings.Contains(call.Path, "rehearse")
			if rehearsing &&
				(name == "too long" || name == "level" || name == "a channel" || name == "description" || strings.HasSuffix(name, " reminder")) {
				continue // a rehearsal does not check it
			}
			if a := w.Do(t, call); a.Code != c.code || c.msg != "" && a.Msg != c.msg {
				t.Errorf("%s, %s: %d %q, want %d %q", name, call.Path, a.Code, a.Msg, c.code, c.msg)
			}
		}
	}
	id := w.createRule(t, frostForm("WS-1", nil))
	w.Run(t, []testkit.Scenario{
		{
			Name:     "nothing",
			Call:     w.createRuleCall(body{}),
			Code:     601,
			Contains: []string{`"msg":"The alarm name cannot be empty"`},
		},
		{
			Name:     "a blank name",
			Call:     w.createRuleCall(frostForm("WS-1", body{"alarmName": " "})),
			Code:     601,
			Contains: []string{`"msg":"The alarm name cannot be empty"`},
		},
		{
			Name:     "no device",
			Call:     w.createRuleCall(frostForm("WS-1", body{"executionId": ""})),
			Code:     601,
			Contains: []string{`"msg":"The device source cannot be empty"`},
		},
		{
			Name: "null",
			Call: testkit.Call{Method: "POST", Path: rulesPath + "create", Body: "null", Token: w.ada},
			Code: 400,
		},
		{
			Name:     "changed to nothing",
			Call:     w.updateRuleCall(id, body{}),
			Code:     601,
			Contains: []string{`"msg":"The alarm name cannot be empty"`},
		},
		{
			Name: "changed without id",
			Call: w.adaCall(http.MethodPut, rulesPath+"update", frostForm("WS-1", nil)),
			Code: 601,
		},
		{
			Name:     "publish without id",
			Call:     w.get(rulesPath + "publish"),
			Code:     601,
			Contains: []string{"Alarm rule: required"},
		},
		{Name: "run 0", Call: w.deployCall("publish", 0), Code: 601},
		{Name: "deleted by GET", Call: w.get(fmt.Sprint(rulesPath, "delete?id=", id)), Status: 405, Code: 405},
	})
	if page := testkit.Ask[wire.AlarmRulePage](t, w.Contract, w.get(rulesPath+"page")); page.Total != 1 ||
		page.List[0].AlarmName != "Frost" {
		t.Errorf("%s", asJSON(t, page))
	}
}

func TestAlarmRulePage(t *testing.T) {
	w := newServer(t)
	first := w.createRule(t, frostForm("WS-1", body{"alarmName": "İlk Don"}))
	w.Clock.Advance(time.Second)
	second := w.createRule(t, frostForm("WS-2", body{"alarmName": "Işık", "alarmLevel": 0}))
	w.mustSucceed(t, w.deployCall("publish", first))
	for query, want := range map[string]string{
		"":                              "İlk Don, Işık; 2 1",
		"?alarmName=ILK":                "İlk Don; 1 1",
		"?alarmName=%20%C4%B1lk%20":     "İlk Don; 1 1",
		"?executionId=WS-2,none":        "Işık; 1 0",
		"?executionId=WS-2,%20WS-1":     "İlk Don, Işık; 2 1",
		"?executionId=" + marker + "-1": "; 0 0",
		"?alarmLevel=2":                 "İlk Don; 1 1",
		"?running=false":                "Işık; 1 0",
		"?running=true&pageSize=1":      "İlk Don; 1 1",
		"?pageSize=1&pageNo=2":          "Işık; 2 1",
		"?pageNo=9":                     "; 2 1",
		"?alarmName=&executionId=":      "İlk Don, Işık; 2 1",
	} {
		page := testkit.Ask[wire.AlarmRulePage](t, w.Contract, w.get(rulesPath+"page"+query))
		names := make([]string, len(page.List))
		for i, r := range page.List {
			names[i] = r.AlarmName
		}
		if got := fmt.Sprintf("%s; %d %d", strings.Join(names, ", "), page.Total, page.Running); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	w.Run(t, []testkit.Scenario{
		{Name: "a page of 401", Call: w.get(rulesPath + "page?pageSize=401"), Code: 601},
		{
			Name:     "level 3",
			Call:     w.get(rulesPath + "page?alarmLevel=3"),
			Code:     601,
			Contains: []string{"Alarm severity: at most 2"},
		},
		{
			Name:     "401 devices",
			Call:     w.get(rulesPath + "page?executionId=" + strings.Repeat("a,", 401)),
			Code:     601,
			Contains: []string{"Device names: choose at most 400"},
		},
	})
	w.mustSucceed(t, w.deleteRuleCall(second))
	if page := testkit.Ask[wire.AlarmRulePage](t, w.Contract, w.get(rulesPath+"page")); page.Total != 1 {
		t.Errorf("%s", asJSON(t, page))
	}
}

// Rules are made for the caller's devices in the caller's tenant, whatever the header says.
func TestAlarmRulesAreTenantScoped(t *testing.T) {
	w := newServer(t)
	for _, path := range []string{"create", "rehearse", "rehearse/devices"} {
		for _, name := range []string{rivalDeviceName, "none"} {
			a := w.Do(t, w.adaCall(http.MethodPost, rulesPath+path, frostForm(name, nil)))
			if a.Code != 404 || a.Msg != "Device: This resource does not exist" {
				t.Errorf("%s %s: %s", path, name, a.Body)
			}
		}
	}
	call := w.createRuleCall(frostForm("WS-1", nil))
	call.Header = map[string]string{"tenant-id": fmt.Sprint(w.rival.ID)}
	id := testkit.Ask[int64](t, w.Contract, call)
	if _, err := w.Rules.Get(t.Context(), w.field.ID, alarm.RuleID(id)); err != nil {
		t.Error(err)
	}
	// A rule cannot be moved to another tenant's device, and another tenant's rules cannot be
	// changed.
	theirs := w.createRivalRule()
	w.Run(t, []testkit.Scenario{
		{Name: "to another tenant's device", Call: w.updateRuleCall(id, frostForm(rivalDeviceName, nil)), Code: 404},
		{Name: "their rule", Call: w.updateRuleCall(theirs, frostForm("WS-1", nil)), Code: 404},
	})
	card, err := w.Rules.Get(t.Context(), w.rival.ID, alarm.RuleID(theirs))
	if err != nil || card.Name != marker+" frost" || card.Deploy != alarm.Running {
		t.Errorf("%+v %v", card, err)
	}
}
