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

// errUnreachableHost is of a host's name that has no address, or none that is called: of
// names behind the server's walls nobody is told, by words or by time, which there
// are.
var errUnreachableHost = errors.New("the host's name leads to no address that this server calls")

// hideLookupFailure makes an errUnreachableHost of what went wrong with a call at a time, and waits
// until as much time has passed as finding out that there is no such name may take
// at most. Other errors stay as they are, and so do those of addresses in figures,
// which tell nothing of names.
func (c *Caller) hideLookupFailure(ctx context.Context, address string, begun time.Time, err error) error {
	u, parseErr := url.Parse(address)
	_, lookupFailed := errors.AsType[*net.DNSError](err)
	if parseErr != nil || tenant.IsNumericHost(u.Hostname()) || !lookupFailed && !guard.Refused(err) {
		return err
	}
	// A timer, and no event: what has happened by now is what is not to be seen.
	timer := time.NewTimer(time.Until(begun.Add(c.lookupDelay)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return fmt.Errorf("%w: %w", errUnreachableHost, err)
}
