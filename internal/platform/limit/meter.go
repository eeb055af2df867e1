package limit

import "sync"

// Meter knows the limits that were made with it, so that one place can tell what
// all of them refuse. The zero Meter is ready; a nil one knows nothing.
type Meter struct {
	mu    sync.Mutex
	reads map[string][]func() Stats
}

// Stats are those of a limit.
type Stats struct {
	Refused uint64 // events that were not let through at once
	Evicted uint64 // keys that were forgotten before they had rested, for want of room
	Keys    int    // keys that are remembered, those that have rested among them
}

// Stats gives the figures of each limit, by name; of limits of the same name
// together.
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
