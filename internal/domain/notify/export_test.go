package notify

import "time"

// MaxSeriousInRow is how many letters go to tenants that have something serious due
// before one goes to a tenant that has not.
const MaxSeriousInRow = maxSeriousInRow

// OneAtATime has one letter of a mode in flight at most.
func (o *Outbox) OneAtATime(m ChannelKind) { o.workers[m].maxInFlight = 1 }

// SetQueryTime has a lane that awaits a letter have asked so long who waits.
func (o *Outbox) SetQueryTime(m ChannelKind, took time.Duration) {
	o.workers[m].rotation.queryTook = took
}
