package tenant

import (
	"net"
	"net/url"
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
	base := url.URL{Scheme: "https", Host: t.Hosts[0]}
	if public, err := url.Parse(publicURL); err == nil && public.Host != "" {
		base.Scheme = public.Scheme
		if port := public.Port(); port != "" {
			base.Host = net.JoinHostPort(t.Hosts[0], port)
		}
	}
	return base.String()
}
