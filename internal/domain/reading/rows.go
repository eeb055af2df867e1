package reading

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
	"tilth/internal/platform/limit"
)

// yieldEvery is after how many frames a reader yields and checks whether it should stop.
const yieldEvery = 256

// rows reads one device's frames over any number of days, oldest first. It merges the segments and
// the generations of each day by time.
type rows struct {
	store *Store
	ctx   context.Context
	query rowQuery
	days  []dayState // not read yet

	base     *pebble.Iterator
	segments *pebble.Iterator // over the local segments
	fetched  fetchedDays      // segments from the archive
	segment  segmentSource
	hot      []*hotSource // generations of the day, oldest first; the rest is spare
	active   []source     // sources that have a frame, oldest first

	time       int64
	frame      []Field
	older      []Field
	newer      []Field
	frameCount int

	skip           func(at int64, p device.PropertyID) bool // reports values that do not count; nil: all count
	takeSummary    summaryFunc                              // for days with segments only; nil: read the readings
	blockHandedOut bool                                     // nextBlock returned the segment's block
	localOnly      bool                                     // nothing is read from the archive
}

// rowsPool holds rows for reuse: their buffers are as large as segments.
var rowsPool = sync.Pool{New: func() any { return new(rows) }}

// newRows returns rows before the oldest frame with from <= time <= to; props are sorted, nil means
// all.
func (s *Store) newRows(ctx context.Context, ref device.Ref, from, to int64, props []device.PropertyID) (*rows, error) {
	base, days, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	return s.rowsFromSnapshot(ctx, base, days, ref, from, to, props), nil
}

// rowsFromSnapshot is newRows for a snapshot: the store as base sees it, and its days at that
// moment.
func (s *Store) rowsFromSnapshot(
	ctx context.Context,
	base *pebble.Iterator,
	days []dayState,
	ref device.Ref,
	from, to int64,
	props []device.PropertyID,
) *rows {
	r := s.emptyRows(ctx, base, rowQuery{ref: ref, from: clampTime(from), to: clampTime(to), wanted: props})
	if c := s.CurvesFor(ctx, ref); c.ApplyIn(props, r.query.from, r.query.to) {
		r.query.curves = c
	}
	first, _ := dayOf(r.query.from)
	last, _ := dayOf(r.query.to)
	r.days = between(days, first, last)
	return r
}

// emptyRows returns rows without days; Close closes base too.
func (s *Store) emptyRows(ctx context.Context, base *pebble.Iterator, query rowQuery) *rows {
	r := rowsPool.Get().(*rows)
	r.store, r.ctx, r.base, r.query = s, ctx, base, query
	return r
}

// clone sets *it to a clone of base, unless it is set already.
func (r *rows) clone(it **pebble.Iterator) (err error) {
	if *it == nil {
		*it, err = r.base.CloneWithContext(r.ctx, pebble.CloneOptions{})
	}
	return scanError("frames", err)
}

// cloneSegment is clone for segments. Its bounds exclude the generations after them, which may be
// sealed and not deleted yet.
func (r *rows) cloneSegment() error {
	if r.segments != nil {
		return nil
	}
	err := r.clone(&r.segments)
	if err == nil {
		r.segments.SetBounds([]byte{tagSegment}, []byte{tagSegment + 1})
	}
	return err
}

// yieldOrStop yields to waiting work and returns why reading should stop.
func (r *rows) yieldOrStop() error {
	limit.Yield(r.ctx)
	return r.store.stopErr(r.ctx)
}

// nextDay moves to the next day that may have frames and its sources to their first frames. It
// returns false at the end.
func (r *rows) nextDay() (bool, error) {
	for len(r.days) > 0 {
		day := r.days[0]
		r.days = r.days[1:]
		if err := r.yieldOrStop(); err != nil {
			return false, err
		}
		r.active = r.active[:0]
		if day.hot {
			if err := r.startHot(day); err != nil {
				return false, err
			}
		}
		if day.sealed {
			if err := r.startSealed(day); err != nil {
				return false, err
			}
		}
		if len(r.active) > 0 {
			return true, nil
		}
	}
	return false, nil
}

func (r *rows) startHot(day dayState) error {
	for g := int(day.oldest); g <= int(day.newest); g++ {
		i := g - int(day.oldest)
		if i == len(r.hot) {
			r.hot = append(r.hot, &hotSource{})
		}
		if err := r.clone(&r.hot[i].it); err != nil {
			return err
		}
		r.hot[i].begin(&r.query, day.day, uint16(g))
		if err := r.start(r.hot[i]); err != nil {
			return err
		}
	}
	return nil
}

// startSealed starts the source of a day's segments, which are older than its generations.
func (r *rows) startSealed(day dayState) error {
	takeSummary := r.takeSummary
	if len(r.active) > 0 {
		takeSummary = nil // late readings may differ from the minmax
	}
	if err := r.placeSegment(day, takeSummary); err != nil {
		return err
	}
	ok, err := r.segment.next()
	if err != nil {
		again := false
		if again, err = r.orRemote(day, err); again {
			ok, err = r.segment.next()
		}
	}
	if ok {
		r.active = slices.Insert(r.active, 0, source(&r.segment))
	}
	return err
}

