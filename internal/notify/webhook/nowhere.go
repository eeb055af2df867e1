package webhook

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"tilth/internal/notify/guard"
	"tilth/internal/tenant"
)

// errNowhere is of a host's name that has no address, or none that is called: of
// names behind the server's walls nobody is told, by words or by time, which there
// are.
var errNowhere = errors.New("the host's name leads to no address that this server calls")

// nowhere makes an errNowhere of what went wrong with a call at a time, and waits
// until as much time has passed as finding out that there is no such name may take
// at most. Other errors stay as they are, and so do those of addresses in figures,
// which tell nothing of names.
func (c *Caller) nowhere(ctx context.Context, address string, begun time.Time, err error) error {
	u, broken := url.Parse(address)
	_, unnamed := errors.AsType[*net.DNSError](err)
	if broken != nil || tenant.IsFigures(u.Hostname()) || !unnamed && !guard.Refused(err) {
		return err
	}
	// A timer, and no event: what has happened by now is what is not to be seen.
	alike := time.NewTimer(time.Until(begun.Add(c.alike)))
	defer alike.Stop()
	select {
	case <-alike.C:
	case <-ctx.Done():
	}
	return fmt.Errorf("%w: %w", errNowhere, err)
}
