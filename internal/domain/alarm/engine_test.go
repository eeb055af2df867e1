package alarm_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/comparator"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

func TestEngineOpensAndResolves(t *testing.T) {
	fx := newFixture(t)
	screen, _, _, _ := fx.hub.Subscribe(fx.owner, "", "")
	id := fx.createRule(func(r *alarm.Rule) { r.Hits, r.Description = 2, "cover the beds" })
	fx.evaluate(fx.airTemp(1*second, 1.9))
	fx.wantNotices("")
	fx.evaluate(fx.airTemp(2*second, 1.8))
	fx.wantNotices("Frost 2-")
	fx.evaluate(fx.airTemp(3*second, 1.2))
	fx.evaluate(fx.airTemp(4*second, 2))
	fx.wantNotices("Frost 2-4 recovered")
	fx.evaluate(
		fx.airTemp(5*second, 1),
		fx.airTemp(6*second, 1),
		fx.airTemp(7*second, 3),
		fx.airTemp(8*second, 1),
	) // all in one batch
	fx.wantNotices("Frost 2-4 recovered; Frost 6-7 recovered")

	began, ended := nextNotice(t, screen), nextNotice(t, screen)
	var live struct {
		ID, RuleID, StartTime, EndTime int64
		ResolveStatus                  int
		DeviceName                     string
	}
	fx.must(json.Unmarshal(ended.Data, &live))
	if live.RuleID != int64(id) || live.ResolveStatus != 1 || live.DeviceName != "MAST" ||
		live.EndTime-live.StartTime != 2*second {
		t.Errorf("published %s", ended.Data)
	}
	if strings.Contains(string(began.Data), "endTime") {
		t.Errorf("an open notice with an end: %s", began.Data)
	}

	d, err := fx.Notices.Get(t.Context(), fx.owner, live.ID)
	fx.must(err)
	if d.Description != "cover the beds" || d.RuleCopy.Hits != 2 || len(d.Samples) != 2 ||
		d.Samples[1].Values["airTemperature"] != reading.Number(1.8) {
		t.Errorf("%+v", d)
	}
	if got := fx.engine.Stats(); got.Opened != 2 || got.Resolved != 2 || got.Open != 0 || got.Rules != 1 ||
		got.Evaluated != 8 {
		t.Errorf("%+v", got)
	}
	if of, err := fx.positions.LoadTenants(t.Context()); err != nil || of[fx.owner] != (alarm.Position{Entry: fx.pos}) {
		t.Errorf("evaluated up to %v of %d (%v)", of, fx.pos, err)
	}
}

// Readings from before a rule was published do not trigger it, but it knows their values.
func TestEngineIgnoresReadingsBeforePublish(t *testing.T) {
	fx := newFixture(t)
	fx.evaluate(fx.airTemp(-10*second, 1), fx.airTemp(0, 1), fx.airTemp(9*minute, 1)) // the last one by a fast clock
	fx.createRule(func(r *alarm.Rule) {
		r.Conditions = append(r.Conditions, alarm.Condition{Join: "and", Attribute: "relativeHumidity",
			Operator: comparator.Above, Value: reading.Number(90)})
	})
	fx.evaluate(fx.airTemp(9*minute, 1))
	fx.evaluate(fx.frame(9*minute+second, map[string]reading.Value{"relativeHumidity": reading.Number(95)}))
	fx.wantNotices("Frost 541-")
}

func TestEngineChange(t *testing.T) {
	fx := newFixture(t)
	id := fx.createRule(nil)
	fx.evaluate(fx.airTemp(second, 1))
	fx.Clock.Advance(2 * time.Second)

	fx.publish(id) // runs already: nothing happens
	fx.wantNotices("Frost 1-")
	boom := errs.New(errs.Refused, "x")
	err := fx.engine.Change(t.Context(), fx.owner, []alarm.RuleID{id}, alarm.Deleted, func(ctx context.Context) error {
		fx.must(fx.rules.Delete(ctx, fx.owner, id))
		return boom
	})
	if !errors.Is(err, boom) {
		t.Errorf("%v", err)
	}
	fx.wantNotices("Frost 1-")

	rival := fx.Tenant(t, "rival").ID
	fx.must(fx.engine.Change(t.Context(), rival, []alarm.RuleID{id}, alarm.Deleted,
		func(context.Context) error { return nil }))
	fx.wantNotices("Frost 1-")

	card, err := fx.rules.Get(t.Context(), fx.owner, id)
	fx.must(err)
	colder := card.Rule
	colder.Conditions[0].Value = reading.Number(-5)
	fx.must(fx.engine.Change(t.Context(), fx.owner, []alarm.RuleID{id}, alarm.Changed, func(ctx context.Context) error {
		return fx.rules.Update(ctx, fx.owner, &colder)
	}))
	fx.wantNotices("Frost 1-2 changed")
	fx.evaluate(fx.airTemp(3*second, 1))
	fx.evaluate(fx.airTemp(4*second, -6))
	fx.Clock.Advance(3 * time.Second)
	fx.unpublish(id)
	fx.unpublish(id)
	fx.evaluate(fx.airTemp(6*second, 3))
	fx.evaluate(fx.airTemp(7*second, -6))
	fx.wantNotices("Frost 1-2 changed; Frost 4-5 stopped")

	fx.Clock.Advance(3 * time.Second)
	fx.publish(id)
	fx.evaluate(fx.airTemp(9*second, -6))
	fx.Clock.Advance(3 * time.Second)
	fx.must(fx.engine.Change(t.Context(), fx.owner, []alarm.RuleID{id}, alarm.Deleted, func(ctx context.Context) error {
		return fx.rules.Delete(ctx, fx.owner, id)
	}))
	fx.evaluate(fx.airTemp(12*second, 5))
	fx.wantNotices("Frost 1-2 changed; Frost 4-5 stopped; Frost 9-11 deleted")
	if s := fx.engine.Stats(); s.Rules != 0 || s.Open != 0 {
		t.Errorf("%+v", s)
	}
}

