package reading

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
	"tilth/internal/platform/errs"
)

// How many days a reader fetches from the archive at once: it begins with a few and doubles them as long
// as they are small.
const (
	fewestFetchedDays = 8
	mostFetchedDays   = 64
	fetchedBytes      = 1 << 20
)

// segmentIterator is what a reader needs of the segments of a device: an iterator of the engine, or what
// was fetched from the archive.
type segmentIterator interface {
	SeekGE(key []byte) bool
	SeekLT(key []byte) bool
	Next() bool
	Prev() bool
	Key() []byte
	ValueAndErr() ([]byte, error)
	Error() error
}

var _ segmentIterator = (*pebble.Iterator)(nil)

// fetchedDays are segments of one device that came from the archive, in order.
type fetchedDays struct {
	days       []int32 // that were asked for, in order; of some there may be nothing
	keys, raws [][]byte
	aggregates map[int32][]byte
	at         int
	next       int // how many days are fetched the next time
}

func (f *fetchedDays) valid() bool { return f.at >= 0 && f.at < len(f.keys) }

func (f *fetchedDays) search(key []byte) int {
	return sort.Search(len(f.keys), func(i int) bool { return bytes.Compare(f.keys[i], key) >= 0 })
}

func (f *fetchedDays) SeekGE(key []byte) bool {
	f.at = f.search(key)
	return f.valid()
}

func (f *fetchedDays) SeekLT(key []byte) bool {
	f.at = f.search(key) - 1
	return f.valid()
}

func (f *fetchedDays) Next() bool {
	f.at = min(f.at+1, len(f.keys))
	return f.valid()
}

func (f *fetchedDays) Prev() bool {
	f.at = max(f.at-1, -1)
	return f.valid()
}

func (f *fetchedDays) Key() []byte                  { return f.keys[f.at] }
func (f *fetchedDays) ValueAndErr() ([]byte, error) { return f.raws[f.at], nil }
func (f *fetchedDays) Error() error                 { return nil }

// has reports whether a day was asked for.
func (f *fetchedDays) has(day int32) bool {
	_, found := slices.BinarySearch(f.days, day)
	return found
}

// holds reports whether the archive has anything of a day.
func (f *fetchedDays) holds(day int32, ref device.Ref) bool {
	prefix := appendSegmentPrefix(nil, day, ref)
	return f.SeekGE(prefix) && bytes.HasPrefix(f.Key(), prefix)
}

// isRemote reports whether the segments of a day are read from the archive.
func (r *rows) isRemote(day dayState) bool {
	return !r.localOnly && (day.missing || r.store.isDamaged(r.query.ref, day.day))
}

// placeSegment moves the source of a day's segments before its first one, here or in the archive.
func (r *rows) placeSegment(day dayState, takeSummary summaryFunc) error {
	if r.isRemote(day) {
		if err := r.fetch(day, r.days); err != nil {
			return err
		}
		if !day.missing && !r.fetched.holds(day.day, r.query.ref) {
			return fmt.Errorf("reading: %s: %w, and the archive does not have it", dayName(day.day), ErrCorrupt)
		}
		r.segment.it = &r.fetched
	} else {
		if err := r.cloneSegment(); err != nil {
			return err
		}
		r.segment.it = r.segments
	}
	r.segment.begin(&r.query, day.day, takeSummary)
	return nil
}

// fetch makes sure that r.fetched has a day. It fetches some of the others that will be asked for next,
// which are all later or all earlier ones.
func (r *rows) fetch(day dayState, others []dayState) error {
	f := &r.fetched
	if f.has(day.day) {
		return nil
	}
	f.next = max(f.next, fewestFetchedDays)
	wanted := []int32{day.day}
	if len(others) > 0 && others[0].day < day.day { // a search backwards
		for i := len(others) - 1; i >= 0 && len(wanted) < fewestFetchedDays; i-- {
			if others[i].missing {
				wanted = append(wanted, others[i].day)
			}
		}
		slices.Reverse(wanted)
	} else {
		for i := 0; i < len(others) && len(wanted) < f.next; i++ {
			if others[i].missing {
				wanted = append(wanted, others[i].day)
			}
		}
	}
	f.keys, f.raws, f.days, f.at = f.keys[:0], f.raws[:0], wanted, -1
	f.aggregates = map[int32][]byte{}
	size := 0
	if err := r.store.readArchive(r.ctx, r.query.ref, wanted, func(d *ArchivedDay) error {
		segments, err := unpackSegments(d.Segments)
		if err != nil {
			return fmt.Errorf("reading: %s: %w: %w", d.Name(), ErrArchiveDamaged, err)
		}
		prefix := appendSegmentPrefix(nil, d.Day, d.Ref)
		for _, part := range segments {
			f.keys = append(f.keys, appendMs(slices.Clone(prefix), part.ms))
			f.raws = append(f.raws, part.raw)
		}
		f.aggregates[d.Day] = d.Aggregates
		size += len(d.Segments)
		return nil
	}); err != nil {
		f.days = nil
		return err
	}
	if f.next < mostFetchedDays && size < fetchedBytes {
		f.next *= 2
	}
	return nil
}

// readArchive calls fn for a device's device-days in the archive, in order of days.
func (s *Store) readArchive(ctx context.Context, ref device.Ref, days []int32, fn func(*ArchivedDay) error) error {
	if s.opts.Archive == nil {
		return errs.New(errs.Unavailable, "error.503").
			WithCause(fmt.Errorf("reading: %s is in the archive only, and there is none", dayName(days[0])))
	}
	damage := error(nil)
	err := s.opts.Archive.DeviceDays(ctx, ref.Tenant, ref.ID, s.Life(), days, func(d *ArchivedDay) error {
		if d.Ref != ref {
			return fmt.Errorf("reading: the archive gave %s for device %d", d.Name(), ref.ID)
		}
		if s.erasedAfter(d) {
			return nil
		}
		if damage = d.checkDigest(); damage != nil {
			return damage
		}
		s.archived.fetched.Add(1)
		return fn(d)
	})
	switch {
	case damage != nil || err == nil || ctx.Err() != nil || errors.Is(err, ErrArchiveDamaged):
		return err
	default:
		return errs.New(errs.Unavailable, "error.503").WithCause(fmt.Errorf("reading: read the archive: %w", err))
	}
}

// orRemote begins a day anew with the archive if its local segments are damaged, and nothing of them was
// taken yet. Otherwise it returns the error; the next reader reads the archive.
func (r *rows) orRemote(day dayState, cause error) (again bool, err error) {
	if r.localOnly || r.segment.it == segmentIterator(&r.fetched) || !isDamage(cause) ||
		!r.store.noteDamaged(r.query.ref, day.day) || r.segment.summarised {
		return false, cause
	}
	if err := r.placeSegment(day, r.segment.takeSummary); err != nil {
		return false, errors.Join(cause, err)
	}
	return true, nil
}

// noteError makes later readers of a day read the archive, if its local segments are damaged.
func (r *rows) noteError(s source, err error) {
	if s == source(&r.segment) && r.segment.it != segmentIterator(&r.fetched) && isDamage(err) {
		r.store.noteDamaged(r.query.ref, r.segment.day)
	}
}
