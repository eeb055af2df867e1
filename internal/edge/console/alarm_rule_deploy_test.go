package console_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

// Every user of the tenant can publish and unpublish a rule, and the rule names that user. Doing it
// twice changes nothing. A rule that is stopped or changed has no open notice.
func TestDeployAlarmRule(t *testing.T) {
	w := newServer(t)
	id := w.createRule(t, frostForm("WS-1", nil))
	w.evaluate(t, w.ws1, air(-1)) // the rule does not run yet
	w.Clock.Advance(time.Second)
	w.mustSucceed(t, w.deployCall("publish", id))
	began := w.Clock.Milli()
	w.Clock.Advance(time.Second)
	w.mustSucceed(t, func() testkit.Call { c := w.deployCall("publish", id); c.Token = w.bora; return c }())
	r := w.rule(t, id)
	if r.DeployState != 1 || *r.DeployTime != began || *r.DeployUser != w.field.Ada.Nickname || r.OpenNotice != nil ||
		r.NoticeCount != 0 {
		t.Errorf("%s", asJSON(t, r))
	}
	w.evaluate(t, w.ws1, air(-2))
	r = w.rule(t, id)
	if r.OpenNotice == nil || r.LastNotice == nil || *r.OpenNotice != *r.LastNotice ||
		r.OpenNotice.StartTime != w.Clock.Milli() ||
		r.NoticeCount != 1 {
		t.Fatalf("%s", asJSON(t, r))
	}
	first := r.OpenNotice.Id
	if d := w.notice(t, first); d.AlarmNotice.ResolveStatus != 0 || d.AlarmNotice.EndTime != nil ||
		d.AlarmNotice.ResolveReason != nil {
		t.Errorf("%s", asJSON(t, d))
	}
	w.Clock.Advance(time.Second)
	w.mustSucceed(t, w.updateRuleCall(id, frostForm("WS-1", body{"alarmName": "Frost again"})))
	w.Clock.Advance(time.Second)
	w.evaluate(t, w.ws1, air(-3)) // the rule still runs
	w.mustSucceed(t, w.deployCall("unpublish", id))
	w.Clock.Advance(time.Second)
	w.mustSucceed(t, w.deployCall("unpublish", id))
	w.evaluate(t, w.ws1, air(-4))
	r = w.rule(t, id)
	if r.DeployState != 2 || r.OpenNotice != nil || r.LastNotice == nil || r.NoticeCount != 2 ||
		*r.DeployTime != w.Clock.Milli()-1000 {
		t.Fatalf("%s", asJSON(t, r))
	}
	for notice, want := range map[int64][2]string{first: {"changed", "Frost"}, r.LastNotice.Id: {"stopped", "Frost again"}} {
		d := w.notice(t, notice).AlarmNotice
		if string(*d.ResolveReason) != want[0] || d.Title != want[1] || d.ResolveStatus != 1 || d.MayResolve {
			t.Errorf("%s", asJSON(t, d))
		}
	}
	// The notice of a deleted rule stays.
	w.mustSucceed(t, w.deployCall("publish", id))
	w.Clock.Advance(time.Second)
	w.evaluate(t, w.ws1, air(-5))
	last := w.rule(t, id).OpenNotice.Id
	w.mustSucceed(t, w.deleteRuleCall(id))
	if d := w.notice(t, last).AlarmNotice; string(*d.ResolveReason) != "deleted" || d.RuleId != id {
		t.Errorf("%s", asJSON(t, d))
	}
}

// A rule whose product has lost an attribute of it cannot run; the refusal says why.
func TestPublishLostAttribute(t *testing.T) {
	w := newServer(t)
	id := w.createRule(t, frostForm("WS-1", nil))
	lesser := *w.Catalog.Product(w.station.ID)
	lesser.Properties = lesser.Properties[1:]
	if err := w.Catalog.PutProduct(t.Context(), &lesser); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	w.Run(t, []testkit.Scenario{
		{
			Name:     "run",
			Call:     w.deployCall("publish", id),
			Code:     601,
			Contains: []string{"The device no longer has the attribute “airTemperature”"},
		},
		{Name: "stopped", Call: w.deployCall("unpublish", id)},
	})
	if r := w.rule(t, id); r.DeployState != 0 {
		t.Errorf("%s", asJSON(t, r))
	}
}

