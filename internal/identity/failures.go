package identity

import (
	"container/list"
	"time"
)

// failures remembers when something failed last, a number of times each, and
// forgets the oldest when there are too many.
type failures struct {
	times  int
	most   int
	places map[name]*list.Element
	order  list.List // of *failure, that which failed longest ago first
}

type failure struct {
	name name
	at   []time.Time // the newest, oldest first; never more than times
}

func newFailures(times, most int) *failures {
	return &failures{times: times, most: most, places: map[name]*list.Element{}}
}

func (f *failures) add(n name, now time.Time) {
	e := f.places[n]
	for first := f.order.Front(); first != nil && e == nil; first = f.order.Front() {
		oldest := first.Value.(*failure)
		if now.Sub(oldest.at[len(oldest.at)-1]) < failureMemory && len(f.places) < f.most {
			break
		}
		f.forget(oldest.name)
	}
	if e == nil {
		e = f.order.PushBack(&failure{name: n})
		f.places[n] = e
	}
	f.order.MoveToBack(e)
	known := e.Value.(*failure)
	if len(known.at) == f.times {
		known.at = append(known.at[:0], known.at[1:]...)
	}
	known.at = append(known.at, now)
}

// reached tells for how long yet it counts that n failed so many times within
// failureMemory; 0 when it did not, or when it is over.
func (f *failures) reached(n name, now time.Time) time.Duration {
	e := f.places[n]
	if e == nil {
		return 0
	}
	at := e.Value.(*failure).at
	if len(at) < f.times || at[len(at)-1].Sub(at[0]) >= failureMemory {
		return 0
	}
	return max(0, failureMemory-now.Sub(at[len(at)-1]))
}

func (f *failures) forget(n name) {
	if e := f.places[n]; e != nil {
		f.order.Remove(e)
		delete(f.places, n)
	}
}
