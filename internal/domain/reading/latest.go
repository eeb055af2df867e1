package reading

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// latest holds the newest value of every property of every device: about half a kilobyte for a
// device of eight values. It is derived from the journal: the checkpoint on disk and the entries
// after it restore it.
type latest struct {
	mu      sync.RWMutex
	devices map[device.Ref]*deviceLatest
	changed []device.Ref // devices whose values differ from the checkpoint
	pos     uint64       // journal position up to which everything is included
}

// deviceLatest holds one device's values, sorted by property.
type deviceLatest struct {
	values  []latestValue
	ahead   []AheadReading // oldest first
	changed bool
}

// latestValue is the newest value of a property, and the newest time of all its stored values. They
// differ if a value was stamped ahead.
type latestValue struct {
	Newest
	newestTime int64 // epoch ms
}

func newLatest() *latest { return &latest{devices: map[device.Ref]*deviceLatest{}} }

// apply adds the batch at journal position pos and leaves out frames for which skip returns true.
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
			d = &deviceLatest{values: make([]latestValue, 0, len(f.Fields))}
			l.devices[ref] = d
		}
		at := batch[i].At
		changed := d.update(f.Time, at, f.Fields)
		if f.Time > at || len(d.ahead) > 0 {
			changed = d.trackAhead(f.Time, at, pos) || changed
		}
		if changed && !d.changed {
			d.changed = true
			l.changed = append(l.changed, ref)
		}
	}
	l.pos = pos
}

// update adds one frame. Of each property the newest value wins, by the lesser of time and arrival,
// so that a reading stamped ahead does not hide later ones. If these are equal, the newest time
// wins; at equal times the last arrival wins, as it does on disk.
func (d *deviceLatest) update(at, arrival int64, fields []Field) (changed bool) {
	order := min(at, arrival)
	i := 0
	for _, f := range fields {
		for i < len(d.values) && d.values[i].Property < f.Property {
			i++
		}
		if i == len(d.values) || d.values[i].Property != f.Property {
			d.values = slices.Insert(d.values, i, latestValue{Newest{cloneLast(f, at), order}, at})
			changed = true
			continue
		}
		switch h := &d.values[i]; {
		case at == h.Time:
			h.Newest = Newest{cloneLast(f, at), max(order, h.Order)}
		case order > h.Order, order == h.Order && at > h.Time:
			h.Newest, h.newestTime = Newest{cloneLast(f, at), order}, max(h.newestTime, at)
		case at > h.newestTime:
			h.newestTime = at
		default:
			continue
		}
		changed = true
	}
	return changed
}

// cloneLast copies a text: it may be a part of a whole message, which it would keep in memory.
func cloneLast(f Field, at int64) Last {
	if f.Value.kind == KindText {
		f.Value.text = strings.Clone(f.Value.text)
	}
	return Last{Property: f.Property, Time: at, Value: f.Value}
}

func (l *latest) get(ref device.Ref) []latestValue {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if d := l.devices[ref]; d != nil {
		return slices.Clone(d.values)
	}
	return nil
}

// getOne gives the newest value of a device's property, unless it was removed.
func (l *latest) getOne(ref device.Ref, p device.PropertyID) (Newest, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	d := l.devices[ref]
	if d == nil {
		return Newest{}, false
	}
	i := slices.IndexFunc(d.values, func(h latestValue) bool { return h.Property == p })
	if i < 0 || d.values[i].Value.kind == KindNone {
		return Newest{}, false
	}
	return d.values[i].Newest, true
}

// withoutRemoved removes the values of KindNone: the newest value of a property may have been
// removed.
func withoutRemoved(values []latestValue) []latestValue {
	return slices.DeleteFunc(values, func(h latestValue) bool { return h.Value.kind == KindNone })
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

// takeChanged returns the devices that changed since the checkpoint, and the journal position that
// their current values include.
func (l *latest) takeChanged() ([]device.Ref, uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	refs := l.changed
	l.changed = nil
	return refs, l.pos
}

// markChanged marks devices as changed again after a failed checkpoint.
func (l *latest) markChanged(refs []device.Ref) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// A device of refs that a later frame changed is already in l.changed; one that was not encoded
	// is still marked. The map lists each device once.
	again := make(map[device.Ref]bool, len(refs)+len(l.changed))
	for _, r := range append(refs, l.changed...) {
		if d := l.devices[r]; d != nil {
			d.changed = true
			again[r] = true
		}
	}
	l.changed = slices.Collect(maps.Keys(again))
}

// encode appends a device's values for the checkpoint and clears its mark. It returns false if the
// device does not exist any more.
func (l *latest) encode(b []byte, ref device.Ref) ([]byte, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.devices[ref]
	if d == nil {
		return b, false
	}
	d.changed = false
	return appendLatest(b, d.values, d.ahead), true
}

// load adds a device's values from a checkpoint.
func (l *latest) load(ref device.Ref, values []latestValue, ahead []AheadReading) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.devices[ref] = &deviceLatest{values: values, ahead: ahead}
}

