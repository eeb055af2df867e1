// Package limit is every limit of how often, and of how many at once, that is
// kept by key: by user, by tenant, by device, by the network that an address is
// of. It knows no domain; whoever limits something says what is counted, what a
// key is, and what a refusal means.
//
// There are eight kinds:
//
//   - Buckets: so many a second, and so many at once (a token bucket a key).
//     Events may cost more or less than one.
//   - Failures: buckets of what failed, which slow down nobody but who fails.
//   - Windows: so many in a window of time that begins with the first.
//   - Recent: so many in any stretch of time, remembered one by one; or, of
//     failures, so many that what follows is locked out for a while.
//   - Waits: a time to wait for before the next try.
//   - Slots: so many at the same time.
//   - Line: of a key that goes on without a pause, one after the other.
//   - Turns: work that takes long, key by key and maker by maker in turn.
//
// Where only failures count, look first whether it is one, and charge it with Allow:
// who shares a key with those who fail is let in all the same. Where looking costs the
// server more than being asked does, take Failures. Only where guesses are few, as of
// passwords, ask with Locked before, and charge with Add: it locks out who is right, too.
//
// All of them live in memory, and a restart forgets them. What they remember is
// bounded, whoever comes with however many keys: see Options.Most. A limit that
// must survive a restart is counted in the database by its owner, who takes the
// key of an address from here (Grouping).
//
// Everything may be called by many goroutines at once. Only Failures, Line and Turns wait; of
// the others who is to wait is told for how long.
package limit

import (
	"time"
)

// Options say how a limit is kept.
type Options struct {
	// Name is the limit's in figures (Meter): letters and _, the same for good.
	Name string

	// MaxKeys is how many keys are remembered at once; never more are, and no more
	// memory is used than they need. Keys that have rested, of which nothing is
	// left to remember, make room for others first. Where there is none of these
	// at hand, the key is forgotten that owes least of eight chosen at random: it
	// may do again at once what it would have had to wait for.
	//
	// So a flood of keys makes a limit milder for some, and stricter for nobody: a
	// new key is never turned away for want of room, and a key that is not the
	// flood's loses nothing by being forgotten. Who floods in order to have a key
	// of their own forgotten that is locked out has to make those around it owe as
	// much, which takes as many events, or failures, as being forgotten gains; and
	// cannot choose which keys stand around it. Choose Most above the number of
	// keys that may be busy at the same time, and watch Figures.Forgiven.
	MaxKeys int

	// Now is the clock. It must not be set back while it runs: time.Now, or one
	// that a test holds.
	Now func() time.Time

	// Meter counts what the limit refuses; nil: nobody asks.
	Meter *Meter
}

// State is how a key stands with a limit.
type State struct {
	Remaining int           // whole events that would be let through now
	Reset     time.Duration // until the key is as one that was never seen
	Retry     time.Duration // until what was asked for would be let through; 0: it is
}

// Allowed tells whether what was asked for is let through.
func (s State) Allowed() bool { return s.Retry == 0 }
