package provider

import (
	"net/netip"
	"testing"
	"time"

	"tilth/internal/platform/limit"
	"tilth/internal/tools/testkit"
)

func TestFailureLimit(t *testing.T) {
	clock := testkit.NewClock()
	f := newFailures(&Options{Now: clock.Now})
	wait := func(address string) time.Duration {
		return f.Peek(limit.Client.Of(netip.MustParseAddr(address)), limit.One).Retry
	}
	add := func(address string) { f.Allow(limit.Client.Of(netip.MustParseAddr(address)), limit.One) }
	for i := range failureBurst {
		if wait := wait("192.0.2.1"); wait != 0 {
			t.Fatalf("after %d failures the address waits %s", i, wait)
		}
		add("192.0.2.1")
	}
	if wait := wait("192.0.2.1"); wait != failureInterval {
		t.Errorf("after %d failures the address waits %s", failureBurst, wait)
	}
	if wait := wait("192.0.2.2"); wait != 0 {
		t.Errorf("another address waits %s", wait)
	}
	if wait := wait("::ffff:192.0.2.1"); wait == 0 {
		t.Error("the same address in another notation does not wait")
	}
	clock.Advance(failureInterval)
	if wait := wait("192.0.2.1"); wait != 0 {
		t.Errorf("later the address waits %s", wait)
	}
	add("192.0.2.1")
	if wait := wait("192.0.2.1"); wait <= 0 || wait > failureInterval {
		t.Errorf("after one more failure the address waits %s", wait)
	}
}

// A network of one owner counts as one address, and memory is bounded.
func TestFailureLimitPerNetwork(t *testing.T) {
	clock, meter := testkit.NewClock(), &limit.Meter{}
	f := newFailures(&Options{Now: clock.Now, Limits: meter})
	network := func(address string) limit.Network { return limit.Client.Of(netip.MustParseAddr(address)) }
	for i := range failureBurst {
		f.Allow(limit.Client.Of(netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 15: byte(i)})), limit.One)
	}
	if f.Peek(network("2001:db8::ffff"), limit.One).Allowed() {
		t.Error("another address of the network does not wait")
	}
	if s := f.Peek(network("2001:db8:0:1::1"), limit.One); !s.Allowed() {
		t.Errorf("another network waits %s", s.Retry)
	}
	// However many addresses fail once, the one that guesses is not evicted.
	for i := range 3 * maxAddresses {
		f.Allow(limit.Client.Of(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})), limit.One)
	}
	if n := meter.Stats()["provider_token"].Keys; n > maxAddresses {
		t.Errorf("%d addresses are remembered", n)
	}
	if f.Peek(network("2001:db8::ffff"), limit.One).Allowed() {
		t.Error("the network that guesses is forgotten")
	}
	// Idle addresses are evicted first.
	clock.Advance(failureInterval)
	for i := range maxAddresses / 2 {
		f.Allow(limit.Client.Of(netip.AddrFrom4([4]byte{11, byte(i >> 16), byte(i >> 8), byte(i)})), limit.One)
	}
	if f.Peek(network("2001:db8::ffff"), limit.Events(2)).Allowed() {
		t.Error("the network that guesses is evicted while others are idle")
	}
}
