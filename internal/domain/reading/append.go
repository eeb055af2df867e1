package reading

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
)

// Append writes a batch: its values and one journal entry. Both are durable when it returns nil.
// Then Latest shows the values and the journal's consumer gets the batch; the consumer gets batches
// in the order in which they were written.
//
// Append merges frames of one device and time by property; a repeated property replaces the earlier
// value, so repeating a batch changes nothing. Frames may be late and in any order. Append leaves
// out frames without fields, and does nothing for a batch without frames. A value of KindNone
// removes the stored value. A value that is NaN or infinite, a tenant or device that is not
// positive, and a time beyond the calendar are errors before anything is written.
//
// When the consumer is QueueBatches or QueueFrames behind, Append waits before it writes, until
// there is room or ctx ends. After that Append does not look at ctx, so an error of ctx means that
// nothing was written. The store owns the batch afterwards: the caller must not change it. After
// ErrBroken it is unknown whether the batch was written.
//
// A store that leads (see Lead) appends the batch to the log of all nodes and then writes it to its
// own disk, where it need not be durable: the batch is durable because the log holds it. If ctx ends
// while the log cannot be reached, it is unknown whether the log holds the batch. Append then
// returns ErrBroken, and the store takes nothing more until a restart.
func (s *Store) Append(ctx context.Context, batch []Arrival) error {
	batch, err := normalise(batch)
	if err != nil || len(batch) == 0 {
		return err
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := s.journal.reserve(ctx, s.lifetime, len(batch)); err != nil {
		return err
	}
	e := encoderPool.Get().(*encoder)
	defer encoderPool.Put(e)
	if s.replicated() {
		return s.appendToLog(ctx, e, batch)
	}
	b := s.db.NewBatchWithSize(len(batch) * 96)
	values := e.encode(batch)
	t, err := s.stage(e, b, batch)
	if err == nil {
		err = s.waitCommitted(b, t, func(pos uint64) {
			s.latest.apply(pos, batch, nil)
			s.journal.handOver(pos, batch)
		})
	}
	if err != nil {
		s.journal.release(len(batch))
		return err
	}
	s.counts.batches.Add(1)
	s.counts.frames.Add(uint64(len(batch)))
	s.counts.values.Add(uint64(values))
	return b.Close()
}

// encoder holds the buffers of one Append.
type encoder struct {
	key    []byte
	entry  entryWriter
	frames []entryFrame
}

// entryFrame is where the encoded frame of an arrival is in the entry.
type entryFrame struct {
	index, from, to int
}

var encoderPool = sync.Pool{New: func() any { return new(encoder) }}

// stage puts a batch's values and its journal entry into the log. No generation is raised
// meanwhile, so a generation that is sealed is complete.
func (s *Store) stage(e *encoder, b *pebble.Batch, batch []Arrival) (t writeTicket, err error) {
	s.calendar.writeMu.RLock()
	defer s.calendar.writeMu.RUnlock()
	if err := e.mergeValues(b, batch, e.entry.buf, s.calendar.generation); err != nil {
		return writeTicket{}, err
	}
	return s.enqueueWrite(b, func(pos uint64) (uint64, error) {
		e.key = appendJournalKey(e.key[:0], pos+1)
		return 1, b.Set(e.key, e.entry.buf, nil)
	})
}

// encode puts the batch's journal entry, which has the arrivals in their order, into e.
func (e *encoder) encode(batch []Arrival) (values int) {
	e.entry.begin(len(batch))
	e.frames = e.frames[:0]
	for i := range batch {
		length := len(e.entry.add(&batch[i]))
		e.frames = append(e.frames, entryFrame{i, len(e.entry.buf) - length, len(e.entry.buf)})
		values += len(batch[i].Fields)
	}
	return values
}

// mergeValues puts the batch's values into b; e.frames says where they are in its journal entry. The
// values are sorted by key, because the engine then finds the place of each beside the one before.
func (e *encoder) mergeValues(
	b *pebble.Batch,
	batch []Arrival,
	entry []byte,
	generationOf func(day int32) uint16,
) error {
	slices.SortFunc(e.frames, func(x, y entryFrame) int {
		f, g := &batch[x.index].Frame, &batch[y.index].Frame
		// Of frames with the same device and time, the later arrival replaces the earlier one.
		return cmp.Or(
			cmp.Compare(f.Tenant, g.Tenant),
			cmp.Compare(f.Device, g.Device),
			cmp.Compare(f.Time, g.Time),
			cmp.Compare(x.index, y.index),
		)
	})
	day, generation := int32(0), uint16(0)
	for i, p := range e.frames {
		f := &batch[p.index].Frame
		d, ms := dayOf(f.Time)
		if i == 0 || d != day {
			day, generation = d, generationOf(d)
		}
		e.key = appendMs(appendHotPrefix(e.key[:0], day, generation, device.Ref{Tenant: f.Tenant, ID: f.Device}), ms)
		if err := b.Merge(e.key, entry[p.from:p.to], nil); err != nil {
			return err
		}
	}
	return nil
}

// normalise checks a batch and makes the fields of every frame sorted and unique; of equal
// properties the last one stays. It does not change the caller's batch.
func normalise(batch []Arrival) ([]Arrival, error) {
	copied := false
	copyBatch := func() {
		if !copied {
			batch = slices.Clone(batch)
			copied = true
		}
	}
	empty := 0
	for i := range batch {
		if err := checkFrame(&batch[i].Frame); err != nil {
			return nil, err
		}
		if len(batch[i].Fields) == 0 {
			empty++
		} else if !inOrder(batch[i].Fields) {
			copyBatch()
			batch[i].Fields = sortFields(batch[i].Fields)
		}
	}
	if empty > 0 {
		copyBatch()
		batch = slices.DeleteFunc(batch, func(a Arrival) bool { return len(a.Fields) == 0 })
	}
	return batch, nil
}

func checkFrame(f *Frame) error {
	if f.Tenant <= 0 || f.Device <= 0 {
		return fmt.Errorf("reading: frame of tenant %d, device %d: both numbers must be positive", f.Tenant, f.Device)
	}
	if f.Time <= minTime || f.Time >= maxTime {
		return fmt.Errorf("reading: frame of device %d: time %d is beyond the calendar", f.Device, f.Time)
	}
	for _, v := range f.Fields {
		bad := v.Value.kind > KindText ||
			v.Value.kind == KindNumber && (math.IsNaN(v.Value.num) || math.IsInf(v.Value.num, 0))
		if bad {
			return fmt.Errorf("reading: frame of device %d: property %d holds a value that cannot be stored: %q",
				f.Device, v.Property, v.Value)
		}
	}
	return nil
}

func inOrder(fields []Field) bool {
	for i := 1; i < len(fields); i++ {
		if fields[i-1].Property >= fields[i].Property {
			return false
		}
	}
	return true
}

// sortFields returns a sorted copy in which each property has its last value.
func sortFields(fields []Field) []Field {
	sorted := slices.Clone(fields)
	slices.SortStableFunc(sorted, func(a, b Field) int { return cmp.Compare(a.Property, b.Property) })
	kept := sorted[:0]
	for i, f := range sorted {
		if i+1 == len(sorted) || sorted[i+1].Property != f.Property {
			kept = append(kept, f)
		}
	}
	return kept
}
