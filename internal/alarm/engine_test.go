package alarm_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"tilth/internal/alarm"
	"tilth/internal/audit"
	"tilth/internal/device"
	"tilth/internal/errs"
	"tilth/internal/reading"
	"tilth/internal/testkit"
)

func TestEngineOpensAndResolves(t *testing.T) {
	y := newYard(t)
	screen, _, _, _ := y.hub.Subscribe(y.owner, "", "")
	id := y.rule(func(r *alarm.Rule) { r.Hits, r.Description = 2, "cover the beds" })
	y.judge(y.air(1*second, 1.9))
	y.wants("")
	y.judge(y.air(2*second, 1.8))
	y.wants("Frost 2-")
	y.judge(y.air(3*second, 1.2))
	y.judge(y.air(4*second, 2))
	y.wants("Frost 2-4 recovered")
	y.judge(y.air(5*second, 1), y.air(6*second, 1), y.air(7*second, 3), y.air(8*second, 1)) // all in one batch
	y.wants("Frost 2-4 recovered; Frost 6-7 recovered")

	began, ended := testkit.Receive(t, "the begin", screen.Events), testkit.Receive(t, "the end", screen.Events)
	if began.Name != "notice" || ended.Name != "notice" {
		t.Errorf("events %s and %s", began.Name, ended.Name)
	}
	var live struct {
		ID, RuleID, StartTime, EndTime int64
		ResolveStatus                  int
		DeviceName                     string
	}
	y.must(json.Unmarshal(ended.Data, &live))
	if live.RuleID != int64(id) || live.ResolveStatus != 1 || live.DeviceName != "MAST" || live.EndTime-live.StartTime != 2*second {
		t.Errorf("told %s", ended.Data)
	}
	if strings.Contains(string(began.Data), "endTime") {
		t.Errorf("an open notice with an end: %s", began.Data)
	}

	d, err := y.Notices.Get(t.Context(), y.owner, live.ID)
	y.must(err)
	if d.Description != "cover the beds" || d.Was.Hits != 2 || len(d.Samples) != 2 || d.Samples[1].Values["airTemperature"] != reading.Number(1.8) {
		t.Errorf("%+v", d)
	}
	if got := y.engine.Stats(); got.Opened != 2 || got.Resolved != 2 || got.Open != 0 || got.Rules != 1 || got.Judged != 8 {
		t.Errorf("%+v", got)
	}
	if of, err := y.positions.OfTenants(t.Context()); err != nil || of[y.owner] != (alarm.Position{Entry: y.pos}) {
		t.Errorf("judged up to %v of %d (%v)", of, y.pos, err)
	}
}

// What was read before a rule was published does not trigger it, but is known
// to it.
func TestEngineBeginsAtPublishing(t *testing.T) {
	y := newYard(t)
	y.judge(y.air(-10*second, 1), y.air(0, 1), y.air(9*minute, 1)) // the last by a fast clock
	y.rule(func(r *alarm.Rule) {
		r.Conditions = append(r.Conditions, alarm.Condition{Join: "and", Attribute: "relativeHumidity", Operator: alarm.Above, Value: reading.Number(90)})
	})
	y.judge(y.air(9*minute, 1))
	y.judge(y.frame(9*minute+second, map[string]reading.Value{"relativeHumidity": reading.Number(95)}))
	y.wants("Frost 541-")
}

func TestEngineChange(t *testing.T) {
	y := newYard(t)
	id := y.rule(nil)
	y.judge(y.air(second, 1))
	y.Clock.Advance(2 * time.Second)

	y.publish(id) // runs already: nothing happens
	y.wants("Frost 1-")
	boom := errs.New(errs.Refused, "x")
	err := y.engine.Change(t.Context(), y.owner, []alarm.RuleID{id}, alarm.Deleted, func(ctx context.Context) error {
		y.must(y.rules.Delete(ctx, y.owner, id))
		return boom
	})
	if !errors.Is(err, boom) {
		t.Errorf("%v", err)
	}
	y.wants("Frost 1-")

	rival := y.Tenant(t, "rival").ID
	y.must(y.engine.Change(t.Context(), rival, []alarm.RuleID{id}, alarm.Deleted, func(context.Context) error { return nil }))
	y.wants("Frost 1-")

	card, err := y.rules.Get(t.Context(), y.owner, id)
	y.must(err)
	colder := card.Rule
	colder.Conditions[0].Value = reading.Number(-5)
	y.must(y.engine.Change(t.Context(), y.owner, []alarm.RuleID{id}, alarm.Changed, func(ctx context.Context) error {
		return y.rules.Update(ctx, y.owner, &colder)
	}))
	y.wants("Frost 1-2 changed")
	y.judge(y.air(3*second, 1))
	y.judge(y.air(4*second, -6))
	y.Clock.Advance(3 * time.Second)
	y.unpublish(id)
	y.unpublish(id)
	y.judge(y.air(6*second, 3))
	y.judge(y.air(7*second, -6))
	y.wants("Frost 1-2 changed; Frost 4-5 stopped")

	y.Clock.Advance(3 * time.Second)
	y.publish(id)
	y.judge(y.air(9*second, -6))
	y.Clock.Advance(3 * time.Second)
	y.must(y.engine.Change(t.Context(), y.owner, []alarm.RuleID{id}, alarm.Deleted, func(ctx context.Context) error {
		return y.rules.Delete(ctx, y.owner, id)
	}))
	y.judge(y.air(12*second, 5))
	y.wants("Frost 1-2 changed; Frost 4-5 stopped; Frost 9-11 deleted")
	if s := y.engine.Stats(); s.Rules != 0 || s.Open != 0 {
		t.Errorf("%+v", s)
	}
}

