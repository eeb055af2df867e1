package app

import (
	"context"

	"tilth/internal/domain/device"
)

// SiteOf is the position of a device, and its tenant's time zone, as derived values are computed with.
func (s *Stores) SiteOf(ctx context.Context, ref device.Ref) (device.Site, error) {
	return s.site(ctx, ref)
}
