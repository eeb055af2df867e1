package alarm_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

// sceneFixture is a fixture whose rules are for scenes of several devices.
type sceneFixture struct {
	*fixture
	scene int64
	masts []*device.Device // A, B, C, D; the first two are in the scene
}

func newSceneFixture(t testing.TB) *sceneFixture {
	t.Helper()
	o := &sceneFixture{fixture: newFixture(t)}
	o.scene = o.Scene(t, o.owner, "Orchard")
	for i, name := range []string{"A", "B", "C", "D"} {
		o.masts = append(o.masts, o.Device(t, o.owner, o.station, name, func(d *device.Device) {
			if i < 2 {
				d.SceneID = o.scene
			}
		}))
	}
	return o
}

// createSceneRule makes a running rule for the scene.
func (o *sceneFixture) createSceneRule(with ...func(r *alarm.Rule)) alarm.RuleID {
	o.t.Helper()
	return o.createRule(func(r *alarm.Rule) {
		r.Device, r.Targets = 0, alarm.Targets{Scenes: []int64{o.scene}}
		for _, w := range with {
			w(r)
		}
	})
}

// evaluateAirTemp evaluates a temperature that a mast measures now.
func (o *sceneFixture) evaluateAirTemp(mast int, degrees float64) {
	o.t.Helper()
	a := o.airTemp(o.Clock.Milli()-startMilli(), degrees)
	a.Device = o.masts[mast].ID
	o.evaluate(a)
}

func startMilli() int64 { return testkit.Start.UnixMilli() }

// assignScene puts the mast into the scene, or into none; the engine learns of it later.
func (o *sceneFixture) assignScene(mast int, in bool) {
	o.t.Helper()
	edit := device.Edit{NoteName: o.masts[mast].Name}
	if in {
		edit.SceneID = o.scene
	}
	o.must(o.Devices.Edit(o.t.Context(), o.owner, o.masts[mast].Name, edit))
}

// move is assignScene with a reload of the engine.
func (o *sceneFixture) move(mast int, in bool) {
	o.t.Helper()
	o.assignScene(mast, in)
	o.must(o.engine.Reload(o.Audit.NewContext(o.t.Context(), audit.Actor{Kind: audit.Server})))
}

