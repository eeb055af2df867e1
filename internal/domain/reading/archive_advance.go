package reading

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
)

// advance raises the archived position as far as everything before it is in the archive: the sealed days
// are, so it ends before the first entry that wrote to a day which is still open. The latest values are
// written before.
func (w *archiveCopy) advance(all bool) error {
	s := w.store
	a := &s.archived
	openToo := all // days that are open were copied, too
	if !all && w.openEnd() <= w.state.Position && time.Since(s.archivedAt()) > longestStall {
		for _, d := range w.view.days {
			if !d.hot || d.missing {
				continue
			}
			if err := w.copyDay(d); err != nil {
				return err
			}
		}
		openToo = true
	}
	reach := w.openEnd()
	if openToo {
		reach = w.missingEnd()
	}
	checkpoint, err := w.checkpointed()
	if err != nil {
		return err
	}
	a.awaitsCheckpoint = checkpoint < reach
	reach = min(reach, checkpoint)
	if w.state.Complete && reach <= w.state.Position {
		return nil
	}
	if reach < max(w.state.Position, s.life().begin) {
		return nil // the checkpoint follows soon
	}
	// What was written before the log's life began is in no log: until it is evaluated, a node that begins with
	// the archive could never evaluate it.
	if _, _, evaluated := s.journal.positions(); evaluated < s.life().begin {
		a.awaitsCheckpoint = true
		return nil
	}
	if err := w.copyLatest(); err != nil {
		return err
	}
	chain, err := w.chainAt(reach)
	if err != nil {
		return err
	}
	if err := w.reach(reach, chain, all); err != nil {
		return err
	}
	a.reached.Store(reach)
	a.known.Store(true)
	s.noteAdvanced()
	s.opts.Logger.Debug("readings: the archive has everything up to an entry", "entry", reach)
	return nil
}

// reach sets the archived position. After a comparison of everything, all that is not marked is archived.
func (w *archiveCopy) reach(pos, chain uint64, all bool) error {
	if err := w.write(func() (ArchiveWrite, error) { return w.to.Reach(w.ctx, pos, chain) }); err != nil || !all {
		return err
	}
	w.store.archived.mu.Lock()
	defer w.store.archived.mu.Unlock()
	known, err := w.store.marked()
	if err == nil && known.from <= w.view.position {
		err = w.store.setMarked(marked{0, known.last})
	}
	return err
}

// openEnd returns the entry up to which nothing was written to a day that is still open. A missing day
// with late readings is open until it is here.
func (w *archiveCopy) openEnd() uint64 {
	end := w.view.position
	for i := range w.view.days {
		if first := w.view.days[i].firstEntry(); first != 0 {
			end = min(end, first-1)
		}
	}
	return end
}

// missingEnd returns the entry up to which the archive holds what was written to missing days, whose late
// readings cannot be copied before the day is here. Up to the archived position it holds them already.
func (w *archiveCopy) missingEnd() uint64 {
	end := w.view.position
	for i := range w.view.days {
		d := &w.view.days[i]
		if first := d.firstEntry(); d.missing && first != 0 {
			end = min(end, max(first-1, w.state.Position))
		}
	}
	return end
}

// checkpointed returns the position up to which the latest values in the view include everything.
func (w *archiveCopy) checkpointed() (uint64, error) {
	value, err := getCopy(w.view.snapshot, keyCheckpoint)
	if err != nil || value == nil {
		return 0, err
	}
	pos, n := binary.Uvarint(value)
	if n <= 0 {
		return 0, fmt.Errorf("%w: %s", ErrCorrupt, printKey(keyCheckpoint))
	}
	return pos, nil
}

