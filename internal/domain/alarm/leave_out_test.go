package alarm_test

import (
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/errs"
)

// addOtherModel makes a device E of another product, which has the properties of the masts.
func (o *sceneFixture) addOtherModel(inScene bool) (model *device.Product) {
	o.t.Helper()
	m := *o.station
	m.ID, m.Name = 0, "pole"
	o.model(&m)
	d := o.Device(o.t, o.owner, &m, "E", func(d *device.Device) {
		if inScene {
			d.SceneID = o.scene
		}
	})
	o.masts = append(o.masts, d)
	return &m
}

// model stores a product as the provider's file does; the engine learns of it later.
func (o *sceneFixture) model(p *device.Product) {
	o.t.Helper()
	o.must(o.Catalog.PutProduct(o.t.Context(), p))
	o.Stores.Reload(o.t)
}

// withoutAirTemperature is a product without the attribute of the frost rules.
func withoutAirTemperature(p *device.Product) *device.Product {
	b := *p
	b.Properties = []device.Property{{Identifier: "rain", DataType: device.Number}}
	return &b
}

// reloadEngine lets the engine learn of the changes.
func (o *sceneFixture) reloadEngine() {
	o.t.Helper()
	o.must(o.engine.Reload(o.Audit.NewContext(o.t.Context(), audit.Actor{Kind: audit.Server})))
}

// states are the devices of a rule; ? marks one left out for its product, - one at its limit.
func (o *sceneFixture) states(id alarm.RuleID) string {
	o.t.Helper()
	list, _, err := o.rules.Devices(o.t.Context(), o.owner, id, 0, 100)
	o.must(err)
	line := ""
	for _, d := range list {
		line += d.Name + map[alarm.MemberState]string{alarm.Member: " ", alarm.AtLimit: "- ",
			alarm.Misfit: "? "}[d.State]
	}
	return line
}

// A device is left out while its product lacks an attribute, whether the server ran when the
// product changed or not. It joins when the attribute is back.
func TestDeviceLeftOutWhileAttributeMissing(t *testing.T) {
	for _, down := range []bool{false, true} {
		o := newSceneFixture(t)
		pole := o.addOtherModel(true)
		id := o.createSceneRule()
		takenUp := o.reloadEngine
		if down {
			takenUp = o.restart
		}
		o.Clock.Advance(time.Second)
		o.evaluateAirTemp(0, 0)
		o.evaluateAirTemp(4, 0)
		o.expect("A 1-; E 1-")
		o.model(withoutAirTemperature(pole))
		takenUp()
		o.expect("A 1-; E 1-1 attributeGone")
		if d := o.detail(); d.Attribute != "airTemperature" {
			t.Errorf("%+v", d)
		}
		if c := o.card(id); c.Deploy != alarm.Running || c.Members != 2 || c.LeftOut.Misfit != 1 || c.OpenCount != 1 {
			t.Errorf("down %t: %+v", down, c)
		}
		o.restart()
		o.Clock.Advance(time.Second)
		o.evaluateAirTemp(4, -1)
		o.evaluateAirTemp(0, 9)
		o.expect("A 1-2 recovered; E 1-1 attributeGone")
		o.model(pole)
		takenUp()
		if c := o.card(id); c.Members != 3 || c.LeftOut != (alarm.LeftOut{}) {
			t.Errorf("down %t: %+v", down, c)
		}
		o.evaluateAirTemp(4, -1)
		o.expect("A 1-2 recovered; E 1-1 attributeGone") // not from before it joined
		o.Clock.Advance(time.Second)
		o.evaluateAirTemp(4, -1)
		o.expect("A 1-2 recovered; E 1-1 attributeGone; E 3-")
		if got := o.memberAudit(); !down && got != "Frost left [E]; Frost joined [E]" {
			t.Errorf("audited %s", got)
		}
	}
}

// When a device moves before the engine knows that another's product lost an attribute, each leaves
// for its own reason.
func TestDevicesMoveBeforeAnAttributeIsGone(t *testing.T) {
	o := newSceneFixture(t)
	pole := o.addOtherModel(true)
	id := o.createSceneRule()
	o.Clock.Advance(time.Second)
	o.evaluateAirTemp(1, 0)
	o.evaluateAirTemp(4, 0)
	o.must(o.Catalog.PutProduct(t.Context(), withoutAirTemperature(pole)))
	o.must(o.Catalog.Load(t.Context())) // and the registry not yet
	o.move(1, false)
	o.expect("B 1-1 left; E 1-")
	o.Stores.Reload(t)
	o.reloadEngine()
	o.expect("B 1-1 left; E 1-1 attributeGone")
	if got := o.states(id); got != "A E? " {
		t.Errorf("devices %s", got)
	}
}