// notices are the tenant's notices, oldest first: the device, begin and end in seconds after the
// first begin, and why they ended.
func (o *sceneFixture) notices() string {
	o.t.Helper()
	list, _, err := o.Notices.Page(o.t.Context(), o.owner, alarm.NoticeQuery{Limit: 400})
	o.must(err)
	var lines []string
	for _, n := range slices.Backward(list) {
		d, err := o.Notices.Get(o.t.Context(), o.owner, n.ID)
		o.must(err)
		line := fmt.Sprintf("%s %d-", n.DeviceName, (n.Start-startMilli())/1000)
		if n.Status != alarm.Pending {
			line += fmt.Sprintf("%d %s", (n.End-startMilli())/1000, d.Reason)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

func (o *sceneFixture) expect(want string) {
	o.t.Helper()
	if got := o.notices(); got != want {
		o.t.Errorf("notices %q, want %q", got, want)
	}
}

func (o *sceneFixture) card(id alarm.RuleID) *alarm.RuleCard {
	o.t.Helper()
	c, err := o.rules.Get(o.t.Context(), o.owner, id)
	o.must(err)
	return c
}

// memberAudit are the newest audit entries of automatic changes of rules' devices.
func (o *sceneFixture) memberAudit() string {
	o.t.Helper()
	entries, _, err := o.Audit.Page(o.t.Context(), o.owner, audit.Query{Kind: "rule", Limit: 100})
	o.must(err)
	var lines []string
	for _, e := range slices.Backward(entries) {
		if e.Action != "devices" {
			continue
		}
		line := e.Thing.Name
		for _, c := range e.Changes {
			line += fmt.Sprintf(" %s %v", c.Field, c.After)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// Each device of a rule has notices of its own, also where they begin at the same moment.
func TestRuleOfManyDevices(t *testing.T) {
	o := newSceneFixture(t)
	id := o.createSceneRule()
	o.Clock.Advance(time.Second)
	a, b := o.airTemp(o.Clock.Milli()-startMilli(), 0), o.airTemp(o.Clock.Milli()-startMilli(), 1)
	a.Device, b.Device = o.masts[0].ID, o.masts[1].ID
	o.evaluate(a, b)
	o.evaluateAirTemp(2, -5) // not in the scene
	o.expect("A 1-; B 1-")
	if c := o.card(id); c.Members != 2 || c.OpenCount != 2 || c.DeviceName != "A" || len(c.Named) != 0 ||
		c.LeftOut != (alarm.LeftOut{}) {
		t.Errorf("%+v", c)
	}
	o.restart()
	o.Clock.Advance(time.Second)
	o.evaluateAirTemp(0, 9)
	o.expect("A 1-2 recovered; B 1-")
	if c := o.card(id); c.OpenCount != 1 || c.Open == nil || c.Last == nil {
		t.Errorf("%+v", c)
	}
	// A manual resolution ends one notice, and only that one's device waits.
	o.must(o.engine.ResolveManually(t.Context(), o.owner, o.card(id).Open.ID, "Ada", ""))
	o.Clock.Advance(time.Second)
	o.evaluateAirTemp(0, 1)
	o.evaluateAirTemp(1, 1)
	o.expect("A 1-2 recovered; B 1-2 byHand; A 3-")
	// A change of the rule ends all of them.
	o.must(o.engine.Change(t.Context(), o.owner, []alarm.RuleID{id}, alarm.Stopped, func(ctx context.Context) error {
		return o.rules.Unpublish(ctx, o.owner, id, "Ada")
	}))
	o.expect("A 1-2 recovered; B 1-2 byHand; A 3-3 stopped")
}

// A device that enters a rule's scene is evaluated from then on. When a device leaves the scene,
// its notice ends with that reason. The others continue undisturbed.
func TestDevicesJoinAndLeave(t *testing.T) {
	o := newSceneFixture(t)
	id := o.createSceneRule(func(r *alarm.Rule) { r.Hits = 2 })
	for range 2 {
		o.Clock.Advance(time.Second)
		o.evaluateAirTemp(0, 0)
		o.evaluateAirTemp(2, 0)
	}
	o.evaluateAirTemp(1, 0) // one of two hits
	o.expect("A 2-")
	revision := o.revision(id)
	o.move(2, true)
	o.Clock.Advance(time.Second)
	o.evaluateAirTemp(2, 0) // readings from before it joined do not count
	o.evaluateAirTemp(1, 0)
	o.expect("A 2-; B 3-")
	o.Clock.Advance(time.Second)
	o.evaluateAirTemp(2, 0)
	o.expect("A 2-; B 3-; C 4-")
	o.Clock.Advance(time.Second)
	o.move(1, false)
	o.expect("A 2-; B 3-5 left; C 4-")
	o.Clock.Advance(time.Second)
	o.evaluateAirTemp(1, -9)
	o.evaluateAirTemp(1, -9)
	o.expect("A 2-; B 3-5 left; C 4-")
	if c := o.card(id); c.Members != 2 || c.OpenCount != 2 || o.revision(id) != revision {
		t.Errorf("%+v", c)
	}
	o.must(o.engine.Reload(t.Context())) // a second time: nothing is left to do
	o.restart()
	o.expect("A 2-; B 3-5 left; C 4-")
	if got := o.memberAudit(); got != "Frost joined [C]; Frost left [B]" {
		t.Errorf("audited %s", got)
	}
}

// A rule for a product has the devices of that product, in any scene, and those that are added
// later. The default group is a scene like others.
func TestRulesOfModelsAndTheDefaultGroup(t *testing.T) {
	o := newSceneFixture(t)
	model := o.createRule(func(r *alarm.Rule) { r.Targets = alarm.Targets{Products: []int64{o.station.ID}} })
	rest := o.createRule(func(r *alarm.Rule) {
		r.Targets = alarm.Targets{Scenes: []int64{device.DefaultScene}, Devices: []device.ID{o.masts[0].ID}}
	})
	if a, b := o.card(model), o.card(rest); a.Members != 5 || b.Members != 4 || b.DeviceName != "A" ||
		!slices.Equal(b.Named, []string{"A"}) {
		t.Fatalf("%+v\n%+v", a, b)
	}
	o.Device(t, o.owner, o.station, "E")
	o.Reload(t)
	o.move(2, true)
	if a, b := o.card(model), o.card(rest); a.Members != 6 || b.Members != 4 {
		t.Errorf("%+v\n%+v", a, b)
	}
	list, total, err := o.rules.Devices(t.Context(), o.owner, rest, 0, 10)
	if err != nil || total != 4 || list[0].Name != "A" || list[0].Scene != "Orchard" || list[1].Name != "D" ||
		list[1].Scene != "" {
		t.Errorf("%d %+v %v", total, list, err)
	}
	if _, _, err := o.rules.Devices(t.Context(), o.Tenant(t, "rival").ID, rest, 0, 10); err == nil {
		t.Error("another tenant sees the devices")
	}
}

// A device whose product does not fit a rule, and one that has the maximum of rules, are left out.
// They join as soon as that changes.
func TestDevicesLeftOut(t *testing.T) {
	o := newSceneFixture(t)
	camera := &device.Product{
		Name:       "camera",
		Properties: []device.Property{{Identifier: "live", DataType: device.Text}},
	}
	o.must(o.Catalog.PutProduct(t.Context(), camera))
	o.Stores.Reload(t)
	o.Device(t, o.owner, camera, "CAM", func(d *device.Device) { d.SceneID = o.scene })
	manyRules(t, o.Stores, o.owner, []device.ID{o.masts[1].ID}, alarm.MaxRulesPerDevice)
	id := o.createSceneRule()
	if c := o.card(id); c.Members != 1 || c.LeftOut != (alarm.LeftOut{AtLimit: 1, Misfit: 1}) || c.DeviceName != "A" {
		t.Fatalf("%+v", c)
	}
	o.Clock.Advance(time.Second)
	o.evaluateAirTemp(1, -5)
	o.expect("")
	manyRules(t, o.Stores, o.owner, []device.ID{o.masts[2].ID}, alarm.MaxRulesPerDevice)
	o.move(2, true)
	if got := o.memberAudit(); got != "Frost atLimit [C]" {
		t.Errorf("audited %s", got)
	}
	list, _, err := o.rules.Devices(t.Context(), o.owner, id, 0, 10)
	o.must(err)
	states := map[string]alarm.MemberState{}
	for _, d := range list {
		states[d.Name] = d.State
	}
	if want := map[string]alarm.MemberState{
		"A":   alarm.Member,
		"B":   alarm.AtLimit,
		"C":   alarm.AtLimit,
		"CAM": alarm.Misfit,
	}; !maps.Equal(states, want) ||
		list[0].Name != "A" {
		t.Errorf("%+v, want %v", list, want)
	}
	// One of its rules is deleted: the device joins, and is evaluated from then on.
	var theirs alarm.RuleID
	o.must(o.DB.Read(t.Context()).NewSelect().Table("alarm_rule_targets").Column("rule_id").
		Where("device_id = ?", o.masts[1].ID).Limit(1).Scan(t.Context(), &theirs))
	o.must(o.engine.Change(t.Context(), o.owner, []alarm.RuleID{theirs}, alarm.Deleted,
		func(ctx context.Context) error {
			return o.rules.Delete(ctx, o.owner, theirs)
		}))
	o.must(o.engine.Reload(t.Context()))
	if c := o.card(id); c.Members != 2 || c.LeftOut != (alarm.LeftOut{AtLimit: 1, Misfit: 1}) {
		t.Errorf("%+v", c)
	}
	o.evaluateAirTemp(1, -5)
	o.expect("")
	o.Clock.Advance(time.Second)
	o.evaluateAirTemp(1, -5)
	o.expect("B 2-")
}

// When a product loses an attribute of a rule, its devices are left out. A rule without any other
// device is stopped.
func TestModelsThatLoseAnAttribute(t *testing.T) {
	o := newSceneFixture(t)
	other := *o.station
	other.ID, other.Name = 0, "other"
	o.must(o.Catalog.PutProduct(t.Context(), &other))
	o.Stores.Reload(t)
	d := o.Device(t, o.owner, &other, "E", func(d *device.Device) { d.SceneID = o.scene })
	o.masts = append(o.masts, d)
	id := o.createSceneRule()
	o.Clock.Advance(time.Second)
	o.evaluateAirTemp(0, 0)
	o.evaluateAirTemp(4, 0)
	o.expect("A 1-; E 1-")
	bare := other
	bare.Properties = []device.Property{{Identifier: "rain", DataType: device.Number}}
	o.must(o.Catalog.PutProduct(t.Context(), &bare))
	o.Stores.Reload(t)
	o.must(o.engine.Reload(t.Context()))
	o.expect("A 1-; E 1-1 attributeGone")
	if c := o.card(id); c.Deploy != alarm.Running || c.Members != 2 || c.LeftOut.Misfit != 1 {
		t.Errorf("%+v", c)
	}
	o.restart()
	gone := *o.station
	gone.Properties = bare.Properties
	o.must(o.Catalog.PutProduct(t.Context(), &gone))
	o.Stores.Reload(t)
	o.must(o.engine.Reload(t.Context()))
	o.expect("A 1-1 attributeGone; E 1-1 attributeGone")
	if c := o.card(id); c.Deploy != alarm.TakenDown {
		t.Errorf("%+v", c)
	}
}

// A deleted device leaves the rules that have other targets, too. A rule for that device alone is
// deleted.
func TestDeletedDeviceLeavesItsRules(t *testing.T) {
	o := newSceneFixture(t)
	shared := o.createRule(func(r *alarm.Rule) {
		r.Targets = alarm.Targets{Devices: []device.ID{o.masts[0].ID,
			o.masts[1].ID}}
	})
	alone := o.createRule(func(r *alarm.Rule) { r.Targets = alarm.Targets{Devices: []device.ID{o.masts[0].ID}} })
	o.Clock.Advance(time.Second)
	o.evaluateAirTemp(0, 0)
	o.evaluateAirTemp(1, 0)
	o.expect("A 1-; A 1-; B 1-")
	o.must(errors.Join(o.rules.ForgetDevice(t.Context(), o.owner, o.masts[0].ID),
		o.Devices.Delete(t.Context(), o.owner, o.masts[0].ID)))
	o.Stores.Reload(t)
	o.must(o.engine.Reload(t.Context()))
	o.expect("A 1-1 deleted; A 1-1 deleted; B 1-")
	if c := o.card(shared); c.Members != 1 || c.DeviceName != "B" || !slices.Equal(c.Named, []string{"B"}) {
		t.Errorf("%+v", c)
	}
	if _, err := o.rules.Get(t.Context(), o.owner, alone); err == nil {
		t.Error("a rule for a deleted device exists")
	}
}

// A rule on being offline counts for each of its devices separately, for one that joins from then
// on.
func TestOfflineOfMany(t *testing.T) {
	o := newSceneFixture(t)
	o.createSceneRule(func(r *alarm.Rule) {
		r.Trigger, r.Conditions, r.Window = alarm.DeviceOffline, nil,
			5*time.Minute
	})
	o.Clock.Advance(2 * time.Minute)
	o.move(2, true)
	o.Clock.Advance(3 * time.Minute)
	o.tick()
	o.expect("A 300-; B 300-")
	o.Clock.Advance(2 * time.Minute)
	o.tick()
	o.expect("A 300-; B 300-; C 420-")
	o.move(0, false)
	o.restart()
	o.expect("A 300-420 left; B 300-; C 420-")
}

// However devices move and readings come, and wherever the server is killed between, the notices
// equal those of an independent list.
func TestRandomMoves(t *testing.T) {
	for seed := range uint64(30 / stride(5)) {
		r := rand.New(rand.NewPCG(20261125, seed))
		o := newSceneFixture(t)
		o.createSceneRule()
		type notice struct {
			mast       int
			start, end int64
			why        string
		}
		var all []notice
		in, asked, open := map[int]bool{0: true, 1: true}, map[int]bool{0: true, 1: true}, map[int]int{}
		now := func() int64 { return (o.Clock.Milli() - startMilli()) / 1000 }
		end := func(mast int, why string) {
			if i, is := open[mast]; is {
				all[i].end, all[i].why = now(), why
				delete(open, mast)
			}
		}
		waitCaughtUp := func() {
			for mast := range o.masts {
				if in[mast] && !asked[mast] {
					end(mast, "left")
				}
				in[mast] = asked[mast]
			}
		}
		var story []string
		for range 60 {
			o.Clock.Advance(time.Second)
			mast := r.IntN(len(o.masts))
			switch step := r.IntN(10); {
			case step < 5:
				degrees := float64(r.IntN(2) * 9)
				story = append(story, fmt.Sprintf("%d: %s %g", now(), o.masts[mast].Name, degrees))
				o.evaluateAirTemp(mast, degrees)
				_, is := open[mast]
				switch {
				case !in[mast]:
				case degrees == 0 && !is:
					open[mast] = len(all)
					all = append(all, notice{mast: mast, start: now()})
				case degrees != 0:
					end(mast, "recovered")
				}
			case step < 8:
				asked[mast] = r.IntN(2) == 0
				story = append(story, fmt.Sprintf("%d: %s in %t", now(), o.masts[mast].Name, asked[mast]))
				if o.assignScene(mast, asked[mast]); step == 5 {
					break // perhaps killed before the engine learned of it
				}
				o.must(o.engine.Reload(t.Context()))
				waitCaughtUp()
			default:
				story = append(story, fmt.Sprintf("%d: restart", now()))
				o.restart()
				waitCaughtUp()
			}
		}
		slices.SortStableFunc(all, func(a, b notice) int { return int(a.start - b.start) })
		var lines []string
		for _, n := range all {
			line := fmt.Sprintf("%s %d-", o.masts[n.mast].Name, n.start)
			if n.why != "" {
				line += fmt.Sprintf("%d %s", n.end, n.why)
			}
			lines = append(lines, line)
		}
		if want := strings.Join(lines, "; "); o.notices() != want {
			t.Fatalf("seed %d\n%s\nnotices %s\nwant    %s", seed, strings.Join(story, "\n"), o.notices(), want)
		}
	}
}

// Frames from before a device joined do not count, wherever the evaluation starts.
func TestJoinIgnoresBacklogReadings(t *testing.T) {
	o := newSceneFixture(t)
	o.createSceneRule()
	o.Clock.Advance(time.Second)
	a := o.airTemp(o.Clock.Milli()-startMilli(), 0)
	a.Device = o.masts[2].ID
	o.send(a) // durable, and not evaluated
	o.Clock.Advance(time.Second)
	o.assignScene(2, true)
	o.restart()
	o.expect("")
	o.Clock.Advance(time.Second)
	o.evaluateAirTemp(2, 0)
	o.expect("C 3-")
}