// start adds a source to the active ones if it has a frame.
func (r *rows) start(s source) error {
	ok, err := s.next()
	if ok {
		r.active = append(r.active, s)
	}
	return err
}

// next moves to the next frame that holds a wanted property and puts it into r.time and r.frame.
func (r *rows) next() (bool, error) {
	for {
		if len(r.active) == 0 {
			if ok, err := r.nextDay(); err != nil || !ok {
				return false, err
			}
		}
		if r.frameCount++; r.frameCount%yieldEvery == 0 {
			if err := r.yieldOrStop(); err != nil {
				return false, err
			}
		}
		if err := r.takeFrame(); err != nil {
			return false, err
		}
		if len(r.frame) > 0 {
			return true, nil
		}
	}
}

// each calls fn for every remaining frame and closes the rows.
func (r *rows) each(fn func(at int64, fields []Field) error) (err error) {
	defer closeInto(&err, r)
	for {
		ok, err := r.next()
		if err != nil || !ok {
			return err
		}
		if err := fn(r.time, r.frame); err != nil {
			return err
		}
	}
}

// nextBlock is next for many frames at once, if nothing is to be merged: it returns the rows
// [begin, end) of a block, valid until the next call. The block is nil if the caller must call next
// instead.
func (r *rows) nextBlock() (b *block, begin, end int, err error) {
	if len(r.active) == 0 {
		if ok, err := r.nextDay(); err != nil || !ok {
			return nil, 0, 0, err
		}
	}
	if len(r.active) != 1 || r.active[0] != source(&r.segment) {
		return nil, 0, 0, nil
	}
	if r.blockHandedOut {
		// The caller has used the block until this call.
		r.blockHandedOut, r.segment.open = false, false
		if err := r.yieldOrStop(); err != nil {
			return nil, 0, 0, err
		}
		ok, err := r.segment.next()
		if err != nil {
			r.noteError(&r.segment, err)
			return nil, 0, 0, err
		}
		if !ok {
			r.active = r.active[:0]
			return r.nextBlock()
		}
	}
	b, begin = &r.segment.block, r.segment.rows.row
	end, _ = slices.BinarySearch(b.times, r.query.to+1)
	r.blockHandedOut = true
	return b, begin, end, nil
}

// takeFrame merges the earliest frame of all sources and moves these to their next frames.
func (r *rows) takeFrame() error {
	r.time = r.active[0].at()
	for _, s := range r.active[1:] {
		r.time = min(r.time, s.at())
	}
	r.frame = r.frame[:0]
	remaining := r.active[:0]
	for _, s := range r.active {
		if s.at() == r.time {
			if err := r.add(s); err != nil {
				return err
			}
			ok, err := s.next()
			if err != nil {
				r.noteError(s, err)
				return err
			}
			if !ok {
				continue
			}
		}
		remaining = append(remaining, s)
	}
	r.active = remaining
	// Removed values are dropped last, because they hide the values of older sources.
	r.frame = slices.DeleteFunc(r.frame, func(f Field) bool { return f.Value.kind == KindNone })
	return nil
}

// add merges a source's values of the earliest frame over those of the previous sources.
func (r *rows) add(s source) (err error) {
	switch {
	case r.query.timesOnly:
	case len(r.frame) == 0:
		r.frame, err = s.fields(r.frame)
	default:
		r.newer, err = s.fields(r.newer[:0])
		r.older = append(r.older[:0], r.frame...)
		r.frame = mergeFields(r.frame[:0], r.older, r.newer)
	}
	return err
}

// mergeFields appends the union of two frames' fields; if both hold a property, the newer one's
// value stays.
func mergeFields(dst, older, newer []Field) []Field {
	for len(older) > 0 && len(newer) > 0 {
		switch {
		case older[0].Property < newer[0].Property:
			dst, older = append(dst, older[0]), older[1:]
		case older[0].Property == newer[0].Property:
			older = older[1:]
		default:
			dst, newer = append(dst, newer[0]), newer[1:]
		}
	}
	return append(append(dst, older...), newer...)
}

// Close closes the iterators and returns the rows to the pool.
func (r *rows) Close() error {
	errs := []error{r.base.Close()}
	if r.segments != nil {
		// An error of the iterator was returned to the reader, or the archive took its place.
		if err := r.segments.Close(); !isDamage(err) {
			errs = append(errs, err)
		}
	}
	for _, h := range r.hot {
		if h.it != nil {
			errs = append(errs, h.it.Close())
			h.it = nil
		}
	}
	r.store, r.ctx, r.base, r.days, r.segments, r.segment.it = nil, nil, nil, nil, nil, nil
	r.fetched, r.localOnly = fetchedDays{}, false
	r.skip, r.takeSummary, r.segment.takeSummary, r.blockHandedOut, r.frameCount = nil, nil, nil, false, 0
	r.segment.reader.bands.release()
	r.segment.reader.releaseLarge()
	r.segment.block.releaseAbove(maxWholeValues * 13)
	r.active = r.active[:0]
	rowsPool.Put(r)
	return errors.Join(errs...)
}
