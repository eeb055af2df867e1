package ingest

import (
	"fmt"
	"runtime"
	"testing"

	"tilth/internal/domain/device"
)

// newArrivalClock are over a registry of these devices.
func newArrivalClock(ids ...device.ID) *arrivalClock {
	s := &arrivalClock{registry: device.NewRegistry(hashKey)}
	s.registry.Replace(entries(ids...))
	s.registry.OnStructureChange(s.sweep)
	return s
}

func entries(ids ...device.ID) (all []*device.Entry) {
	for _, id := range ids {
		all = append(
			all,
			device.NewEntry(device.Ref{Tenant: green, ID: id}, fmt.Sprint("WS-", id), station(), false, false),
		)
	}
	return all
}

func (s *arrivalClock) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.last)
}

// Devices that are deleted leave no stamp behind, and those that stay keep theirs.
func TestArrivalClockForgetsDeletedDevices(t *testing.T) {
	s := newArrivalClock(1, 2, 3)
	for _, id := range []device.ID{1, 2, 3, 3} {
		s.next(id, now)
	}
	s.registry.Replace(entries(1, 3, 4))
	if n := s.size(); n != 2 {
		t.Errorf("stamps of %d devices", n)
	}
	if at, ok := s.next(3, now); at != now+2 || !ok {
		t.Errorf("the next of one that stayed is %d %t", at-now, ok)
	}
	// Its message was on its way.
	if at, ok := s.next(2, now); at != now || !ok || s.size() != 2 {
		t.Errorf("of one that is gone: %d %t, stamps of %d devices", at-now, ok, s.size())
	}
	if at, ok := s.next(4, now); at != now || !ok || s.size() != 3 {
		t.Errorf("of one that came: %d %t, stamps of %d devices", at-now, ok, s.size())
	}
}

// A pipeline's stamps follow its registry.
func TestPipelineArrivalClockForgetsDeletedDevices(t *testing.T) {
	e := newEdge(t)
	for _, entry := range testDevices() {
		e.pipeline.decoder.clock.next(entry.ID, now)
	}
	e.registry.Replace(testDevices()[:2])
	if n := e.pipeline.decoder.clock.size(); n != 2 {
		t.Errorf("stamps of %d devices, there are 2", n)
	}
}

// The memory of a crowd comes back when it has gone.
func TestArrivalClockReleasesMemory(t *testing.T) {
	const crowd = 100_000
	ids := make([]device.ID, crowd)
	for i := range ids {
		ids[i] = device.ID(i + 1)
	}
	s := newArrivalClock(ids...)
	for _, id := range ids {
		s.next(id, now)
	}
	s.registry = device.NewRegistry(hashKey) // the crowd itself is not to count
	s.registry.Replace(entries(ids[:10]...))
	with := heapInUse()
	s.sweep()
	if n, back := s.size(), with-heapInUse(); n != 10 || back < crowd*24 { // a number and two times each
		t.Errorf("stamps of %d devices, %d bytes came back", n, back)
	}
}

// heapInUse is in bytes.
func heapInUse() int {
	runtime.GC()
	runtime.GC() // what the first one only marked as gone
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
