package notify

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"tilth/internal/domain/notify/guard"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/errs"
)

// The events of a webhook, by their names in the contracts. A webhook that subscribes to
// EventAcknowledged receives EventUnacknowledged too.
const (
	EventOpened         = "opened"
	EventResolved       = "resolved"
	EventAcknowledged   = "acknowledged"
	EventUnacknowledged = "unacknowledged"
)

// WebhookEvent gives the name that webhooks receive for an event.
func WebhookEvent(what alertmsg.Event) string {
	switch what {
	case alertmsg.Resolved:
		return EventResolved
	case alertmsg.Acknowledged:
		return EventAcknowledged
	case alertmsg.Unacknowledged:
		return EventUnacknowledged
	default:
		return EventOpened
	}
}

const (
	webhookURLMax = 1024 // bytes
)

// WebhookForm is a webhook as users and programs give it. A nil field was not given.
type WebhookForm struct {
	Name    *string
	URL     *string
	Events  []string
	Level   *int  // nil: 0
	Enabled *bool // nil: true
	// CurrentURL is the webhook's stored URL. Webhook accepts it unchecked, even if the guard
	// would refuse it by now, so that it does not block changes of other fields: the guard checks
	// each call anyway.
	CurrentURL string
}

// Webhook makes a webhook from the form. Its error is the first mistake in the order of the form
// (Refused). The guard checks a host name at each call; Webhook accepts an IP address only in
// networks that the provider allows.
func (f *WebhookForm) Webhook(g *guard.Guard) (w Webhook, err error) {
	if w.Name, err = shownName(f.Name, "name"); err != nil {
		return w, err
	}
	if f.CurrentURL != "" && f.URL != nil && strings.TrimSpace(*f.URL) == f.CurrentURL {
		w.URL = f.CurrentURL
	} else if w.URL, err = webhookURL(f.URL, g); err != nil {
		return w, err
	}
	for _, event := range f.Events {
		switch event {
		case EventOpened:
			w.Opened = true
		case EventResolved:
			w.Resolved = true
		case EventAcknowledged:
			w.Acknowledged = true
		default:
			return w, errs.New(errs.Refused, "invalid.choice").WithField("events")
		}
	}
	if !w.Opened && !w.Resolved && !w.Acknowledged {
		return w, errs.New(errs.Refused, "webhook.eventRequired").WithField("events")
	}
	if f.Level != nil {
		w.Level = *f.Level
	}
	if w.Level < 0 || w.Level > serious {
		return w, errs.New(errs.Refused, "invalid.choice").WithField("alarmLevel")
	}
	w.Enabled = f.Enabled == nil || *f.Enabled
	return w, nil
}

func webhookURL(given *string, g *guard.Guard) (string, error) {
	refuse := func(key string, args ...string) (string, error) {
		return "", errs.New(errs.Refused, key, args...).WithField("url")
	}
	address := ""
	if given != nil {
		address = strings.TrimSpace(*given)
	}
	u, err := url.Parse(address)
	switch {
	case address == "":
		return refuse("invalid.required")
	case len(address) > webhookURLMax:
		return refuse("invalid.long", "limit", strconv.Itoa(webhookURLMax))
	case err != nil, !utf8.ValidString(address), strings.ContainsFunc(address,
		func(r rune) bool { return r <= ' ' || tenant.BreaksLayout(r) }):
		return refuse("webhook.urlFormat")
	case u.Scheme == "http" && len(g.Private) > 0: // the guard checks the address at each call
	case u.Scheme != "https":
		return refuse("webhook.urlPlain")
	}
	switch {
	case u.Opaque != "", u.Hostname() == "", !isPort(u):
		return refuse("webhook.urlFormat")
	case u.User != nil:
		return refuse("webhook.urlUser")
	case u.Fragment != "" || strings.Contains(address, "#"):
		return refuse("webhook.urlFormat")
	}
	if a, err := netip.ParseAddr(u.Hostname()); tenant.IsNumericHost(u.Hostname()) && (err != nil || !g.IsPrivate(a)) {
		return refuse("webhook.urlFigures")
	}
	return address, nil
}

func isPort(u *url.URL) bool {
	p := u.Port()
	if p == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(p, 10, 16)
	return err == nil && n > 0
}

// hostOf is the part of a webhook's URL that people see and that identifies the remote server: the
// host and, unless it is the default, the port.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host := strings.ToLower(u.Hostname())
	if p := u.Port(); p != "" && (u.Scheme != "https" || p != "443") {
		return net.JoinHostPort(host, p)
	}
	return host
}

// Events gives the events that a webhook subscribes to, by their names in the contracts.
func (w *Webhook) Events() []string {
	events := []string{}
	if w.Opened {
		events = append(events, EventOpened)
	}
	if w.Resolved {
		events = append(events, EventResolved)
	}
	if w.Acknowledged {
		events = append(events, EventAcknowledged)
	}
	return events
}
