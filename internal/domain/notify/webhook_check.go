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

// The events of a webhook, by their names in the contracts. One that wants
// EventAcknowledged is told of EventUnacknowledged, too.
const (
	EventOpened         = "opened"
	EventResolved       = "resolved"
	EventAcknowledged   = "acknowledged"
	EventUnacknowledged = "unacknowledged"
)

// WebhookEvent is what happened to a notice as programs are told of it.
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

// WebhookForm is a webhook as people and programs say it. What is nil was not
// said.
type WebhookForm struct {
	Name    *string
	URL     *string
	Events  []string
	Level   *int  // nil: 0
	Enabled *bool // nil: it is
	// CurrentURL is the address that it has. It is taken as it is, whatever may be called
	// by now, so that what else is said is not refused for it: each call is judged.
	CurrentURL string
}

// Webhook makes a webhook of what was said. The first thing that is wrong, in
// the order of the form, is what is said (Refused). A host's name is judged when
// it is called; an address in figures is taken in networks that the provider
// opened, and in no other.
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

func webhookURL(said *string, g *guard.Guard) (string, error) {
	refuse := func(key string, args ...string) (string, error) {
		return "", errs.New(errs.Refused, key, args...).WithField("url")
	}
	address := ""
	if said != nil {
		address = strings.TrimSpace(*said)
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
	case u.Scheme == "http" && len(g.Private) > 0: // where it leads is judged when it is called
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

// hostOf is the part of a webhook's address that people are shown, and by which
// far ends are told apart: host and, unless it is the usual one, port.
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

// Events are what a webhook is told of, by their names in the contracts.
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