func TestEngineResolveManually(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(nil)
	fx.evaluate(fx.airTemp(second, 1))
	n := fx.newest()
	if err := fx.engine.ResolveManually(t.Context(), fx.Tenant(t, "rival").
		ID, n.ID, "Eve", ""); !errs.Is(err, errs.NotFound) {
		t.Errorf("another tenant: %v", err)
	}
	fx.Clock.Advance(3 * time.Second)
	fx.must(fx.engine.ResolveManually(t.Context(), fx.owner, n.ID, "Ada", "heater on"))
	if err := fx.engine.ResolveManually(t.Context(), fx.owner, n.ID, "Ada", ""); !errs.Is(err, errs.Refused) {
		t.Errorf("again: %v", err)
	}
	if err := fx.engine.ResolveManually(t.Context(), fx.owner, 999, "Ada", ""); !errs.Is(err, errs.NotFound) {
		t.Errorf("unknown notice: %v", err)
	}
	d, err := fx.Notices.Get(t.Context(), fx.owner, n.ID)
	fx.must(err)
	if d.Status != alarm.ResolvedManually || d.ResolveUser != "Ada" || d.Remark != "heater on" ||
		d.Reason != alarm.Manual {
		t.Errorf("%+v", d)
	}
	// Only a sample for which the conditions are false arms the rule again, also after a restart.
	fx.evaluate(fx.airTemp(4*second, 1))
	fx.restart()
	fx.evaluate(fx.airTemp(5*second, 1))
	fx.wantNotices("Frost 1-3 byHand")
	fx.evaluate(fx.airTemp(6*second, 4))
	fx.restart()
	fx.evaluate(fx.airTemp(7*second, 1))
	fx.wantNotices("Frost 1-3 byHand; Frost 7-")

	fx.createRule(func(r *alarm.Rule) { r.Name, r.ManualRelease = "Strict", false })
	fx.evaluate(fx.airTemp(8*second, 1))
	if err := fx.engine.ResolveManually(t.Context(), fx.owner, fx.newest().ID, "Ada", ""); !errs.Is(err, errs.Refused) {
		t.Errorf("a rule without manual release: %v", err)
	}
	fx.wantNotices("Frost 1-3 byHand; Frost 7-; Strict 8-")
}

