package reading

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
)

// checkpointBatch is how many devices are written at once.
const checkpointBatch = 2000

// checkpoint writes the latest values that changed since the last checkpoint, with the journal
// position that they include, and deletes the journal entries that neither a restart nor the
// consumer needs.
func (s *Store) checkpoint(ctx context.Context) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	return s.writeCheckpoint(ctx)
}

func (s *Store) writeCheckpoint(ctx context.Context) error {
	s.checkpointMu.Lock()
	defer s.checkpointMu.Unlock()
	_, _, evaluated := s.journal.positions()
	refs, pos := s.latest.takeChanged()
	trim := min(evaluated, s.droppable(pos)) // the next start needs the entries after pos
	if len(refs) == 0 && trim <= s.trimmedTo {
		return nil
	}
	if err := s.writeLatest(ctx, refs, pos, trim); err != nil {
		s.latest.markChanged(refs)
		return fmt.Errorf("reading: checkpoint: %w", err)
	}
	s.trimmedTo = max(s.trimmedTo, trim)
	return nil
}

// droppable returns the position up to which the journal may be deleted once it is evaluated, of a
// store whose latest values include everything up to pos. A store that belongs to a log keeps what
// Lead may need for a mend: the entries of the last JournalKeep. How old entries are is known from
// the earlier checkpoints; after a start it is not known, and the entries stay longer.
func (s *Store) droppable(pos uint64) uint64 {
	if s.Life() == "" {
		return pos
	}
	r := &s.replica
	now := s.opts.Now()
	r.checkpoints = append(r.checkpoints, checkpointMark{now, pos})
	kept := slices.IndexFunc(r.checkpoints, func(m checkpointMark) bool { return now.Sub(m.at) < s.opts.JournalKeep })
	if kept <= 0 {
		return 0
	}
	r.checkpoints = slices.Delete(r.checkpoints, 0, kept-1)
	return r.checkpoints[0].pos
}

// deleteChains deletes the chains of the entries before trim. The chain at trim stays: the entries
// after it continue it. It returns the first position whose chain may still exist.
func (s *Store) deleteChains(b *pebble.Batch, trim uint64) (from uint64, err error) {
	from = s.replica.chainFrom
	if s.Life() == "" || trim <= from {
		return from, nil
	}
	return trim, b.DeleteRange(chainKey(from), chainKey(trim), nil)
}

// writeLatest writes the devices in several batches and the position last: the log keeps their
// order, so the position is never on disk without the values. Some values may be newer than pos; a
// restart replays the journal after pos over them and gets the same result.
func (s *Store) writeLatest(ctx context.Context, refs []device.Ref, pos, trim uint64) error {
	var key, value []byte
	for len(refs) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if p := s.broken.Load(); p != nil {
			return *p
		}
		piece := refs[:min(len(refs), checkpointBatch)]
		refs = refs[len(piece):]
		b := s.db.NewBatch()
		for _, ref := range piece {
			var ok bool
			if value, ok = s.latest.encode(value[:0], ref); !ok {
				continue
			}
			key = appendRefKey(key[:0], tagLatest, ref)
			if err := b.Set(key, value, nil); err != nil {
				return err
			}
		}
		if err := b.Commit(pebble.NoSync); err != nil {
			return err
		}
		if err := b.Close(); err != nil {
			return err
		}
	}
	b := s.db.NewBatch()
	if err := b.Set(keyCheckpoint, binary.AppendUvarint(nil, pos), nil); err != nil {
		return err
	}
	// Delete only what is after the last deleted range: Pebble cuts overlapping ranges into pieces.
	// Many ranges with the same start, as in a memtable that fills slowly, would give a number of
	// pieces that grows with the square of their number.
	if trim > s.trimmedTo {
		from, end := appendJournalKey(nil, s.firstUntrimmed()), appendJournalKey(nil, trim+1)
		if err := b.DeleteRange(from, end, nil); err != nil {
			return err
		}
	}
	chainFrom, err := s.deleteChains(b, trim)
	if err != nil {
		return err
	}
	forgotten := s.erasedUpTo(trim)
	for _, ref := range forgotten {
		if err := b.Delete(appendRefKey(nil, tagErased, ref), nil); err != nil {
			return err
		}
	}
	err = s.write(b, func(uint64) (uint64, error) { return 0, nil }, func(uint64) {
		s.forgetErased(forgotten, trim)
		s.replica.chainFrom = chainFrom
	})
	if err != nil {
		return err
	}
	return b.Close()
}

