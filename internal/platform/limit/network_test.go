package limit

import (
	"math/rand/v2"
	"net/netip"
	"testing"
)

func TestNetworks(t *testing.T) {
	wide := Grouping{IPv4: 24, IPv6: 48}
	for _, row := range []struct{ address, client, wide string }{
		{"192.0.2.1", "192.0.2.1", "192.0.2.0/24"},
		{"::ffff:192.0.2.1", "192.0.2.1", "192.0.2.0/24"},
		{"::ffff:192.0.2.1%eth0", "192.0.2.1", "192.0.2.0/24"},
		{"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"},
		{"2001:db8:1:2:ffff::", "2001:db8:1:2::/64", "2001:db8:1::/48"},
		{"fe80::1%eth0", "fe80::/64", "fe80::/48"},
		{"::1", "::/64", "::/48"},
		{"::192.0.2.1", "::/64", "::/48"}, // IPv6, whatever it looks like
		{"0.0.0.0", "0.0.0.0", "0.0.0.0/24"},
	} {
		a := netip.MustParseAddr(row.address)
		if got := Client.Of(a).String(); got != row.client {
			t.Errorf("%s counts as %s, want %s", a, got, row.client)
		}
		if got := wide.Of(a).String(); got != row.wide {
			t.Errorf("%s counts in the wide grouping as %s, want %s", a, got, row.wide)
		}
	}
	// All unknown addresses count as one.
	var nowhere netip.Addr
	if n := Client.Of(nowhere); n != (Network{}) || n.String() != nowhere.String() {
		t.Errorf("the unknown address prints as %s", n)
	}
	// A prefix longer than an address stands for the address alone.
	if n := (Grouping{IPv4: 64, IPv6: 999}); n.Of(netip.MustParseAddr("192.0.2.1")).String() != "192.0.2.1" ||
		n.Of(netip.MustParseAddr("::1")).String() != "::1" {
		t.Errorf("grouping %+v", n)
	}
}

// Two IPv6 addresses are one client exactly if their first 64 bits are equal; an IPv4 address is
// one client with no other address.
func TestNetworksAreTheirFirstBits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		var a [16]byte
		for i := range a {
			a[i] = byte(random.Uint32())
		}
		b, bit := a, random.IntN(128)
		b[bit/8] ^= 0x80 >> (bit % 8)
		x, y := Client.Of(netip.AddrFrom16(a)), Client.Of(netip.AddrFrom16(b))
		if same := bit >= 64; (x == y) != same {
			t.Fatalf("%s and %s differ in bit %d", x, y, bit)
		}
		x, y = Client.Of(netip.AddrFrom4([4]byte(a[:]))), Client.Of(netip.AddrFrom4([4]byte(b[:])))
		if same := bit >= 32; (x == y) != same {
			t.Fatalf("%s and %s differ in bit %d", x, y, bit)
		}
	}
}