// When a device is deleted, its rules are deleted with it: their notices end, and nothing of them
// is evaluated or remembered.
func TestEngineReloadAfterDeletion(t *testing.T) {
	for name, restarted := range map[string]bool{"while it runs": false, "cut short by a kill": true} {
		t.Run(name, func(t *testing.T) {
			fx := newFixture(t)
			fx.createRule(nil)
			fx.evaluate(fx.airTemp(second, 1))
			fx.must(fx.Devices.Delete(t.Context(), fx.owner, fx.mast.ID))
			fx.evaluate(fx.airTemp(2*second, 5)) // its last readings
			fx.Clock.Advance(3 * time.Second)
			fx.Reload(t)
			if restarted {
				fx.restart()
			} else {
				fx.must(fx.engine.Reload(t.Context()))
			}
			fx.wantNotices("Frost 1-3 deleted")
			if s := fx.engine.Stats(); s.Rules != 0 || s.Open != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// A device that was deleted before the engine noticed does not stop the evaluation of the others.
func TestDeletedDeviceDoesNotStopEvaluation(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(nil)
	other := fx.Device(t, fx.owner, fx.station, "OTHER")
	fx.createRule(func(r *alarm.Rule) { r.Name, r.Device = "Other", other.ID })
	fx.must(fx.Devices.Delete(t.Context(), fx.owner, fx.mast.ID))
	theirs := fx.airTemp(2*second, 1)
	theirs.Device = other.ID
	fx.evaluate(fx.airTemp(second, 1), theirs, fx.airTemp(3*second, 5))
	fx.wantNotices("Other 2-")
}

func TestEngineReloadAfterAChangeOfTheProduct(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(func(r *alarm.Rule) { r.Hits = 2 })
	kept := fx.createRule(func(r *alarm.Rule) {
		r.Name, r.Conditions[0].Attribute = "Dry", "relativeHumidity"
	})
	fx.evaluate(fx.airTemp(second, 1.96))
	// Without decimals, 1.96 counts as 2, for which the conditions are false.
	fx.station.Property("airTemperature").Precision = new(0)
	fx.must(fx.Catalog.PutProduct(t.Context(), fx.station))
	fx.Reload(t)
	fx.must(fx.engine.Reload(t.Context()))
	fx.evaluate(fx.airTemp(2*second, 1.2))
	fx.wantNotices("")
	fx.evaluate(fx.frame(3*second, map[string]reading.Value{"relativeHumidity": reading.Number(1)}))
	fx.evaluate(fx.airTemp(4*second, 1.2))
	fx.wantNotices("Dry 3-; Frost 4-")

	fx.station.Properties = fx.station.Properties[:1]
	fx.must(fx.Catalog.PutProduct(t.Context(), fx.station))
	fx.Reload(t)
	fx.Clock.Advance(5 * time.Second)
	itself := fx.Audit.NewContext(t.Context(), audit.Actor{Kind: audit.Server})
	fx.must(fx.engine.Reload(itself))
	fx.must(fx.engine.Reload(itself))
	fx.wantNotices("Dry 3-5 attributeGone; Frost 4-")
	card, err := fx.rules.Get(t.Context(), fx.owner, kept)
	fx.must(err)
	if card.Deploy != alarm.TakenDown || card.DeployUser != "" {
		t.Errorf("%+v", card)
	}
	if d, err := fx.Notices.Get(t.Context(), fx.owner, card.Last.ID); err != nil || d.Attribute != "relativeHumidity" {
		t.Errorf("%+v %v", d, err)
	}
	entries, _, err := fx.Audit.Page(t.Context(), fx.owner, audit.Query{Kind: "rule", Limit: 1})
	fx.must(err)
	want := []audit.Change{{Field: "deployState", Before: 1.0, After: 2.0},
		{Field: "attributeGone", After: "relativeHumidity"}}
	if len(entries) != 1 || entries[0].Action != "unpublish" || !reflect.DeepEqual(entries[0].Changes, want) {
		t.Errorf("%+v", entries)
	}
	if n := strings.Count(fx.Log.Text(), "leaves a device out"); n != 1 {
		t.Errorf("the log says %d times that the rule leaves a device out", n)
	}
}

// The same where the product changed while the server was down: the attribute exists, with another
// type.
func TestStartAfterAChangeOfTheProduct(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(nil)
	fx.evaluate(fx.airTemp(second, 1))
	fx.station.Property("airTemperature").DataType = device.Text
	fx.must(fx.Catalog.PutProduct(t.Context(), fx.station))
	fx.Reload(t)
	fx.Clock.Advance(5 * time.Second)
	fx.restart()
	fx.wantNotices("Frost 1-5 attributeGone")
	if d := fx.detail(); d.Attribute != "airTemperature" {
		t.Errorf("%+v", d)
	}
}

// A stored notice that is over is not taken for an open one: the next sample begins another. The
// same holds where it ended in the same transaction.
func TestExistingClosedNoticeIsNotReopened(t *testing.T) {
	fx, rec := newRecordingFixture(t)
	id := fx.createRule(nil)
	over := func(at int64) {
		fx.Notice(t, testkit.Notice{
			Device: fx.mast, Rule: id, Revision: fx.revision(id), Status: alarm.ResolvedAutomatically,
			Start: testkit.Start.UnixMilli() + at, End: testkit.Start.UnixMilli() + at,
		})
	}
	over(second)
	fx.evaluate(fx.airTemp(second, 1))
	if s := fx.engine.Stats(); s.Open != 0 || s.Opened != 0 || rec.takeLines() != "" {
		t.Errorf("taken for an open one: %+v, notifications %q", s, rec.takeLines())
	}
	fx.evaluate(fx.airTemp(2*second, 1))
	if n := fx.newest(); n.Status != alarm.Pending || fx.engine.Stats().Open != 1 {
		t.Errorf("%+v", n)
	}
	fx.evaluate(fx.airTemp(3*second, 5))
	over(4 * second)
	fx.evaluate(fx.airTemp(4*second, 1), fx.airTemp(5*second, 5))
	fx.evaluate(fx.airTemp(6*second, 1))
	if n := fx.newest(); n.Status != alarm.Pending || n.Start != testkit.Start.UnixMilli()+6*second ||
		fx.engine.Stats().Open != 1 {
		t.Errorf("%+v", n)
	}
	over(8 * second)
	fx.evaluate(fx.airTemp(7*second, 5), fx.airTemp(8*second, 1)) // one ends and another begins
	if s := fx.engine.Stats(); s.Open != 0 || s.Opened != 2 {
		t.Errorf("%+v", s)
	}
	fx.evaluate(fx.airTemp(9*second, 1))
	fx.evaluate(fx.airTemp(10*second, 5))
	if s := fx.engine.Stats(); s.Open != 0 || s.Opened != 3 {
		t.Errorf("%+v", s)
	}
}
