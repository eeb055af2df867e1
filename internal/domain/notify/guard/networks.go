package guard

import (
	"net/netip"

	"code.dny.dev/ssrf"
)

// internet knows the networks that are not reachable on the internet, by IANA's registries of
// special purposes. Of IPv6 it allows assigned space only.
var internet = ssrf.New()

// sixToFour are the addresses of IPv4 networks that send IPv6 through IPv4.
var sixToFour = netip.MustParsePrefix("2002::/16")

// public tells whether an address is one of the internet. An IPv6 address that stands for an IPv4
// address is as public as that one.
func public(a netip.Addr) bool {
	if inner := embedded(a); inner.IsValid() {
		a = inner
	}
	return internet.SafeAddr(a) == nil
}

// embedded gives the IPv4 address that an IPv6 address stands for (NAT64, 6to4); not valid if it
// stands for none.
func embedded(a netip.Addr) netip.Addr {
	b := a.As16()
	switch {
	case ssrf.IPv6NAT64Prefix.Contains(a):
		return netip.AddrFrom4([4]byte(b[12:16]))
	case sixToFour.Contains(a):
		return netip.AddrFrom4([4]byte(b[2:6]))
	}
	return netip.Addr{}
}
