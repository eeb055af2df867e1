package bench

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

const shortRun = 200 * time.Millisecond

// With seven connections on three devices, every message has a time of its own and all are read
// back.
func TestRun(t *testing.T) {
	for _, protocol := range []byte{4, 5} {
		f := newFakeServer(t, 3, 4)
		target := f.target()
		target.PID = os.Getpid()
		r, err := Run(t.Context(), Options{Connections: 7, Window: 5, Duration: shortRun, Protocol: protocol}, target)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Err(); err != nil {
			t.Errorf("MQTT %d: %v", protocol, err)
		}
		f.mu.Lock()
		if r.Sent != f.taken || r.Acknowledged != f.taken || r.Messages == 0 || r.Messages > r.Acknowledged ||
			len(f.kept) != 3 {
			t.Errorf("MQTT %d: %d sent, %d acknowledged, %d of them in time; the server took %d of %d devices",
				protocol, r.Sent, r.Acknowledged, r.Messages, f.taken, len(f.kept))
		}
		f.mu.Unlock()
		if v := r.Verdict; v.Checked != 4*r.Acknowledged || v.Unanswered != 0 {
			t.Errorf("MQTT %d: %+v of %d messages", protocol, v, r.Acknowledged)
		}
		if r.P50 <= 0 || r.P50 > r.P99 || r.P99 > r.Max || r.Max > time.Minute {
			t.Errorf("latencies %v, %v, %v", r.P50, r.P99, r.Max)
		}
		if !r.Screen || r.LiveReadings != 1 || r.MemoryOpen == 0 || r.OwnCPU <= 0 || r.ProcessUnknown != nil ||
			r.Values != 4 ||
			r.Payload < 60 {
			t.Errorf("MQTT %d: %+v", protocol, r)
		}
		if want := float64(r.Messages) / shortRun.Seconds(); r.Rate() != want {
			t.Errorf("%v messages a second, want %v", r.Rate(), want)
		}
	}
}

// With the server's metrics page and data folder the run measures commits and the disk, too.
func TestRunWithMetrics(t *testing.T) {
	target := newFakeServer(t, 1, 1).target()
	target.MetricsURL, target.Dir = target.Console+"/metrics", t.TempDir()
	r, err := Run(t.Context(), Options{Connections: 1, Window: 1, Duration: shortRun, Protocol: 4}, target)
	if err != nil {
		t.Fatal(err)
	}
	if r.Commits != float64(r.Acknowledged) || r.CommitWait.Round(time.Microsecond) != time.Millisecond ||
		r.Unevaluated != 3 ||
		r.DiskBlocks <= 0 {
		t.Errorf("%v commits of %d messages waited %v, %v batches behind, %v blocks a second",
			r.Commits, r.Acknowledged, r.CommitWait, r.Unevaluated, r.DiskBlocks)
	}
	if r.ServerCPU != 0 || r.PerMessage() != 0 || r.MemoryOpen != 0 {
		t.Errorf("figures without a process: %+v", r)
	}
}

