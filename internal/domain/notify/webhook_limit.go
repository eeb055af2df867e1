package notify

const (
	// webhooksInFlight limits the webhook calls that run at once, and webhooksPerHost those of
	// one tenant to one host.
	webhooksInFlight = 16
	webhooksPerHost  = 2
)

// maxInFlight limits the notifications of a kind that are in flight at once. Each webhook has a
// remote server of its own, and a slow one must not delay the others.
func maxInFlight(kind ChannelKind) int {
	switch kind {
	case KindWebhook:
		return webhooksInFlight
	case KindEmail:
		return mailsInFlight
	}
	return smsInFlight
}

// atHostLimit tells whether a destination has reached webhooksPerHost.
func (t *batch) atHostLimit(destination string) bool {
	if t.kind != KindWebhook {
		return false
	}
	n := t.inFlightByDestination[destination]
	for _, a := range t.attempts {
		if a.rows[0].Destination == destination {
			n++
		}
	}
	return n >= webhooksPerHost
}

// destinationsAtLimit gives the destinations that have reached webhooksPerHost.
func (t *batch) destinationsAtLimit() (destinations []string) {
	for d := range t.inFlightByDestination {
		if t.atHostLimit(d) {
			destinations = append(destinations, d)
		}
	}
	return destinations
}