// removeProperties removes properties from the field's station, as tilth apply does.
func (w *fixture) removeProperties(t *testing.T, identifiers ...string) {
	t.Helper()
	lesser := *w.Catalog.Product(w.station.ID)
	lesser.Properties = slices.DeleteFunc(
		slices.Clone(lesser.Properties),
		func(p device.Property) bool { return slices.Contains(identifiers, p.Identifier) },
	)
	if err := w.Catalog.PutProduct(t.Context(), &lesser); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	if err := w.engine.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A running rule that loses an attribute is stopped, and says why until it is corrected.
func TestRunningRuleLosesAttribute(t *testing.T) {
	w := newServer(t)
	both := []body{
		{"tslAttribute": "airTemperature", "subconditions": "<", "value": 2},
		{"andor": "and", "tslAttribute": "rain", "subconditions": ">=", "value": 0},
	}
	id, notice := w.openRuleNotice(
		t,
		frostForm("WS-1", body{"conditions": both}),
		map[string]reading.Value{"airTemperature": reading.Number(1), "rain": reading.Number(0)},
	)
	if r := w.rule(t, id); r.AttributesGone != nil {
		t.Errorf("%s", asJSON(t, r))
	}
	w.removeProperties(t, "rain")
	r := w.rule(t, id)
	if r.DeployState != 2 || r.DeployUser != nil || r.AttributesGone == nil ||
		!slices.Equal(*r.AttributesGone, []string{"rain"}) {
		t.Errorf("%s", asJSON(t, r))
	}
	page := testkit.Ask[wire.AlarmRulePage](t, w.Contract, w.get(rulesPath+"page"))
	if len(page.List) != 1 || asJSON(t, page.List[0]) != asJSON(t, r) {
		t.Errorf("%s", asJSON(t, page))
	}
	if d := w.notice(t, notice).AlarmNotice; d.ResolveReason == nil || *d.ResolveReason != "attributeGone" ||
		*d.ResolveAttribute != "Rain" {
		t.Errorf("%s", asJSON(t, d))
	}
	w.mustSucceed(t, w.updateRuleCall(id, frostForm("WS-1", body{"conditions": both[:1]})))
	if r := w.rule(t, id); r.AttributesGone != nil {
		t.Errorf("corrected: %s", asJSON(t, r))
	}
	w.mustSucceed(t, w.deployCall("publish", id))
	if r := w.rule(t, id); r.DeployState != 1 || r.AttributesGone != nil {
		t.Errorf("running: %s", asJSON(t, r))
	}
}

func TestMuteAlarmRule(t *testing.T) {
	w := newServer(t)
	id := w.createRule(t, frostForm("WS-1", nil))
	now := w.Clock.Milli()
	month := 30 * 24 * time.Hour.Milliseconds()
	mute := func(until any) testkit.Call {
		return w.adaCall(http.MethodPut, rulesPath+"mute", body{"id": id, "until": until})
	}
	w.Run(t, []testkit.Scenario{
		{
			Name:     "too long",
			Call:     mute(now + month + 1),
			Code:     601,
			Contains: []string{`"msg":"Muted until: at most 30 days ahead"`},
		},
		{Name: "below zero", Call: mute(-1), Code: 601},
		{Name: "no rule", Call: w.adaCall(http.MethodPut, rulesPath+"mute", body{"id": 99999}), Code: 404},
	})
	for _, c := range []struct {
		until any
		want  int64
	}{{now + month, now + month}, {now, 0}, {now + 1, now + 1}, {nil, 0}} {
		w.mustSucceed(t, mute(c.until))
		got := int64(0)
		if r := w.rule(t, id); r.MuteUntil != nil {
			got = *r.MuteUntil
		}
		if got != c.want {
			t.Errorf("%v: %d", c.until, got)
		}
	}
	// A mute that is over is not shown.
	w.mustSucceed(t, mute(now+1))
	w.Clock.Advance(time.Second)
	if r := w.rule(t, id); r.MuteUntil != nil {
		t.Errorf("%s", asJSON(t, r))
	}
}

// The mute and the deliveries that wait for its end change together or not at all. Otherwise people
// would be notified at the end of the old mute.
func TestMuteIsAtomic(t *testing.T) {
	w := newServer(t)
	channel := w.Channel(t, w.field.ID, "Staff").ID
	rule, notice := w.openRuleNotice(t, frostForm("WS-1", body{"passageway": []int64{channel}}), air(1))
	until := w.Clock.Milli() + time.Hour.Milliseconds()
	mute := func(until int64) testkit.Call {
		return w.adaCall(http.MethodPut, rulesPath+"mute", body{"id": rule, "until": until})
	}
	w.mustSucceed(t, mute(until))
	if _, err := w.Outbox.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, d := range w.notice(t, notice).Deliveries {
		if d.State != "queued" || d.Reason == nil || *d.Reason != "muted" {
			t.Fatalf("%s", asJSON(t, d))
		}
	}
	repair := testkit.FailStatement(t, w.DB, "UPDATE ON deliveries")
	w.Run(t, []testkit.Scenario{{Name: "the disk is full", Call: mute(0), Code: 500}})
	if r := w.rule(t, rule); r.MuteUntil == nil || *r.MuteUntil != until {
		t.Errorf("%s", asJSON(t, r))
	}
	repair()
	w.mustSucceed(t, mute(0))
	if _, err := w.Outbox.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(w.MailSender.Sent()); n != 1 {
		t.Errorf("%d messages after the mute was ended", n)
	}
}
