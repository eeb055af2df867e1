package reading

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
)

const (
	// copyDevices and copyBytes are how much is written to the archive at once.
	copyDevices = 200
	copyBytes   = 4 << 20
	// copyLatest is how many devices' latest values are compared or written at once.
	copyLatest = 1000
	// copyPauseFactor is how many times as long as a batch took copying rests, if readings arrived
	// meanwhile.
	copyPauseFactor = 3
	// longestStall is how long the archived position may stall. Then the days that are not
	// sealed are copied, too, so that the log does not grow without end.
	longestStall = 26 * time.Hour
)

// CopyToArchive copies sealed days to the archive until ctx or the store ends, of a store that leads. It
// looks for some after Run has sealed days, and every so often, because other nodes note damage, and what
// could not be copied waits. It logs errors and tries again; it returns only those that wrap ErrFenced.
//
// It also removes from the archive what Erase removes. Until CopyToArchive has begun, Erase waits for
// nothing.
func (s *Store) CopyToArchive(ctx context.Context, to Archive, every time.Duration) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	ctx, cancel := s.withLifetime(ctx)
	defer cancel()
	s.SetArchive(to)
	for {
		err := s.copyPass(ctx, to)
		s.archived.failed.Store(err != nil && ctx.Err() == nil)
		switch {
		case ctx.Err() != nil:
			return s.consumeErr(ctx)
		case errors.Is(err, ErrFenced):
			return err
		case err != nil:
			s.opts.Logger.Warn(
				"readings: sealed days are not copied to the archive; they stay here and are copied later",
				"behind",
				s.archived.behind.Load(),
				"error",
				err,
			)
		}
		wait := every
		if err == nil && s.archived.awaitsCheckpoint {
			wait = min(every, s.opts.CheckpointEvery)
		}
		if s.restUntilSealed(ctx, wait) != nil {
			return s.consumeErr(ctx)
		}
	}
}

// restUntilSealed waits until days are sealed, but not longer than d.
func (s *Store) restUntilSealed(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-s.archived.sealed:
	case <-timer.C:
	case <-ctx.Done():
	case <-s.lifetime.Done():
	}
	return s.stopErr(ctx)
}

// noteSealed has CopyToArchive look for days.
func (s *Store) noteSealed() {
	select {
	case s.archived.sealed <- struct{}{}:
	default: // it will look anyway
	}
}

// ClearArchive removes everything from the archive, unless this node needs it still: nothing copies to it
// any more, so it would become out of date.
func (s *Store) ClearArchive(ctx context.Context, to Archive) error {
	state, err := to.State(ctx)
	if err != nil || state.Life == "" {
		return err
	}
	if s.hasMissing() {
		return errStillMissing
	}
	s.opts.Logger.Info("readings: the archive is removed, because nothing is copied to it any more")
	_, err = to.Begin(ctx, "")
	return err
}

// SetArchive names the archive from which Erase removes devices, too.
func (s *Store) SetArchive(to Archive) {
	s.archived.mu.Lock()
	defer s.archived.mu.Unlock()
	s.archived.to, s.archived.begun, s.archived.erasedAgain = to, false, false
}

// archiveCopy is one pass of copying.
type archiveCopy struct {
	store *Store
	ctx   context.Context
	to    Archive
	view  *View
	state ArchiveState

	started time.Time // of the batch
	frames  uint64    // that had arrived then

	writer segmentWriter
	block  block
	copied int
}

// copyPass copies what is marked, or everything if it is not known what the archive lacks.
func (s *Store) copyPass(ctx context.Context, to Archive) (err error) {
	if len(s.daysWithoutAggregates()) > 0 {
		return nil // they are packed once more first
	}
	began := time.Now() // a duration, not a time of day
	s.archived.mu.Lock()
	s.archived.erased = map[device.Ref]uint64{} // the view does not hold what was erased before
	state, all, err := s.beginArchive(ctx, to)
	s.archived.mu.Unlock()
	if err != nil {
		return err
	}
	view, err := s.View()
	if err != nil {
		return err
	}
	defer closeInto(&err, view)
	w := &archiveCopy{store: s, ctx: ctx, to: to, view: view, state: state}
	w.beginBatch()
	if err := w.eraseAgain(); err != nil {
		return err
	}
	if err := w.copyAll(all); err != nil {
		return err
	}
	if err := w.mendDamaged(); err != nil {
		return err
	}
	oldest, _ := dayOf(clampTime(s.opts.RetentionClock().Add(-s.opts.Retention).UnixMilli()))
	if err := w.write(func() (ArchiveWrite, error) { return to.Expire(ctx, oldest) }); err != nil {
		return err
	}
	if err := w.advance(all); err != nil {
		return err
	}
	if w.copied > 0 {
		s.opts.Logger.Info("readings: copied to the archive", "device-days", w.copied, "took", time.Since(began))
	}
	return nil
}

