package farm

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// productOf returns the thing model of a product of farm.yaml.
func productOf(t *testing.T, name string) []Property {
	t.Helper()
	for _, p := range parseFarmFile(t).Products {
		if p.Name == name {
			return p.Properties
		}
	}
	t.Fatalf("no product %s", name)
	return nil
}

func TestSimulateSendsItsCount(t *testing.T) {
	t.Parallel()
	s := newServer(t, secretOf)
	var devices []SimulatedDevice
	for _, p := range parseFarmFile(t).Products {
		name := "SIM-" + p.Name
		devices = append(
			devices,
			SimulatedDevice{Name: name, Secret: secretOf(name), Product: p.Name, Properties: p.Properties},
		)
	}
	devices = append(
		devices,
		SimulatedDevice{Name: "SIM-X", Secret: secretOf("SIM-X"), Product: "strange", Properties: customProperties},
	)
	var acked acks
	var mu sync.Mutex
	reports := map[string][]Report{}
	err := Simulate(context.Background(), SimulateOptions{
		Broker: s.url(), Devices: devices, Seed: 3, Every: 30 * time.Millisecond, Count: 12,
		OnAck: func(name string, r Report) {
			acked.add(name, r)
			mu.Lock()
			defer mu.Unlock()
			reports[name] = append(reports[name], r)
		},
		LinkOptions: LinkOptions{Now: testClock(noon)},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.wait("all to disconnect", func() bool { return len(s.open) == 0 })
	for _, d := range devices {
		times := s.times(d.Name, true)
		if len(times) != 12 || !slices.IsSorted(times) || !slices.Equal(times, acked.of(d.Name)) {
			t.Errorf("%s published %v, OnAck got %v", d.Name, times, acked.of(d.Name))
		}
		if s.connections[d.Name] != 1 || s.disconnects[d.Name] != 1 {
			t.Errorf(
				"%s connected %d times, disconnected %d times",
				d.Name,
				s.connections[d.Name],
				s.disconnects[d.Name],
			)
		}
		for _, r := range reports[d.Name] {
			if !r.Sent.Equal(r.Time) {
				t.Errorf("%s: a report of %v is sent at %v", d.Name, r.Time, r.Sent)
			}
		}
		numbers := 0
		for _, p := range d.Properties {
			if p.DataType != "text" && p.Formula == "" {
				numbers++
			}
		}
		if got := len(s.messages[d.Name][0].Values); got != numbers {
			t.Errorf("%s reports %d of %d properties: %v", d.Name, got, numbers, s.messages[d.Name][0].Values)
		}
	}
}

func TestSimulateSurvivesCuts(t *testing.T) {
	s := newServer(t, secretOf)
	s.cutAfter["SIM"] = 4
	err := Simulate(context.Background(), SimulateOptions{
		Broker: s.url(),
		Every:  20 * time.Millisecond,
		Count:  10,
		Devices: []SimulatedDevice{
			{Name: "SIM", Secret: secretOf("SIM"), Product: "strange", Properties: customProperties},
		},
		LinkOptions: LinkOptions{Now: testClock(noon), Backoff: 10 * time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.times("SIM", true)); n != 10 || s.connections["SIM"] != 2 {
		t.Errorf("%d messages over %d connections", n, s.connections["SIM"])
	}
}

func TestSimulateUntilCancelled(t *testing.T) {
	t.Parallel()
	s := newServer(t, secretOf)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- Simulate(ctx, SimulateOptions{
			Broker: s.url(), Every: 20 * time.Millisecond,
			Devices:     []SimulatedDevice{{Name: "SIM", Secret: secretOf("SIM"), Product: "weather-mast", Properties: productOf(t, "weather-mast")}},
			LinkOptions: LinkOptions{Now: testClock(noon)},
		})
	}()
	s.wait("thirty messages", func() bool { return len(s.messages["SIM"]) >= 30 })
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("Simulate does not end")
	}
}

func TestSimulatedDeviceReportsWhatItsThingModelLists(t *testing.T) {
	properties := []Property{
		{Identifier: "airTemperature", Precision: pointer(2), Min: pointer(-5.), Max: pointer(5.)},
		{Identifier: "somethingElse"},
	}
	measure, every, err := SimulatedDevice{
		Name:       "SIM",
		Product:    "weather-mast",
		Properties: properties,
	}.source(
		1,
		newPlaces(1),
	)
	if err != nil {
		t.Fatal(err)
	}
	if every != 10*time.Second {
		t.Errorf("every %v", every)
	}
	values, ok := measure(time.Date(2026, 7, 15, 12, 0, 0, 0, time.UTC), time.Minute)
	if !ok || len(values) != 1 || values[0] != (Value{"airTemperature", 5.}) {
		t.Errorf("%v, %v", values, ok)
	}
}

func TestSimulatedDeviceGetsNearestSite(t *testing.T) {
	places := newPlaces(1)
	if len(places) != 2 {
		t.Fatalf("%d places", len(places))
	}
	for _, c := range []struct {
		latitude, longitude float64
		want                string
	}{
		{0, 0, "demo"}, {41, 29, "demo"}, {48, 2, "demo"}, {31.2, 121.5, "yanzhao"}, {43.8, 87.6, "yanzhao"},
	} {
		if got := nearest(places, c.latitude, c.longitude).name; got != c.want {
			t.Errorf("%v, %v gets the site %s", c.latitude, c.longitude, got)
		}
	}
}

func TestSimulateRefusesDevicesWithoutValues(t *testing.T) {
	for _, c := range []struct {
		name string
		d    SimulatedDevice
		want string
	}{
		{"a camera alone", SimulatedDevice{Product: "field-camera", Properties: []Property{{Identifier: "live", DataType: "text"}}}, "no property that its product measures"},
		{"text alone", SimulatedDevice{Product: "strange", Properties: []Property{{Identifier: "note", DataType: "text"}}}, "no number or boolean"},
		{"no thing model", SimulatedDevice{Product: "soil-probe"}, "no property that its product measures"},
		{"no secret", SimulatedDevice{Product: "strange", Properties: customProperties}, "SIM has no secret"},
	} {
		c.d.Name = "SIM"
		o := SimulateOptions{Broker: "tcp://127.0.0.1:1", Devices: []SimulatedDevice{c.d}}
		err := Simulate(context.Background(), o)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "SIM") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestSteadyReportsGetTheirInterval(t *testing.T) {
	var intervals []time.Duration
	slots := newPlan(1, "SIM").slots(10 * time.Second)
	var last time.Time
	for r := range steadyReports(slots, noon, 50, func(_ time.Time, since time.Duration) ([]Value, bool) {
		intervals = append(intervals, since)
		return []Value{{"x", 1.}}, true
	}) {
		if !last.IsZero() && r.Time.Sub(last) != intervals[len(intervals)-1] {
			t.Errorf(
				"a report %v after the one before gets the interval %v",
				r.Time.Sub(last),
				intervals[len(intervals)-1],
			)
		}
		last = r.Time
	}
	if len(intervals) != 50 {
		t.Errorf("%d reports", len(intervals))
	}
}
