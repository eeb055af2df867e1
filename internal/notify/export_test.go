package notify

import "time"

// SeriousInARow is how many letters go to tenants that have something serious due
// before one goes to a tenant that has not.
const SeriousInARow = seriousInARow

// OneAtATime has one letter of a mode in flight at most.
func (o *Outbox) OneAtATime(m Mode) { o.lanes[m].most = 1 }

// AskedFor has a lane that awaits a letter have asked so long who waits.
func (o *Outbox) AskedFor(m Mode, took time.Duration) { o.lanes[m].turns.took = took }
