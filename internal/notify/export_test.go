package notify

// OneAtATime has one letter of a mode in flight at most.
func (o *Outbox) OneAtATime(m Mode) { o.lanes[m].most = 1 }
