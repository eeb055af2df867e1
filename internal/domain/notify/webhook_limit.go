package notify

const (
	// webhooksInFlight is how many webhooks are being called at most, and
	// webhooksPerHost how many times at once those of a tenant on one host.
	webhooksInFlight = 16
	webhooksPerHost  = 2
)

// maxInFlight is how many letters of a way are in flight at most. Programs are many
// and each has a far end of its own, of which one that takes its time must not
// keep the others waiting.
func maxInFlight(kind ChannelKind) int {
	switch kind {
	case KindWebhook:
		return webhooksInFlight
	case KindEmail:
		return mailsInFlight
	}
	return smsInFlight
}

// atHostLimit tells whether a destination has as many letters in flight as one may.
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

// destinationsAtLimit are those destinations.
func (t *batch) destinationsAtLimit() (destinations []string) {
	for d := range t.inFlightByDestination {
		if t.atHostLimit(d) {
			destinations = append(destinations, d)
		}
	}
	return destinations
}
