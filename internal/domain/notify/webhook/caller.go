package webhook

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/guard"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
)

// Options configure a Caller. A field that may be nil says so.
type Options struct {
	Store    *notify.WebhookStore
	Guard    *guard.Guard
	Now      func() time.Time
	Logger   *slog.Logger
	Resolver *net.Resolver  // nil: the system's
	Roots    *x509.CertPool // trusted authorities; nil: the system's
	Timeout  time.Duration  // of a whole attempt; 0: 10 seconds
	Limits   *limit.Meter   // counts refusals by limits; nil: they are not counted
}

// Caller calls webhooks.
type Caller struct {
	Options
	clients     clients
	lookupDelay time.Duration // after which a failed lookup is reported
	testLimit   *limit.SlidingWindows[tenant.ID]
}

var _ notify.Sender = (*Caller)(nil)

// New makes a caller.
func New(o Options) *Caller {
	if o.Timeout == 0 {
		o.Timeout = callWithin
	}
	// lookupDelay is a little longer than a lookup may take, so that all failed lookups take
	// equally long.
	c := &Caller{Options: o, lookupDelay: min(dialWithin, o.Timeout) + o.Timeout/20,
		testLimit: notify.NewTestLimit("webhook_tries", o.Now, o.Limits)}
	c.clients = newClients(o.Guard, &c.Options)
	return c
}

// Send calls a webhook about one notice. Every failure is Transient, since the program may be
// corrected; after 429 and 503 the next attempt respects Retry-After. Exceptions are Permanent: a
// deleted webhook, an IP address that the guard refuses, and the status 410, which switches the
// webhook off unless it has another URL by now.
func (c *Caller) Send(ctx context.Context, l *notify.Notification) (string, error) {
	body, err := noticeBody(&l.Alarms[0])
	if err != nil {
		return "", &notify.Failure{Kind: notify.Permanent, Answer: "a fault of the server, see its log", Cause: err}
	}
	id, err := strconv.ParseInt(l.Recipient, 10, 64)
	if err != nil {
		return "", &notify.Failure{Kind: notify.Permanent, Answer: "a fault of the server, see its log", Cause: err}
	}
	a, err := c.call(ctx, l.Tenant, id, l.ID, body)
	switch {
	case errs.Is(err, errs.NotFound):
		return "", &notify.Failure{Kind: notify.Permanent, Answer: "the webhook was deleted", Cause: err}
	case guard.Refused(err) && !errors.Is(err, errUnreachableHost):
		return "", &notify.Failure{Kind: notify.Permanent, Answer: describeError(err), Cause: err}
	case err != nil:
		return "", &notify.Failure{Kind: notify.Transient, Answer: describeError(err), Cause: err}
	case a.status == http.StatusGone:
		if err := c.switchOff(ctx, l.Tenant, id, a.url); err != nil {
			// The next attempt gets 410 again, or calls another URL.
			return "", &notify.Failure{Kind: notify.Transient, Answer: a.text, Cause: err}
		}
		c.Logger.Info("a webhook is switched off: its URL is gone", "tenant", l.Tenant, "webhook", id)
		return "", &notify.Failure{Kind: notify.Permanent, Answer: a.text}
	case !a.accepted():
		return "", &notify.Failure{Kind: notify.Transient, Answer: a.text, RetryAfter: a.retryAfter(c.Now())}
	}
	return a.text, nil
}

// switchOff switches off a webhook whose URL is gone, and records that in the audit log.
func (c *Caller) switchOff(ctx context.Context, t tenant.ID, id int64, url string) error {
	return audit.Record(ctx, t, "webhook.switchOff", c.Store.Snapshot(t, &id), func(ctx context.Context) error {
		return c.Store.SwitchOff(ctx, t, id, url)
	})
}

func (a *answer) accepted() bool { return a.status >= 200 && a.status < 300 }

// call makes one attempt. It gives NotFound if there is no such webhook.
func (c *Caller) call(ctx context.Context, t tenant.ID, webhook int64, id string, body []byte) (*answer, error) {
	e, err := c.Store.Endpoint(ctx, t, webhook)
	if err != nil {
		if !errs.Is(err, errs.NotFound) {
			c.Logger.Error("a webhook cannot be called", "tenant", t, "webhook", webhook, "error", err)
			err = fmt.Errorf("%w: %w", errUnreadable, err)
		}
		return nil, err
	}
	header := http.Header{}
	sign(header, id, c.Now(), body, e.Secrets)
	begun := time.Now()
	a, err := c.clients.post(ctx, e.URL, header, body)
	if err != nil {
		return nil, c.hideLookupFailure(ctx, e.URL, begun, err)
	}
	return a, nil
}
