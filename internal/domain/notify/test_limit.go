package notify

import (
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/limit"
)

// testsPerMinute is how many tests of channels, and how many of webhooks, a tenant may run per
// minute: a test message reaches people who may not have asked for it.
const (
	testsPerMinute = 5
	tenantsKept    = 10_000
)

// NewTestLimit limits how often tenants send test messages. name is the limit's name in metrics.
func NewTestLimit(name string, now func() time.Time, meter *limit.Meter) *limit.SlidingWindows[tenant.ID] {
	return limit.NewSlidingWindows[tenant.ID](limit.Options{Name: name, MaxKeys: tenantsKept, Now: now, Meter: meter},
		testsPerMinute, time.Minute)
}
