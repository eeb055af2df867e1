// Package guard decides which network addresses the server may call on behalf of users: none in its
// own internal network. It checks the address of a connection just before the connection is made,
// so that neither a name that changes its address nor a redirect circumvents it.
package guard

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
)

// Refusal is the error of an address that the guard refuses. It says nothing about what is at that
// address.
type Refusal struct{ why string }

// Error gives the text, which users see too, as the answer of a delivery.
func (r *Refusal) Error() string { return r.why }

var (
	errBlockedNetwork = &Refusal{"not sent: the address is in a network that this server does not call"}
	errPlaintext      = &Refusal{"not sent: without TLS only networks of the provider's choice are called"}
	errUnverifiable   = &Refusal{"not sent: the address could not be judged"}
)

// Refused tells whether err contains a *Refusal.
func Refused(err error) bool {
	_, is := errors.AsType[*Refusal](err)
	return is
}

// Guard checks addresses. The zero Guard allows public addresses only.
type Guard struct {
	// Private are networks that the provider allows in spite of all other rules, and without TLS
	// too.
	Private []netip.Prefix
	// Own are the machine's addresses; nil: those of its network interfaces.
	Own func() ([]netip.Addr, error)
}

// Check gives nil for an address that the server may call, else a *Refusal; plain tells that the
// connection has no TLS.
func (g *Guard) Check(a netip.Addr, plain bool) error {
	a = a.Unmap()
	inner := embedded(a)
	switch {
	case !a.IsValid():
		return errUnverifiable
	case g.IsPrivate(a):
		return nil
	case plain:
		return errPlaintext
	case a.Zone() != "", !public(a):
		return errBlockedNetwork
	}
	own, err := g.own()
	if err != nil {
		return fmt.Errorf("%w: %w", errUnverifiable, err)
	}
	if slices.Contains(own, a) || inner.IsValid() && slices.Contains(own, inner) {
		return errBlockedNetwork
	}
	return nil
}

// IsPrivate tells whether an address is in one of the networks of Private.
func (g *Guard) IsPrivate(a netip.Addr) bool {
	a = a.Unmap()
	return g.inPrivate(a) || g.inPrivate(embedded(a))
}

func (g *Guard) inPrivate(a netip.Addr) bool {
	return a.IsValid() &&
		slices.ContainsFunc(g.Private, func(p netip.Prefix) bool { return p.Contains(a.WithZone("")) })
}

// Control gives a net.Dialer's Control, which checks the address of a connection just before it is
// made.
func (g *Guard) Control(plain bool) func(network, address string, _ syscall.RawConn) error {
	return func(network, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || network != "tcp4" && network != "tcp6" {
			return errUnverifiable
		}
		return g.Check(at.Addr(), plain)
	}
}

func (g *Guard) own() ([]netip.Addr, error) {
	if g.Own != nil {
		return g.Own()
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	own := make([]netip.Addr, 0, len(all))
	for _, one := range all {
		if p, err := netip.ParsePrefix(one.String()); err == nil {
			own = append(own, p.Addr().Unmap().WithZone(""))
		}
	}
	return own, nil
}
