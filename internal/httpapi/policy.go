package httpapi

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"tilth/internal/errs"
	"tilth/internal/tenant"
)

// policy is the page's content security policy: scripts and calls from this
// server only; images besides from the map's tile server, from the catalogue's
// icons and from the branding of the tenant whose host is asked for.
func (c *console) policy(r *http.Request) string {
	origins := slices.Concat(tileOrigins(c.Tiles), c.iconOrigins(), c.brandOrigins(r))
	slices.Sort(origins)
	images := strings.Join(append([]string{"'self' data: blob:"}, slices.Compact(origins)...), " ")
	return "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; connect-src 'self'; " +
		"img-src " + images + "; manifest-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

// tileOrigins are the hosts of the map's tile server. {s} stands for one of
// three, named as the map's library does.
func tileOrigins(tiles *MapTiles) []string {
	if tiles == nil {
		return nil
	}
	return origins(
		strings.ReplaceAll(tiles.URL, "{s}", "a"), strings.ReplaceAll(tiles.URL, "{s}", "b"), strings.ReplaceAll(tiles.URL, "{s}", "c"),
	)
}

// iconOrigins are where the icons of all properties come from; the catalogue
// is the same for all tenants.
func (c *console) iconOrigins() []string {
	var icons []string
	for _, p := range c.Catalog.Products() {
		for i := range p.Properties {
			if e := c.Catalog.Element(p.Properties[i].Identifier); e != nil {
				icons = append(icons, e.YeuURL)
			}
		}
	}
	return origins(icons...)
}

// brandOrigins are where the branding comes from of the tenant that the
// request's host belongs to. Where it cannot be told the page goes without.
func (c *console) brandOrigins(r *http.Request) []string {
	t, err := c.Tenants.ByHost(r.Context(), ClientHost(r, c.Proxies))
	if err != nil {
		if !errs.Is(err, errs.NotFound) && r.Context().Err() == nil {
			c.Log.Error("branding not found out", "request", of(r.Context()).id, "error", err)
		}
		return nil
	}
	return origins(t.Branding.Logo, t.Branding.Background, t.Branding.Favicon)
}

func origins(addresses ...string) []string {
	var list []string
	for _, a := range addresses {
		if o := tenant.Origin(a); o != "" {
			list = append(list, o)
		}
	}
	return list
}

// ClientHost is the host that a request asks for. A forwarded host is believed
// only from a trusted proxy, and of several only the one that the nearest
// proxy wrote.
func ClientHost(r *http.Request, proxies []netip.Prefix) string {
	if trusted(parseAddr(r.RemoteAddr), proxies) {
		forwarded := strings.Join(r.Header.Values("X-Forwarded-Host"), ",")
		if host := strings.TrimSpace(forwarded[strings.LastIndexByte(forwarded, ',')+1:]); host != "" {
			return host
		}
	}
	return r.Host
}
