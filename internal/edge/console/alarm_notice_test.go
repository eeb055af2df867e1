package console_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

// openRuleNotice makes a running rule of the field, triggers it, and returns its notice.
func (w *fixture) openRuleNotice(t *testing.T, b body, values map[string]reading.Value) (rule, notice int64) {
	t.Helper()
	rule = w.createRule(t, b)
	w.mustSucceed(t, w.deployCall("publish", rule))
	w.Clock.Advance(time.Second)
	w.evaluate(t, w.ws1, values)
	card := w.rule(t, rule)
	if card.OpenNotice == nil {
		t.Fatalf("the rule did not trigger: %s", asJSON(t, card))
	}
	return rule, card.OpenNotice.Id
}

// A notice shows its rule as it was, in the caller's language, its device, and the readings that
// triggered it. All of that stays when the rule and the device change or are deleted.
func TestAlarmNotice(t *testing.T) {
	w := newServer(t)
	rule, id := w.openRuleNotice(t, frostForm("WS-1", body{
		"alarmName": "İlk Don", "alarmDesc": "Fan A", "conditions": []body{
			{"tslAttribute": "airTemperature", "subconditions": "<", "value": 2, "recovery": 2.5},
			{"andor": "and", "tslAttribute": "relativeHumidity", "subconditions": ">=", "value": 80.25},
		},
	}), map[string]reading.Value{"airTemperature": reading.Number(1.5), "relativeHumidity": reading.Number(90)})
	began := w.Clock.Milli()
	w.Clock.Advance(95 * time.Second)
	common := func(noteName, product string, online, deleted any) string {
		return fmt.Sprintf(
			`"alarmDeviceInfoRespDTO":{"deleted":%v,"deviceName":"WS-1","mainSign":"airTemperature","noteName":%q,"onlineState":%v,"productName":%q}`,
			deleted,
			noteName,
			online,
			product,
		)
	}
	notice := func(more string) string {
		return fmt.Sprintf(
			`"alarmNotice":{"alarmDesc":"Fan A","alarmLevel":2,"createTime":%d,%s"ruleId":%d,"startTime":%d,"title":"İlk Don"}`,
			began,
			more,
			rule,
			began,
		)
	}
	was := func(temperature, humidity, unit string) string {
		return fmt.Sprintf(
			`"alarmRules":{"conditions":[{"andor":"and","elementUnit":"°C","precision":1,"recovery":2.5,"subconditions":"\u003c","tslAttribute":"airTemperature","value":2,"yeuName":%q},`+
				`{"andor":"and","elementUnit":%q,"subconditions":"\u003e=","tslAttribute":"relativeHumidity","value":80.25,"yeuName":%q}],"durations":60000,"hitCounts":1,"triggerType":0},"deliveries":[]`,
			temperature,
			unit,
			humidity,
		)
	}
	samples := fmt.Sprintf(`"samples":[{"time":%d,"values":{"airTemperature":1.5,"relativeHumidity":90}}]`, began)
	check := func(language string, parts ...string) {
		t.Helper()
		call := w.get(fmt.Sprint(noticesPath, "get?id=", id))
		call.Header = map[string]string{"Accept-Language": language}
		got, want := asJSON(t, testkit.Ask[wire.AlarmDetail](t, w.Contract, call)), "{"+strings.Join(parts, ",")+"}"
		if got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	open := fmt.Sprintf(
		`"durationTime":95000,"holds":true,"id":%d,"mayResolve":true,"newest":{"time":%d,"values":{"airTemperature":1.5,"relativeHumidity":90}},"resolveStatus":0,`,
		id,
		began,
	)
	check(
		"en-us",
		common("Mast", "weather-station", 1, false),
		notice(open),
		was("Air temperature", "Relative humidity", "%RH"),
		samples,
	)
	check(
		"tr-tr",
		common("Mast", "weather-station", 1, false),
		notice(open),
		was("Hava sıcaklığı", "Bağıl nem", "%RH"),
		samples,
	)

	w.mustSucceed(t, w.editCall(`{"deviceName":"WS-1","noteName":"Pole"}`))
	w.mustSucceed(t, w.updateRuleCall(rule, frostForm("WS-2", body{"alarmName": "Other"})))
	changed := fmt.Sprintf(
		`"durationTime":95000,"endTime":%d,"id":%d,"mayResolve":false,"resolveReason":"changed","resolveStatus":1,`,
		began+95_000,
		id,
	)
	check(
		"en-us",
		common("Pole", "weather-station", 1, false),
		notice(changed),
		was("Air temperature", "Relative humidity", "%RH"),
		samples,
	)

	// The notice has stored points of its chart, and its device is deleted: the device is shown as
	// it was.
	err := w.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(
			`UPDATE notices SET kept = '{"airTemperature":[{"time":5,"value":1.5},{"time":6,"value":2.5}]}' WHERE id = ?`,
			id,
		).Exec(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Devices.Delete(t.Context(), w.field.ID, w.ws1.ID); err != nil {
		t.Fatal(err)
	}
	d := w.notice(t, id)
	if of := d.AlarmDeviceInfoRespDTO; !of.Deleted || of.DeviceName != "WS-1" || of.NoteName != "Mast" ||
		of.ProductName != "weather-station" ||
		of.OnlineState != 0 {
		t.Errorf("%s", asJSON(t, of))
	}
	if d.Kept == nil || len((*d.Kept)["airTemperature"]) != 2 ||
		(*d.Kept)["airTemperature"][0].Value != reading.Number(1.5) {
		t.Errorf("%s", asJSON(t, d.Kept))
	}
	list := testkit.Ask[[]wire.AlarmNotice](t, w.Contract, w.get(noticesPath+"get/all"))
	if list[0].NoteName != "Mast" || list[0].DeviceName != "WS-1" {
		t.Errorf("%s", asJSON(t, list))
	}
}

// A notice keeps names, units, decimals and the readings of its chart when its product gets another
// unit or loses the attribute.
func TestNoticeKeepsAttributesAfterProductChange(t *testing.T) {
	w := newServer(t)
	conditions := []body{
		{"tslAttribute": "airTemperature", "subconditions": "<", "value": 2},
		{"andor": "and", "tslAttribute": "rain", "subconditions": ">=", "value": 1},
	}
	_, id := w.openRuleNotice(
		t,
		frostForm("WS-1", body{"conditions": conditions}),
		map[string]reading.Value{"airTemperature": reading.Number(1.5), "rain": reading.Number(11)},
	)
	began := w.Clock.Milli()
	before := asJSON(t, w.notice(t, id).AlarmRules)
	content := w.messages(t, w.ada, "").List[0].TemplateContent
	for _, part := range []string{`"precision":1`, `"elementUnit":"°C"`, `"yeuName":"Air temperature"`, `"elementUnit":"mm"`, `"yeuName":"Rain"`} {
		if !strings.Contains(before, part) {
			t.Errorf("%s without %s", before, part)
		}
	}
	if !strings.Contains(content, "Air temperature: 1.5\u00a0°C") || !strings.Contains(content, "Rain: 11\u00a0mm") {
		t.Errorf("content %q", content)
	}

	other := *w.Catalog.Product(w.station.ID)
	other.Properties = slices.Clone(other.Properties)
	other.Property("rain").ElementUnit, other.Property("rain").Precision = "in", new(3)
	if err := w.Catalog.PutProduct(t.Context(), &other); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	check := func(when string) {
		t.Helper()
		if after := asJSON(t, w.notice(t, id).AlarmRules); after != before {
			t.Errorf("%s: %s, was %s", when, after, before)
		}
		if after := w.messages(t, w.ada, "").List[0].TemplateContent; after != content {
			t.Errorf("%s: content %q, was %q", when, after, content)
		}
	}
	check("another unit")
	w.removeProperties(t, "rain", "airTemperature")
	check("gone")

	want := fmt.Sprintf(`[{"collect_time":%d,"airTemperature":1.5,"rain":11}]`, began)
	at := time.UnixMilli(began)
	got := w.Do(t, w.get(rangePath(signPath, "WS-1", "airTemperature,rain,rain", at, at)))
	if string(got.Data) != want {
		t.Errorf("%s, want %s", got.Body, want)
	}
	got = w.Do(t, w.get(rangePath(seriesPath, "WS-1", "rain", at, at)))
	if !strings.Contains(string(got.Data), `"value":11`) {
		t.Errorf("%s", got.Body)
	}
}

// A notice from before notices stored attributes shows those of the product as it is now.
func TestNoticeWithoutStoredAttributes(t *testing.T) {
	w := newServer(t)
	id := w.Notice(t, testkit.Notice{Device: w.ws1, Start: w.Clock.Milli(), RuleJSON: fmt.Sprintf(
		`{"triggerType":0,"conditions":[{"andor":"and","tslAttribute":"rain","subconditions":">","value":1}],"hitCounts":1,"durations":60000,"noteName":"Mast","productId":%d}`,
		w.station.ID,
	)})
	c := w.notice(t, id).AlarmRules.Conditions[0]
	if c.YeuName != "Rain" || c.ElementUnit != "mm" || c.Precision != nil {
		t.Errorf("%s", asJSON(t, c))
	}
	w.removeProperties(t, "rain")
	if c := w.notice(t, id).AlarmRules.Conditions[0]; c.YeuName != "rain" || c.ElementUnit != "" {
		t.Errorf("%s", asJSON(t, c))
	}
}

// A notice of a rule on an offline device has one fixed condition.
func TestOfflineNotice(t *testing.T) {
	w := newServer(t)
	id := w.Notice(
		t,
		testkit.Notice{
			Device:   w.ws2,
			Start:    w.Clock.Milli(),
			RuleJSON: `{"triggerType":1,"conditions":null,"durations":300000}`,
		},
	)
	d := w.notice(t, id)
	want := `{"conditions":[{"andor":"and","elementUnit":"","subconditions":"=","tslAttribute":"onlineState","value":0,"yeuName":"Online state"}],"durations":300000,"hitCounts":1,"triggerType":1}`
	if got := asJSON(t, d.AlarmRules); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestResolveManually(t *testing.T) {
	w := newServer(t)
	_, fixed := w.openRuleNotice(t, frostForm("WS-1", body{"manualRelease": 0}), air(-1))
	rule, id := w.openRuleNotice(t, frostForm("WS-1", nil), air(-2))
	w.Run(t, []testkit.Scenario{
		{
			Name:     "the rule does not allow it",
			Call:     w.resolve(fixed, ""),
			Code:     601,
			Contains: []string{`"msg":"The rule of this alarm does not allow clearing by hand"`},
		},
		{
			Name:     "too long a remark",
			Call:     w.resolve(id, strings.Repeat("ş", 501)),
			Code:     601,
			Contains: []string{`"msg":"Remark: at most 500 characters"`},
		},
		{Name: "none", Call: w.resolve(99999, ""), Code: 404},
		{Name: "0", Call: w.resolve(0, ""), Code: 601},
	})
	if d := w.notice(t, fixed).AlarmNotice; d.MayResolve || d.ResolveStatus != 0 {
		t.Errorf("%s", asJSON(t, d))
	}
	w.Clock.Advance(time.Minute)
	call := w.resolve(id, " drained\nit ")
	call.Token = w.bora
	w.mustSucceed(t, call)
	d := w.notice(t, id).AlarmNotice
	if d.ResolveStatus != 2 || *d.EndTime != w.Clock.Milli() || d.DurationTime != 60_000 ||
		*d.ResolveReason != "byHand" ||
		*d.ResolveUser != w.field.Bora.Nickname ||
		*d.Remark != "drained\nit" ||
		d.MayResolve {
		t.Errorf("%s", asJSON(t, d))
	}
	w.Run(t, []testkit.Scenario{
		{Name: "again", Call: w.resolve(id, ""), Code: 601, Contains: []string{`"msg":"This alarm is over already"`}},
	})
	if d := w.notice(t, id).AlarmNotice; *d.Remark != "drained\nit" {
		t.Errorf("%s", asJSON(t, d))
	}
	if r := w.rule(t, rule); r.OpenNotice != nil || r.LastNotice.Id != id {
		t.Errorf("%s", asJSON(t, r))
	}
}

func TestAlarmNoticePage(t *testing.T) {
	w := newServer(t)
	old := w.Clock.Milli() - 60_000 // the fixture's notice began then
	_, id := w.openRuleNotice(t, frostForm("WS-1", body{"alarmName": "Işık %", "alarmLevel": 0}), air(-1))
	began := w.Clock.Milli()
	w.Clock.Advance(time.Second)
	w.evaluate(t, w.ws1, air(5))
	for query, want := range map[string]string{
		"":                                       "Işık %, Frost; 2",
		"?pageSize=1&pageNo=2":                   "Frost; 2",
		"?title=i%C5%9Fik":                       "Işık %; 1",
		"?title=%20IŞIK":                         "Işık %; 1",
		"?title=%25":                             "Işık %; 1",
		"?deviceNameStr=WS-2":                    "; 0",
		"?deviceNameStr=WS-2,WS-1":               "Işık %, Frost; 2",
		"?noticeParams=WS-2":                     "; 0",
		"?noticeParams=WS-1&title=frost":         "Frost; 1",
		"?deviceNameStr=" + rivalDeviceName:      "; 0",
		"?resolveStatus=0":                       "Frost; 1",
		"?resolveStatus=1":                       "Işık %; 1",
		"?alarmLevel=2":                          "Frost; 1",
		fmt.Sprint("?startTime=", began):         "Işık %; 1",
		fmt.Sprint("?endTime=", began-1):         "Frost; 1",
		fmt.Sprint("?startTime=", old+1):         "Işık %; 1",
		"?title=&resolveStatus=&deviceNameStr=":  "Işık %, Frost; 2",
		fmt.Sprint("?startTime=5&endTime=", old): "Frost; 1",
	} {
		page := testkit.Ask[wire.AlarmNoticePage](t, w.Contract, w.get(noticesPath+"page"+query))
		titles := make([]string, len(page.List))
		for i, n := range page.List {
			titles[i] = n.Title
		}
		if got := fmt.Sprintf("%s; %d", strings.Join(titles, ", "), page.Total); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	all := testkit.Ask[[]wire.AlarmNotice](t, w.Contract, w.get(noticesPath+"get/all"))
	want := fmt.Sprintf(
		`{"alarmLevel":0,"createTime":%d,"deviceName":"WS-1","endTime":%d,"id":%d,"noteName":"Mast","resolveStatus":1,"ruleId":%d,"startTime":%d,"title":"Işık %%"}`,
		began,
		began+1000,
		id,
		all[0].RuleId,
		began,
	)
	if got := asJSON(t, all[0]); len(all) != 2 || got != want || all[1].EndTime != nil {
		t.Errorf("%s\nwant %s", got, want)
	}
	w.Run(t, []testkit.Scenario{
		{
			Name:     "status 3",
			Call:     w.get(noticesPath + "page?resolveStatus=3"),
			Code:     601,
			Contains: []string{"Resolve status: at most 2"},
		},
		{
			Name:     "a title of 65",
			Call:     w.get(noticesPath + "page?title=" + strings.Repeat("a", 65)),
			Code:     601,
			Contains: []string{"Title: at most 64 characters"},
		},
		{
			Name:     "the wrong way round",
			Call:     w.get(noticesPath + "page?startTime=2&endTime=1"),
			Code:     601,
			Contains: []string{"The start must not be after the end"},
		},
		{Name: "401 devices", Call: w.get(noticesPath + "page?noticeParams=" + strings.Repeat("a,", 401)), Code: 601},
		{Name: "none", Call: w.get(noticesPath + "get?id=99999"), Code: 404},
		{Name: "no id", Call: w.get(noticesPath + "get"), Code: 601},
	})
}

// A swinging value begins an unsteady notice. Lists, the notice and the rehearsal show that it is
// unsteady, and the advice says what would help.
func TestUnsteadyNotice(t *testing.T) {
	w := newServer(t)
	id := w.createRule(t, frostForm("WS-2", nil))
	testkit.Ask[bool](t, w.Contract, w.deployCall("publish", id))
	for i := range 2*alarm.MaxNoticesPerHour + 10 {
		w.Clock.Advance(30 * time.Second)
		w.evaluate(t, w.ws2, air([]float64{1, 2.6, 1, 2.2}[i%4]))
	}
	page := testkit.Ask[wire.AlarmNoticePage](t, w.Contract, w.get(noticesPath+"page?deviceNameStr=WS-2"))
	n := page.List[0]
	if page.Total != alarm.MaxNoticesPerHour+1 || n.Unsteady == nil || !*n.Unsteady || *n.Changes != 8 ||
		page.List[1].Unsteady != nil ||
		page.List[1].Changes != nil {
		t.Fatalf("%s", asJSON(t, page))
	}
	if d := w.notice(t, n.Id).AlarmNotice; d.Unsteady == nil || *d.Changes != 8 {
		t.Errorf("%s", asJSON(t, d))
	}
	advice := testkit.Ask[*wire.AlarmAdvice](t, w.Contract, w.get(fmt.Sprint(noticesPath, "advice?id=", n.Id)))
	if advice == nil ||
		*advice != (wire.AlarmAdvice{TslAttribute: "airTemperature", Recovery: 2.3, Notices: 7, Without: alarm.MaxNoticesPerHour + 1}) {
		t.Errorf("%s", asJSON(t, advice))
	}
	other := testkit.Ask[*wire.AlarmAdvice](
		t,
		w.Contract,
		w.get(fmt.Sprint(noticesPath, "advice?id=", page.List[1].Id)),
	)
	if other != nil {
		t.Errorf("advice for a steady notice: %s", asJSON(t, other))
	}
	if a := w.Do(t, w.get(noticesPath+"advice?id=999999")); a.Code != 404 {
		t.Errorf("advice for a missing notice: %s", a.Body)
	}
	h := testkit.Ask[wire.Rehearsal](t, w.Contract, w.rehearse(frostForm("WS-2", nil)))
	last := h.Notices[len(h.Notices)-1]
	if h.Total != alarm.MaxNoticesPerHour+1 || last.Unsteady == nil || last.StartTime != n.StartTime ||
		h.Notices[0].Unsteady != nil {
		t.Errorf("%s", asJSON(t, h.Notices))
	}
}
