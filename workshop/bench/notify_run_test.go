package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// newWaveFixture returns a run of one tenant whose devices, and those of the load, the fake server
// knows.
func newWaveFixture(t *testing.T, devices int) (*notifyRun, *fakeServer) {
	t.Helper()
	f := newFakeServer(t, devices+1, 1)
	target := f.target()
	target.PID = os.Getpid()
	a := NotifiedTenant{Tenant: f.world}
	a.Devices = f.world.Devices[:devices]
	target.Tenant.Devices = f.world.Devices[devices:]
	o := NotifyOptions{
		Tenants:  1,
		Users:    1,
		Notices:  devices,
		Volleys:  1,
		Load:     1,
		Window:   2,
		Values:   1,
		Patience: 20 * time.Second,
	}
	g := newNotifyRun(o, target, []NotifiedTenant{a}, &MailServer{})
	err := connectAll(t.Context(), g.alarmDevices, target.MQTT)
	if err := errors.Join(err, g.load.connect(t.Context())); err != nil {
		t.Fatal(err)
	}
	return g, f
}

// In a wave every device's value crosses its rule's threshold once, spread over a second, and in
// the next wave it returns. The load continues meanwhile.
func TestWaves(t *testing.T) {
	g, f := newWaveFixture(t, 4)
	part, err := g.part(t.Context(), 2200*time.Millisecond, func(ctx context.Context) error {
		now := time.Now()
		return errors.Join(g.wave(ctx, now, 0, true), g.wave(ctx, now, 0, false))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.close(); err != nil {
		t.Fatal(err)
	}
	if err := g.close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range f.world.Devices[:4] {
		var above, below int64
		for at, values := range f.kept[d.Name] {
			if values["sensor01"] > threshold/100 {
				above = at
			} else {
				below = at
			}
		}
		if len(f.kept[d.Name]) != 2 || above == 0 || above >= below {
			t.Errorf("%s: %v", d.Name, f.kept[d.Name])
		}
	}
	beside := len(f.kept[f.world.Devices[4].Name])
	if part.Rate <= 0 || float64(beside) < part.Rate*2.2 || part.P99 == 0 || part.Memory == 0 {
		t.Errorf("%d messages kept; %s", beside, part)
	}
	if n := g.ackedReadings[0].Load(); n != 8 || len(g.waves) != 2 {
		t.Fatalf("%d readings acknowledged in %d waves", n, len(g.waves))
	}
	for i, w := range g.waves {
		if w.span < volleySpread*3/4-100*time.Millisecond || w.span > w.took || w.acked == 0 {
			t.Errorf("wave %d: %+v", i, w)
		}
	}
	if during := g.during(); during <= 0 || g.lastAck <= 0 {
		t.Errorf("%v messages/s, the last reading after %s", during, g.lastAck)
	}
}

// An error of a wave ends the part.
func TestBrokenWave(t *testing.T) {
	for says, spoil := range map[string]func(g *notifyRun, f *fakeServer){
		"closed network connection": func(g *notifyRun, _ *fakeServer) { _ = g.alarmDevices[1].nc.Close() },
		"EOF":                       func(_ *notifyRun, f *fakeServer) { f.hangUpAt = 1 },
		"packet 77": func(g *notifyRun, _ *fakeServer) {
			g.alarmDevices[0].packets = *newPacketReader(4, []byte{pubackPacket, 2, 0, 77})
		},
	} {
		g, f := newWaveFixture(t, 2)
		spoil(g, f)
		err := g.wave(t.Context(), time.Now(), 0, true)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "BENCH-0000") {
			t.Errorf("%q: %v", says, err)
		}
		_ = g.close() // some are closed already
	}
	g, _ := newWaveFixture(t, 1)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.wave(cancelled, time.Now().Add(time.Hour), 0, true); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	no := errors.New("no")
	if _, err := g.part(t.Context(), time.Hour, func(context.Context) error { return no }); !errors.Is(err, no) {
		t.Errorf("%v", err)
	}
	if err := g.close(); err != nil {
		t.Error(err)
	}
}

// await waits until all readings are evaluated and the outbox is empty, and gives up after
// Patience.
func TestAwaitOutbox(t *testing.T) {
	var requests atomic.Int64
	pages := []string{
		"tilth_alarm_opened_total 0\ntilth_alarm_resolved_total 0\ntilth_notify_mail_queued 0\n", // nothing is evaluated yet
		"tilth_alarm_opened_total 3\ntilth_alarm_resolved_total 2\ntilth_notify_mail_queued 0\n",
		"tilth_alarm_opened_total 3\ntilth_alarm_resolved_total 3\ntilth_notify_mail_queued 2\n",
		"tilth_alarm_opened_total 3\ntilth_alarm_resolved_total 3\ntilth_notify_mail_queued 0\n" +
			"tilth_notify_deliveries_total{state=\"sent\"} 10\ntilth_notify_deliveries_total{state=\"failed\"} 1\ntilth_notify_deliveries_total{state=\"skipped\"} 2\n",
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, pages[min(int(requests.Add(1)), len(pages))-1])
	}))
	defer web.Close()
	g := &notifyRun{
		target:        Target{MetricsURL: web.URL},
		options:       NotifyOptions{Notices: 3, Volleys: 1, Patience: 20 * time.Second},
		ackedReadings: make([]atomic.Int64, 1),
	}
	p := &notifyScreen{}
	g.screens, g.began = []*notifyScreen{p}, time.Now()
	g.ackedReadings[0].Store(1)
	go func() { // the last event comes late
		p.record(false, []byte("{}"), 0)
		p.record(true, []byte("{}"), 0)
	}()
	var r NotifyResult
	err := g.await(t.Context(), &r)
	if err != nil || !r.Emptied || r.Sent != 10 || r.Failed != 3 || r.Queued != 0 ||
		requests.Load() != 4 || p.eventCount.Load() != 2 {
		t.Errorf("%+v after %d requests, %v", r, requests.Load(), err)
	}

	pages, r = pages[2:3], NotifyResult{}
	g.options.Patience = 2 * listPollInterval
	if err := g.await(t.Context(), &r); err != nil || r.Emptied || r.Queued != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.await(cancelled, &r); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	web.Close()
	if err := g.await(t.Context(), &r); err == nil {
		t.Error("await gives no error without a server")
	}
}
