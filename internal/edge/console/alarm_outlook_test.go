package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/comparator"
	"tilth/internal/tools/testkit"
)

// measureCooling gives WS-2 a reading in each minute of the last two hours, which fall from 14
// degrees by one in ten minutes, and a cold quarter of an hour in the night two days ago. It
// returns the time of that.
func (w *fixture) measureCooling(t *testing.T) (cold time.Time) {
	t.Helper()
	now := w.Clock.Now()
	cold = time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC) // 03:00 in Istanbul
	w.measure(t, w.ws2, cold.Add(-time.Minute), air(6))
	for i := range 15 {
		w.measure(t, w.ws2, cold.Add(time.Duration(i)*time.Minute), air(1))
	}
	w.measure(t, w.ws2, cold.Add(15*time.Minute), air(3))
	for i := 120; i >= 0; i-- {
		w.measure(t, w.ws2, now.Add(-time.Duration(i)*time.Minute), air(2+float64(i)/10))
	}
	return cold
}

// An outlook says why a rule whose threshold is passed has not triggered yet: how many samples of
// its window count, and that it waits after a notice was ended manually.
func TestOutlookHits(t *testing.T) {
	w := newServer(t)
	id := w.createRule(t, frostForm("WS-2", body{"hitCounts": 3, "durations": 600_000, "manualRelease": 1}))
	w.mustSucceed(t, w.deployCall("publish", id))
	expectOutlook := func(want string) {
		t.Helper()
		o := testkit.Ask[[]wire.Outlook](t, w.Contract, w.get(rulesPath+"get/outlook?ids="+fmt.Sprint(id)))[0]
		if got := asJSON(
			t,
			body{"hits": o.Hits, "waits": o.Waits, "distance": o.Distance, "holds": o.Holds},
		); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	minute := func(degrees float64) {
		w.Clock.Advance(time.Minute)
		w.evaluate(t, w.ws2, air(degrees))
	}
	minute(0.5)
	expectOutlook(`{"distance":0,"hits":1,"holds":true,"waits":false}`)
	minute(0.4)
	expectOutlook(`{"distance":0,"hits":2,"holds":true,"waits":false}`)
	// Samples that are older than the window no longer count.
	w.Clock.Advance(10 * time.Minute)
	minute(0.3)
	expectOutlook(`{"distance":0,"hits":1,"holds":true,"waits":false}`)
	minute(0.2)
	minute(0.1)
	expectOutlook(`{"distance":null,"hits":null,"holds":null,"waits":null}`)
	notice := testkit.Ask[wire.AlarmNoticePage](t, w.Contract, w.get(noticesPath+"page")).List[0]
	w.mustSucceed(t, w.adaCall(http.MethodPut, noticesPath+"resolve", body{"id": notice.Id}))
	minute(0.1)
	expectOutlook(`{"distance":0,"hits":1,"holds":true,"waits":true}`)
}

// The outlook says how far a running rule's device is from its threshold and, if the trend of the
// last hour is steady, when it may get there.
func TestOutlook(t *testing.T) {
	w := newServer(t)
	w.measureCooling(t)
	near := w.createRule(
		t,
		frostForm(
			"WS-2",
			body{"conditions": []body{{"tslAttribute": "airTemperature", "subconditions": "<", "value": 1}}},
		),
	)
	stopped := w.createRule(t, frostForm("WS-2", nil))
	offline := w.createRule(t, frostForm("WS-2", body{"triggerType": 1, "conditions": []body{}}))
	empty := w.createRule(t, frostForm("CAM-1", body{"hitCounts": 10}))
	for _, id := range []int64{near, offline, empty} {
		w.mustSucceed(t, w.deployCall("publish", id))
	}
	now := w.Clock.Milli()
	outlook := func(ids ...int64) string {
		t.Helper()
		list := strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ","), "[]")
		return asJSON(t, testkit.Ask[[]wire.Outlook](t, w.Contract, w.get(rulesPath+"get/outlook?ids="+list)))
	}
	want := fmt.Sprintf(
		`[{"distance":1,"expected":%d,"fits":true,"hits":0,"holds":false,"id":%d,"lastSample":%d,"usualInterval":60000,"value":2,"waits":false},`+
			`{"fits":true,"id":%d,"lastSample":%d,"usualInterval":60000},{"fits":true,"id":%d},{"fits":true,"hits":0,"id":%d,"waits":false}]`,
		now+10*time.Minute.Milliseconds(),
		near,
		now,
		stopped,
		now,
		offline,
		empty,
	)
	if got := outlook(empty, near, near, offline, stopped, 99999); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	// A triggered rule has no prediction.
	w.Clock.Advance(time.Minute)
	w.evaluate(t, w.ws2, air(0.5))
	triggered := fmt.Sprintf(`[{"fits":true,"id":%d,"lastSample":%d,"usualInterval":60000}]`, near, w.Clock.Milli())
	if got := outlook(near); got != triggered {
		t.Errorf("%s, want %s", got, triggered)
	}
	// Neither has a rule whose attribute its product no longer has.
	bare := &device.Product{Name: "bare", Properties: []device.Property{{Identifier: "rain", DataType: device.Number}}}
	if err := w.Catalog.PutProduct(t.Context(), bare); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	rule := alarm.Rule{
		Name:   "lost",
		Device: w.Device(t, w.field.ID, bare, "BARE").ID,
		Hits:   1,
		Window: time.Minute,
		Conditions: []alarm.Condition{
			{Join: "and", Attribute: "wind", Operator: comparator.Above, Value: reading.Number(1)},
		},
	}
	lost, err := w.Rules.Create(t.Context(), w.field.ID, &rule)
	if err != nil {
		t.Fatal(err)
	}
	if got := outlook(int64(lost)); got != `[]` {
		t.Errorf("%s", got)
	}
	w.Run(t, []testkit.Scenario{
		{Name: "none", Call: w.get(rulesPath + "get/outlook"), Code: 601, Contains: []string{"Ids: required"}},
		{Name: "words", Call: w.get(rulesPath + "get/outlook?ids=a"), Code: 400},
		{Name: "401", Call: w.get(rulesPath + "get/outlook?ids=1" + strings.Repeat(",1", 400)), Code: 601},
	})
}
