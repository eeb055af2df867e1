package notify

import "time"

// MaxSeriousInRow exports maxSeriousInRow.
const MaxSeriousInRow = maxSeriousInRow

// OneAtATime limits a kind to one notification in flight.
func (o *Outbox) OneAtATime(m ChannelKind) {
	changed := *o.workers[m].spec
	changed.MaxInFlight = 1
	o.workers[m].spec = &changed
}

// SetQueryTime sets how long the query for waiting tenants took, in a worker that is awaiting a
// result.
func (o *Outbox) SetQueryTime(m ChannelKind, took time.Duration) {
	o.workers[m].rotation.queryTook = took
}

// LoseLeaseAnswer has a worker believe that a transaction of unknown end has leased deliveries.
func (o *Outbox) LoseLeaseAnswer(m ChannelKind, deliveries ...int64) {
	o.workers[m].unsureLeases = deliveries
}

// RememberedFailures gives of how many addresses a worker remembers that they failed.
func (o *Outbox) RememberedFailures(m ChannelKind) int { return len(o.workers[m].failed) }
