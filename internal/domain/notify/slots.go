package notify

// full tells whether no notification to an address may start before another one to its destination has
// finished: the destination has as many in flight as its kind allows, or the address as many as it may take of
// them. Addresses that failed last share one place, since they may hold it for long; one that has neighbours
// takes one place, since it may become slow only now.
func (t *batch) full(to address) bool {
	if t.spec.MaxPerDestination == 0 {
		return false
	}
	all, own, failing := 0, 0, 0
	count := func(a address, n int) {
		if a.destination != to.destination {
			return
		}
		all += n
		if a == to {
			own += n
		}
		if t.fails(a) {
			failing += n
		}
	}
	for a, n := range t.inFlightByAddress {
		count(a, n)
	}
	for _, a := range t.attempts {
		count(a.to, 1)
	}
	return all >= t.spec.MaxPerDestination || failing > 0 && t.fails(to) || own > 0 && len(t.neighbours(to)) > 1
}