func TestEngineResolveByHand(t *testing.T) {
	y := newYard(t)
	y.rule(nil)
	y.judge(y.air(second, 1))
	n := y.newest()
	if err := y.engine.ResolveByHand(t.Context(), y.Tenant(t, "rival").ID, n.ID, "Eve", ""); !errs.Is(err, errs.NotFound) {
		t.Errorf("another tenant: %v", err)
	}
	y.Clock.Advance(3 * time.Second)
	y.must(y.engine.ResolveByHand(t.Context(), y.owner, n.ID, "Ada", "heater on"))
	if err := y.engine.ResolveByHand(t.Context(), y.owner, n.ID, "Ada", ""); !errs.Is(err, errs.Refused) {
		t.Errorf("again: %v", err)
	}
	if err := y.engine.ResolveByHand(t.Context(), y.owner, 999, "Ada", ""); !errs.Is(err, errs.NotFound) {
		t.Errorf("none such: %v", err)
	}
	d, err := y.Notices.Get(t.Context(), y.owner, n.ID)
	y.must(err)
	if d.Status != alarm.ResolvedByHand || d.ResolveUser != "Ada" || d.Remark != "heater on" || d.Reason != alarm.ByHand {
		t.Errorf("%+v", d)
	}
	// Armed again only by a sample for which the conditions are false, and a
	// restart in between changes nothing.
	y.judge(y.air(4*second, 1))
	y.restart()
	y.judge(y.air(5*second, 1))
	y.wants("Frost 1-3 byHand")
	y.judge(y.air(6*second, 4))
	y.restart()
	y.judge(y.air(7*second, 1))
	y.wants("Frost 1-3 byHand; Frost 7-")

	y.rule(func(r *alarm.Rule) { r.Name, r.ByHand = "Strict", false })
	y.judge(y.air(8*second, 1))
	if err := y.engine.ResolveByHand(t.Context(), y.owner, y.newest().ID, "Ada", ""); !errs.Is(err, errs.Refused) {
		t.Errorf("not allowed by hand: %v", err)
	}
	y.wants("Frost 1-3 byHand; Frost 7-; Strict 8-")
}

// A device that goes takes its rules along; their notices end, and nothing of
// them is judged or remembered.
func TestEngineReloadAfterDeletion(t *testing.T) {
	for name, restarted := range map[string]bool{"while it runs": false, "cut short by a kill": true} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t)
			y.rule(nil)
			y.judge(y.air(second, 1))
			y.must(y.Devices.Delete(t.Context(), y.owner, y.mast.ID))
			y.judge(y.air(2*second, 5)) // its last readings
			y.Clock.Advance(3 * time.Second)
			y.Reload(t)
			if restarted {
				y.restart()
			} else {
				y.must(y.engine.Reload(t.Context()))
			}
			y.wants("Frost 1-3 deleted")
			if s := y.engine.Stats(); s.Rules != 0 || s.Open != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// A device that was deleted before the engine heard of it does not stop the
// judging of the others.
func TestEngineGoesOnWithoutTheRuleOfADeletedDevice(t *testing.T) {
	y := newYard(t)
	y.rule(nil)
	other := y.Device(t, y.owner, y.station, "OTHER")
	y.rule(func(r *alarm.Rule) { r.Name, r.Device = "Other", other.ID })
	y.must(y.Devices.Delete(t.Context(), y.owner, y.mast.ID))
	theirs := y.air(2*second, 1)
	theirs.Device = other.ID
	y.judge(y.air(second, 1), theirs, y.air(3*second, 5))
	y.wants("Other 2-")
}