// The run finds each fault of a server.
func TestRunFindsFaults(t *testing.T) {
	for name, c := range map[string]struct {
		set      func(*fakeServer)
		protocol byte
		says     string
	}{
		"acknowledged and not kept": {func(f *fakeServer) { f.faulty = func(n int) (bool, bool) { return true, n != 3 } }, 4, "2 values lost, 0 wrong, 0 extra"},
		"nothing kept":              {func(f *fakeServer) { f.faulty = func(int) (bool, bool) { return true, false } }, 4, "acknowledged and not there"},
		"returned twice":            {func(f *fakeServer) { f.doubled = true }, 4, "0 values lost, 0 wrong,"},
		"a reading never sent": {func(f *fakeServer) {
			f.kept["BENCH-00001"] = map[int64]map[string]float64{
				time.Now().Add(-historyAge - time.Minute).UnixMilli(): {"sensor01": 1},
			}
		}, 4, "0 wrong, 1 extra"},
		"refused":               {func(f *fakeServer) { f.refuse = 0x99 }, 5, "messages were refused"},
		"closes the connection": {func(f *fakeServer) { f.hangUpAt = 5 }, 4, "1 connections broke"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeServer(t, 2, 2)
			c.set(f)
			r, err := Run(
				t.Context(),
				Options{Connections: 2, Window: 2, Duration: shortRun, Protocol: c.protocol},
				f.target(),
			)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Err(); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A changed value is wrong. A value that was sent and not acknowledged is correct, whether it is
// stored or not.
func TestVerifyValues(t *testing.T) {
	f := newFakeServer(t, 1, 2)
	target := f.target()
	c, err := newConnectionGroup(
		Options{Connections: 2, Window: 1, Duration: shortRun, Protocol: 4},
		f.world,
		time.Now(),
	)
	if err != nil {
		t.Fatal(err)
	}
	// The numbers 0 to 24,999 take three pages; the second connection's last message is not
	// acknowledged.
	kept := map[int64]map[string]float64{}
	for part, m := range c.members {
		m.sent = 12_500
		for order := range m.sent {
			n := m.number(order)
			if n%2 != part {
				t.Fatalf("connection %d sends number %d", part, n)
			}
			if n < 24_999 {
				m.acked.add(order)
			}
			kept[c.first+int64(n)] = map[string]float64{
				"sensor01": m.stream.value(n, 0),
				"sensor02": m.stream.value(n, 1),
			}
		}
	}
	f.kept["BENCH-00001"] = kept
	person, err := signIn(t.Context(), target.Console, f.world)
	if err != nil {
		t.Fatal(err)
	}
	v, err := c.verify(t.Context(), person)
	if err != nil || !v.OK() || v.Checked != 2*24_999 || v.Unanswered != 2 {
		t.Errorf("%+v, %v", v, err)
	}
	kept[c.first+12_345]["sensor02"] += 0.01
	delete(kept[c.first+10_000], "sensor01")
	delete(kept, c.first+24_999)
	kept[c.first+25_000] = map[string]float64{"sensor01": 1}
	v, err = c.verify(t.Context(), person)
	if err != nil || v.Lost != 1 || v.Wrong != 1 || v.Extra != 1 || v.Unanswered != 0 ||
		v.Example == "" {
		t.Errorf("%+v, %v", v, err)
	}
	person.token = "another's"
	if _, err = c.verify(t.Context(), person); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("without a session: %v", err)
	}
}

// A connection does not exceed the server's receive maximum.
func TestReceiveMaximum(t *testing.T) {
	f := newFakeServer(t, 1, 1)
	f.receive = 3
	c, err := newConnectionGroup(
		Options{Connections: 1, Window: 32, Duration: shortRun, Protocol: 5},
		f.world,
		time.Now(),
	)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.connect(t.Context(), f.target().MQTT); err != nil {
		t.Fatal(err)
	}
	if n := len(c.members[0].pending); n != 3 {
		t.Errorf("%d messages may be in flight, the server takes 3", n)
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
}

func TestRunRejectsBadOptions(t *testing.T) {
	f := newFakeServer(t, 2, 1)
	good, target := Options{Connections: 2, Window: 1, Duration: shortRun, Protocol: 4}, f.target()
	for name, change := range map[string]func(*Options, *Target){
		"no connections":   func(o *Options, _ *Target) { o.Connections = 0 },
		"no window":        func(o *Options, _ *Target) { o.Window = 0 },
		"too wide":         func(o *Options, _ *Target) { o.Window = 65536 },
		"no time":          func(o *Options, _ *Target) { o.Duration = 0 },
		"no such protocol": func(o *Options, _ *Target) { o.Protocol = 3 },
		"wrong secret":     func(_ *Options, tg *Target) { tg.Tenant.Devices = []Device{{"BENCH-00001", "wrong"}} },
		"wrong password":   func(_ *Options, tg *Target) { tg.Tenant.Password = "wrong" },
		"no server":        func(_ *Options, tg *Target) { tg.MQTT = "127.0.0.1:1" },
		"no metrics":       func(_ *Options, tg *Target) { tg.MetricsURL = tg.Console + "/none" },
	} {
		o, tg := good, target
		change(&o, &tg)
		if r, err := Run(t.Context(), o, tg); err == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// Cancelling the context ends a run at once, even if the server does not answer.
func TestRunGivenUp(t *testing.T) {
	f := newFakeServer(t, 2, 1)
	ctx, cancel := context.WithCancel(t.Context())
	f.faulty = func(int) (bool, bool) {
		cancel()
		return false, false
	}
	_, err := Run(ctx, Options{Connections: 2, Window: 1, Duration: time.Hour, Protocol: 4}, f.target())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestUnknownAcknowledgementIsError(t *testing.T) {
	c := connection{pending: []pendingMessage{{order: 0, open: true}}}
	var h histogram
	for _, id := range []uint16{0, 2, 65535} {
		if err := c.handleAck(id, 0, time.Now(), false, &h); err == nil {
			t.Errorf("an acknowledgement of packet %d is accepted", id)
		}
	}
	if err := c.handleAck(1, 0, time.Now(), false, &h); err != nil || c.ackCount != 1 {
		t.Errorf("%v", err)
	}
	if err := c.handleAck(1, 0, time.Now(), false, &h); err == nil {
		t.Error("a second acknowledgement of a message is accepted")
	}
}

func TestTenantFile(t *testing.T) {
	w := NewTenant(3, 2)
	raw, err := w.File()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ReadTenant(raw)
	if err != nil {
		t.Fatal(err)
	}
	again, err := back.File()
	if err != nil || !bytes.Equal(raw, again) {
		t.Errorf("a tenant that was written and read is different: %v\n%s\n%s", err, raw, again)
	}
	for from, to := range map[string]string{
		w.Password:             `""`,
		"dataType: number":     "dataType: text",
		"identifier: sensor01": "min: 3\n    identifier: sensor01",
		w.Devices[1].Secret:    `""`,
		"product: bench":       "product: other",
		"products:":            "elements:",
		"tenants:":             "others:",
		"properties:":          "qualities:",
		"devices:":             "gates:",
		"users:":               "people:",
	} {
		changed := strings.Replace(string(raw), from, to, 1)
		if changed == string(raw) {
			t.Errorf("%q is not in the file:\n%s", from, raw)
			continue
		}
		if got, err := ReadTenant([]byte(changed)); err == nil {
			t.Errorf("with %q for %q: %+v", to, from, got)
		}
	}
}
