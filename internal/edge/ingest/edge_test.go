package ingest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	v5 "github.com/eclipse/paho.golang/packets"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/live"
)

// testServer is an edge on real stores, with its consumer.
type testServer struct {
	*edge
	store *reading.Store
	hub   *live.Hub
	close func()
}

func openTestServer(t *testing.T, dir string) *testServer {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	store, err := reading.Open(
		ctx,
		reading.Options{Dir: dir + "/values", Now: func() time.Time { return time.UnixMilli(now) }},
	)
	if err != nil {
		t.Fatal(err)
	}
	base, err := db.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	h := &testServer{store: store, hub: live.NewHub("e")}
	h.edge = newEdge(t, func(o *Options) { o.Journal = store })
	consumer := NewConsumer(
		ConsumerOptions{
			Alarms:   &fakeAlarms{start: store.Stats().Position},
			Journal:  store,
			Position: alarm.NewPositionStore(base),
			Screens:  h.hub,
			Registry: h.registry,
		},
	)
	ended := make(chan error, 1)
	go func() { ended <- consumer.Run(ctx) }()
	h.serve()
	closed := false
	h.close = func() {
		if closed {
			return
		}
		closed = true
		err := errors.Join(h.mqtt.Shutdown(ctx), h.pipeline.Close(ctx))
		cancel()
		if err := errors.Join(err, <-ended, store.Close(), base.Close()); err != nil {
			t.Errorf("closing: %v", err)
		}
	}
	t.Cleanup(h.close)
	return h
}

// A reading passes from a device's socket to disk and then to the screens of its tenant only, and
// is there after a restart.
func TestReadingReachesDiskAndScreen(t *testing.T) {
	dir := t.TempDir()
	h := openTestServer(t, dir)
	screen, _, _, _ := h.hub.Subscribe(green, "", "")
	foreign, _, _, _ := h.hub.Subscribe(blue, "", "")

	c := h.dialSignedIn(5, "WS-1")
	c.send(c.publish("v1/devices/me/telemetry", `{"airTemperature":3.4,"heating":"1","wind":9}`, 1, 1))
	c.wantAck(v5.PUBACK, 1, 0)
	if got := fmt.Sprint(latest(t, h.store, green, 1)); got != fmt.Sprint([]reading.Last{
		{
			Property: airTemperature,
			Time:     now,
			Value:    reading.Number(3.4),
		},
		{Property: heating, Time: now, Value: reading.Boolean(true)},
	}) {
		t.Errorf("the message was acknowledged, but latest is %s", got)
	}
	want := `{"deviceName":"WS-1","time":1700000000000,"values":{"airTemperature":3.4,"heating":true}}`
	if event := receive(t, screen.Events); event.Name != "reading" || string(event.Data) != want {
		t.Errorf("the screen got %s %s", event.Name, event.Data)
	}

	gateway := h.dialSignedIn(4, "BLUE-GW")
	payload := `{"WS-1":[{"airTemperature":66}],"BLUE-1":[{"humidity":5}]}`
	gateway.send(gateway.publish("v1/gateway/telemetry", payload, 2, 1))
	gateway.wantAck(v5.PUBREC, 1, 0)
	wantForeign := `{"deviceName":"BLUE-1","time":1700000000000,"values":{"humidity":5}}`
	if event := receive(t, foreign.Events); string(event.Data) != wantForeign {
		t.Errorf("the other tenant's screen got %s", event.Data)
	}
	if last := latest(t, h.store, green, 1); len(last) != 2 || last[0].Value != reading.Number(3.4) {
		t.Errorf("another tenant's gateway wrote %v", last)
	}

	url := h.serveHTTP().URL + "/api/v1/" + secretOf("WS-2") + "/telemetry"
	if status, body, _ := post(t, url, `{"humidity":"44.5"}`); status != 200 {
		t.Errorf("HTTP: %d %s", status, body)
	}
	if last := latest(t, h.store, green, 2); len(last) != 1 || last[0].Value != reading.Number(44.5) {
		t.Errorf("latest after HTTP: %v", last)
	}
	receive(t, screen.Events)
	if n := len(screen.Events); n > 0 {
		t.Errorf("%d unexpected events", n)
	}
	c.Close()
	gateway.Close()
	h.close()

	again := openTestServer(t, dir)
	if last := latest(t, again.store, green, 1); len(last) != 2 || last[0].Value != reading.Number(3.4) {
		t.Errorf("latest after a restart: %v", last)
	}
	// The same message again, as after a lost answer, changes nothing.
	c = again.dialSignedIn(4, "WS-1")
	repeat := fmt.Sprintf(`{"ts":%d,"values":{"airTemperature":3.4}}`, now)
	c.send(c.publish("v1/devices/me/telemetry", repeat, 1, 1), c.publish("v1/devices/me/telemetry", repeat, 1, 2))
	c.wantAck(v5.PUBACK, 1, 0)
	c.wantAck(v5.PUBACK, 2, 0)
	last := latest(t, again.store, green, 1)
	if len(last) != 2 || last[0].Value != reading.Number(3.4) || last[0].Time != now {
		t.Errorf("latest after sending again: %v", last)
	}
}

// Readings that were committed but not consumed before a crash are consumed before devices may
// connect, and are not published to screens.
func TestBacklogConsumedBeforeNewReadings(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	store, err := reading.Open(
		ctx,
		reading.Options{Dir: dir + "/values", Now: func() time.Time { return time.UnixMilli(now) }},
	)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		a := arrival(green, 1, now+int64(i), field(humidity, reading.Number(float64(i))))
		if err := store.Append(ctx, []reading.Arrival{a}); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	h := openTestServer(t, dir)
	screen, _, _, _ := h.hub.Subscribe(green, "", "")
	c := h.dialSignedIn(4, "WS-1")
	c.send(c.telemetry(6, 1, 1))
	c.wantAck(v5.PUBACK, 1, 0)
	want := `{"deviceName":"WS-1","time":1700000000000,"values":{"airTemperature":6}}`
	if event := receive(t, screen.Events); string(event.Data) != want {
		t.Errorf("first published event: %s", event.Data)
	}
	c.Close()
	h.close()
	base, err := db.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer base.Close()
	if pos, err := alarm.NewPositionStore(base).Load(ctx); pos != 6 || err != nil {
		t.Errorf("evaluated up to %d, %v", pos, err)
	}
}

func latest(t *testing.T, s *reading.Store, owner tenant.ID, id device.ID) []reading.Last {
	t.Helper()
	return s.Latest(t.Context(), owner, id)
}
