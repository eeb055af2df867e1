package reading

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"tilth/internal/device"
	"tilth/internal/tenant"
)

// latest holds the newest value of every property of every device: about half
// a kilobyte a device of eight values. It is a consequence of the journal: the
// checkpoint on disk plus the entries after it give it again.
type latest struct {
	mu      sync.RWMutex
	devices map[device.Ref]*lastValues
	changed []device.Ref // whose values differ from the checkpoint
	pos     uint64       // journal position up to which everything is in here
}

// lastValues are one device's, sorted by property.
type lastValues struct {
	values  []Last
	changed bool
}

func newLatest() *latest { return &latest{devices: map[device.Ref]*lastValues{}} }

// apply takes in the batch at journal position pos, leaving out frames for
// which skip is true.
func (l *latest) apply(pos uint64, batch []Arrival, skip func(device.Ref) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range batch {
		f := &batch[i].Frame
		ref := device.Ref{Tenant: f.Tenant, ID: f.Device}
		if skip != nil && skip(ref) {
			continue
		}
		d := l.devices[ref]
		if d == nil {
			d = &lastValues{values: make([]Last, 0, len(f.Fields))}
			l.devices[ref] = d
		}
		if d.update(f.Time, f.Fields) && !d.changed {
			d.changed = true
			l.changed = append(l.changed, ref)
		}
	}
	l.pos = pos
}

// update takes in one frame: of each property the newest time wins, and at
// equal times what arrived last, as it does on disk.
func (d *lastValues) update(at int64, fields []Field) (changed bool) {
	i := 0
	for _, f := range fields {
		for i < len(d.values) && d.values[i].Property < f.Property {
			i++
		}
		switch {
		case i == len(d.values) || d.values[i].Property != f.Property:
			d.values = slices.Insert(d.values, i, newLast(f, at))
		case at >= d.values[i].Time:
			d.values[i] = newLast(f, at)
		default:
			continue
		}
		changed = true
	}
	return changed
}

// newLast copies a text: it may be part of a whole message, which must not
// stay in memory because of it.
func newLast(f Field, at int64) Last {
	if f.Value.kind == KindText {
		f.Value.text = strings.Clone(f.Value.text)
	}
	return Last{Property: f.Property, Time: at, Value: f.Value}
}

func (l *latest) get(ref device.Ref) []Last {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if d := l.devices[ref]; d != nil {
		return slices.Clone(d.values)
	}
	return nil
}

// present are those of values that are there: the newest may have been taken
// away.
func present(values []Last) []Last {
	return slices.DeleteFunc(values, func(l Last) bool { return l.Value.kind == KindNone })
}

func (l *latest) remove(ref device.Ref) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.devices, ref)
}

func (l *latest) count() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.devices)
}

// takeChanged hands over the devices changed since the checkpoint and the
// journal position up to which their present values account.
func (l *latest) takeChanged() ([]device.Ref, uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	refs := l.changed
	l.changed = nil
	return refs, l.pos
}

// giveBack marks devices as changed again after a failed checkpoint.
func (l *latest) giveBack(refs []device.Ref) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// A device of refs that a later frame changed is in l.changed already; one
	// that has not been encoded still carries its mark. Once each, for all.
	again := make(map[device.Ref]bool, len(refs)+len(l.changed))
	for _, r := range append(refs, l.changed...) {
		if d := l.devices[r]; d != nil {
			d.changed = true
			again[r] = true
		}
	}
	l.changed = slices.Collect(maps.Keys(again))
}

// encode appends a device's values for the checkpoint and clears its mark; it
// is false when the device is gone.
func (l *latest) encode(b []byte, ref device.Ref) ([]byte, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.devices[ref]
	if d == nil {
		return b, false
	}
	d.changed = false
	return appendLatest(b, d.values), true
}

// load puts in what a checkpoint holds.
func (l *latest) load(ref device.Ref, values []Last) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.devices[ref] = &lastValues{values: values}
}

// appendLatest writes values, sorted by property: how many, then for each the
// distance from the property before, from the time before, and the value.
func appendLatest(b []byte, values []Last) []byte {
	b = binary.AppendUvarint(b, uint64(len(values)))
	var property device.PropertyID
	var at int64
	for _, v := range values {
		b = binary.AppendUvarint(b, uint64(v.Property-property))
		b = binary.AppendVarint(b, v.Time-at)
		b = appendValue(b, v.Value)
		property, at = v.Property, v.Time
	}
	return b
}

// decodeLatest reads what appendLatest wrote; its error wraps ErrCorrupt.
func decodeLatest(b []byte) ([]Last, error) {
	c := cutter{rest: b}
	count := c.uvarint()
	if c.failed || count > uint64(len(c.rest)/3) {
		return nil, fmt.Errorf("%w: count of values", ErrCorrupt)
	}
	values := make([]Last, count)
	var property uint64
	var at int64
	for i := range values {
		step := c.uvarint()
		property += step
		at += c.varint()
		if c.failed || property > uint64(^device.PropertyID(0)) || i > 0 && step == 0 {
			return nil, fmt.Errorf("%w: value %d of %d", ErrCorrupt, i+1, count)
		}
		v, n, err := cutValue(c.rest)
		if err != nil {
			return nil, fmt.Errorf("%w: value %d of %d", err, i+1, count)
		}
		c.rest = c.rest[n:]
		values[i] = Last{Property: device.PropertyID(property), Time: at, Value: v}
	}
	if len(c.rest) != 0 {
		return nil, fmt.Errorf("%w: %d bytes too many", ErrCorrupt, len(c.rest))
	}
	return values, nil
}

// Latest is the newest value of every property of a device, sorted by
// property; empty when nothing was ever read. A property whose newest value was
// taken away has none. It comes from memory and covers every batch whose Append
// has returned.
func (s *Store) Latest(_ context.Context, t tenant.ID, d device.ID) []Last {
	return present(s.latest.get(device.Ref{Tenant: t, ID: d}))
}
