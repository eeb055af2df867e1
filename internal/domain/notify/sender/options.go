// Package carrier brings what people are told to its far end: letters to a mail
// server, text messages to an SMS gateway.
package sender

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/alerttext"
	"tilth/internal/domain/notify/alerttext/chart"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
)

// Readings gives the readings of one numeric property of an alarm's device with
// from <= time <= to (epoch ms), ascending: all while there are at most so many
// points, else the lowest and highest of as many stretches. None where the
// device is gone.
type Readings func(ctx context.Context, t tenant.ID, a *alertmsg.Alarm, identifier string, from, to int64, points int) ([]chart.Point, error)

// Options is what letters are written with.
type Options struct {
	Tenants   func(ctx context.Context, t tenant.ID) (*tenant.Tenant, error)
	Names     alerttext.PropertyNames
	Readings  Readings // nil: mails have no picture
	PublicURL string   // where people reach the console; a tenant's own host goes before; may be empty
	Now       func() time.Time
	Logger    *slog.Logger
}

// renderer is how a letter speaks.
func (o *Options) renderer(l *notify.Notification, t *tenant.Tenant, now time.Time) *alerttext.Renderer {
	v := &alerttext.Renderer{
		Language: l.Language,
		Zone:     t.TimeZone,
		Names:    o.Names,
		Tenant:   t.Name,
		Base:     o.baseURL(t),
		Now:      now,
		Hourly:   l.Hourly,
	}
	if t.Branding.Title != "" {
		v.Tenant = t.Branding.Title
	}
	if !v.Language.Valid() {
		v.Language = t.Language
	}
	return v
}

// baseURL is where a tenant's links lead: to its first host, reached as the public
// address is.
func (o *Options) baseURL(t *tenant.Tenant) string {
	if len(t.Hosts) == 0 {
		return strings.TrimRight(o.PublicURL, "/")
	}
	base := url.URL{Scheme: "https", Host: t.Hosts[0]}
	if public, err := url.Parse(o.PublicURL); err == nil && public.Host != "" {
		base.Scheme = public.Scheme
		if port := public.Port(); port != "" {
			base.Host = net.JoinHostPort(t.Hosts[0], port)
		}
	}
	return base.String()
}

// tenantOf gives the letter's tenant; a failure to read it passes.
func (o *Options) tenantOf(ctx context.Context, l *notify.Notification) (*tenant.Tenant, error) {
	if l.Owner != nil {
		return l.Owner, nil
	}
	t, err := o.Tenants(ctx, l.Tenant)
	if err != nil {
		return nil, &notify.Failure{Kind: notify.Transient, Answer: "the tenant cannot be read", Cause: err}
	}
	return t, nil
}
