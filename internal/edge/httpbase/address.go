package httpbase

import (
	"net/http"
	"net/netip"
	"strings"
)

// ClientAddr returns the address that a request comes from; it is invalid if its listener has none.
// Forwarded addresses are trusted only if they come from trusted proxies, from the nearest hop
// outwards.
func ClientAddr(r *http.Request, proxies []netip.Prefix) netip.Addr {
	hop := parseAddr(r.RemoteAddr)
	forwarded := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(forwarded) - 1; i >= 0 && containsAddr(hop, proxies); i-- {
		next := parseAddr(strings.TrimSpace(forwarded[i]))
		if !next.IsValid() {
			break
		}
		hop = next
	}
	return hop
}

// ClientHost returns the host that a request asks for. A forwarded host is trusted only if it comes
// from a trusted proxy.
func ClientHost(r *http.Request, proxies []netip.Prefix) string {
	if host := forwarded(r, proxies, "X-Forwarded-Host"); host != "" {
		return host
	}
	return r.Host
}

// ClientScheme returns the scheme of a request, http or https, as a trusted proxy forwards it if
// there is one.
func ClientScheme(r *http.Request, proxies []netip.Prefix) string {
	if r.TLS != nil || strings.EqualFold(forwarded(r, proxies, "X-Forwarded-Proto"), "https") {
		return "https"
	}
	return "http"
}

// FromProxy tells whether a trusted proxy opened the connection of a request.
func FromProxy(r *http.Request, proxies []netip.Prefix) bool {
	return containsAddr(parseAddr(r.RemoteAddr), proxies)
}

// forwarded returns the value of a header that a trusted proxy set. If there are several values, it
// returns the last one, which the nearest proxy wrote.
func forwarded(r *http.Request, proxies []netip.Prefix, header string) string {
	if !FromProxy(r, proxies) {
		return ""
	}
	all := strings.Join(r.Header.Values(header), ",")
	return strings.TrimSpace(all[strings.LastIndexByte(all, ',')+1:])
}

func containsAddr(a netip.Addr, networks []netip.Prefix) bool {
	for _, n := range networks {
		if n.Contains(a) {
			return true
		}
	}
	return false
}

// parseAddr reads an address, with or without a port; the result is invalid if s is no address.
func parseAddr(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap()
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return a.Unmap()
	}
	return netip.Addr{}
}