// A rule without any device left is stopped, also while the server is down. It names the missing
// attribute, and runs for all devices again when that is back.
func TestRuleStoppedWhenNoDeviceFits(t *testing.T) {
	for _, down := range []bool{false, true} {
		o := newSceneFixture(t)
		id := o.createSceneRule()
		o.Clock.Advance(time.Second)
		o.evaluateAirTemp(0, 0)
		o.model(withoutAirTemperature(o.station))
		if down {
			o.restart()
		} else {
			o.reloadEngine()
		}
		o.expect("A 1-1 attributeGone")
		c := o.card(id)
		if c.Deploy != alarm.TakenDown || c.DeployUser != "" || c.Members != 0 || c.LeftOut.Misfit != 2 ||
			c.DeviceName != "A" {
			t.Errorf("down %t: %+v", down, c)
		}
		publish := func() error { return o.rules.Publish(t.Context(), o.owner, id, "Ada") }
		if err := publish(); errs.As(err).Kind != errs.Refused || errs.As(err).Key != "rule.attributeGone" ||
			errs.As(err).Args["value"] != "airTemperature" {
			t.Errorf("it runs, though no device has its attributes: %v", err)
		}
		o.model(o.station)
		o.reloadEngine()
		o.expect("A 1-1 attributeGone")
		o.publish(id)
		o.Clock.Advance(time.Second)
		o.evaluateAirTemp(1, 0)
		o.expect("A 1-1 attributeGone; B 2-")
	}
}

// A product with fewer decimals than the rule's thresholds is evaluated as before: on rounded
// readings.
func TestFewerDecimalsKeepMembers(t *testing.T) {
	o := newSceneFixture(t)
	id := o.createSceneRule(func(r *alarm.Rule) { r.Conditions[0].Value = reading.Number(1.5) })
	o.Clock.Advance(time.Second)
	o.evaluateAirTemp(0, 1.2)
	coarse := *o.station
	coarse.Properties = append([]device.Property{}, coarse.Properties...)
	coarse.Property("airTemperature").Precision = new(0)
	o.model(&coarse)
	o.reloadEngine()
	o.restart()
	o.Device(t, o.owner, &coarse, "E", func(d *device.Device) { d.SceneID = o.scene })
	o.reloadEngine()
	o.expect("A 1-")
	if got := o.states(id); got != "A B E " {
		t.Errorf("devices %s", got)
	}
	o.unpublish(id)
	o.publish(id)
	if got := o.states(id); got != "A B E " {
		t.Errorf("devices %s", got)
	}
}

// A device that gets another product leaves the rule for its earlier product. That rule goes on,
// whatever the other product lacks.
func TestDeviceGetsAnotherModel(t *testing.T) {
	for _, down := range []bool{false, true} {
		o := newSceneFixture(t)
		pole := o.addOtherModel(false)
		id := o.createRule(func(r *alarm.Rule) { r.Device, r.Targets = 0, alarm.Targets{Products: []int64{pole.ID}} })
		o.Clock.Advance(time.Second)
		o.evaluateAirTemp(4, 0)
		camera := &device.Product{
			Name:       "camera",
			Properties: []device.Property{{Identifier: "live", DataType: device.Text}},
		}
		o.must(o.Catalog.PutProduct(t.Context(), camera))
		d := o.masts[4]
		d.ProductID = camera.ID
		o.must(o.Devices.Put(t.Context(), o.owner, d))
		o.Stores.Reload(t)
		if down {
			o.restart()
		} else {
			o.reloadEngine()
		}
		o.expect("E 1-1 left")
		if c := o.card(id); c.Deploy != alarm.Running || c.Members != 0 || c.LeftOut != (alarm.LeftOut{}) {
			t.Errorf("down %t: %+v", down, c)
		}
		d.ProductID = pole.ID
		o.must(o.Devices.Put(t.Context(), o.owner, d))
		o.Stores.Reload(t)
		o.reloadEngine()
		o.Clock.Advance(time.Second)
		o.evaluateAirTemp(4, 0)
		o.expect("E 1-1 left; E 2-")
	}
}
