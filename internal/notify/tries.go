package notify

import (
	"time"

	"tilth/internal/limit"
	"tilth/internal/tenant"
)

// triesAMinute is how often a tenant may try its channels, and how often its
// webhooks: each try reaches somebody who may not have asked for it.
const (
	triesAMinute = 5
	tenantsKept  = 10_000
)

// NewTries limits how often tenants try something. name is the limit's in
// figures.
func NewTries(name string, now func() time.Time, meter *limit.Meter) *limit.SlidingWindows[tenant.ID] {
	return limit.NewSlidingWindows[tenant.ID](limit.Options{Name: name, MaxKeys: tenantsKept, Now: now, Meter: meter}, triesAMinute, time.Minute)
}