// beginArchive reads what the archive holds, and begins it anew if it belongs to another life. all is
// true if everything is to be compared with it. The caller holds archived.mu.
func (s *Store) beginArchive(ctx context.Context, to Archive) (state ArchiveState, all bool, err error) {
	a := &s.archived
	if state, err = to.State(ctx); err != nil {
		return state, false, err
	}
	known, err := s.marked()
	if err != nil {
		return state, false, err
	}
	a.begun = true
	holds, err := to.Has(ctx, known.last)
	if err != nil {
		return state, false, err
	}
	wentBack := !holds
	if (wentBack || state.Life != s.Life()) && s.hasMissing() {
		return state, false, fmt.Errorf("reading: the archive that this node was filled from is gone: %w", ErrGap)
	}
	var last ArchiveWrite
	switch {
	case state.Life != s.Life():
		s.opts.Logger.Info("readings: the archive is begun")
		a.reached.Store(0)
		a.known.Store(false)
		last, err = to.Begin(ctx, s.Life())
	case wentBack, state.Complete && known.from > state.Position:
		s.opts.Logger.Warn("readings: the archive may lack something: everything is compared with it")
		last, err = to.Doubt(ctx)
	case state.Complete:
		a.reached.Store(state.Position)
		a.known.Store(true)
		return state, false, nil
	default:
		return state, true, nil
	}
	if err == nil {
		err = s.setMarked(marked{known.from, last})
	}
	if err == nil {
		state, err = to.State(ctx)
	}
	return state, true, err
}

// write writes to the archive.
func (w *archiveCopy) write(do func() (ArchiveWrite, error)) error {
	w.store.archived.mu.Lock()
	defer w.store.archived.mu.Unlock()
	last, err := do()
	return w.store.noteWrite(last, err)
}

// eraseAgain repeats the erasures that the journal still knows: the leader may have ended in the middle
// of one, or the database gone back to a moment before it.
func (w *archiveCopy) eraseAgain() error {
	s := w.store
	if s.archived.erasedAgain {
		return nil
	}
	s.order.Lock()
	erased := maps.Clone(s.order.erased)
	s.order.Unlock()
	for ref, at := range erased {
		if err := w.write(
			func() (ArchiveWrite, error) { return w.to.Erase(w.ctx, ref.Tenant, ref.ID, at) },
		); err != nil {
			return err
		}
	}
	s.archived.erasedAgain = true
	return nil
}

// copyAll copies what is marked, after every day if all is true.
func (w *archiveCopy) copyAll(all bool) error {
	if all {
		if err := w.copyDays(); err != nil {
			return err
		}
	}
	var list []mark
	behind := int64(0)
	if err := marks(w.ctx, w.view.snapshot, func(mark) error { behind++; return nil }); err != nil {
		return err
	}
	w.store.archived.behind.Store(behind)
	flush := func() error {
		if len(list) == 0 {
			return nil
		}
		refs := make([]device.Ref, len(list))
		for i, m := range list {
			refs[i] = m.ref
		}
		if !all { // otherwise its day was copied as a whole
			if err := w.copyDevices(list[0].day, refs); err != nil {
				return err
			}
		}
		if err := w.store.removeMarks(list); err != nil {
			return err
		}
		w.store.archived.behind.Add(-int64(len(list)))
		list = list[:0]
		return w.pause()
	}
	if err := marks(w.ctx, w.view.snapshot, func(m mark) error {
		if len(list) > 0 && (m.day != list[0].day || len(list) == copyDevices) {
			if err := flush(); err != nil {
				return err
			}
		}
		list = append(list, m)
		return nil
	}); err != nil {
		return err
	}
	return flush()
}

// copyDays compares every day that this node holds with the archive, and removes what only the archive
// has.
func (w *archiveCopy) copyDays() error {
	for _, d := range w.view.days {
		if d.missing {
			continue // it came from the archive
		}
		if err := w.copyDay(d); err != nil {
			return err
		}
	}
	days, err := w.to.Days(w.ctx)
	if err != nil {
		return err
	}
	for _, day := range days {
		i, found := find(w.view.days, day)
		if found && w.view.days[i].missing {
			continue
		}
		if err := w.removeStrays(day); err != nil {
			return err
		}
	}
	return nil
}

// copyDay copies a day, sealed or not.
func (w *archiveCopy) copyDay(d dayState) error {
	var refs []device.Ref
	flush := func() error {
		if len(refs) == 0 {
			return nil
		}
		if err := w.copyDevices(d.day, refs); err != nil {
			return err
		}
		refs = refs[:0]
		return w.pause()
	}
	prefixes := [][]byte{appendDay(nil, tagSegment, d.day)}
	for g := int(d.oldest); d.hot && g <= int(d.newest); g++ {
		prefixes = append(prefixes, appendHotPrefix(nil, d.day, uint16(g), device.Ref{})[:hotPrefixLen])
	}
	for _, prefix := range prefixes {
		if err := w.eachDevice(prefix, func(ref device.Ref) error {
			if refs = append(refs, ref); len(refs) < copyDevices {
				return nil
			}
			return flush()
		}); err != nil {
			return err
		}
	}
	return flush()
}

