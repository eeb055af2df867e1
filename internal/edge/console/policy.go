package console

import (
	"net/http"
	"slices"
	"strings"

	"tilth/internal/domain/tenant"
	"tilth/internal/edge/httpbase"
	"tilth/internal/platform/errs"
)

// maxStreamOrigins is how many origins of streams a policy names at most: proxies limit the size of
// a header.
const maxStreamOrigins = 60

// policy returns the page's content security policy: scripts and calls from this server only;
// images also from the map's tile server, from the hosts of the catalogue's icons and from those of
// the branding of the tenant whose host is asked for; video from that tenant's streams; frames from
// this server alone.
func (c *webHandler) policy(r *http.Request) string {
	owner := c.tenantFor(r)
	images := sourceList(
		"'self' data: blob:",
		slices.Concat(tileOrigins(c.Tiles), c.iconOrigins(), brandingOrigins(owner)),
	)
	streams := c.streamOrigins(r, owner)
	return "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; " +
		"connect-src " + sourceList("'self'", streams) + "; img-src " + images +
		"; media-src " + sourceList("'self' blob:", streams) +
		"; frame-src 'self'; manifest-src 'self'; worker-src 'self' blob:; base-uri 'none'" +
		"; form-action 'self'; frame-ancestors 'none'"
}

// workerPolicy is the content security policy of the service worker, which fetches from this server
// and does nothing else.
const workerPolicy = "default-src 'none'; connect-src 'self'"

// sourceList joins always and the origins, each once.
func sourceList(always string, origins []string) string {
	slices.Sort(origins)
	return strings.Join(append([]string{always}, slices.Compact(origins)...), " ")
}

// tileOrigins returns the hosts of the map's tile server. {s} stands for one of three names, as in
// the map's library.
func tileOrigins(tiles *MapTiles) []string {
	if tiles == nil {
		return nil
	}
	return origins(
		strings.ReplaceAll(tiles.URL, "{s}", "a"),
		strings.ReplaceAll(tiles.URL, "{s}", "b"),
		strings.ReplaceAll(tiles.URL, "{s}", "c"),
	)
}

// iconOrigins returns the hosts of the icons of all properties; all tenants share the catalogue.
func (c *webHandler) iconOrigins() []string {
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

// tenantFor returns the tenant of the request's host; nil if there is none or the lookup fails.
func (c *webHandler) tenantFor(r *http.Request) *tenant.Tenant {
	t, err := c.Tenants.ByHost(r.Context(), httpbase.ClientHost(r, c.Proxies))
	if err != nil {
		c.logMissing(r, "branding not loaded", err)
		return nil
	}
	return t
}

// logMissing logs that a part of the page is missing, unless err says that there is no such thing.
func (c *webHandler) logMissing(r *http.Request, what string, err error) {
	if !errs.Is(err, errs.NotFound) && r.Context().Err() == nil {
		c.Logger.Error(what, "request", requestFrom(r.Context()).ID, "error", err)
	}
}

// brandingOrigins returns the origins of a tenant's branding.
func brandingOrigins(t *tenant.Tenant) []string {
	if t == nil {
		return nil
	}
	return origins(t.Branding.Logo, t.Branding.Background, t.Branding.Favicon)
}

// streamOrigins returns the origins of the owner's streams. If the host names no tenant, people
// sign in to the default tenant, whose streams then count.
func (c *webHandler) streamOrigins(r *http.Request, owner *tenant.Tenant) []string {
	if owner == nil && c.DefaultTenant != "" {
		t, err := c.Tenants.ByName(r.Context(), c.DefaultTenant)
		if err != nil {
			c.logMissing(r, "default tenant not loaded", err)
			return nil
		}
		owner = t
	}
	if owner == nil {
		return nil
	}
	addresses, err := c.Devices.Streams(r.Context(), owner.ID, c.Catalog)
	if err != nil {
		c.logMissing(r, "streams not loaded", err)
		return nil
	}
	list := origins(addresses...)
	slices.Sort(list)
	if list = slices.Compact(list); len(list) > maxStreamOrigins {
		c.Logger.Warn(
			"cameras of more servers than a page's policy names: some will not play",
			"tenant",
			owner.Name,
			"servers",
			len(list),
		)
		list = list[:maxStreamOrigins]
	}
	return list
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
