package reading

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
)

// sealEvery is how often Run looks for days to seal. It seals late readings the next time.
const sealEvery = 15 * time.Minute

// A slice of sealing runs without interruption and blocks only Erase and Expire. Then sealing
// pauses sealPauseFactor times as long if readings arrived meanwhile.
const (
	sealSliceTime   = 20 * time.Millisecond
	sealPauseFactor = 9
)

// errTooManyGenerations means that a day was sealed more often than keys can count since the store
// was opened; opening it again starts a new count.
var errTooManyGenerations = errors.New("reading: a day has been sealed too often since the start")

// Seal packs the days (UTC) that ended SealAfter or longer before now into segments by columns:
// they take a seventh of the space, and a month is read in milliseconds. Seal merges frames that
// arrived late since the last time into the segments. Readers see the same readings at every
// moment, and a crash at any moment changes nothing either. A day that cannot be packed because it
// is damaged stays as it is; the other days are packed all the same.
func (s *Store) Seal(ctx context.Context, now time.Time) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	last, _ := dayOf(clampTime(now.Add(-s.opts.SealAfter).UnixMilli()))
	var failed []error
	for _, d := range s.calendar.now() {
		if d.day >= last || !d.hot || d.missing {
			continue // a missing day is sealed once it is here
		}
		if p := s.broken.Load(); p != nil {
			return *p
		}
		if err := s.sealDay(ctx, d.day); err != nil {
			failed = append(failed, fmt.Errorf("reading: seal: %w", err))
		}
		if err := s.stopErr(ctx); err != nil {
			failed = append(failed, err)
			break
		}
	}
	return errors.Join(failed...)
}

func (s *Store) sealDay(ctx context.Context, day int32) error {
	if quiet, err := s.markCold(ctx, day); err != nil || quiet {
		return err
	}
	d, err := s.startGeneration(ctx, day)
	if err != nil {
		return err
	}
	work := &daySealer{store: s, ctx: ctx, day: day}
	for g := int(d.oldest); g < int(d.newest); g++ {
		if err := work.sealGeneration(uint16(g)); err != nil {
			return err
		}
	}
	if err := s.dropSealed(day, d.newest); err != nil {
		return err
	}
	s.opts.Logger.Debug("readings: sealed", "day", time.UnixMilli(int64(day)*msPerDay).UTC().Format(time.DateOnly),
		"devices", work.devices, "frames", work.frames, "bytes", work.bytes)
	return nil
}

// markCold marks a day as cold if it has no frames in generations.
func (s *Store) markCold(ctx context.Context, day int32) (quiet bool, err error) {
	if hot, err := s.hasHotKeys(ctx, day); err != nil || hot {
		return false, err
	}
	s.calendar.writeMu.Lock() // waits for writers of the day
	defer s.calendar.writeMu.Unlock()
	if hot, err := s.hasHotKeys(ctx, day); err != nil || hot {
		return false, err
	}
	s.calendar.change(day, func(d *dayState) { d.hot, d.oldest, d.newest, d.since, d.newestSince = false, 0, 0, 0, 0 })
	return true, nil
}

func (s *Store) hasHotKeys(ctx context.Context, day int32) (bool, error) {
	from := appendDay(nil, tagHot, day)
	return hasKeys(ctx, s.db, from, append(bytes.Clone(from), dayEnd...))
}

// hasKeys reports whether there is a key in [from, end).
func hasKeys(ctx context.Context, db *pebble.DB, from, end []byte) (ok bool, err error) {
	it, err := db.NewIterWithContext(ctx, &pebble.IterOptions{LowerBound: from, UpperBound: end})
	if err != nil {
		return false, err
	}
	defer closeInto(&err, it)
	return it.First(), it.Error()
}

// startGeneration makes sure that nobody writes to the generations before the newest one and that
// the newest one is empty. It starts a new generation unless an earlier one is still empty because
// its sealing failed.
func (s *Store) startGeneration(ctx context.Context, day int32) (d dayState, err error) {
	s.calendar.writeMu.Lock()
	defer s.calendar.writeMu.Unlock()
	if d, found := s.calendar.at(day); found && d.newest > d.oldest {
		from := appendHotPrefix(nil, day, d.newest, device.Ref{})[:hotPrefixLen]
		if nonempty, err := hasKeys(ctx, s.db, from, append(bytes.Clone(from), dayEnd...)); err != nil || !nonempty {
			return d, err
		}
	}
	d = s.calendar.change(day, func(d *dayState) {
		if d.newest == math.MaxUint16 {
			err = errTooManyGenerations
			return
		}
		d.newest++
		d.sealed = true
		d.since, d.newestSince = d.firstEntry(), 0
	})
	return d, err
}

// dropSealed deletes the generations before newest, which are completely in segments. The log keeps
// the order of writes, so the deletion is never on disk without the segments.
func (s *Store) dropSealed(day int32, newest uint16) error {
	s.calendar.mu.Lock()
	defer s.calendar.mu.Unlock()
	b := s.db.NewBatch()
	from := appendDay(nil, tagHot, day)
	if err := b.DeleteRange(from, appendHotPrefix(nil, day, newest, device.Ref{})[:hotPrefixLen], nil); err != nil {
		return err
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		return err
	}
	s.calendar.set(day, func(d *dayState) { d.oldest, d.since = newest, 0 })
	return b.Close()
}

