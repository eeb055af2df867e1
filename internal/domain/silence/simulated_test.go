package silence_test

import (
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/silence"
	"tilth/internal/tools/farm"
	"tilth/internal/tools/testkit"
)

// Devices of the simulated farm: all have batteries.
const (
	dyingProbe  = "SP-1204" // its battery dies; at the end it is dark from late evening to morning
	silentProbe = "SP-1217" // silent since yesterday afternoon
	newProbe    = "SP-1299" // never installed
	probe       = "SP-1203"
	mast        = "WS-0417"
	station     = "WL-0008"
)

// simulate stores what a device of the simulated farm sent in six days until a moment, as the edge
// does: reports are late, repeated, lost or come in batches.
func (f *farmWithSimulator) simulate(t *testing.T, d *device.Device, name string, until time.Time) {
	t.Helper()
	var simulated *farm.Device
	for _, each := range f.simulator.Devices() {
		if each.Name == name {
			simulated = each
		}
	}
	volts := f.Catalog.Product(d.ProductID).Property("batteryVoltage").ID
	for r := range simulated.Reports(until.Add(-6*24*time.Hour), until, 10*time.Minute) {
		var fields []reading.Field
		for _, v := range r.Values {
			if v.Identifier == "batteryVoltage" {
				fields = append(fields, reading.Field{Property: volts, Value: reading.Number(v.Value.(float64))})
			}
		}
		f.Presence.SeenAt(testkit.Ref(d), r.Sent.UnixMilli())
		if len(fields) == 0 {
			continue
		}
		err := f.readings.Append(t.Context(), []reading.Arrival{{
			At:    r.Sent.UnixMilli(),
			Frame: reading.Frame{Tenant: d.Tenant, Device: d.ID, Time: r.Time.UnixMilli(), Fields: fields},
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

type farmWithSimulator struct {
	*fixture
	simulator *farm.Farm
	now       time.Time
}

// What becomes of devices of the simulated farm, and what the product says of it. The causes are
// seeded; the readings are the farm's, with its weather, batteries, gaps and late reports.
func TestCausesOnTheSimulatedFarm(t *testing.T) {
	dawn := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 3, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		name   string
		device string
		seed   uint64
		now    time.Time
		until  time.Duration // before now; the device sends nothing later
		seeded func(f *farmWithSimulator, d *device.Device)
		want   silence.Kind
	}{
		{name: "its battery is empty before dawn", device: dyingProbe, seed: 1, now: dawn(time.March, 3), want: silence.BatteryLow},
		{name: "another spring", device: dyingProbe, seed: 2, now: dawn(time.April, 17), want: silence.BatteryLow},
		{name: "in summer", device: dyingProbe, seed: 3, now: dawn(time.July, 8), want: silence.BatteryLow},
		{name: "in autumn", device: dyingProbe, seed: 4, now: dawn(time.October, 21), want: silence.BatteryLow},
		{name: "in winter", device: dyingProbe, seed: 5, now: dawn(time.December, 12), want: silence.BatteryLow},
		{
			name: "its battery is empty, and nobody came for a day", device: dyingProbe, seed: 6, now: dawn(time.May, 5),
			until: 24 * time.Hour, want: silence.BatteryLow,
		},
		{
			name: "taken down at noon, when its battery had recovered", device: dyingProbe, seed: 7,
			now: dawn(time.June, 2), until: 16 * time.Hour, want: silence.Unknown,
		},
		{name: "silent since yesterday, its battery full", device: silentProbe, seed: 8, now: dawn(time.June, 3), want: silence.Unknown},
		{name: "never installed", device: newProbe, seed: 9, now: dawn(time.June, 4), want: silence.NeverConnected},
		{
			name: "a probe has the former secret", device: probe, seed: 10, now: dawn(time.June, 5), until: 5 * time.Hour,
			seeded: func(f *farmWithSimulator, d *device.Device) { f.formerSecret(t, d) },
			want:   silence.SecretRefused,
		},
		{
			name: "a mast has the former secret", device: mast, seed: 11, now: dawn(time.June, 6), until: 5 * time.Hour,
			seeded: func(f *farmWithSimulator, d *device.Device) { f.formerSecret(t, d) },
			want:   silence.SecretRefused,
		},
		{
			name: "the former secret, and an empty battery", device: dyingProbe, seed: 12, now: dawn(time.June, 7),
			until:  3 * time.Hour,
			seeded: func(f *farmWithSimulator, d *device.Device) { f.formerSecret(t, d) },
			want:   silence.SecretRefused,
		},
		{
			name: "it was put up with a wrong secret", device: newProbe, seed: 13, now: dawn(time.June, 8),
			seeded: func(f *farmWithSimulator, d *device.Device) { f.refuse(t, d, f.hours(1), 40, "mistyped") },
			want:   silence.SecretRefused,
		},
		{
			name: "its gateway fell silent with it", device: probe, seed: 14, now: dawn(time.June, 9), until: 5 * time.Hour,
			seeded: func(f *farmWithSimulator, d *device.Device) { f.gatewayUntil(t, d, 5) },
			want:   silence.GatewaySilent,
		},
		{
			name: "a station's gateway fell silent a little later", device: station, seed: 15, now: dawn(time.June, 10),
			until:  5 * time.Hour,
			seeded: func(f *farmWithSimulator, d *device.Device) { f.gatewayUntil(t, d, 4.75) },
			want:   silence.GatewaySilent,
		},
		{
			name: "its gateway reported others for hours", device: station, seed: 16, now: dawn(time.June, 11),
			until:  5 * time.Hour,
			seeded: func(f *farmWithSimulator, d *device.Device) { f.gatewayUntil(t, d, 2) },
			want:   silence.Unknown,
		},
		{
			name: "its clock was set ahead", device: mast, seed: 17, now: dawn(time.June, 12), until: 5 * time.Hour,
			seeded: func(f *farmWithSimulator, d *device.Device) { f.refuseFuture(d, f.hours(4.9), 3*time.Hour) },
			want:   silence.ClockAhead,
		},
		{
			name: "its clock was a time zone ahead", device: station, seed: 18, now: dawn(time.June, 13),
			until:  5 * time.Hour,
			seeded: func(f *farmWithSimulator, d *device.Device) { f.refuseFuture(d, f.hours(5), time.Hour) },
			want:   silence.ClockAhead,
		},
		{
			name: "it is shut out", device: dyingProbe, seed: 19, now: dawn(time.June, 14),
			seeded: func(f *farmWithSimulator, d *device.Device) {
				d.Disabled = true
				f.PutDevices(t, f.ID, d)
			}, want: silence.Disabled,
		},
		{name: "a mast is taken down, its battery full", device: mast, seed: 20, now: dawn(time.June, 15), until: 9 * time.Hour, want: silence.Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &farmWithSimulator{fixture: newFixture(t), simulator: farm.New(c.seed, c.now), now: c.now}
			f.Clock.Set(c.now)
			d := f.Device(t, f.ID, f.mast, c.device)
			f.simulate(t, d, c.device, c.now.Add(-c.until))
			if c.seeded != nil {
				c.seeded(f, d)
			}
			got, err := f.finder.Cause(t.Context(), f.ID, d.ID)
			if err != nil || got == nil || got.Kind != c.want {
				t.Fatalf("%+v, %v; want %s", got, err, c.want)
			}
			t.Log(f.evidence(got))
			if b := got.Battery; b != nil && (b.Value >= 3.5 || b.Time < got.LastContact-(3*time.Hour).Milliseconds() ||
				b.NightsLow < 1 || b.Nights < b.NightsLow || b.Nights > 5) {
				t.Errorf("evidence: %+v", b)
			}
		})
	}
}

// formerSecret makes a device try its former secret.
func (f *farmWithSimulator) formerSecret(t *testing.T, d *device.Device) {
	t.Helper()
	f.newSecret(t, d)
	f.refuse(t, d, f.hours(.5), 12, testkit.Secret(d.Name))
}

// gatewayUntil makes a gateway the reporter of a device, until some hours before now.
func (f *farmWithSimulator) gatewayUntil(t *testing.T, d *device.Device, hours float64) {
	t.Helper()
	g := f.Device(t, f.ID, f.bare, "GW-0001", func(d *device.Device) { d.Gateway = true })
	f.report(t, g, f.hours(hours), 0)
	f.Traces.NoteReporter(testkit.Ref(d), g.ID)
}
