package ingest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/selfservice"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

// swapFixture is an edge on real stores, with a weather station.
type swapFixture struct {
	*testkit.Stores
	t        *testing.T
	field    tenant.ID
	station  *device.Device
	rainfall device.PropertyID
	readings *reading.Store
	pipeline *Pipeline
}

func newSwapFixture(t *testing.T) *swapFixture {
	t.Helper()
	w := &swapFixture{Stores: testkit.NewStores(t), t: t}
	w.Clock.Set(time.UnixMilli(now))
	mast := &device.Product{Name: "mast", OfflineAfter: time.Hour, Properties: []device.Property{
		{Identifier: device.Rainfall, FunctionName: "Rain", DataType: device.Number, AccessMode: "r"},
	}}
	if err := w.Catalog.PutProduct(t.Context(), mast); err != nil {
		t.Fatal(err)
	}
	w.rainfall = mast.Property(device.Rainfall).ID
	w.field = w.Tenant(t, "field").ID
	w.station = w.Device(t, w.field, mast, "WS-1")
	dir := t.TempDir()
	w.open(dir)
	t.Cleanup(w.close)
	return w
}

func (w *swapFixture) open(dir string) {
	w.t.Helper()
	var err error
	if w.readings, err = reading.Open(w.t.Context(), reading.Options{Dir: dir, Now: w.Clock.Now}); err != nil {
		w.t.Fatal(err)
	}
	w.pipeline = NewPipeline(Options{
		Registry: w.Registry, Diagnostics: w.Diagnostics, Traces: w.Traces, Hints: w.Hints, Presence: w.Presence,
		Journal: w.readings, Newest: w.readings, Now: w.Clock.Now, Rate: 1e6, Burst: 1e6,
	})
}

func (w *swapFixture) close() {
	if err := w.pipeline.Close(context.WithoutCancel(w.t.Context())); err != nil {
		w.t.Error(err)
	}
	if err := w.readings.Close(); err != nil {
		w.t.Error(err)
	}
}

func (w *swapFixture) service() *selfservice.Service {
	w.SelfService.LastRainCount = LastRainCount(w.readings)
	return w.SelfService
}

// report submits what the station's counter shows, at a time of its clock.
func (w *swapFixture) report(at time.Time, inches string) {
	w.t.Helper()
	done := make(chan Outcome, 1)
	m := Message{
		Entry: w.Registry.Get(w.station.ID), Kind: StationReport, At: w.Clock.Now().UnixMilli(),
		Payload: []byte("totalrainin=" + inches + "&dateutc=" + strings.ReplaceAll(
			at.UTC().Format(stationTimeLayout), " ", "%20")),
	}
	if err := w.pipeline.Submit(w.t.Context(), m, func(o Outcome) { done <- o }); err != nil {
		w.t.Fatal(err)
	}
	if o := receive(w.t, done); o.Err != nil || o.Refused > 0 {
		w.t.Fatalf("%+v", o)
	}
}

// rain lists the rain, as seconds after the beginning and mm.
func (w *swapFixture) rain() string {
	w.t.Helper()
	var rows []string
	err := w.readings.Range(w.t.Context(), w.field, w.station.ID, 0, 2*now, []device.PropertyID{w.rainfall},
		func(at int64, fields []reading.Field) error {
			rows = append(rows, fmt.Sprintf("%d %s", (at-now)/1000, fields[0].Value))
			return nil
		})
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Join(rows, "; ")
}

// The first count of the box that came with a swap gives no rain, whatever the old one's was, also after a
// restart.
func TestRainAfterSwap(t *testing.T) {
	for name, c := range map[string]struct {
		ahead   time.Duration // of the old box's clock
		restart bool
		want    string
	}{
		"at once":         {0, false, "60 1.02; 180 1.02; 240 0"},
		"after a restart": {0, true, "60 1.02; 180 1.02; 240 0"},
		// The old box's last count is of 65 s. The new box's of 120 s is the first.
		"the old clock was ahead": {5 * time.Second, false, "65 1.02; 180 1.02; 240 0"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSwapFixture(t)
			dir := t.TempDir()
			w.close()
			w.open(dir)
			w.report(w.Clock.Now().Add(c.ahead), "1.00")
			w.Clock.Advance(time.Minute)
			w.report(w.Clock.Now().Add(c.ahead), "1.04")
			w.Clock.Advance(time.Second)
			if _, err := w.service().Swap(t.Context(), w.field, selfservice.SwapForm{DeviceName: "WS-1"}); err != nil {
				t.Fatal(err)
			}
			if c.restart {
				w.close()
				w.Restart(t)
				w.open(dir)
			}
			w.Clock.Advance(59 * time.Second)
			w.report(w.Clock.Now(), "9.00")
			for _, inches := range []string{"9.04", "9.04"} {
				w.Clock.Advance(time.Minute)
				w.report(w.Clock.Now(), inches)
			}
			if got := w.rain(); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// The DevEUI of a box that was swapped gets 404, whichever way its device was found.
func TestLoRaWANAfterSwap(t *testing.T) {
	o := newLoRaWANFixture(t)
	green, err := o.Tenants.ByName(t.Context(), "green")
	if err != nil {
		t.Fatal(err)
	}
	uplink := func(eui, name string) string {
		body := `{"deviceInfo": {"devEui": %q, "deviceName": %q}, "data": "AQ==", "object": {"soilMoisture": 1}}`
		got, _ := o.post("green", "chirpstack", fmt.Sprintf(body, eui, name))
		return strings.SplitN(got, " ", 2)[0]
	}
	service := o.SelfService
	swap := func(name, serial string) {
		t.Helper()
		form := selfservice.SwapForm{DeviceName: name, Serial: serial}
		if _, err := service.Swap(t.Context(), green.ID, form); err != nil {
			t.Fatal(err)
		}
	}
	const named, serial, next = "A84041FFFF1A2B3C", "a84041ffff1a2b3d", "A84041FFFF1A2BE"
	if got := uplink(named, "x") + uplink(serial, "P-B") + uplink("A84041FFFF1A2B77", "probe-c"); got != "200200200" {
		t.Fatal(got)
	}
	swap(named, next+"1")
	swap("P-B", next+"2")
	swap("probe-c", next+"3")
	for _, c := range []struct{ eui, name, want string }{
		{named, "x", "404"},
		{named, named, "404"},
		{strings.ToLower(named), named, "404"},
		{next + "1", "x", "200"},
		{serial, "x", "404"},
		{serial, "P-B", "404"}, // the network server calls it so
		{strings.ToLower(next) + "2", "P-B", "200"},
		{next + "3", "probe-c", "200"},
	} {
		if got := uplink(c.eui, c.name); got != c.want {
			t.Errorf("%s, called %s: %s, want %s", c.eui, c.name, got, c.want)
		}
	}
	// A box that comes back is the device's again.
	swap("P-B", strings.ToUpper(serial))
	if got := uplink(serial, "x") + uplink(next+"2", "P-B"); got != "200404" {
		t.Errorf("back again: %s", got)
	}
}
