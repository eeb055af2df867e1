package limit

import "net/netip"

// Grouping is what addresses count as one, by the length of their prefixes, in
// bits.
type Grouping struct{ IPv4, IPv6 int }

// Client is the grouping of one client: an IPv4 address, or an IPv6 network of
// 64 bits, whose holder has more addresses than there are calls.
var Client = Grouping{IPv4: 32, IPv6: 64}

// Network is what an address counts as: it alone, or all of a network. It may be
// a key. The zero Network is that of all whose address is not known.
type Network struct{ prefix netip.Prefix }

// Of gives the network of an address. An IPv4 address written as one of IPv6 is
// that IPv4 address, and a zone does not matter.
func (g Grouping) Of(a netip.Addr) Network {
	a = a.Unmap().WithZone("")
	bits := g.IPv4
	if a.Is6() {
		bits = g.IPv6
	}
	return Network{netip.PrefixFrom(a, min(bits, a.BitLen())).Masked()}
}

// String is the address, or the network as 2001:db8:1:2::/64.
func (n Network) String() string {
	if a := n.prefix.Addr(); !a.IsValid() || n.prefix.IsSingleIP() {
		return a.String()
	}
	return n.prefix.String()
}