// daySealer seals one day.
type daySealer struct {
	store *Store
	ctx   context.Context
	day   int32

	writer  segmentWriter
	block   block
	key     []byte
	raw     []byte
	newKeys map[string]bool // keys of the device's new segments
	totals  []propertyTotal // of the device's new segments

	devices, frames, bytes int
}

// sealGeneration packs one generation, device by device.
func (w *daySealer) sealGeneration(g uint16) error {
	return w.eachDevice(appendHotPrefix(nil, w.day, g, device.Ref{})[:hotPrefixLen],
		func(ref device.Ref) []byte { return appendHotPrefix(nil, w.day, g, ref) },
		func(b *pebble.Batch, ref device.Ref) error {
			return w.sealDevice(b, dayState{day: w.day, hot: true, sealed: true, oldest: g, newest: g}, ref)
		})
}

// eachDevice calls seal for every device that has keys with a prefix, in slices. prefixOf returns the
// prefix of one device's keys.
func (w *daySealer) eachDevice(
	prefix []byte,
	prefixOf func(ref device.Ref) []byte,
	seal func(b *pebble.Batch, ref device.Ref) error,
) error {
	from, end := prefix, append(bytes.Clone(prefix), dayEnd...)
	for {
		before, started := w.store.counts.frames.Load(), time.Now() // a duration, not a time of day
		next, err := w.slice(from, end, prefixOf, seal, started)
		if err != nil || next == nil {
			return err
		}
		from = next
		if w.store.counts.frames.Load() == before {
			continue
		}
		rest := time.NewTimer(time.Since(started) * sealPauseFactor)
		select {
		case <-rest.C:
		case <-w.ctx.Done():
		case <-w.store.lifetime.Done():
		}
		rest.Stop()
	}
}

// slice calls seal for devices from a key on for sealSliceTime and returns the key at which to
// continue; nil at the end.
func (w *daySealer) slice(
	from, end []byte,
	prefixOf func(ref device.Ref) []byte,
	seal func(b *pebble.Batch, ref device.Ref) error,
	started time.Time,
) (next []byte, err error) {
	w.store.sealMu.Lock()
	defer w.store.sealMu.Unlock()
	if err := w.store.stopErr(w.ctx); err != nil {
		return nil, err
	}
	it, err := w.store.db.NewIterWithContext(w.ctx, &pebble.IterOptions{LowerBound: from, UpperBound: end})
	if err != nil {
		return nil, err
	}
	defer closeInto(&err, it)
	b := w.store.db.NewBatch()
	defer closeInto(&err, b)
	for ok := it.First(); ok; ok = it.SeekGE(from) {
		ref, _, err := parseFrameKey(it.Key())
		if err != nil {
			return nil, fmt.Errorf("%w: %s", ErrCorrupt, printKey(it.Key()))
		}
		if err := seal(b, ref); err != nil {
			return nil, err
		}
		from = append(prefixOf(ref), dayEnd...)
		if time.Since(started) >= sealSliceTime {
			return from, b.Commit(pebble.NoSync)
		}
	}
	if err := it.Error(); err != nil {
		return nil, err
	}
	return nil, b.Commit(pebble.NoSync)
}

// sealDevice merges a device's frames of the generations of state over its segments, and rewrites the
// segments and the daily aggregates.
func (w *daySealer) sealDevice(b *pebble.Batch, state dayState, ref device.Ref) (err error) {
	s := w.store
	bounds := pebble.IterOptions{LowerBound: []byte{tagSegment}, UpperBound: []byte{tagHot + 1}}
	base, err := s.db.NewIterWithContext(w.ctx, &bounds)
	if err != nil {
		return err
	}
	begin := int64(w.day) * msPerDay
	r := s.emptyRows(w.ctx, base, rowQuery{ref: ref, from: begin, to: begin + msPerDay - 1})
	r.days = []dayState{state}
	defer closeInto(&err, r)
	w.block.reset()
	w.newKeys, w.totals = map[string]bool{}, w.totals[:0]
	for {
		ok, err := r.next()
		if err != nil {
			return err
		}
		if len(w.block.times) == segmentRows || !ok && len(w.block.times) > 0 {
			if err := w.flush(b, ref); err != nil {
				return err
			}
		}
		if !ok {
			break
		}
		w.block.add(r.time, r.frame)
	}
	w.devices++
	if err := setDayAggregates(b, ref, w.day, w.totals); err != nil {
		return err
	}
	if err := s.markToArchive(b, ref, w.day); err != nil {
		return err
	}
	// Delete the old segments whose keys the new ones do not have.
	prefix := appendSegmentPrefix(nil, w.day, ref)
	for ok := base.SeekGE(prefix); ok && bytes.HasPrefix(base.Key(), prefix); ok = base.Next() {
		if !w.newKeys[string(base.Key())] {
			if err := b.Delete(base.Key(), nil); err != nil {
				return err
			}
		}
	}
	return base.Error()
}

func (w *daySealer) flush(b *pebble.Batch, ref device.Ref) error {
	_, ms := dayOf(w.block.times[0])
	w.key = appendMs(appendSegmentPrefix(w.key[:0], w.day, ref), ms)
	w.raw = w.writer.encode(w.raw[:0], &w.block)
	w.totals = mergeTotals(w.totals, w.writer.totals)
	w.newKeys[string(w.key)] = true
	w.frames += len(w.block.times)
	w.bytes += len(w.raw)
	w.block.reset()
	return b.Set(w.key, w.raw, nil)
}
