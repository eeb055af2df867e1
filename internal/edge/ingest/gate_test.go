package ingest

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/platform/limit"
)

func newTestGate(change func(*Options)) *gate {
	r := device.NewRegistry(hashKey)
	r.Replace(testDevices())
	quiet := slog.New(slog.DiscardHandler)
	o := Options{Registry: r}
	o.Hints = device.NewHints(r, time.Now)
	o.Traces = device.NewTraceStore(nil, r, device.NewPresence(r, time.Now, nil, quiet), quiet)
	change(&o)
	o.setDefaults()
	return newGate(o, newCounters())
}

func TestGateSignIn(t *testing.T) {
	g := newTestGate(func(*Options) {})
	for _, test := range []struct {
		name, user, password, device string
	}{
		{"name and secret", "WS-1", secretOf("WS-1"), "WS-1"},
		{"secret alone", secretOf("WS-1"), "", "WS-1"},
		{"wrong secret", "WS-1", secretOf("WS-1") + "x", ""},
		{"another device's secret", "WS-1", secretOf("WS-2"), ""},
		{"name alone", "WS-1", "", ""},
		{"nothing", "", "", ""},
		{"disabled", "WS-OFF", secretOf("WS-OFF"), ""},
		{"disabled, secret alone", secretOf("WS-OFF"), "", ""},
	} {
		e, hash, err := g.signIn("192.0.2.1:5000", test.user, test.password)
		switch {
		case test.device == "" && !errors.Is(err, errWrongSecret):
			t.Errorf("%s: %v", test.name, err)
		case test.device != "" && (err != nil || e.Name != test.device):
			t.Errorf("%s: %v %v", test.name, e, err)
		case test.device != "" && !g.registry.StillValid(e.ID, hash):
			t.Errorf("%s: the hash is not the device's", test.name)
		}
	}
	if n := g.stats.signInFailures.Load(); n != 6 {
		t.Errorf("%d failures counted", n)
	}
	e, _, err := g.signIn("192.0.2.1:5000", "WS-1", secretOf("WS-1"))
	if err != nil {
		t.Fatal(err)
	}
	// The wrong secret and another device's; a name alone shows nothing.
	if n := g.traces.Get(e.Tenant, e.ID).Refused.Count; n != 2 {
		t.Errorf("%d refused sign-ins of WS-1 are noted", n)
	}
	off := g.registry.Find(e.Tenant, "WS-OFF")
	if off == nil || g.traces.Get(off.Tenant, off.ID).Refused.Count != 0 {
		t.Error("a disabled device's sign-in counts as one with a wrong secret")
	}
}

func TestGateLimitsFailuresByAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTestGate(func(o *Options) { o.FailureRate, o.FailureBurst = 0.5, 3 })
		fail := func(address string) error {
			_, _, err := g.signIn(address, "WS-1", "wrong")
			return err
		}
		for i := range 3 {
			if err := fail(fmt.Sprintf("192.0.2.1:%d", 5000+i)); !errors.Is(err, errWrongSecret) {
				t.Fatalf("failure %d: %v", i, err)
			}
		}
		var limited limitedError
		for range 3 {
			if err := fail("192.0.2.1:1"); !errors.As(err, &limited) {
				t.Fatalf("after too many failures of the address: %v", err)
			}
			if limited.retry != 2*time.Second {
				t.Errorf("retry after %v", limited.retry)
			}
		}
		if err := fail("192.0.2.2:1"); !errors.Is(err, errWrongSecret) {
			t.Errorf("another address: %v", err)
		}
		time.Sleep(limited.retry)
		if err := fail("192.0.2.1:1"); !errors.Is(err, errWrongSecret) {
			t.Errorf("after the wait: %v", err)
		}
	})
}

