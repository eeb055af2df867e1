package console

import (
	"net/http"
	"slices"
	"strings"

	"tilth/internal/domain/tenant"
	"tilth/internal/edge/httpbase"
	"tilth/internal/platform/errs"
)

// maxStreamOrigins are how many origins of streams a policy names at most: a
// header must stay small enough for the proxies on its way.
const maxStreamOrigins = 60

// policy is the page's content security policy: scripts and calls from this
// server only; images besides from the map's tile server, from the catalogue's
// icons and from the branding of the tenant whose host is asked for; video from
// that tenant's streams; and frames for what this server serves alone.
func (c *webHandler) policy(r *http.Request) string {
	owner := c.tenantFor(r)
	images := sourceList(
		"'self' data: blob:",
		slices.Concat(tileOrigins(c.Tiles), c.iconOrigins(), brandingOrigins(owner)),
	)
	streams := c.streamOrigins(r, owner)
	return "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; " +
		"connect-src " + sourceList("'self'", streams) + "; img-src " + images + "; media-src " + sourceList("'self' blob:", streams) +
		"; frame-src 'self'; manifest-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

// workerPolicy is the service worker's: it fetches from this server and does
// nothing else.
const workerPolicy = "default-src 'none'; connect-src 'self'"

// sourceList are always and the origins, each once.
func sourceList(always string, origins []string) string {
	slices.Sort(origins)
	return strings.Join(append([]string{always}, slices.Compact(origins)...), " ")
}

// tileOrigins are the hosts of the map's tile server. {s} stands for one of
// three, named as the map's library does.
func tileOrigins(tiles *MapTiles) []string {
	if tiles == nil {
		return nil
	}
	return origins(
		strings.ReplaceAll(
			tiles.URL,
			"{s}",
			"a",
		),
		strings.ReplaceAll(tiles.URL, "{s}", "b"),
		strings.ReplaceAll(tiles.URL, "{s}", "c"),
	)
}

// iconOrigins are where the icons of all properties come from; the catalogue
// is the same for all tenants.
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

// tenantFor is the tenant that the request's host belongs to; nil where it names
// none or cannot be told.
func (c *webHandler) tenantFor(r *http.Request) *tenant.Tenant {
	t, err := c.Tenants.ByHost(r.Context(), httpbase.ClientHost(r, c.Proxies))
	if err != nil {
		c.logMissing(r, "branding not found out", err)
		return nil
	}
	return t
}

// logMissing tells of what the page goes without, unless there is no such thing.
func (c *webHandler) logMissing(r *http.Request, what string, err error) {
	if !errs.Is(err, errs.NotFound) && r.Context().Err() == nil {
		c.Logger.Error(what, "request", requestFrom(r.Context()).ID, "error", err)
	}
}

// brandingOrigins are where a tenant's branding comes from.
func brandingOrigins(t *tenant.Tenant) []string {
	if t == nil {
		return nil
	}
	return origins(t.Branding.Logo, t.Branding.Background, t.Branding.Favicon)
}

// streamOrigins are the origins of the owner's streams. People sign in to the tenant
// of the host and, where it names none, to the default tenant.
func (c *webHandler) streamOrigins(r *http.Request, owner *tenant.Tenant) []string {
	if owner == nil && c.DefaultTenant != "" {
		t, err := c.Tenants.ByName(r.Context(), c.DefaultTenant)
		if err != nil {
			c.logMissing(r, "default tenant not found out", err)
			return nil
		}
		owner = t
	}
	if owner == nil {
		return nil
	}
	addresses, err := c.Devices.Streams(r.Context(), owner.ID, c.Catalog)
	if err != nil {
		c.logMissing(r, "streams not found out", err)
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
