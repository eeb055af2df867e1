package limit

import "sync"

// Meter collects the limits that were made with it, so that one place can report what all of them
// refuse. The zero Meter is ready to use; a nil Meter collects nothing.
type Meter struct {
	mu    sync.Mutex
	reads map[string][]func() Stats
}

// Stats are the statistics of one limit.
type Stats struct {
	Refused uint64 // events that were not allowed at once
	Evicted uint64 // keys that were evicted before they were idle, for lack of room
	Keys    int    // keys that are remembered, idle ones included
}

// Stats returns the statistics of all limits by name. Limits of the same name are summed.
func (m *Meter) Stats() map[string]Stats {
	all := map[string]Stats{}
	if m == nil {
		return all
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, reads := range m.reads {
		var sum Stats
		for _, read := range reads {
			f := read()
			sum.Refused += f.Refused
			sum.Evicted += f.Evicted
			sum.Keys += f.Keys
		}
		all[name] = sum
	}
	return all
}

func (m *Meter) add(name string, read func() Stats) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.reads == nil {
		m.reads = map[string][]func() Stats{}
	}
	m.reads[name] = append(m.reads[name], read)
}
