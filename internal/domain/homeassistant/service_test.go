package homeassistant_test

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/homeassistant"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/broker"
)

const (
	airConfig     = "homeassistant/sensor/tilth_WS-1/airTemperature/config"
	heatingConfig = "homeassistant/binary_sensor/tilth_WS-1/heating/config"
	bridge        = "tilth/field/bridge"
	state         = "tilth/field/WS-1/state"
	available     = "tilth/field/WS-1/availability"
)

// configs are the announcements of a weather station.
func configs(name string) (topics []string) {
	for _, identifier := range []string{"airTemperature", "relativeHumidity", "rain"} {
		topics = append(topics, "homeassistant/sensor/tilth_"+name+"/"+identifier+"/config")
	}
	return append(topics, "homeassistant/binary_sensor/tilth_"+name+"/heating/config")
}

func TestDevicesAreAnnounced(t *testing.T) {
	w, b := newFixture(t), broker.Start(t, broker.Options{})
	w.Device(t, w.field.ID, w.station, "OFF-1", func(d *device.Device) { d.Disabled = true })
	w.enable(t, b)
	awaitRetained(t, b, "", slices.Concat(configs("WS-1"), []string{bridge, state, available})...)
	if got := w.status(t); got.Devices != 1 || got.Entities != 4 || got.Omitted != 0 || got.Since != w.Clock.Milli() {
		t.Errorf("%+v", got)
	}
	got := config(t, b, airConfig)
	want := map[string]any{
		"name": "Air temperature", "unique_id": "tilth.WS-1.airTemperature", "state_topic": state,
		"value_template": "{{ value_json['airTemperature'] }}", "unit_of_measurement": "°C",
		"device_class": "temperature", "state_class": "measurement", "suggested_display_precision": 1.0,
		"availability": []any{
			map[string]any{"topic": bridge}, map[string]any{"topic": available},
		},
		"availability_mode": "all",
		"device": map[string]any{
			"identifiers": []any{"tilth_WS-1"}, "name": "By the pond", "model": "weather-station",
			"serial_number": "SN-WS-1",
		},
		"origin": map[string]any{"name": "Tilth", "sw_version": "1.2.3"},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	humidity := config(t, b, "homeassistant/sensor/tilth_WS-1/relativeHumidity/config")
	if humidity["unit_of_measurement"] != "%" || humidity["device_class"] != "humidity" {
		t.Errorf("%v", humidity)
	}
	heating := config(t, b, heatingConfig)
	if heating["payload_on"] != "True" || heating["payload_off"] != "False" || heating["state_class"] != nil {
		t.Errorf("%v", heating)
	}
	awaitPayload(t, b, bridge, "online")
	awaitPayload(t, b, available, "offline")
	awaitPayload(t, b, state, `{"airTemperature":null,"heating":null,"rain":null,"relativeHumidity":null}`)
	w.report(t, w.ws1, -1.5)
	awaitPayload(t, b, state, `{"airTemperature":-1.5,"heating":true,"rain":null,"relativeHumidity":null}`)
	awaitPayload(t, b, available, "online")
	air := w.station.Property("airTemperature").ID
	w.readings.SetCurves(testkit.Ref(w.ws1), reading.Curves{air: {
		Facts: []reading.Fact{{True: 0.5, Gain: 1}}, Decimals: 1, Min: -50, Max: 70,
	}})
	w.service.Corrected(testkit.Ref(w.ws1))
	awaitPayload(t, b, state, `{"airTemperature":-1,"heating":true,"rain":null,"relativeHumidity":null}`)
	w.Clock.Advance(2 * testkit.OfflineAfter)
	w.Presence.Expire()
	awaitPayload(t, b, available, "offline")
}

// When Home Assistant has started, it gets everything again. Once it is switched off, nothing is left.
func TestHomeAssistantStartsAndIsSwitchedOff(t *testing.T) {
	w, b := newFixture(t), broker.Start(t, broker.Options{})
	w.enable(t, b)
	awaitRetained(t, b, "homeassistant/", configs("WS-1")...)
	if n := len(b.Messages(airConfig)); n != 1 {
		t.Fatalf("announced %d times", n)
	}
	b.Publish(t, "homeassistant/status", "offline")
	for i := 2; i <= 3; i++ {
		b.Publish(t, "homeassistant/status", "online")
		testkit.Eventually(t, "everything again", func() bool {
			return len(b.Messages(airConfig)) == i && len(b.Messages(state)) >= i && len(b.Messages(available)) >= i
		})
	}
	w.set(t, &homeassistant.Form{URL: &b.URL})
	awaitRetained(t, b, "")
	if last := b.Messages(airConfig); last[len(last)-1].Payload != "" {
		t.Errorf("%v", last)
	}
	w.await(t, homeassistant.Off, "")
	testkit.Eventually(t, "no topic is written down", func() bool {
		n, err := w.DB.Read(t.Context()).NewSelect().TableExpr("home_assistant_topics").Count(t.Context())
		return err == nil && n == 0
	})
}

func TestChangesOfDevicesAndNames(t *testing.T) {
	w, b := newFixture(t), broker.Start(t, broker.Options{})
	w.enable(t, b)
	added := w.Device(t, w.field.ID, w.station, "WS-2")
	awaitRetained(t, b, "homeassistant/", slices.Concat(configs("WS-1"), configs("WS-2"))...)
	before := len(b.Messages(airConfig))

	// A renamed device and a renamed property.
	if err := w.Devices.Edit(t.Context(), w.field.ID, "WS-2", device.Edit{NoteName: "In the orchard"}); err != nil {
		t.Fatal(err)
	}
	second := "homeassistant/sensor/tilth_WS-2/rain/config"
	testkit.Eventually(
		t,
		"the device's name",
		func() bool { return strings.Contains(b.Retained(second)[second], "In the orchard") },
	)
	if err := w.Catalog.PutElement(t.Context(), &device.Element{
		YeuSign: "airTemperature", Unit: "°C", Names: map[text.Language]string{text.English: "Temperature of the air"},
	}); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	testkit.Eventually(t, "the property's name", func() bool {
		// The broker keeps a message before it counts it.
		return strings.Contains(b.Retained(airConfig)[airConfig], "Temperature of the air") &&
			len(b.Messages(airConfig)) > before
	})
	if n := len(b.Messages(airConfig)); n != before+1 {
		t.Errorf("announced %d times, %d before: only what changed is announced", n, before)
	}

	// The tenant's language, and a property less.
	w.field.Language = text.Turkish
	if err := w.Tenants.Put(t.Context(), w.field.Tenant); err != nil {
		t.Fatal(err)
	}
	humidity := "homeassistant/sensor/tilth_WS-1/relativeHumidity/config"
	testkit.Eventually(
		t,
		"the language",
		func() bool { return strings.Contains(b.Retained(humidity)[humidity], "Bağıl nem") },
	)
	isRain := func(p device.Property) bool { return p.Identifier == "rain" }
	w.station.Properties = slices.DeleteFunc(w.station.Properties, isRain)
	if err := w.Catalog.PutProduct(t.Context(), w.station); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	testkit.Eventually(t, "a property less", func() bool { return len(b.Retained("homeassistant/")) == 6 })

	// A device that is gone, and one that is disabled.
	if err := w.Devices.Delete(t.Context(), w.field.ID, added.ID); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	testkit.Eventually(t, "the device gone", func() bool {
		all := b.Retained("")
		return len(all) == 3+3 && !strings.Contains(fmt.Sprint(slices.Collect(maps.Keys(all))), "WS-2")
	})
	w.ws1.Disabled = true
	if err := w.Devices.Put(t.Context(), w.field.ID, w.ws1); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	awaitRetained(t, b, "", bridge)
}

// A restart removes what went while the server was stopped, since it is written down what was announced.
func TestRestart(t *testing.T) {
	w, b := newFixture(t), broker.Start(t, broker.Options{})
	gone := w.Device(t, w.field.ID, w.station, "WS-2")
	w.enable(t, b)
	awaitRetained(t, b, "homeassistant/", slices.Concat(configs("WS-1"), configs("WS-2"))...)
	w.stop()
	awaitPayload(t, b, bridge, "offline")
	if n := len(b.Retained("homeassistant/")); n != 8 {
		t.Errorf("%d announcements after a stop", n)
	}
	if err := w.Devices.Delete(t.Context(), w.field.ID, gone.ID); err != nil {
		t.Fatal(err)
	}
	w.Restart(t)
	w.start(t)
	awaitRetained(t, b, "homeassistant/", configs("WS-1")...)
	awaitPayload(t, b, bridge, "online")
	if c := b.Clients(); len(c) != 2 || c[0] != c[1] || len(c[0]) > 23 {
		t.Errorf("clients %q", c)
	}
	// Switched off while it is stopped: the next start removes everything.
	w.stop()
	w.set(t, &homeassistant.Form{URL: &b.URL})
	w.Restart(t)
	w.start(t)
	awaitRetained(t, b, "")
}

// A broker that comes back gets everything again; one that is away while it is switched off is emptied
// when it comes back.
func TestBrokerComesBack(t *testing.T) {
	w, b := newFixture(t), broker.Start(t, broker.Options{})
	w.enable(t, b)
	b.Stop()
	w.await(t, homeassistant.Failed, homeassistant.NothingListens)
	at := "127.0.0.1:" + b.Port
	b = broker.Start(t, broker.Options{Address: at})
	w.await(t, homeassistant.Connected, "")
	awaitRetained(t, b, "homeassistant/", configs("WS-1")...)
	b.Stop()
	w.await(t, homeassistant.Failed, homeassistant.NothingListens)
	w.set(t, &homeassistant.Form{URL: &b.URL})
	w.await(t, homeassistant.Off, homeassistant.NothingListens)
	b = broker.Start(t, broker.Options{Address: at})
	testkit.Eventually(t, "everything is removed", func() bool {
		return len(b.Messages(airConfig)) == 1 && b.Messages(airConfig)[0].Payload == ""
	})
	w.await(t, homeassistant.Off, "")
}

// Another broker: the former one is emptied. Other topics: the former ones are emptied.
func TestAnotherBrokerAndOtherTopics(t *testing.T) {
	w := newFixture(t)
	first, second := broker.Start(t, broker.Options{}), broker.Start(t, broker.Options{})
	w.enable(t, first)
	w.set(t, &homeassistant.Form{Enabled: true, URL: &second.URL})
	awaitRetained(t, first, "")
	awaitRetained(t, second, "homeassistant/", configs("WS-1")...)
	w.set(t, &homeassistant.Form{Enabled: true, URL: &second.URL, Prefix: new("ha"), Base: new("farm/one")})
	awaitRetained(t, second, "homeassistant/")
	awaitRetained(t, second, "tilth/")
	awaitPayload(t, second, "farm/one/bridge", "online")
	if n := len(second.Retained("ha/")); n != 4 {
		t.Errorf("%d announcements", n)
	}
}

// A device that reports many times a second makes one message in a round, the newest.
func TestStatesAreCoalesced(t *testing.T) {
	w, b := newFixture(
		t,
		func(d *homeassistant.Deps) { d.Pace = 300 * time.Millisecond },
	), broker.Start(
		t,
		broker.Options{},
	)
	w.enable(t, b)
	begun, before := time.Now(), len(b.Messages(state))
	for i := range 200 {
		w.report(t, w.ws1, float64(i))
	}
	awaitPayload(t, b, state, `{"airTemperature":199,"heating":false,"rain":null,"relativeHumidity":null}`)
	rounds := int(time.Since(begun)/(300*time.Millisecond)) + 1
	if n := len(b.Messages(state)) - before; n > rounds {
		t.Errorf("%d messages in %d rounds", n, rounds)
	}
}

// A tenant's broker gets nothing of another tenant, even if it is the same one.
func TestTenantsAreApart(t *testing.T) {
	w, b := newFixture(t), broker.Start(t, broker.Options{})
	rival := w.Tenant(t, "rival")
	w.Device(t, rival.ID, w.station, "ZZ-1")
	w.enable(t, b)
	if err := w.service.Update(t.Context(), rival.ID, &homeassistant.Form{Enabled: true, URL: &b.URL}); err != nil {
		t.Fatal(err)
	}
	awaitRetained(t, b, "homeassistant/", slices.Concat(configs("WS-1"), configs("ZZ-1"))...)
	awaitPayload(t, b, "tilth/rival/bridge", "online")
	if c := b.Clients(); len(c) != 2 || c[0] == c[1] {
		t.Errorf("clients %q", c)
	}
	w.set(t, &homeassistant.Form{URL: &b.URL})
	awaitRetained(t, b, "homeassistant/", configs("ZZ-1")...)
	awaitRetained(t, b, "tilth/field/")
	if err := w.HomeAssistantStore.Clear(t.Context(), rival.ID); err != nil { // the provider removes the tenant
		t.Fatal(err)
	}
	awaitRetained(t, b, "")
}

// A broker that takes no more bytes holds nobody up: neither readings nor another tenant.
func TestDeadBroker(t *testing.T) {
	w, b := newFixture(t), broker.Start(t, broker.Options{})
	rival := w.Tenant(t, "rival")
	stuck := w.Device(t, rival.ID, w.station, "ZZ-1")
	dead, err := new(net.ListenConfig).Listen(t.Context(), "tcp", testkit.AnyPort)
	if err != nil {
		t.Fatal(err)
	}
	reached := make(chan net.Conn, 1)
	go func() {
		conn, err := dead.Accept()
		if err != nil {
			return
		}
		reached <- conn // and nothing is ever read or answered
	}()
	t.Cleanup(func() { _ = dead.Close() })
	url := "mqtt://" + dead.Addr().String()
	if err := w.service.Update(t.Context(), rival.ID, &homeassistant.Form{Enabled: true, URL: &url}); err != nil {
		t.Fatal(err)
	}
	conn := testkit.Receive(t, "a connection", reached)
	defer func() { _ = conn.Close() }()
	w.enable(t, b)
	var slowest time.Duration
	for i := range 50 {
		begun := time.Now()
		w.report(t, stuck, float64(i))
		w.report(t, w.ws1, float64(i))
		want := fmt.Sprintf(`{"airTemperature":%d,"heating":false,"rain":null,"relativeHumidity":null}`, i)
		awaitPayload(t, b, state, want)
		slowest = max(slowest, time.Since(begun))
	}
	t.Logf("the slowest of 50 readings took %v to the neighbour's broker", slowest)
	// Whoever waited for the dead broker would wait until it is given up, ten seconds; half of that is
	// time enough on any machine.
	if slowest > 5*time.Second {
		t.Errorf("a reading took %v", slowest)
	}
	begun := time.Now()
	w.stop()
	// The service gives its connections three seconds; the dead one would have up to ten.
	if took := time.Since(begun); took > 8*time.Second {
		t.Errorf("the stop took %v", took)
	}
}