func TestEngineReloadAfterAChangeOfTheProduct(t *testing.T) {
	y := newYard(t)
	y.rule(func(r *alarm.Rule) { r.Hits = 2 })
	kept := y.rule(func(r *alarm.Rule) {
		r.Name, r.Conditions[0].Attribute = "Dry", "relativeHumidity"
	})
	y.judge(y.air(second, 1.96))
	// Without decimals, 1.96 is 2 and as it should be.
	y.station.Property("airTemperature").Precision = new(0)
	y.must(y.Catalog.PutProduct(t.Context(), y.station))
	y.Reload(t)
	y.must(y.engine.Reload(t.Context()))
	y.judge(y.air(2*second, 1.2))
	y.wants("")
	y.judge(y.frame(3*second, map[string]reading.Value{"relativeHumidity": reading.Number(1)}))
	y.judge(y.air(4*second, 1.2))
	y.wants("Dry 3-; Frost 4-")

	y.station.Properties = y.station.Properties[:1]
	y.must(y.Catalog.PutProduct(t.Context(), y.station))
	y.Reload(t)
	y.Clock.Advance(5 * time.Second)
	itself := y.Audit.With(t.Context(), audit.Who{By: audit.Server})
	y.must(y.engine.Reload(itself))
	y.must(y.engine.Reload(itself))
	y.wants("Dry 3-5 attributeGone; Frost 4-")
	card, err := y.rules.Get(t.Context(), y.owner, kept)
	y.must(err)
	if card.Deploy != alarm.TakenDown || card.DeployUser != "" {
		t.Errorf("%+v", card)
	}
	if d, err := y.Notices.Get(t.Context(), y.owner, card.Last.ID); err != nil || d.Attribute != "relativeHumidity" {
		t.Errorf("%+v %v", d, err)
	}
	entries, _, err := y.Audit.Page(t.Context(), y.owner, audit.Query{Kind: "rule", Limit: 1})
	y.must(err)
	want := []audit.Change{{Field: "deployState", Before: 1.0, After: 2.0}, {Field: "attributeGone", After: "relativeHumidity"}}
	if len(entries) != 1 || entries[0].Action != "unpublish" || !reflect.DeepEqual(entries[0].Changes, want) {
		t.Errorf("%+v", entries)
	}
	if n := strings.Count(y.Log.Text(), "what it watches is gone"); n != 1 {
		t.Errorf("said %d times", n)
	}
}

// The same where the product changed while the server was down: the attribute
// is there, of another type.
func TestStartAfterAChangeOfTheProduct(t *testing.T) {
	y := newYard(t)
	y.rule(nil)
	y.judge(y.air(second, 1))
	y.station.Property("airTemperature").DataType = device.Text
	y.must(y.Catalog.PutProduct(t.Context(), y.station))
	y.Reload(t)
	y.Clock.Advance(5 * time.Second)
	y.restart()
	y.wants("Frost 1-5 attributeGone")
	if d := y.detail(); d.Attribute != "airTemperature" {
		t.Errorf("%+v", d)
	}
}

// A notice that is there already and over is not taken for one that is open:
// the next sample begins another. So it is where it ended in the same writing.
func TestNoticeThatIsOver(t *testing.T) {
	y, told := recorded(t)
	id := y.rule(nil)
	over := func(at int64) {
		y.Notice(t, testkit.Notice{
			Device: y.mast, Rule: id, Revision: y.revision(id), Status: alarm.ResolvedItself,
			Started: testkit.Start.UnixMilli() + at, Ended: testkit.Start.UnixMilli() + at,
		})
	}
	over(second)
	y.judge(y.air(second, 1))
	if s := y.engine.Stats(); s.Open != 0 || s.Opened != 0 || told.said() != "" {
		t.Errorf("taken for an open one: %+v, told %q", s, told.said())
	}
	y.judge(y.air(2*second, 1))
	if n := y.newest(); n.Status != alarm.Pending || y.engine.Stats().Open != 1 {
		t.Errorf("%+v", n)
	}
	y.judge(y.air(3*second, 5))
	over(4 * second)
	y.judge(y.air(4*second, 1), y.air(5*second, 5))
	y.judge(y.air(6*second, 1))
	if n := y.newest(); n.Status != alarm.Pending || n.Start != testkit.Start.UnixMilli()+6*second || y.engine.Stats().Open != 1 {
		t.Errorf("%+v", n)
	}
	over(8 * second)
	y.judge(y.air(7*second, 5), y.air(8*second, 1)) // one ends and another begins
	if s := y.engine.Stats(); s.Open != 0 || s.Opened != 2 {
		t.Errorf("%+v", s)
	}
	y.judge(y.air(9*second, 1))
	y.judge(y.air(10*second, 5))
	if s := y.engine.Stats(); s.Open != 0 || s.Opened != 3 {
		t.Errorf("%+v", s)
	}
}
