package guard

import (
	"errors"
	"net"
	"net/netip"
	"testing"
)

func addrs(texts ...string) (list []netip.Addr) {
	for _, s := range texts {
		list = append(list, netip.MustParseAddr(s))
	}
	return list
}

func prefixes(texts ...string) (list []netip.Prefix) {
	for _, s := range texts {
		list = append(list, netip.MustParsePrefix(s))
	}
	return list
}

// own gives the machine's addresses of these tests: one public address of each version.
func own() ([]netip.Addr, error) { return addrs("127.0.0.1", "198.41.0.4", "2600:1f00::4"), nil }

func TestReservedAndLocalAddressesRefused(t *testing.T) {
	g := Guard{Own: own}
	for _, a := range addrs(
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.254", "127.0.0.1", "127.8.9.10", "169.254.169.254", "169.254.0.1",
		"172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.175.48.1", "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9",
		"224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.1.2.3", "::ffff:0:7f00:1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
		"64:ff9b::a00:1", "64:ff9b:1::1", "100::1", "fc00::1", "fd12:3456::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "ff0e::1", "2001::1",
		"2001:2::1", "2001:10::1", "2001:db8::1", "2620:4f:8000::1", "3fff::1", "5f00::1", "2002:7f00:1::1", "2002:a9fe:a9fe::", "2002:c0a8:1::1", "2002:a00:1::", "fd00:ec2::254",
		// The machine's own addresses.
		"198.41.0.4", "2600:1f00::4", "::ffff:198.41.0.4", "64:ff9b::c629:4", "2002:c629:4::1",
	) {
		if err := g.Check(a, false); !Refused(err) {
			t.Errorf("%s: %v", a, err)
		}
	}
}

func TestPublicAddressesAllowed(t *testing.T) {
	g := Guard{Own: own}
	for _, a := range addrs(
		"1.1.1.1", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1", "169.253.255.255", "169.255.0.1", "172.15.255.255",
		"172.32.0.1", "191.255.255.255", "192.0.1.1", "192.167.255.255", "192.169.0.1", "198.17.255.255", "198.20.0.1", "223.255.255.255", "198.41.0.5",
		"2600:1f00::5", "2a00:1450::1", "2001:4860:4860::8888", "2620:fe::fe", "64:ff9b::101:101", "2002:101:101::1", "::ffff:8.8.8.8",
	) {
		if err := g.Check(a, false); err != nil {
			t.Errorf("%s: %v", a, err)
		}
		if err := g.Check(a, true); !Refused(err) {
			t.Errorf("%s without TLS: %v", a, err)
		}
	}
}

// The networks that the provider allows are allowed in every notation, and no others.
func TestPrivateNetworksAllowed(t *testing.T) {
	g := Guard{Own: own, Private: prefixes("127.0.0.0/8", "10.1.0.0/16", "fd00:1::/32")}
	for _, a := range addrs("127.0.0.1", "10.1.255.1", "::ffff:10.1.2.3", "64:ff9b::a01:203", "fd00:1::9") {
		for _, plain := range []bool{false, true} {
			if err := g.Check(a, plain); err != nil {
				t.Errorf("%s, plain %v: %v", a, plain, err)
			}
		}
	}
	for _, a := range addrs("10.2.0.1", "::1", "fd00:2::1", "169.254.169.254", "192.168.0.1") {
		if err := g.Check(a, false); !Refused(err) {
			t.Errorf("%s: %v", a, err)
		}
	}
}

// If the machine's addresses cannot be read, the guard refuses every address.
func TestRefusesWithoutLocalAddresses(t *testing.T) {
	boom := errors.New("boom")
	g := Guard{Own: func() ([]netip.Addr, error) { return nil, boom }}
	if err := g.Check(netip.MustParseAddr("1.1.1.1"), false); !Refused(err) || !errors.Is(err, boom) {
		t.Errorf("%v", err)
	}
	if err := (&Guard{}).Check(netip.Addr{}, false); !Refused(err) {
		t.Errorf("%v", err)
	}
}

// Without Own, the guard reads the addresses of the machine's interfaces.
func TestLocalAddrsFromInterfaces(t *testing.T) {
	var g Guard
	found, err := g.own()
	if err != nil || len(found) == 0 {
		t.Fatalf("%v %v", found, err)
	}
	all, err := net.InterfaceAddrs()
	if err != nil || len(all) != len(found) {
		t.Errorf("%v of %v: %v", found, all, err)
	}
}

// Control checks the address of the connection that is about to be made.
func TestControlChecksDialedAddress(t *testing.T) {
	g := Guard{Own: own, Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	for address, want := range map[string]bool{
		"1.1.1.1:443": true, "[2600::1]:8443": true, "127.0.0.1:80": true, "[::1]:443": false, "[fe80::1%eth0]:443": false, "10.0.0.1:443": false, "name:443": false, "": false,
	} {
		network := "tcp4"
		if address != "" && address[0] == '[' {
			network = "tcp6"
		}
		if err := g.Control(false)(network, address, nil); (err == nil) != want || err != nil && !Refused(err) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := g.Control(false)("udp4", "1.1.1.1:443", nil); !Refused(err) {
		t.Errorf("%v", err)
	}
	if err := g.Control(true)("tcp4", "1.1.1.1:443", nil); !Refused(err) {
		t.Errorf("%v", err)
	}
	// A real dialer refuses before it sends anything.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	d := net.Dialer{Control: (&Guard{Own: own}).Control(false)}
	if _, err := d.DialContext(t.Context(), "tcp", l.Addr().String()); !Refused(err) {
		t.Errorf("%v", err)
	}
}
