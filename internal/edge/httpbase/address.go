package httpbase

import (
	"net/http"
	"net/netip"
	"strings"
)

// ClientAddr is the address a request comes from; invalid where its listener
// has none. Forwarded addresses are believed only from trusted proxies, from the
// nearest hop outwards.
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

// ClientHost is the host that a request asks for. A forwarded host is believed
// only from a trusted proxy.
func ClientHost(r *http.Request, proxies []netip.Prefix) string {
	if host := forwarded(r, proxies, "X-Forwarded-Host"); host != "" {
		return host
	}
	return r.Host
}

// ClientScheme is http or https, by which a request was made, as a trusted proxy
// says it where there is one.
func ClientScheme(r *http.Request, proxies []netip.Prefix) string {
	if r.TLS != nil || strings.EqualFold(forwarded(r, proxies, "X-Forwarded-Proto"), "https") {
		return "https"
	}
	return "http"
}

// FromProxy tells whether the connection that a request came by is a trusted
// proxy's.
func FromProxy(r *http.Request, proxies []netip.Prefix) bool {
	return containsAddr(parseAddr(r.RemoteAddr), proxies)
}

// forwarded is what a trusted proxy says of a request; of several values the one
// that the nearest proxy wrote, the last.
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

// parseAddr reads an address, with or without a port; invalid where it is none.
func parseAddr(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap()
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return a.Unmap()
	}
	return netip.Addr{}
}
