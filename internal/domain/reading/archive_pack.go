package reading

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
)

// pack returns a device-day as the view holds it; nil if there is nothing.
func (w *archiveCopy) pack(day int32, ref device.Ref) (*ArchivedDay, error) {
	i, found := find(w.view.days, day)
	if !found {
		return nil, nil
	}
	d := &ArchivedDay{Ref: ref, Day: day, Position: w.view.position}
	open, err := w.isOpen(w.view.days[i], ref)
	switch {
	case err != nil:
	case open:
		err = w.packRows(d)
	default:
		err = w.packSealed(d)
	}
	if err != nil || d.Segments == nil {
		return nil, err
	}
	d.Digest = d.digestOf()
	return d, nil
}

// packSealed packs the segments as they are, after reading them back.
func (w *archiveCopy) packSealed(d *ArchivedDay) error {
	segments, err := localSegments(w.ctx, w.view.snapshot, d.Ref, d.Day)
	if err != nil || len(segments) == 0 {
		return err
	}
	if d.Aggregates, err = getCopy(w.view.snapshot, appendDayAggregatesKey(nil, d.Ref, d.Day)); err != nil {
		return err
	}
	d.Segments = packSegments(segments)
	if err := checkPacked(d); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return nil
}

// packRows packs frames that are not sealed, over the segments.
func (w *archiveCopy) packRows(d *ArchivedDay) (err error) {
	begin := int64(d.Day) * msPerDay
	r, err := w.view.rows(w.ctx, d.Ref, begin, begin+msPerDay-1, nil)
	if err != nil {
		return err
	}
	defer closeInto(&err, r)
	var segments []packedSegment
	var totals []propertyTotal
	w.block.reset()
	for {
		ok, err := r.next()
		if err != nil {
			return err
		}
		if n := len(w.block.times); n == segmentRows || !ok && n > 0 {
			_, ms := dayOf(w.block.times[0])
			segments = append(segments, packedSegment{ms, w.writer.encode(nil, &w.block)})
			totals = mergeTotals(totals, w.writer.totals)
			w.block.reset()
		}
		if !ok {
			break
		}
		w.block.add(r.time, r.frame)
	}
	if len(segments) == 0 {
		return nil
	}
	if len(totals) > 0 {
		d.Aggregates = encodeDayAggregates(totals)
	}
	d.Segments = packSegments(segments)
	return nil
}

// holds reports whether the view has anything of a device-day.
func (w *archiveCopy) holds(day int32, ref device.Ref) (bool, error) {
	i, found := find(w.view.days, day)
	if !found {
		return false, nil
	}
	prefix := appendSegmentPrefix(nil, day, ref)
	sealed, err := hasSnapshotKeys(w.ctx, w.view.snapshot, prefix, append(bytes.Clone(prefix), afterAnyMs))
	if err != nil || sealed {
		return sealed, err
	}
	return w.isOpen(w.view.days[i], ref)
}

// isOpen reports whether the view has frames of a device-day that are not sealed.
func (w *archiveCopy) isOpen(day dayState, ref device.Ref) (open bool, err error) {
	for g := int(day.oldest); day.hot && g <= int(day.newest) && !open && err == nil; g++ {
		from := appendHotPrefix(nil, day.day, uint16(g), ref)
		open, err = hasSnapshotKeys(w.ctx, w.view.snapshot, from, append(bytes.Clone(from), dayEnd...))
	}
	return open, err
}

// localSegments returns copies of the segments of a device-day.
func localSegments(
	ctx context.Context,
	from pebble.Reader,
	ref device.Ref,
	day int32,
) (segments []packedSegment, err error) {
	prefix := appendSegmentPrefix(nil, day, ref)
	it, err := from.NewIterWithContext(ctx, &pebble.IterOptions{
		LowerBound: prefix, UpperBound: append(bytes.Clone(prefix), afterAnyMs),
	})
	if err != nil {
		return nil, scanError("segments", err)
	}
	defer closeInto(&err, it)
	for ok := it.First(); ok; ok = it.Next() {
		ms, err := cutMs(it.Key()[len(prefix):])
		if err != nil {
			return nil, fmt.Errorf("%w: %s", ErrCorrupt, printKey(it.Key()))
		}
		raw, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		segments = append(segments, packedSegment{ms, bytes.Clone(raw)})
	}
	return segments, scanError("segments", it.Error())
}

// getCopy returns a copy of the value under a key, nil if there is none.
func getCopy(from pebble.Reader, key []byte) ([]byte, error) {
	b, closer, err := from.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading: %s: %w", printKey(key), err)
	}
	return append([]byte{}, b...), closer.Close()
}

// hasSnapshotKeys reports whether there is a key in [from, end).
func hasSnapshotKeys(ctx context.Context, in pebble.Reader, from, end []byte) (ok bool, err error) {
	it, err := in.NewIterWithContext(ctx, &pebble.IterOptions{LowerBound: from, UpperBound: end})
	if err != nil {
		return false, err
	}
	defer closeInto(&err, it)
	return it.First(), it.Error()
}
