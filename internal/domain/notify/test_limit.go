package notify

import (
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/limit"
)

// testsPerMinute is how often a tenant may try its channels, and how often its
// webhooks: each try reaches somebody who may not have asked for it.
const (
	testsPerMinute = 5
	tenantsKept    = 10_000
)

// NewTestLimit limits how often tenants try something. name is the limit's in
// figures.
func NewTestLimit(name string, now func() time.Time, meter *limit.Meter) *limit.SlidingWindows[tenant.ID] {
	return limit.NewSlidingWindows[tenant.ID](limit.Options{Name: name, MaxKeys: tenantsKept, Now: now, Meter: meter},
		testsPerMinute, time.Minute)
}
