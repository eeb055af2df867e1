package openapi

import (
	"net/netip"
	"testing"
	"time"
)

// Buckets that are full again are forgotten when there are many; those that
// are not still count.
func TestFullBucketsAreForgotten(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	f := newFailures(func() time.Time { return now })
	guesser := netip.MustParseAddr("198.51.100.7")
	address := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}) }
	for i := range bucketsKept - 1 {
		f.add(address(i))
	}
	now = now.Add(time.Minute)
	for range failuresAtOnce {
		f.add(guesser)
	}
	if len(f.by.each) != bucketsKept {
		t.Fatalf("%d buckets", len(f.by.each))
	}
	f.add(address(bucketsKept))
	if len(f.by.each) != 2 || f.wait(guesser) != time.Second || f.wait(address(1)) != 0 {
		t.Errorf("%d buckets, the guesser waits %v", len(f.by.each), f.wait(guesser))
	}
}

func TestNetworks(t *testing.T) {
	for given, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::", "::1": "::",
	} {
		if got := network(netip.MustParseAddr(given)); got != netip.MustParseAddr(want) {
			t.Errorf("%s counts as %s", given, got)
		}
	}
	if got := network(netip.Addr{}); got.IsValid() { // nobody knows where it came from
		t.Errorf("%s", got)
	}
}
