package ingest

import (
	"fmt"
	"runtime"
	"testing"

	"tilth/internal/domain/device"
)

// newArrivalClock makes an arrival clock over a registry of these devices.
func newArrivalClock(ids ...device.ID) *arrivalClock {
	s := &arrivalClock{registry: device.NewRegistry(hashKey)}
	s.registry.Replace(entries(ids...))
	s.registry.StructureChanged.Then(func(struct{}) { s.sweep() })
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

// The clock forgets deleted devices, and keeps the times of the others.
func TestArrivalClockForgetsDeletedDevices(t *testing.T) {
	s := newArrivalClock(1, 2, 3)
	for _, id := range []device.ID{1, 2, 3, 3} {
		s.next(id, now)
	}
	s.registry.Replace(entries(1, 3, 4))
	if n := s.size(); n != 2 {
		t.Errorf("the clock knows %d devices", n)
	}
	if at, ok := s.next(3, now); at != now+2 || !ok {
		t.Errorf("the next time of a device that stayed is %d %t", at-now, ok)
	}
	// The device was deleted while its message was on its way.
	if at, ok := s.next(2, now); at != now || !ok || s.size() != 2 {
		t.Errorf("a deleted device: %d %t, the clock knows %d devices", at-now, ok, s.size())
	}
	if at, ok := s.next(4, now); at != now || !ok || s.size() != 3 {
		t.Errorf("a new device: %d %t, the clock knows %d devices", at-now, ok, s.size())
	}
}

// A pipeline's arrival clock follows the registry.
func TestPipelineArrivalClockForgetsDeletedDevices(t *testing.T) {
	e := newEdge(t)
	for _, entry := range testDevices() {
		e.pipeline.decoder.clock.next(entry.ID, now)
	}
	e.registry.Replace(testDevices()[:2])
	if n := e.pipeline.decoder.clock.size(); n != 2 {
		t.Errorf("the clock knows %d devices, want 2", n)
	}
}

// The memory of many devices is released when they are deleted.
func TestArrivalClockReleasesMemory(t *testing.T) {
	const many = 100_000
	ids := make([]device.ID, many)
	for i := range ids {
		ids[i] = device.ID(i + 1)
	}
	s := newArrivalClock(ids...)
	for _, id := range ids {
		s.next(id, now)
	}
	s.registry = device.NewRegistry(hashKey) // the registry's own memory must not count
	s.registry.Replace(entries(ids[:10]...))
	with := heapInUse()
	s.sweep()
	if n, back := s.size(), with-heapInUse(); n != 10 || back < many*24 { // an id and two times each
		t.Errorf("the clock knows %d devices, %d bytes were released", n, back)
	}
}

// heapInUse is the heap in use, in bytes.
func heapInUse() int {
	runtime.GC()
	runtime.GC() // collects what the first run only marked
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
