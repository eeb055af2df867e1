package silence_test

import (
	"fmt"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/silence"
	"tilth/internal/tools/testkit"
)

// fixture is a tenant with devices that measure their batteries.
type fixture struct {
	*testkit.Stores
	*testkit.Tenant
	readings *reading.Store
	finder   *silence.Finder
	mast     *device.Product // reports every 10 minutes, limit 3.5 V
	plain    *device.Product // the same without a limit of its own
	bare     *device.Product // has no battery
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{Stores: testkit.NewStores(t)}
	f.Tenant = f.Stores.Tenant(t, "field")
	f.readings, f.finder = f.Readings, f.Silence
	air := device.Property{Identifier: "airTemperature", ElementUnit: "°C", DataType: device.Number}
	volts := device.Property{Identifier: "batteryVoltage", ElementUnit: "V", DataType: device.Number, Precision: new(2)}
	product := func(name string, limit *float64, properties ...device.Property) *device.Product {
		p := &device.Product{
			Name: name, OfflineAfter: 30 * time.Minute, BatteryLimit: limit, Properties: properties,
		}
		if err := f.Catalog.PutProduct(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	f.mast = product("mast", new(3.5), air, volts)
	f.plain = product("plain", nil, air, volts)
	f.bare = product("bare", nil, air)
	f.Reload(t)
	return f
}

// hours are hours before now.
func (f *fixture) hours(before float64) int64 {
	return f.Clock.Milli() - int64(before*float64(time.Hour/time.Millisecond))
}

// report stores a reading of a device and notes its contact, as the edge does.
func (f *fixture) report(t *testing.T, d *device.Device, at int64, volts float64) {
	t.Helper()
	p := f.Catalog.Product(d.ProductID)
	fields := []reading.Field{{Property: p.Property("airTemperature").ID, Value: reading.Number(8)}}
	if b := f.Catalog.Battery(p); b != nil {
		fields = append(fields, reading.Field{Property: b.ID, Value: reading.Number(volts)})
	}
	err := f.readings.Append(t.Context(), []reading.Arrival{{
		At: at, Frame: reading.Frame{Tenant: d.Tenant, Device: d.ID, Time: at, Fields: fields},
	}})
	if err != nil {
		t.Fatal(err)
	}
	f.Presence.SeenAt(testkit.Ref(d), at)
}

// reportUntil reports every 10 minutes through five days before the device's last contact; low gives
// the voltage of the dark hours, by nights before the last one.
func (f *fixture) reportUntil(t *testing.T, d *device.Device, until int64, low func(night int64) float64) {
	t.Helper()
	const day = 24 * 3600 * 1000
	nightOf := func(at int64) int64 { return (at + 15*3600*1000) / day } // changes at noon in Istanbul
	for at := until - 5*day; at <= until; at += 600_000 {
		volts := 3.9
		if h := time.UnixMilli(at).In(f.TimeZone).Hour(); h >= 22 || h < 6 {
			volts = low(nightOf(until) - nightOf(at))
		}
		f.report(t, d, at, volts)
	}
}

func always(volts float64) func(int64) float64 { return func(int64) float64 { return volts } }

// only gives 3.38 V in the given nights, else 3.8 V.
func only(nights ...int64) func(int64) float64 {
	return func(night int64) float64 {
		for _, n := range nights {
			if n == night {
				return 3.38
			}
		}
		return 3.8
	}
}

// refuse makes n sign-ins fail, as the edge notes them.
func (f *fixture) refuse(t *testing.T, d *device.Device, at int64, n int, secret string) {
	t.Helper()
	for range n {
		ref, retired, known := f.Registry.RefusedSignIn(d.Name, secret)
		if !known || ref != testkit.Ref(d) {
			t.Fatalf("a refused sign-in of %s is noted for %v, %v", d.Name, ref, known)
		}
		f.Traces.NoteRefusedSignIn(ref, at, retired)
	}
}

func (f *fixture) refuseFuture(d *device.Device, at int64, ahead time.Duration) {
	f.Presence.SeenAt(testkit.Ref(d), at)
	f.Diagnostics.Count(testkit.Ref(d), at, 0,
		[]device.Refusal{{Time: at, Identifier: "batteryVoltage", Reason: device.ReasonFuture}}, ahead)
}

func (f *fixture) newSecret(t *testing.T, d *device.Device) {
	t.Helper()
	if _, err := f.Devices.NewSecret(
		t.Context(),
		d.Tenant,
		d.Name,
		device.SecretOptions{DropOthers: true},
		f.Catalog, f.Registry,
	); err != nil {
		t.Fatal(err)
	}
}

// evidence writes what a cause is shown by.
func (f *fixture) evidence(c *silence.Cause) string {
	at := func(ms int64) string { return time.UnixMilli(ms).In(f.TimeZone).Format("02 15:04") }
	s := string(c.Kind) + " since " + at(c.Since)
	if b := c.Battery; b != nil {
		s += fmt.Sprintf(
			": %.2f %s at %s, limit %g, %d of %d",
			b.Value,
			b.Unit,
			at(b.Time),
			b.Limit,
			b.NightsLow,
			b.Nights,
		)
	}
	if r := c.SignIns; r != nil {
		s += fmt.Sprintf(": %d, last at %s", r.Count, at(r.Last))
		if r.Retired != 0 {
			s += ", retired at " + at(r.Retired)
		}
	}
	if g := c.Gateway; g != nil {
		s += fmt.Sprintf(": %s since %s", g.Name, at(g.Since))
	}
	if k := c.Clock; k != nil {
		s += fmt.Sprintf(": %s ahead, refused at %s", k.Ahead, at(k.RefusedAt))
	}
	if c.Kind == silence.Unknown {
		s += fmt.Sprintf(", every %s", c.Interval)
	}
	return s
}

// The clock shows the 21st, 12:00. The names of the cases say what is true of the device.
func TestCauses(t *testing.T) {
	f := newFixture(t)
	night, noon := f.hours(7.0+50.0/60), f.hours(3) // 04:10 and 09:00 of today
	quiet := f.Device(t, f.ID, f.bare, "GW-QUIET", func(d *device.Device) { d.Gateway = true })
	busy := f.Device(t, f.ID, f.bare, "GW-BUSY", func(d *device.Device) { d.Gateway = true })
	late := f.Device(t, f.ID, f.bare, "GW-LATE", func(d *device.Device) { d.Gateway = true })
	for _, c := range []struct {
		name    string
		product *device.Product
		seed    func(d *device.Device)
		want    string
	}{
		{"the battery is low in every night", f.mast, func(d *device.Device) {
			f.reportUntil(t, d, night, always(3.38))
		}, "batteryLow since 21 04:10: 3.38 V at 21 04:10, limit 3.5, 5 of 5"},
		{"the battery is low in four of five nights", f.mast, func(d *device.Device) {
			f.reportUntil(t, d, night, only(0, 1, 2, 4))
		}, "batteryLow since 21 04:10: 3.38 V at 21 04:10, limit 3.5, 4 of 5"},
		{"the battery is low for the first time", f.mast, func(d *device.Device) {
			f.reportUntil(t, d, night, only(0))
		}, "batteryLow since 21 04:10: 3.38 V at 21 04:10, limit 3.5, 1 of 5"},
		{"a battery without a limit is a lithium cell", f.plain, func(d *device.Device) {
			f.reportUntil(t, d, night, always(3.38))
		}, "batteryLow since 21 04:10: 3.38 V at 21 04:10, limit 3.4, 5 of 5"},
		{"near miss: a hundredth above the limit", f.mast, func(d *device.Device) {
			f.reportUntil(t, d, night, always(3.5))
		}, "unknown since 21 04:10, every 10m0s"},
		{"near miss: low at night, recovered by the last contact", f.mast, func(d *device.Device) {
			f.reportUntil(t, d, noon, only(0, 1, 2, 3, 4))
		}, "unknown since 21 09:00, every 10m0s"},
		{"near miss: low three nights ago", f.mast, func(d *device.Device) {
			f.reportUntil(t, d, night, only(3))
		}, "unknown since 21 04:10, every 10m0s"},

		{"it still has the old secret", f.bare, func(d *device.Device) {
			f.report(t, d, noon, 0)
			f.newSecret(t, d)
			f.refuse(t, d, f.hours(1), 3, testkit.Secret(d.Name))
		}, "secretRefused since 21 09:00: 3, last at 21 11:00, retired at 21 12:00"},
		{"it has never had the right secret", f.bare, func(d *device.Device) {
			f.refuse(t, d, f.hours(2), 2, "a secret that was mistyped")
		}, "secretRefused since 21 12:00: 2, last at 21 10:00"},
		{"two causes: the old secret, and a low battery", f.mast, func(d *device.Device) {
			f.reportUntil(t, d, night, always(3.38))
			f.newSecret(t, d)
			f.refuse(t, d, f.hours(1), 1, testkit.Secret(d.Name))
		}, "secretRefused since 21 04:10: 1, last at 21 11:00, retired at 21 12:00"},
		{"near miss: refused before its last contact", f.bare, func(d *device.Device) {
			f.report(t, d, f.hours(8), 0)
			f.refuse(t, d, f.hours(6), 5, "a secret that was mistyped")
			f.report(t, d, noon, 0)
		}, "unknown since 21 09:00, every 5h0m0s"},

		{"its gateway fell silent with it", f.bare, func(d *device.Device) {
			f.report(t, d, noon, 0)
			f.Traces.NoteReporter(testkit.Ref(d), quiet.ID)
		}, "gatewaySilent since 21 09:00: GW-QUIET since 21 09:10"},
		{"two causes: its gateway, and a low battery", f.mast, func(d *device.Device) {
			f.reportUntil(t, d, f.hours(2+50.0/60), always(3.38))
			f.report(t, d, f.hours(2+50.0/60), 3.38)
			f.Traces.NoteReporter(testkit.Ref(d), quiet.ID)
		}, "gatewaySilent since 21 09:10: GW-QUIET since 21 09:10"},
		{"near miss: its gateway is online", f.bare, func(d *device.Device) {
			f.report(t, d, noon, 0)
			f.Traces.NoteReporter(testkit.Ref(d), busy.ID)
		}, "unknown since 21 09:00, every 0s"},
		{"near miss: its gateway reported others for longer", f.bare, func(d *device.Device) {
			f.report(t, d, noon, 0)
			f.Traces.NoteReporter(testkit.Ref(d), late.ID)
		}, "unknown since 21 09:00, every 0s"},

		{"its clock is ahead", f.mast, func(d *device.Device) {
			f.refuseFuture(d, noon, 3*time.Hour)
		}, "clockAhead since 21 09:00: 3h0m0s ahead, refused at 21 09:00"},
		{"two causes: its clock, and a low battery", f.mast, func(d *device.Device) {
			f.reportUntil(t, d, night, always(3.38))
			f.refuseFuture(d, night, 3*time.Hour)
		}, "batteryLow since 21 04:10: 3.38 V at 21 04:10, limit 3.5, 5 of 5"},
		{"near miss: its clock was ahead yesterday", f.mast, func(d *device.Device) {
			f.refuseFuture(d, f.hours(30), 3*time.Hour)
			f.report(t, d, noon, 3.9)
		}, "unknown since 21 09:00, every 0s"},

		{"it never connected", f.mast, func(*device.Device) {}, "neverConnected since 21 12:00"},
		{"it is shut out", f.mast, func(d *device.Device) {
			f.reportUntil(t, d, night, always(3.38))
			d.Disabled = true
			f.PutDevices(t, f.ID, d)
		}, "disabled since 21 04:10"},
		{"nothing is known", f.bare, func(d *device.Device) {
			for h := 12.0; h >= 9; h-- {
				f.report(t, d, f.hours(h), 0)
			}
		}, "unknown since 21 03:00, every 1h0m0s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := f.Device(t, f.ID, c.product, "D-"+fmt.Sprint(f.Registry.Total()))
			f.report(t, quiet, f.hours(2+50.0/60), 0)
			f.report(t, busy, f.Clock.Milli(), 0)
			f.report(t, late, f.hours(1), 0)
			c.seed(d)
			got, err := f.finder.Cause(t.Context(), f.ID, d.ID)
			if err != nil || got == nil {
				t.Fatalf("%v, %v", got, err)
			}
			if said := f.evidence(got); said != c.want {
				t.Errorf("got  %s\nwant %s", said, c.want)
			}
			rival := f.Stores.Tenant(t, "rival-"+d.Name)
			if other, err := f.finder.Cause(t.Context(), rival.ID, d.ID); other != nil || err != nil {
				t.Errorf("another tenant is told %+v, %v", other, err)
			}
		})
	}
}

// An online device has no cause of silence, and neither has a deleted one.
func TestCausesOfSilentDevicesOnly(t *testing.T) {
	f := newFixture(t)
	online, silent := f.Device(t, f.ID, f.bare, "ON-1"), f.Device(t, f.ID, f.bare, "OFF-1")
	f.report(t, online, f.Clock.Milli(), 0)
	causes, err := f.finder.Causes(t.Context(), f.ID, online.ID, silent.ID, 99)
	if err != nil || len(causes) != 1 || causes[silent.ID].Kind != silence.NeverConnected {
		t.Errorf("%+v, %v", causes, err)
	}
}

// What is known of refused sign-ins and gateways survives a restart.
func TestCausesAfterRestart(t *testing.T) {
	f := newFixture(t)
	gateway := f.Device(t, f.ID, f.bare, "GW-1", func(d *device.Device) { d.Gateway = true })
	child, refused := f.Device(t, f.ID, f.bare, "CH-1"), f.Device(t, f.ID, f.bare, "OLD-1")
	for _, d := range []*device.Device{gateway, child, refused} {
		f.report(t, d, f.hours(3), 0)
	}
	f.Traces.NoteReporter(testkit.Ref(child), gateway.ID)
	f.newSecret(t, refused)
	f.refuse(t, refused, f.hours(1), 1, testkit.Secret(refused.Name))
	if err := f.Traces.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := f.Status.Flush(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	f.Restart(t)
	f.refuse(t, refused, f.hours(.5), 1, testkit.Secret(refused.Name)) // the former secret is still known
	f.finder = f.Silence
	causes, err := f.finder.Causes(t.Context(), f.ID, child.ID, refused.ID)
	if err != nil || causes[child.ID].Kind != silence.GatewaySilent ||
		causes[refused.ID].Kind != silence.SecretRefused {
		t.Fatalf("%+v, %v", causes, err)
	}
	if r := causes[refused.ID].SignIns; r.Count != 2 || r.Retired == 0 {
		t.Errorf("refused sign-ins: %+v", r)
	}
}