// A device with the right secret may sign in at any time, however many attempts of its address
// fail.
func TestGateAcceptsRightSecretDespiteFailures(t *testing.T) {
	g := newTestGate(func(o *Options) { o.FailureRate, o.FailureBurst = 0.001, 3 })
	for i := range 100 {
		if _, _, err := g.signIn("192.0.2.1:5000", "WS-1", fmt.Sprint("wrong ", i)); err == nil {
			t.Fatal("a wrong secret was accepted")
		}
		for _, device := range []string{"WS-1", "WS-2"} {
			if e, _, err := g.signIn("192.0.2.1:1", device, secretOf(device)); err != nil || e.Name != device {
				t.Fatalf("%s after %d failures of its address: %v", device, i+1, err)
			}
		}
	}
}

// BenchmarkGateWrongSecret measures a wrong secret from an address that failed too often.
func BenchmarkGateWrongSecret(b *testing.B) {
	g := newTestGate(func(*Options) {})
	for b.Loop() {
		if _, _, err := g.signIn("192.0.2.1:5000", "WS-1", "a-secret-that-is-not-right"); err == nil {
			b.Fatal("a wrong secret was accepted")
		}
	}
}

func TestNetworkOf(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.7:1883":                "192.0.2.7",
		"192.0.2.7":                     "192.0.2.7",
		"[::ffff:192.0.2.7]:80":         "192.0.2.7",
		"[2001:db8:1:2:3:4:5:6]:1883":   "2001:db8:1:2::/64",
		"2001:db8:1:2:ffff::1":          "2001:db8:1:2::/64",
		"[fe80::1%eth0]:1883":           "fe80::/64",
		"pipe":                          limit.Network{}.String(), // an unknown address
		"":                              limit.Network{}.String(),
		"[2001:db8:1:3:3:4:5:6%lo]:443": "2001:db8:1:3::/64",
	} {
		if got := networkOf(address).String(); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func TestGateReserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTestGate(func(o *Options) { o.Rate, o.Burst = 20, 5 })
		ws, gw := g.registry.Get(1), g.registry.Get(3)
		held := map[device.ID]limit.PinnedBucket[device.ID]{ws.ID: g.pin(ws.ID), gw.ID: g.pin(gw.ID)}
		pace := func(e *device.Entry) time.Duration { return g.reserve(held[e.ID], time.Now(), e) }
		for i := range 5 {
			if d := pace(ws); d != 0 {
				t.Fatalf("message %d of the burst waits %v", i, d)
			}
		}
		for i := 1; i <= 3; i++ {
			if d, want := pace(ws), time.Duration(i)*50*time.Millisecond; d != want {
				t.Errorf("message %d beyond the burst waits %v, want %v", i, d, want)
			}
		}
		if d := g.admit(ws); d != 200*time.Millisecond {
			t.Errorf("HTTP may send again in %v", d)
		}
		if d := g.admit(ws); d != 200*time.Millisecond {
			t.Errorf("a refused admit took from the bucket: %v", d)
		}
		time.Sleep(200 * time.Millisecond)
		if d := g.admit(ws); d != 0 {
			t.Errorf("after the wait: %v", d)
		}
		// Four devices of the gateway's tenant: four times as much.
		for i := range 20 {
			if d := pace(gw); d != 0 {
				t.Fatalf("message %d of the gateway's burst waits %v", i, d)
			}
		}
		if d := pace(gw); d != 12500*time.Microsecond {
			t.Errorf("the gateway waits %v", d)
		}
		// A fifth device is added.
		g.registry.Replace(append(testDevices(), entry(green, 9, "WS-9", false, false)))
		pace(gw)
		time.Sleep(time.Hour)
		for i := range 25 {
			if d := pace(gw); d != 0 {
				t.Fatalf("message %d of five devices' burst waits %v", i, d)
			}
		}
		if d := pace(gw); d != 10*time.Millisecond {
			t.Errorf("the gateway of five devices waits %v", d)
		}
	})
}

// Every message passes the gate.
func TestGateReserveAllocatesNothing(t *testing.T) {
	g := newTestGate(func(*Options) {})
	ws := g.registry.Get(1)
	held := g.pin(ws.ID)
	defer held.Release()
	if n := testing.AllocsPerRun(100, func() { g.reserve(held, time.Now(), ws) }); n != 0 {
		t.Errorf("%v allocations per message", n)
	}
}
