package limit

import "net/netip"

// Grouping says which addresses count as one, by the lengths of their prefixes in bits.
type Grouping struct{ IPv4, IPv6 int }

// Client groups the addresses of one client: an IPv4 address, or an IPv6 network of 64 bits, whose
// holder has more addresses than there could be requests.
var Client = Grouping{IPv4: 32, IPv6: 64}

// Network is what an address counts as: the address alone, or a whole network. It is comparable and
// so can be a key. The zero Network stands for all unknown addresses.
type Network struct{ prefix netip.Prefix }

// Of returns the network of an address. An IPv4 address written as IPv6 counts as the IPv4 address,
// and zones are ignored.
func (g Grouping) Of(a netip.Addr) Network {
	a = a.Unmap().WithZone("")
	bits := g.IPv4
	if a.Is6() {
		bits = g.IPv6
	}
	return Network{netip.PrefixFrom(a, min(bits, a.BitLen())).Masked()}
}

// String returns the address, or the network in the form 2001:db8:1:2::/64.
func (n Network) String() string {
	if a := n.prefix.Addr(); !a.IsValid() || n.prefix.IsSingleIP() {
		return a.String()
	}
	return n.prefix.String()
}
