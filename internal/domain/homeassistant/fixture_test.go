package homeassistant_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/domain/homeassistant"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/broker"
)

// fixture is a tenant with a weather station, WS-1, and what serves its broker.
type fixture struct {
	*testkit.Stores
	readings *reading.Store
	service  *homeassistant.Service
	stop     func() // ends the service, as a stop of the server does

	station *device.Product
	field   *testkit.Tenant
	ws1     *device.Device
}

func newFixture(t *testing.T, with ...func(*homeassistant.Deps)) *fixture {
	t.Helper()
	w := &fixture{Stores: testkit.NewStores(t)}
	w.readings = w.Readings
	w.station, w.field = w.Station(t), w.Tenant(t, "field")
	w.ws1 = w.Device(t, w.field.ID, w.station, "WS-1", func(d *device.Device) { d.NoteName = "By the pond" })
	w.start(t, with...)
	return w
}

// start makes and runs the service; it ends at the test's end at the latest.
func (w *fixture) start(t *testing.T, with ...func(*homeassistant.Deps)) {
	t.Helper()
	w.service = w.NewHomeAssistant(with...)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := w.service.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	w.stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(w.stop)
}

// report stores a temperature of a device, and hands it on as the server does.
func (w *fixture) report(t *testing.T, d *device.Device, celsius float64) {
	t.Helper()
	w.Clock.Advance(1e6) // a millisecond: readings of one time would be one
	now := w.Clock.Milli()
	air := w.station.Property("airTemperature").ID
	if air == 0 {
		air, _ = w.Catalog.Number("airTemperature")
	}
	heating, _ := w.Catalog.Number("heating")
	batch := []reading.Arrival{{At: now, Frame: reading.Frame{
		Tenant: d.Tenant, Device: d.ID, Time: now,
		Fields: []reading.Field{
			{Property: air, Value: reading.Number(celsius)}, {Property: heating, Value: reading.Boolean(celsius < 0)},
		},
	}}}
	slices.SortFunc(batch[0].Fields, func(a, b reading.Field) int { return int(a.Property) - int(b.Property) })
	if err := w.readings.Append(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	w.Presence.Seen(testkit.Ref(d))
	w.service.Take(batch)
}

// set changes the settings of the field.
func (w *fixture) set(t *testing.T, f *homeassistant.Form) {
	t.Helper()
	if err := w.service.Update(t.Context(), w.field.ID, f); err != nil {
		t.Fatal(err)
	}
}

// enable makes the field use a broker, and waits until it is connected.
func (w *fixture) enable(t *testing.T, b *broker.Broker) {
	t.Helper()
	w.set(t, &homeassistant.Form{Enabled: true, URL: &b.URL})
	w.await(t, homeassistant.Connected, "")
}

// status gives the field's status.
func (w *fixture) status(t *testing.T) homeassistant.Status {
	t.Helper()
	_, status, err := w.service.Get(t.Context(), w.field.ID)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func (w *fixture) await(t *testing.T, state homeassistant.State, problem homeassistant.Problem) {
	t.Helper()
	testkit.Eventually(t, string(state)+" "+string(problem), func() bool {
		now := w.status(t)
		return now.State == state && now.Problem == problem
	})
}

// awaitRetained waits until the topics that the broker retains below a prefix are these.
func awaitRetained(t *testing.T, b *broker.Broker, prefix string, want ...string) {
	t.Helper()
	var got []string
	defer func() {
		if t.Failed() {
			t.Logf("retained: %q", got)
		}
	}()
	testkit.Eventually(t, "topics "+strings.Join(want, " "), func() bool {
		got = slices.Sorted(maps.Keys(b.Retained(prefix)))
		return slices.Equal(got, slices.Sorted(slices.Values(want)))
	})
}

// awaitPayload waits until the broker retains a message of a topic.
func awaitPayload(t *testing.T, b *broker.Broker, topic, want string) {
	t.Helper()
	testkit.Eventually(t, topic+" "+want, func() bool { return b.Retained(topic)[topic] == want })
}

// config reads the retained announcement of a topic.
func config(t *testing.T, b *broker.Broker, topic string) map[string]any {
	t.Helper()
	var c map[string]any
	if err := json.Unmarshal([]byte(b.Retained(topic)[topic]), &c); err != nil {
		t.Fatalf("%s: %v", topic, err)
	}
	return c
}

// expectRefusal expects a refusal of a form with a text, at a field.
func expectRefusal(t *testing.T, err error, key, field string) {
	t.Helper()
	if e := errs.As(err); err == nil || e.Kind != errs.Refused || e.Key != key || e.Field != field {
		t.Errorf("%v, want %s at %s", err, key, field)
	}
}
