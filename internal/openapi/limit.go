package openapi

import "tilth/internal/limit"

const (
	// Failed sign-ins of one address, as at the devices' side.
	failuresASecond = 1
	failuresAtOnce  = 60

	// keysKept is how many addresses, and credentials, are remembered.
	keysKept = 50_000
)

// quotas are what addresses and credentials may do.
type quotas struct {
	failures *limit.Failures[limit.Network] // sign-ins that went wrong
	budgets  *limit.Buckets[int64]          // requests of a credential
}

func newQuotas(o *Options) quotas {
	kept := func(name string) limit.Options {
		return limit.Options{Name: name, MaxKeys: keysKept, Now: o.Now, Meter: o.Limits}
	}
	return quotas{
		failures: limit.NewFailures[limit.Network](kept("programs_sign_in"), failuresASecond, failuresAtOnce),
		budgets:  limit.NewBuckets[int64](kept("programs_requests"), float64(o.Rate)/60, o.Rate),
	}
}
