// Package sender sends notifications to people: mails by a mail server, text messages by an SMS
// gateway, texts by messengers.
package sender

import (
	"context"
	"log/slog"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/alerttext"
	"tilth/internal/domain/notify/alerttext/chart"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
)

// Readings gives the readings of one numeric property of an alarm's device with
// from <= time <= to (epoch ms), ascending: all of them if there are at most points, else the
// lowest and the highest of each interval, at most points in all. It gives none if the device was
// deleted.
type Readings func(
	ctx context.Context,
	t tenant.ID,
	a *alertmsg.Alarm,
	identifier string,
	from, to int64,
	points int,
) ([]chart.Point, error)

// Options configure how notifications are rendered.
type Options struct {
	Tenants   func(ctx context.Context, t tenant.ID) (*tenant.Tenant, error)
	Names     alerttext.PropertyNames
	Readings  Readings // nil: mails have no picture
	PublicURL string   // the console's address, unless the tenant has its own host; may be empty
	Now       func() time.Time
	Logger    *slog.Logger
}

// renderer gives the renderer for a notification.
func (o *Options) renderer(l *notify.Notification, t *tenant.Tenant, now time.Time) *alerttext.Renderer {
	v := &alerttext.Renderer{
		Language: l.Language,
		Zone:     t.TimeZone,
		Names:    o.Names,
		Tenant:   t.Name,
		Base:     t.BaseURL(o.PublicURL),
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

// tenantOf gives the notification's tenant; failing to read it is a Transient failure.
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
