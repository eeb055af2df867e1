package webhook

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"time"

	"tilth/internal/domain/notify/guard"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// TestResult is the result of a test call.
type TestResult struct {
	Took   time.Duration
	Answer string      // of the server, or what went wrong
	Err    *errs.Error // the same for a user; nil: the server accepted it
}

// SendTest calls a tenant's webhook with a message of the type webhook.test, even if it is switched
// off, and gives the result. It gives TooMany after five calls a minute, and NotFound if there is
// no such webhook.
func (c *Caller) SendTest(ctx context.Context, t tenant.ID, webhook int64) (*TestResult, error) {
	if _, err := c.Store.Get(ctx, t, webhook); err != nil {
		return nil, err
	}
	begun := c.Now()
	if wait := c.testLimit.Allow(t).Retry; wait > 0 {
		return nil, errs.New(errs.TooMany, "error.429").RetryAfter(wait)
	}
	body, err := testBody(begun)
	if err != nil {
		return nil, err
	}
	id := make([]byte, 12)
	_, _ = rand.Read(id) // never fails (crypto/rand)
	a, err := c.call(ctx, t, webhook, "test-"+hex.EncodeToString(id), body)
	o := &TestResult{Took: c.Now().Sub(begun)}
	switch {
	case errs.Is(err, errs.NotFound):
		return nil, err
	case errors.Is(err, errUnreachableHost):
		o.Answer, o.Err = describeError(err), errs.New(errs.Upstream, "webhook.nowhere")
	case guard.Refused(err):
		o.Answer, o.Err = describeError(err), errs.New(errs.Upstream, "webhook.inside")
	case err != nil:
		o.Answer, o.Err = describeError(err), errs.New(errs.Upstream, "webhook.noAnswer")
	default:
		if o.Answer = a.text; a.status == http.StatusGone {
			o.Err = errs.New(errs.Upstream, "webhook.gone")
		} else if !a.accepted() {
			o.Err = errs.New(errs.Upstream, "webhook.notAccepted", "status", strconv.Itoa(a.status))
		}
	}
	return o, nil
}
