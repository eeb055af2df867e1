package openapi

import "tilth/internal/platform/limit"

const (
	// The limits of failed sign-ins of one address, the same as for devices.
	failuresPerSecond = 1
	failureBurst      = 60

	// maxKeys is how many addresses, and how many credentials, are remembered.
	maxKeys = 50_000
)

// quotas limit the requests of addresses and credentials.
type quotas struct {
	failures *limit.Failures[limit.Network] // failed sign-ins
	budgets  *limit.Buckets[int64]          // requests of a credential
}

func newQuotas(o *Options) quotas {
	kept := func(name string) limit.Options {
		return limit.Options{Name: name, MaxKeys: maxKeys, Now: o.Now, Meter: o.Limits}
	}
	return quotas{
		failures: limit.NewFailures[limit.Network](kept("programs_sign_in"), failuresPerSecond, failureBurst),
		budgets:  limit.NewBuckets[int64](kept("programs_requests"), float64(o.Rate)/60, o.Rate),
	}
}
