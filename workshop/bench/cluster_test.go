package bench

import (
	"strings"
	"testing"
	"time"
)

// At a fixed rate every connection sends by the clock, and everything is read back.
func TestFixedRate(t *testing.T) {
	var r *Result
	for range 10 { // on a busy machine a run may end with messages that are due and not sent yet
		f := newFakeServer(t, 4, 1)
		o := Options{Connections: 4, Window: 1, Rate: 200, Duration: time.Second, Protocol: 4}
		var err error
		if r, err = Run(t.Context(), o, f.target()); err != nil {
			t.Fatal(err)
		}
		if err := r.Err(); err != nil {
			t.Error(err)
		}
		if r.Acknowledged > 200 || r.P50 <= 0 {
			break
		}
		if r.Acknowledged >= 196 { // the last one of each connection may be on its way
			return
		}
	}
	// Each connection has 50 times in a second.
	t.Errorf("%d messages were acknowledged, p50 %s", r.Acknowledged, r.P50)
}

// A slow answer delays the messages behind it, whose times count from when they were due.
func TestFixedRateCountsWaiting(t *testing.T) {
	f := newFakeServer(t, 1, 1)
	const slow = 300 * time.Millisecond
	f.faulty = func(n int) (ack, keep bool) {
		if n == 1 {
			time.Sleep(slow)
		}
		return true, true
	}
	o := Options{Connections: 1, Window: 1, Rate: 50, Duration: 400 * time.Millisecond, Protocol: 4}
	r, err := Run(t.Context(), o, f.target())
	if err != nil {
		t.Fatal(err)
	}
	// Of 20 messages, the 15 behind the slow one waited too.
	if r.Max < slow || r.P50 < 50*time.Millisecond {
		t.Errorf("the longest took %s, half of them %s", r.Max, r.P50)
	}
}

// Every device of a filled cluster has sent its newest messages, a minute apart.
func TestReportAll(t *testing.T) {
	f := newFakeServer(t, 3, 2)
	if err := reportAll(t.Context(), f.target()); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range f.world.Devices {
		oldest, newest := int64(0), int64(0)
		for at := range f.kept[d.Name] {
			if oldest == 0 || at < oldest {
				oldest = at
			}
			newest = max(newest, at)
		}
		if len(f.kept[d.Name]) != filledMessages || newest-oldest != (filledMessages-1)*time.Minute.Milliseconds() ||
			time.Since(time.UnixMilli(newest)) > 2*time.Minute {
			t.Errorf("%s has %d messages, from %d to %d", d.Name, len(f.kept[d.Name]), oldest, newest)
		}
	}
}

// The probe connects again when its connection ends, and everything that was acknowledged is read back.
// What is acknowledged on the old connection does not count as the next leader's.
func TestProbeConnectsAgain(t *testing.T) {
	f := newFakeServer(t, 1, 1)
	f.hangUpAt = 20
	target := f.target()
	p := newClusterProbe(target.Tenant, time.Now())
	if err := p.start(t.Context(), target.MQTT); err != nil {
		t.Fatal(err)
	}
	defer p.stop()
	began := time.Now()
	first, gap, err := p.awaitNext(t.Context(), began)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	for _, a := range p.acks {
		if a.at.After(began) && a.at.Before(first) && !a.dialed.Before(began) {
			t.Error("an earlier acknowledgement was on the new connection")
		}
	}
	p.mu.Unlock()
	if gap < probeInterval || gap > first.Sub(began)+time.Second {
		t.Errorf("the longest gap took %s", gap)
	}
	p.stop()
	person, err := signIn(t.Context(), target.Console, target.Tenant)
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.verify(t.Context(), person)
	if err != nil {
		t.Fatal(err)
	}
	if !v.OK() || v.Checked < 20 {
		t.Errorf("%+v", v)
	}
}

// The longest gap counts from the last acknowledgement before, on whichever connection.
func TestProbeGap(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(1000 + ms)) }
	p := &clusterProbe{acks: []probeAck{
		{at(0), at(90)}, {at(0), at(100)}, {at(0), at(105)}, {at(400), at(450)}, {at(400), at(900)},
	}}
	first, gap, err := p.awaitNext(t.Context(), at(102))
	if err != nil {
		t.Fatal(err)
	}
	if !first.Equal(at(450)) || gap != 345*time.Millisecond {
		t.Errorf("first at %v, gap %v", first, gap)
	}
}

// How long a standby is behind is the time since the leader had what the standby has.
func TestLag(t *testing.T) {
	m := &lagMeter{}
	began := time.UnixMilli(0)
	for _, s := range []struct {
		ms       int
		led, own float64
	}{
		{0, 10, 10}, {50, 10, 10}, // no load
		{100, 20, 10}, {200, 40, 15}, {300, 60, 60}, {400, 60, 60},
	} {
		m.add(began.Add(time.Duration(s.ms)*time.Millisecond), s.led, s.own)
	}
	// Behind by 10, 25 and 0 entries, and by 100, 150 and 0 ms: the leader had entry 15 at 50 ms.
	want := lagFigures{entries: 10, mostEntries: 25, time: 100 * time.Millisecond, longest: 150 * time.Millisecond}
	if got := m.figures(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := (*lagMeter)(nil).figures(); got != (lagFigures{}) {
		t.Errorf("without a standby: %+v", got)
	}
}

// The tables have a column of each kind and a line of each size.
func TestPrintCluster(t *testing.T) {
	o := ClusterOptions{Rounds: 2, Duration: time.Second, Connections: 10, Window: 2, Values: 8, Rate: 100}
	load := func(messages int) clusterLoad {
		full := &Result{Options: Options{Duration: time.Second}, Messages: messages, P50: time.Millisecond}
		return clusterLoad{full: full, paced: &Result{P99: 7 * time.Millisecond}, fullWAL: 40}
	}
	all := clusterLoads{{load(1000), load(2000)}, {load(900), load(1000)}, {load(800), load(500)}}
	var b strings.Builder
	if err := all.print(&b, o); err != nil {
		t.Fatal(err)
	}
	takeover := takeoverResult{
		size: ClusterSize{Devices: 1000, Times: 3}, pairs: 200,
		kills:   []time.Duration{3 * time.Second, time.Second, 2 * time.Second},
		judged:  []time.Duration{4 * time.Second},
		yields:  []time.Duration{time.Second},
		checked: &Verification{Checked: 12},
	}
	if err := printTakeovers(&b, []takeoverResult{takeover}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1,000 and 2,000", "0.50 and 0.90", "0.25 and 0.80", "40 and 40", "1,000    200    2s (1s to 3s)               4s", "12 values, 0 lost",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

// A cluster has as many tenants as its rules need, and each device once.
func TestClusterTenants(t *testing.T) {
	all := clusterTenants(2*tenantDevices+1, 1)
	names, devices := map[string]bool{}, map[string]bool{}
	for _, w := range all {
		names[w.Name] = true
		for _, d := range w.Devices {
			devices[d.Name] = true
		}
	}
	if len(all) != 3 || len(names) != 3 || len(devices) != 2*tenantDevices+1 {
		t.Errorf("%d tenants, %d names, %d devices", len(all), len(names), len(devices))
	}
}
