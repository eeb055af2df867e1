package farm

import (
	"container/heap"
	"context"
	"iter"
	"time"
)

// ThinInterval is how often a device measures in the thin part of a history, at most.
const ThinInterval = 10 * time.Minute

// History calls emit with every report that arrives from the farm's devices at or after from and
// before to, in order of arrival, at each product's HistoryInterval. Before the local day that
// contains denseFrom the history is thin: a device's reports hold values once in ThinInterval. The
// others have none and tell only that the device was in contact, since without them it would seem
// to have been offline. History returns early with emit's error or that of ctx.
func (f *Farm) History(
	ctx context.Context,
	from, to, denseFrom time.Time,
	emit func(deviceName string, r Report) error,
) error {
	var sources sources
	defer func() {
		for _, s := range sources {
			s.stop()
		}
	}()
	for i, d := range f.devices {
		next, stop := iter.Pull(d.reports(from, to, d.historySlots(denseFrom)))
		if r, ok := next(); ok {
			sources = append(sources, &source{device: d, order: i, head: r, next: next, stop: stop})
		} else {
			stop()
		}
	}
	heap.Init(&sources)
	for len(sources) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := sources[0]
		if err := emit(s.device.Name, s.head); err != nil {
			return err
		}
		r, ok := s.next()
		if !ok {
			s.stop()
			heap.Pop(&sources)
			continue
		}
		s.head = r
		heap.Fix(&sources, 0)
	}
	return nil
}

// historySlots is the device's plan of a history that is thin before the local day of denseFrom.
func (d *Device) historySlots(denseFrom time.Time) slots {
	midnight := d.site.start(d.site.moment(denseFrom).day.number)
	return d.plan.slots(d.HistoryInterval).thinned(ThinInterval, int64(midnight*1000))
}

// source is the reports of one device; head is the next.
type source struct {
	device *Device
	order  int
	head   Report
	next   func() (Report, bool)
	stop   func()
}

// sources is a heap: the next arrival first, and of simultaneous ones the one of the device that
// the farm lists first.
type sources []*source

func (s sources) Len() int { return len(s) }
func (s sources) Less(i, j int) bool {
	if !s[i].head.Sent.Equal(s[j].head.Sent) {
		return s[i].head.Sent.Before(s[j].head.Sent)
	}
	return s[i].order < s[j].order
}
func (s sources) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s *sources) Push(x any)   { *s = append(*s, x.(*source)) }
func (s *sources) Pop() any {
	old := *s
	last := old[len(old)-1]
	*s = old[:len(old)-1]
	return last
}
