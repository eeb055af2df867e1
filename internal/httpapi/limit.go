package httpapi

import (
	"tilth/internal/limit"
	"tilth/internal/notify"
	"tilth/internal/tenant"
)

// Calls that need no sign-in, and pictures, are limited by address.
const (
	publicPerSecond = 10
	publicBurst     = 60
	addressesKept   = 50_000
)

// limits are what addresses, users and tenants may do.
type limits struct {
	public   *limit.Buckets[limit.Network] // calls without sign-in
	pictures *limit.Buckets[limit.Network]
	uploads  *limit.Slots[int64]      // pictures that are received at once, each held in memory; by user
	tries    *limit.Recent[tenant.ID] // of channels
}

func newLimits(o *Options) limits {
	byAddress := func(name string) *limit.Buckets[limit.Network] {
		kept := limit.Options{Name: name, Most: addressesKept, Now: o.Now, Meter: o.Limits}
		return limit.NewBuckets[limit.Network](kept, publicPerSecond, publicBurst)
	}
	return limits{
		public: byAddress("console_calls"), pictures: byAddress("console_pictures"),
		uploads: limit.NewSlots[int64](limit.Options{Name: "console_uploads", Meter: o.Limits}, uploadsAUser, uploadsMost),
		tries:   notify.NewTries("channel_tries", o.Now, o.Limits),
	}
}