// appendLatest writes values, sorted by property: their count, then for each the difference of
// property and of time from the previous one, and the value. If anything was stamped ahead, these
// follow: the count of values that show it, then for each its index, how much earlier it arrived,
// and how much later the newest stored time is; then the count of readings stamped ahead, and for
// each the difference of its time from the previous one and the position of the reading that passed
// it over.
func appendLatest(b []byte, values []latestValue, ahead []AheadReading) []byte {
	b = binary.AppendUvarint(b, uint64(len(values)))
	var property device.PropertyID
	var at int64
	extra := 0
	for _, v := range values {
		b = binary.AppendUvarint(b, uint64(v.Property-property))
		b = binary.AppendVarint(b, v.Time-at)
		b = appendValue(b, v.Value)
		property, at = v.Property, v.Time
		if v.hasOtherTimes() {
			extra++
		}
	}
	if extra == 0 && len(ahead) == 0 {
		return b
	}
	b = binary.AppendUvarint(b, uint64(extra))
	for i, v := range values {
		if v.hasOtherTimes() {
			b = binary.AppendUvarint(b, uint64(i))
			b = binary.AppendVarint(b, v.Time-v.Order)
			b = binary.AppendVarint(b, v.newestTime-v.Time)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(ahead)))
	at = 0
	for _, a := range ahead {
		b = binary.AppendVarint(b, a.Time-at)
		b = binary.AppendUvarint(b, a.DeferredAtPosition)
		at = a.Time
	}
	return b
}

// hasOtherTimes reports whether the value has other times beside Time.
func (h *latestValue) hasOtherTimes() bool { return h.Order != h.Time || h.newestTime != h.Time }

// decodeLatest reads what appendLatest wrote; its error wraps ErrCorrupt.
func decodeLatest(b []byte) ([]latestValue, []AheadReading, error) {
	c := byteReader{rest: b}
	count := c.uvarint()
	if c.failed || count > uint64(len(c.rest)/3) {
		return nil, nil, fmt.Errorf("%w: count of values", ErrCorrupt)
	}
	values := make([]latestValue, count)
	var property uint64
	var at int64
	for i := range values {
		step := c.uvarint()
		property += step
		at += c.varint()
		if c.failed || property > uint64(^device.PropertyID(0)) || i > 0 && step == 0 {
			return nil, nil, fmt.Errorf("%w: value %d of %d", ErrCorrupt, i+1, count)
		}
		v, n, err := cutValue(c.rest)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: value %d of %d", err, i+1, count)
		}
		c.rest = c.rest[n:]
		values[i] = latestValue{Newest{Last{Property: device.PropertyID(property), Time: at, Value: v}, at}, at}
	}
	if len(c.rest) == 0 {
		return values, nil, nil
	}
	ahead, err := c.ahead(values)
	return values, ahead, err
}

// ahead reads the part of appendLatest about readings stamped ahead.
func (c *byteReader) ahead(values []latestValue) ([]AheadReading, error) {
	for left := c.uvarint(); left > 0 && !c.failed; left-- {
		i := c.uvarint()
		if c.failed || i >= uint64(len(values)) {
			return nil, fmt.Errorf("%w: value that arrived before its time", ErrCorrupt)
		}
		values[i].Order = values[i].Time - c.varint()
		values[i].newestTime = values[i].Time + c.varint()
	}
	count := c.uvarint()
	if c.failed || count > uint64(len(c.rest)/2) {
		return nil, fmt.Errorf("%w: count of readings stamped ahead", ErrCorrupt)
	}
	var ahead []AheadReading
	var at int64
	for range count {
		at += c.varint()
		ahead = append(ahead, AheadReading{Time: at, DeferredAtPosition: c.uvarint()})
	}
	if c.failed || len(c.rest) != 0 {
		return nil, fmt.Errorf("%w: readings stamped ahead", ErrCorrupt)
	}
	return ahead, nil
}

// Latest returns the newest value of every property of a device, sorted by property; nothing if the
// device has no readings. It leaves out a property whose newest value was removed. It reads memory
// and includes every batch whose Append has returned.
func (s *Store) Latest(ctx context.Context, t tenant.ID, d device.ID) []Last {
	newest := s.Newest(ctx, t, d)
	if newest == nil {
		return nil
	}
	values := make([]Last, len(newest))
	for i, n := range newest {
		values[i] = n.Last
	}
	return values
}

// Newest is Latest with the Order by which each value is the newest.
func (s *Store) Newest(ctx context.Context, t tenant.ID, d device.ID) []Newest {
	ref := device.Ref{Tenant: t, ID: d}
	values := withoutRemoved(s.latest.get(ref))
	if values == nil {
		return nil
	}
	curves := s.CurvesFor(ctx, ref)
	newest := make([]Newest, len(values))
	for i, h := range values {
		newest[i] = h.Newest
		newest[i].Value, _ = curves[h.Property].Correct(h.Time, h.Value)
	}
	return newest
}

// NewestOf is Newest of one property; ok is false if the device has no value of it. It copies nothing else,
// so that a caller may ask it of thousands of devices.
func (s *Store) NewestOf(ctx context.Context, t tenant.ID, d device.ID, p device.PropertyID) (n Newest, ok bool) {
	ref := device.Ref{Tenant: t, ID: d}
	if n, ok = s.latest.getOne(ref, p); ok {
		n.Value, _ = s.CurvesFor(ctx, ref)[p].Correct(n.Time, n.Value)
	}
	return n, ok
}
