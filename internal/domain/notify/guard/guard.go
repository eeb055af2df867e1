// Package guard decides which network addresses the server may call where
// people say whom it calls: none behind its own walls. It judges the address
// that a connection is about to be made to, so that neither a name that
// changes its address nor a redirect leads past it.
package guard

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
)

// Refusal is the error of an address that is not called. It says nothing of
// what is there.
type Refusal struct{ why string }

// Error is for people, too: of a delivery that was not made.
func (r *Refusal) Error() string { return r.why }

var (
	errBlockedNetwork = &Refusal{"not sent: the address is in a network that this server does not call"}
	errPlaintext      = &Refusal{"not sent: without TLS only networks of the provider's choice are called"}
	errUnverifiable   = &Refusal{"not sent: the address could not be judged"}
)

// Refused tells whether an error comes of an address that is not called.
func Refused(err error) bool {
	_, is := errors.AsType[*Refusal](err)
	return is
}

// Guard judges addresses. The zero Guard calls public addresses only.
type Guard struct {
	// Private are networks of the provider's choice, which are called in spite
	// of all, and without TLS too.
	Private []netip.Prefix
	// Own are the machine's addresses; nil: those of its network interfaces.
	Own func() ([]netip.Addr, error)
}

// Check gives nil for an address that may be called, else a *Refusal; plain is
// of a connection without TLS.
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
	case a.Zone() != "", !public(a), inner.IsValid() && !public(inner):
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

// IsPrivate tells whether an address lies in a network of the provider's choice.
func (g *Guard) IsPrivate(a netip.Addr) bool {
	a = a.Unmap()
	return g.inPrivate(a) || g.inPrivate(embedded(a))
}

func (g *Guard) inPrivate(a netip.Addr) bool {
	return a.IsValid() &&
		slices.ContainsFunc(g.Private, func(p netip.Prefix) bool { return p.Contains(a.WithZone("")) })
}

// Control judges the address of a connection just before it is made, as a
// net.Dialer's Control.
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
