package notify

// atDestinationLimit tells whether a destination has as many notifications in flight as its kind
// allows.
func (t *batch) atDestinationLimit(destination string) bool {
	if t.spec.MaxPerDestination == 0 {
		return false
	}
	n := t.inFlightByDestination[destination]
	for _, a := range t.attempts {
		if a.rows[0].Destination == destination {
			n++
		}
	}
	return n >= t.spec.MaxPerDestination
}

// destinationsAtLimit gives the destinations that have reached MaxPerDestination.
func (t *batch) destinationsAtLimit() (destinations []string) {
	for d := range t.inFlightByDestination {
		if t.atDestinationLimit(d) {
			destinations = append(destinations, d)
		}
	}
	return destinations
}
