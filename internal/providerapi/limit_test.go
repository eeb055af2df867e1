package providerapi

import (
	"net/netip"
	"testing"

	"tilth/internal/testkit"
)

func TestFailures(t *testing.T) {
	clock := testkit.NewClock()
	f := newFailures(clock.Now)
	a, b := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	for i := range failureBurst {
		if wait := f.wait(a); wait != 0 {
			t.Fatalf("after %d failures it waits %s", i, wait)
		}
		f.add(a)
	}
	if wait := f.wait(a); wait != failureEvery {
		t.Errorf("after %d failures it waits %s", failureBurst, wait)
	}
	if wait := f.wait(b); wait != 0 {
		t.Errorf("another address waits %s", wait)
	}
	if wait := f.wait(netip.MustParseAddr("::ffff:192.0.2.1")); wait == 0 {
		t.Error("the same address written otherwise does not wait")
	}
	clock.Advance(failureEvery)
	if wait := f.wait(a); wait != 0 {
		t.Errorf("later it waits %s", wait)
	}
	f.add(a)
	if wait := f.wait(a); wait <= 0 || wait > failureEvery {
		t.Errorf("after one more it waits %s", wait)
	}
}

// A network of one owner counts as one address, and the memory is bounded.
func TestFailuresOfNetworks(t *testing.T) {
	clock := testkit.NewClock()
	f := newFailures(clock.Now)
	for i := range failureBurst {
		f.add(netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 15: byte(i)}))
	}
	if wait := f.wait(netip.MustParseAddr("2001:db8::ffff")); wait == 0 {
		t.Error("another address of the network does not wait")
	}
	if wait := f.wait(netip.MustParseAddr("2001:db8:0:1::1")); wait != 0 {
		t.Errorf("another network waits %s", wait)
	}
	// Those that have rested are forgotten first; busy ones only when all are.
	clock.Advance(failureEvery)
	for i := range 3 * addressesKept {
		if i == addressesKept {
			clock.Advance(failureEvery * failureBurst)
		}
		f.add(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}))
		if n := len(f.known); n > addressesKept {
			t.Fatalf("%d addresses are kept", n)
		}
	}
	if f.known[netip.MustParseAddr("10.0.0.0")] != nil {
		t.Error("an address that has rested is kept while busy ones make room")
	}
}
