package provider

import (
	"time"

	"tilth/internal/platform/limit"
)

// After failureBurst wrong tokens, an address may try only once in each failureInterval.
const (
	failureBurst    = 10
	failureInterval = 10 * time.Second
	maxAddresses    = 10_000
)

// newFailures counts wrong tokens by address.
func newFailures(o *Options) *limit.Buckets[limit.Network] {
	kept := limit.Options{Name: "provider_token", MaxKeys: maxAddresses, Now: o.Now, Meter: o.Limits}
	return limit.NewBuckets[limit.Network](kept, 1/failureInterval.Seconds(), failureBurst)
}
