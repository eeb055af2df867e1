package notify

const (
	// programsAtOnce is how many webhooks are being called at most, and
	// aProgramAtOnce how many times at once those of a tenant on one host.
	programsAtOnce = 16
	aProgramAtOnce = 2
)

// slots is how many letters of a way are in flight at most. Programs are many
// and each has a far end of its own, of which one that takes its time must not
// keep the others waiting.
func slots(m Mode) int {
	switch m {
	case Program:
		return programsAtOnce
	case Email:
		return mailsAtOnce
	}
	return atOnce
}

// isCrowded tells whether a destination has as many letters in flight as one may.
func (t *taking) isCrowded(destination string) bool {
	if t.mode != Program {
		return false
	}
	n := t.aloft[destination]
	for _, a := range t.attempts {
		if a.rows[0].Destination == destination {
			n++
		}
	}
	return n >= aProgramAtOnce
}

// crowded are those destinations.
func (t *taking) crowded() (destinations []string) {
	for d := range t.aloft {
		if t.isCrowded(d) {
			destinations = append(destinations, d)
		}
	}
	return destinations
}
