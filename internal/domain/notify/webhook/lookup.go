package webhook

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"tilth/internal/domain/notify/guard"
	"tilth/internal/domain/tenant"
)

// errUnreachableHost is the error of a host name that has no address, or none that the guard
// allows. Neither its text nor its time tells which names exist in the server's internal network.
var errUnreachableHost = errors.New("the host's name leads to no address that this server calls")

// hideLookupFailure replaces the error of a failed lookup, or of a name whose address the guard
// refuses, by errUnreachableHost, and waits until lookupDelay has passed since begun: as long as
// the longest lookup. It gives other errors unchanged, and those of IP addresses, which tell
// nothing about names.
func (c *Caller) hideLookupFailure(ctx context.Context, address string, begun time.Time, err error) error {
	u, parseErr := url.Parse(address)
	_, lookupFailed := errors.AsType[*net.DNSError](err)
	if parseErr != nil || tenant.IsNumericHost(u.Hostname()) || !lookupFailed && !guard.Refused(err) {
		return err
	}
	// It waits for a time and not for an event, since events would tell what happened.
	timer := time.NewTimer(time.Until(begun.Add(c.lookupDelay)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return fmt.Errorf("%w: %w", errUnreachableHost, err)
}
