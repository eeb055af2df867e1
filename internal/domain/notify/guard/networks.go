package guard

import "net/netip"

// reserved4 are the IPv4 networks that are not reachable on the internet, by IANA's registry of
// special purposes.
var reserved4 = prefixes(
	"0.0.0.0/8",       // this network
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // carrier-grade NAT
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local; clouds serve a machine's secrets at 169.254.169.254
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocols
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // 6to4 relays
	"192.168.0.0/16",  // private
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, and broadcast
)

// global6 is the part of IPv6 that is assigned on the internet, and reserved6 are its exceptions.
// Loopback, unique local, link-local, multicast, mapped and deprecated addresses are outside it.
var (
	global6   = netip.MustParsePrefix("2000::/3")
	reserved6 = prefixes(
		"2001::/23",     // protocols, Teredo and benchmarks
		"2001:db8::/32", // documentation
		"3fff::/20",     // documentation
	)
	nat64 = netip.MustParsePrefix("64:ff9b::/96")
	sixTo = netip.MustParsePrefix("2002::/16") // 6to4
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, s := range texts {
		list[i] = netip.MustParsePrefix(s)
	}
	return list
}

// public tells whether an address, which must not be a mapped one, is a public one.
func public(a netip.Addr) bool {
	if a.Is4() {
		return !within(reserved4, a)
	}
	return nat64.Contains(a) || global6.Contains(a) && !within(reserved6, a)
}

func within(list []netip.Prefix, a netip.Addr) bool {
	for _, p := range list {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// embedded gives the IPv4 address that an IPv6 address stands for (NAT64, 6to4); not valid if it
// stands for none.
func embedded(a netip.Addr) netip.Addr {
	if !a.Is6() {
		return netip.Addr{}
	}
	b := a.As16()
	switch {
	case nat64.Contains(a):
		return netip.AddrFrom4([4]byte(b[12:16]))
	case sixTo.Contains(a):
		return netip.AddrFrom4([4]byte(b[2:6]))
	}
	return netip.Addr{}
}
