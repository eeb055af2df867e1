package ingest

import (
	"cmp"
	"slices"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

// pendingUpdates are the updates that a tenant's screens still have to get: every frame while there
// are few, otherwise the newest values of each device.
type pendingUpdates struct {
	owner     tenant.ID
	frames    []reading.Arrival
	newest    map[device.ID][]reading.Newest // nil while frames are few; sorted by property
	order     []device.ID                    // of the devices in newest, the longest waiting first
	heldSince time.Time                      // when a slow screen began to hold the updates up; zero: none does
}

func (n *pendingUpdates) empty() bool { return len(n.frames) == 0 && len(n.order) == 0 }

func (n *pendingUpdates) add(f *reading.Arrival) {
	if n.newest == nil && len(n.frames) < publishPortionSize {
		n.frames = append(n.frames, *f)
		return
	}
	if n.newest == nil {
		n.newest = map[device.ID][]reading.Newest{}
		for i := range n.frames {
			n.fold(&n.frames[i])
		}
		n.frames = nil
	}
	n.fold(f)
}

// fold replaces the values of the frame's device that are not newer. The order of values is the
// smaller of time and arrival.
func (n *pendingUpdates) fold(f *reading.Arrival) {
	values, known := n.newest[f.Device]
	if !known {
		n.order = append(n.order, f.Device)
	}
	i := 0
	for _, field := range f.Fields {
		for i < len(values) && values[i].Property < field.Property {
			i++
		}
		last := reading.Newest{
			Last:  reading.Last{Property: field.Property, Time: f.Time, Value: field.Value},
			Order: min(f.Time, f.At),
		}
		switch {
		case i == len(values) || values[i].Property != field.Property:
			values = slices.Insert(values, i, last)
		case last.Order > values[i].Order,
			last.Order == values[i].Order && f.Time > values[i].Time,
			f.Time == values[i].Time:
			values[i] = last
		}
	}
	n.newest[f.Device] = values
}

// take removes and returns the longest waiting updates, as frames of at most most devices.
func (n *pendingUpdates) take(most int) []reading.Arrival {
	if n.newest == nil {
		taken := n.frames
		n.frames = nil
		return taken
	}
	most = min(most, len(n.order))
	var taken []reading.Arrival
	for _, id := range n.order[:most] {
		taken = n.appendFrames(taken, id)
		delete(n.newest, id)
	}
	n.order = slices.Delete(n.order, 0, most)
	return taken
}

// appendFrames appends a device's newest values in the order of time, with one frame for each time.
// Most devices send all values at once: that is one frame.
func (n *pendingUpdates) appendFrames(to []reading.Arrival, id device.ID) []reading.Arrival {
	values := n.newest[id]
	slices.SortStableFunc(values, func(a, b reading.Newest) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Order, b.Order))
	})
	for i, v := range values {
		if i == 0 || v.Time != values[i-1].Time || v.Order != values[i-1].Order {
			frame := reading.Frame{Tenant: n.owner, Device: id, Time: v.Time}
			to = append(to, reading.Arrival{Frame: frame, At: v.Order})
		}
		f := &to[len(to)-1]
		f.Fields = append(f.Fields, reading.Field{Property: v.Property, Value: v.Value})
	}
	return to
}
