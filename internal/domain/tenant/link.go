package tenant

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// Title gives the tenant's name that its people see.
func (t *Tenant) Title() string {
	if t.Branding.Title != "" {
		return t.Branding.Title
	}
	return t.Name
}

// BaseURL gives the base of links to the tenant's console, without a slash at its end: the tenant's first host, with
// scheme and port of the server's public address. It is empty if the tenant has no host and the server no public
// address.
func (t *Tenant) BaseURL(publicURL string) string {
	if len(t.Hosts) == 0 {
		return strings.TrimRight(publicURL, "/")
	}
	return baseOn(t.Hosts[0], publicURL)
}

// BaseURLAt is BaseURL for somebody whose browser is at an origin (http://farm.example:8080): it leads to the origin's
// host if it is one of the tenant's, with the origin's scheme and port if the server has no public address.
func (t *Tenant) BaseURLAt(origin, publicURL string) string {
	at, err := url.Parse(origin)
	if err != nil || !slices.Contains(t.Hosts, NormalizeHost(at.Host)) {
		return t.BaseURL(publicURL)
	}
	if publicURL == "" {
		publicURL = origin
	}
	return baseOn(NormalizeHost(at.Host), publicURL)
}

func baseOn(host, publicURL string) string {
	base := url.URL{Scheme: "https", Host: host}
	if public, err := url.Parse(publicURL); err == nil && public.Host != "" {
		base.Scheme = public.Scheme
		if port := public.Port(); port != "" {
			base.Host = net.JoinHostPort(host, port)
		}
	}
	return base.String()
}