// eachDevice calls fn for the devices that have keys of frames with a prefix.
func (w *archiveCopy) eachDevice(prefix []byte, fn func(ref device.Ref) error) (err error) {
	it, err := w.view.snapshot.NewIterWithContext(w.ctx, &pebble.IterOptions{
		LowerBound: prefix, UpperBound: append(bytes.Clone(prefix), dayEnd...),
	})
	if err != nil {
		return scanError("frames", err)
	}
	defer closeInto(&err, it)
	for ok := it.First(); ok; {
		ref, _, err := parseFrameKey(it.Key())
		if err != nil {
			return fmt.Errorf("%w: %s", ErrCorrupt, printKey(it.Key()))
		}
		if err := fn(ref); err != nil {
			return err
		}
		ok = it.SeekGE(append(appendRef(bytes.Clone(prefix), ref), dayEnd...))
	}
	return iteratorError(it)
}

// removeStrays removes the device-days of a day that this node does not have.
func (w *archiveCopy) removeStrays(day int32) error {
	for after := (device.Ref{}); ; {
		refs, err := w.to.RefsAfter(w.ctx, day, after, copyLatest)
		if err != nil || len(refs) == 0 {
			return err
		}
		var strays []device.Ref
		for _, ref := range refs {
			here, err := w.holds(day, ref)
			if err != nil {
				return err
			}
			if !here {
				strays = append(strays, ref)
			}
		}
		if len(strays) > 0 {
			if err := w.put(day, strays, nil); err != nil {
				return err
			}
		}
		after = refs[len(refs)-1]
	}
}

// copyDevices makes the archive hold of devices on a day what the view holds.
func (w *archiveCopy) copyDevices(day int32, refs []device.Ref) error {
	there, err := w.to.Digests(w.ctx, day, refs)
	if err != nil {
		return err
	}
	var remove []device.Ref
	var put []ArchivedDay
	size := 0
	for _, ref := range refs {
		d, err := w.pack(day, ref)
		if isDamage(err) {
			w.store.opts.Logger.Error("readings: a damaged day is not copied to the archive", "day", dayName(day),
				"tenant", ref.Tenant, "device", ref.ID, "error", err)
			continue
		}
		if err != nil {
			return err
		}
		before, is := there[ref]
		switch {
		case d == nil && is:
			remove = append(remove, ref)
		case d != nil && (!is || before != d.Digest):
			put = append(put, *d)
			size += len(d.Segments)
		}
		if size > copyBytes {
			if err := w.put(day, remove, put); err != nil {
				return err
			}
			remove, put, size = nil, nil, 0
		}
	}
	if len(remove)+len(put) == 0 {
		return nil
	}
	return w.put(day, remove, put)
}

// put writes to the archive, but for the devices that were erased since the pass began.
func (w *archiveCopy) put(day int32, remove []device.Ref, put []ArchivedDay) error {
	a := &w.store.archived
	a.mu.Lock()
	defer a.mu.Unlock()
	put = slices.DeleteFunc(put, func(d ArchivedDay) bool { return a.erased[d.Ref] > d.Position })
	last, err := w.to.Put(w.ctx, day, remove, put)
	if err := w.store.noteWrite(last, err); err != nil {
		return err
	}
	w.copied += len(put)
	a.copied.Add(uint64(len(put)))
	return nil
}

// mendDamaged writes anew what other nodes found damaged in the archive.
func (w *archiveCopy) mendDamaged() error {
	list, err := w.to.Damaged(w.ctx)
	if err != nil {
		return err
	}
	for _, d := range list {
		if d.Day == LatestDay {
			if err := w.mendLatest(d.Ref); err != nil {
				return err
			}
			continue
		}
		mine, err := w.pack(d.Day, d.Ref)
		if err != nil {
			w.store.opts.Logger.Error(
				"readings: a damaged day of the archive cannot be written anew",
				"day",
				dayName(d.Day),
				"tenant",
				d.Ref.Tenant,
				"device",
				d.Ref.ID,
				"error",
				err,
			)
			continue
		}
		if i, found := find(w.view.days, d.Day); found && w.view.days[i].missing {
			continue // this node does not have it either
		}
		put := []ArchivedDay(nil)
		if mine != nil {
			put = append(put, *mine)
		}
		if err := w.put(d.Day, []device.Ref{d.Ref}, put); err != nil {
			return err
		}
		w.store.opts.Logger.Info("readings: a damaged day of the archive is written anew", "day", dayName(d.Day),
			"tenant", d.Ref.Tenant, "device", d.Ref.ID)
	}
	return nil
}

func (w *archiveCopy) beginBatch() { w.started, w.frames = time.Now(), w.store.counts.frames.Load() }

// pause rests after a batch, so that copying takes a part of what PostgreSQL and this machine can do.
func (w *archiveCopy) pause() error {
	var err error
	if w.store.counts.frames.Load() != w.frames {
		err = w.store.rest(w.ctx, time.Since(w.started)*copyPauseFactor)
	}
	w.beginBatch()
	if err == nil {
		err = w.store.stopErr(w.ctx)
	}
	return err
}
