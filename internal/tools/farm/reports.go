package farm

import (
	"container/heap"
	"iter"
	"math"
	"time"
)

// Report is one message of a device.
type Report struct {
	Sent   time.Time // when it arrives at the server
	Time   time.Time // when it was measured, by the device's clock
	Values []Value   // nil: nothing but that the device was in contact; see History
}

// Reports returns the reports that arrive from the device at or after from and before to, in order
// of arrival, as of a real device: some are lost in gaps or arrive later in one batch, some are
// late or repeated. A zero to means no end. The device measures once in every.
//
// The same range and interval give the same reports; two adjacent ranges give the same as the
// whole.
func (d *Device) Reports(from, to time.Time, every time.Duration) iter.Seq[Report] {
	return d.reports(from, to, d.plan.slots(every))
}

func (d *Device) reports(from, to time.Time, slots slots) iter.Seq[Report] {
	return func(yield func(Report) bool) {
		start, end := from.UnixMilli(), int64(math.MaxInt64)
		if !to.IsZero() {
			end = to.UnixMilli()
		}
		// After its last arrival a silent device sends no more.
		if last := d.faults.silentFrom*1000 + longestWait; last < float64(end) {
			end = int64(max(last, math.MinInt64/2))
		}
		if end <= start {
			return
		}
		var waiting arrivals
		for k := slots.first(d.plan.earliestRelevant(d.site, start)); ; k++ {
			earliest := slots.due(k) - slots.jitter
			for len(waiting) > 0 && waiting[0].sent < min(earliest, end) {
				if r, ok := d.report(slots, heap.Pop(&waiting).(arrival)); ok && !yield(r) {
					return
				}
			}
			if earliest >= end {
				return
			}
			d.plan.arrivals(d.site, slots.at(k), func(sent int64) {
				if sent >= start && sent < end {
					heap.Push(&waiting, arrival{sent: sent, slot: k})
				}
			})
		}
	}
}

// report returns the report of an arrival; false if the device was dark.
func (d *Device) report(s slots, a arrival) (Report, bool) {
	ms := s.at(a.slot)
	at := time.UnixMilli(ms)
	if !s.holdsValues(a.slot) {
		return Report{Sent: time.UnixMilli(a.sent), Time: at}, !d.isSilent(d.site.moment(at))
	}
	values, ok := d.At(at, time.Duration(ms-s.at(s.before(a.slot)))*time.Millisecond)
	if !ok {
		return Report{}, false
	}
	if d.faults.outliers && d.plan.delivery.uniform(ms*4+1<<50) < 1./framesPerOutlier {
		for i := range values {
			if values[i].Identifier == "airTemperature" {
				values[i].Value = brokenValue
			}
		}
	}
	return Report{
		Sent:   time.UnixMilli(a.sent),
		Time:   time.UnixMilli(ms + d.drift(d.site.moment(at))),
		Values: values,
	}, true
}

// arrival is a report on its way to the server.
type arrival struct {
	sent int64 // ms
	slot int64
}

// arrivals is a heap: the earliest arrival first, and of simultaneous ones the one measured first.
type arrivals []arrival

func (a arrivals) Len() int { return len(a) }
func (a arrivals) Less(i, j int) bool {
	if a[i].sent != a[j].sent {
		return a[i].sent < a[j].sent
	}
	return a[i].slot < a[j].slot
}
func (a arrivals) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *arrivals) Push(x any)   { *a = append(*a, x.(arrival)) }
func (a *arrivals) Pop() any {
	old := *a
	last := old[len(old)-1]
	*a = old[:len(old)-1]
	return last
}