// chainAt returns the chain of an entry, from this node or from the log.
func (w *archiveCopy) chainAt(pos uint64) (chain uint64, err error) {
	chain, known, err := w.store.chainAt(pos)
	if err != nil || known {
		return chain, err
	}
	err = (*w.store.replica.reader.Load()).After(w.ctx, pos-1, func(e Entry) error {
		chain = e.Chain
		return errChunkFull
	})
	if chain == 0 && err == nil {
		err = fmt.Errorf("the log does not have entry %d: %w", pos, ErrGap)
	}
	if chain != 0 {
		err = nil
	}
	return chain, err
}

// copyLatest writes the latest values that the archive does not hold as they are in the view.
func (w *archiveCopy) copyLatest() (err error) {
	it, err := w.view.snapshot.NewIterWithContext(w.ctx, &pebble.IterOptions{
		LowerBound: []byte{tagLatest}, UpperBound: []byte{tagLatest + 1},
	})
	if err != nil {
		return scanError("latest values", err)
	}
	defer closeInto(&err, it)
	var list []ArchivedLatest
	for ok := it.First(); ok; ok = it.Next() {
		ref, err := parseRefKey(it.Key())
		if err != nil {
			return fmt.Errorf("%w: %s", ErrCorrupt, printKey(it.Key()))
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		l := ArchivedLatest{Ref: ref, Position: w.view.position, Values: bytes.Clone(value)}
		l.Digest = l.digestOf()
		if list = append(list, l); len(list) == copyLatest {
			if err := w.putLatest(list); err != nil {
				return err
			}
			list = list[:0]
		}
	}
	if err := it.Error(); err != nil {
		return scanError("latest values", err)
	}
	return w.putLatest(list)
}

// mendLatest writes a device's latest values anew, once this node's are not older than the archive.
func (w *archiveCopy) mendLatest(ref device.Ref) error {
	checkpoint, err := w.checkpointed()
	if err != nil || checkpoint < w.state.Position {
		return err
	}
	value, err := getCopy(w.view.snapshot, appendRefKey(nil, tagLatest, ref))
	if err != nil {
		return err
	}
	if value == nil {
		w.store.opts.Logger.Error("readings: this node has no latest values in place of those damaged in the archive",
			"tenant", ref.Tenant, "device", ref.ID)
		return nil
	}
	l := ArchivedLatest{Ref: ref, Position: w.view.position, Values: value}
	l.Digest = l.digestOf()
	if err := w.putChangedLatest([]ArchivedLatest{l}, nil); err != nil {
		return err
	}
	w.store.opts.Logger.Info("readings: damaged latest values of the archive are written anew",
		"tenant", ref.Tenant, "device", ref.ID)
	return nil
}

// putLatest writes those of the latest values that the archive does not hold, but for devices that were
// erased since the pass began.
func (w *archiveCopy) putLatest(list []ArchivedLatest) error {
	if len(list) == 0 {
		return nil
	}
	refs := make([]device.Ref, len(list))
	for i := range list {
		refs[i] = list[i].Ref
	}
	there, err := w.to.LatestDigests(w.ctx, refs)
	if err != nil {
		return err
	}
	if err := w.putChangedLatest(list, there); err != nil {
		return err
	}
	return w.pause()
}

func (w *archiveCopy) putChangedLatest(list []ArchivedLatest, there map[device.Ref]uint64) error {
	a := &w.store.archived
	a.mu.Lock()
	defer a.mu.Unlock()
	var put []ArchivedLatest
	for _, l := range list {
		if before, is := there[l.Ref]; a.erased[l.Ref] <= l.Position && (!is || before != l.Digest) {
			put = append(put, l)
		}
	}
	if len(put) == 0 {
		return nil
	}
	last, err := w.to.PutLatest(w.ctx, put)
	return w.store.noteWrite(last, err)
}

// archivedAt is when the archived position last rose, or was first known to this store.
func (s *Store) archivedAt() time.Time {
	if at := s.archived.advancedAt.Load(); at != nil {
		return *at
	}
	s.noteAdvanced()
	return time.Now()
}

func (s *Store) noteAdvanced() {
	now := time.Now() // for a duration
	s.archived.advancedAt.Store(&now)
}
