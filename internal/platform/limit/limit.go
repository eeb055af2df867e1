// Package limit limits how often something happens, and how much happens at once, for each key: a
// user, a tenant, a device, or the network of an address. It knows no domain; the caller decides
// what is counted, what a key is, and what a refusal means.
//
// There are nine kinds of limit:
//
//   - Buckets: a sustained rate and a burst (one token bucket per key). Events may cost more or
//     less than one.
//   - Failures: buckets of failed attempts, which slow down only the keys that fail.
//   - FixedWindows: a number of events per window of time that begins with the first event.
//   - SlidingWindows: a number of events in any stretch of time, each remembered; or a number of
//     failures after which the key is locked out for a while.
//   - Cooldowns: a time to wait before the next attempt.
//   - Slots: a number of things at the same time.
//   - Bytes: a number of bytes held at the same time, shared so that something is always left for
//     the next key.
//   - Throttle: a key that works without a pause works on one piece at a time.
//   - Scheduler: long work, in round robin over keys and, within a key, over submitters.
//
// To limit failures only, check the attempt first, and charge a failure with Allow: a correct
// attempt then succeeds even if other clients of the same key fail. Use Failures if a check costs
// the server more than a request does. Use LockedFor before the check, and Add after a failure,
// only if guesses must be few, as for passwords: it locks out correct attempts, too.
//
// All limits live in memory, and a restart forgets them. Their memory is bounded however many keys
// appear: see Options.MaxKeys. A limit that must survive a restart is counted in the database by
// its owner, who takes the key of an address from this package (Grouping).
//
// All types are safe for concurrent use. Only Failures, Throttle and Scheduler make the caller
// wait; the others return how long to wait.
package limit

import (
	"time"
)

// Options configure a limit.
type Options struct {
	// Name is the limit's name in the metrics (Meter): letters and _. It never changes.
	Name string

	// MaxKeys is the number of keys that are remembered at once. There are never more, and memory
	// grows only with the keys in use. A new key first replaces an idle key, for which nothing
	// needs to be remembered. If the table finds no idle key, it evicts the key with the smallest
	// debt of eight chosen at random: an evicted key may do at once what it would have had to wait
	// for.
	//
	// A flood of keys therefore loosens the limit for some keys and tightens it for none: a new key
	// is never refused for lack of room, and a key that is not part of the flood loses nothing by
	// eviction. To have a key of its own evicted that is locked out, an attacker must give the keys
	// around it the same debt, which takes as many events, or failures, as the eviction gains, and
	// the attacker cannot choose which keys those are. Choose MaxKeys above the number of keys that
	// may be busy at the same time, and watch Stats.Evicted.
	MaxKeys int

	// Now is the clock: time.Now or a test's clock. It must not be set back while it runs.
	Now func() time.Time

	// Meter counts what the limit refuses; nil: not counted.
	Meter *Meter
}

// State is where a key stands with a limit.
type State struct {
	Remaining int           // whole events that would be allowed now
	Reset     time.Duration // until the key is as good as one never seen
	Retry     time.Duration // until the event would be allowed; 0: it is allowed
}

// Allowed tells whether the event is allowed.
func (s State) Allowed() bool { return s.Retry == 0 }