// firstUntrimmed returns the first journal position whose entry may still exist: 0 after a start,
// because the trimmed position is not known then.
func (s *Store) firstUntrimmed() uint64 {
	if s.trimmedTo == 0 {
		return 0
	}
	return s.trimmedTo + 1
}

// recover reads the latest values: the checkpoint, the erasures, then the journal.
func (s *Store) recover(ctx context.Context) error {
	pos, err := readNumber(s.db, keyCheckpoint)
	if err != nil {
		return err
	}
	if err := s.recoverCalendar(ctx); err != nil {
		return err
	}
	if err := s.recoverAggregatedFrom(); err != nil {
		return err
	}
	if err := s.loadLatest(ctx); err != nil {
		return err
	}
	if err := s.loadErased(ctx); err != nil {
		return err
	}
	last, err := s.replay(ctx, pos)
	if err != nil {
		return err
	}
	if err := s.recoverMarked(last); err != nil {
		return err
	}
	s.latest.pos = last
	s.order.pos, s.order.opened = last, last
	s.journal.written = last
	return s.recoverLife()
}

// each calls fn for every key under tag from lower on; fn may use the iterator's slices during the
// call only. Errors of fn name the key.
func (s *Store) each(ctx context.Context, tag byte, lower []byte, fn func(it *pebble.Iterator) error) (err error) {
	it, err := s.db.NewIterWithContext(ctx, &pebble.IterOptions{LowerBound: lower, UpperBound: []byte{tag + 1}})
	if err != nil {
		return scanError(tagName(tag), err)
	}
	defer closeInto(&err, it)
	for ok := it.First(); ok; ok = it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(it); err != nil {
			return err
		}
	}
	return scanError(tagName(tag), it.Error())
}

func (s *Store) loadLatest(ctx context.Context) error {
	return s.each(ctx, tagLatest, []byte{tagLatest}, func(it *pebble.Iterator) error {
		ref, err := parseRefKey(it.Key())
		if err != nil {
			return fmt.Errorf("%w: %s", ErrCorrupt, printKey(it.Key()))
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		values, ahead, err := decodeLatest(value)
		if err != nil {
			return fmt.Errorf("%s: %w", printKey(it.Key()), err)
		}
		s.latest.load(ref, values, ahead)
		return nil
	})
}

// replay applies the journal after pos to the latest values, leaves out the devices that Erase
// removed, and returns the last position in the journal.
func (s *Store) replay(ctx context.Context, pos uint64) (last uint64, err error) {
	last = pos
	err = s.each(ctx, tagJournal, appendJournalKey(nil, pos+1), func(it *pebble.Iterator) error {
		e, err := readEntry(it)
		if err != nil {
			return err
		}
		s.latest.apply(e.pos, e.batch, func(ref device.Ref) bool {
			at, erased := s.order.erased[ref]
			return erased && e.pos <= at
		})
		last = e.pos
		return nil
	})
	return last, err
}

func (s *Store) loadErased(ctx context.Context) error {
	return s.each(ctx, tagErased, []byte{tagErased}, func(it *pebble.Iterator) error {
		ref, err := parseRefKey(it.Key())
		if err != nil {
			return fmt.Errorf("%w: %s", ErrCorrupt, printKey(it.Key()))
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		pos, n := binary.Uvarint(value)
		if n <= 0 {
			return fmt.Errorf("%w: %s", ErrCorrupt, printKey(it.Key()))
		}
		s.order.erased[ref] = pos
		return nil
	})
}

// erasedUpTo lists the erasures up to pos. Once the journal is trimmed to pos, no entry can bring
// those devices back.
func (s *Store) erasedUpTo(pos uint64) []device.Ref {
	if s.hasMissing() {
		return nil // what the archive still holds of them must not come back
	}
	s.order.Lock()
	defer s.order.Unlock()
	var refs []device.Ref
	for ref, at := range maps.All(s.order.erased) {
		if at <= pos {
			refs = append(refs, ref)
		}
	}
	return refs
}

func (s *Store) forgetErased(refs []device.Ref, pos uint64) {
	s.order.Lock()
	defer s.order.Unlock()
	for _, ref := range refs {
		if s.order.erased[ref] <= pos {
			delete(s.order.erased, ref)
		}
	}
}
