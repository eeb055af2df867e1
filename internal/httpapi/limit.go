package httpapi

import (
	"time"

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

// Answers with every reading of a range hold a reader of the store for as long as
// somebody reads them.
const (
	longsAUser   = 6
	longsATenant = 24
	longsAgain   = 2 * time.Second // when to try again
)

// limits are what addresses, users and tenants may do.
type limits struct {
	public   *limit.Buckets[limit.Network] // calls without sign-in
	pictures *limit.Buckets[limit.Network]
	uploads  *limit.Slots[int64]      // pictures that are received at once, each held in memory; by user
	tries    *limit.Recent[tenant.ID] // of channels
	longs    *limit.Slots[int64]      // answers with every reading of a range on their way; by user
	longsOf  *limit.Slots[tenant.ID]
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
		longs:   limit.NewSlots[int64](limit.Options{Name: "console_history_users", Meter: o.Limits}, longsAUser, 0),
		longsOf: limit.NewSlots[tenant.ID](limit.Options{Name: "console_history_tenants", Meter: o.Limits}, longsATenant, 0),
	}
}
