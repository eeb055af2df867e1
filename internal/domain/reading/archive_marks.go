package reading

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
)

// Every node that seals a device-day marks it, with the newest entry of the log that it may hold. The
// leader copies what is marked and removes the mark. A standby removes the marks up to the archived
// position. So a new leader goes on where the former one stopped, and copies little twice.

// archived is what a store knows of the archive.
type archived struct {
	// mu is held while a batch is written to the archive, and by an erasure, so that neither restores
	// what the other removes.
	mu     sync.Mutex
	to     Archive               // of the leading store; nil: it does not copy
	erased map[device.Ref]uint64 // erasures since the pass began, and their positions

	sealed           chan struct{} // holds a value once days were sealed since the last pass
	awaitsCheckpoint bool          // the last pass could only reach the last checkpoint; of CopyToArchive alone

	reached atomic.Uint64 // archived position, as far as is known
	known   atomic.Bool   // reached is known
	behind  atomic.Int64  // device-days that are marked, as of the last pass
	copied  atomic.Uint64 // device-days written since the store was opened
	fetched atomic.Uint64 // device-days that came from the archive
	failed  atomic.Bool   // the last pass failed

	advancedAt atomic.Pointer[time.Time] // when reached last rose

	begun       bool // beginArchive was called since SetArchive
	erasedAgain bool // by the first pass since then

	damagedMu sync.Mutex
	damaged   map[deviceDay]bool // local segments that could not be read
}

// deviceDay names a day of a device.
type deviceDay struct {
	ref device.Ref
	day int32
}

// marked says what the marks of a store cover: everything that entries after from brought to sealed
// days. last is the newest write of the archive that this node knows.
type marked struct {
	from uint64
	last ArchiveWrite
}

func appendMarked(b []byte, m marked) []byte {
	for _, x := range []uint64{m.from, m.last.Term, m.last.Number} {
		b = binary.AppendUvarint(b, x)
	}
	return b
}

// recoverMarked notes from which entry on sealed device-days are marked, or that they are not any more.
func (s *Store) recoverMarked(pos uint64) error {
	s.archived.erased = map[device.Ref]uint64{}
	s.archived.damaged = map[deviceDay]bool{}
	there, err := s.get(keyMarked)
	switch {
	case err != nil || s.opts.Archiving == (there != nil):
		return err
	case s.opts.Archiving:
		return s.setMarked(marked{from: pos})
	}
	b := s.db.NewBatch()
	defer func() { _ = b.Close() }() // after Commit it only returns the buffer
	if err := b.Delete(keyMarked, nil); err != nil {
		return err
	}
	if err := b.DeleteRange([]byte{tagToArchive}, []byte{tagToArchive + 1}, nil); err != nil {
		return err
	}
	return b.Commit(pebble.NoSync)
}

func (s *Store) marked() (m marked, err error) {
	value, err := s.get(keyMarked)
	if err != nil || value == nil {
		return m, err
	}
	c := byteReader{rest: value}
	m = marked{c.uvarint(), ArchiveWrite{c.uvarint(), c.uvarint()}}
	if c.failed || len(c.rest) != 0 {
		err = fmt.Errorf("%w: %s", ErrCorrupt, printKey(keyMarked))
	}
	return m, err
}

func (s *Store) setMarked(m marked) error {
	return s.db.Set(keyMarked, appendMarked(nil, m), pebble.NoSync)
}

// markToArchive adds to b that a device-day, which b seals, is to be archived. Nothing that is applied
// later is in the generations that are sealed.
func (s *Store) markToArchive(b *pebble.Batch, ref device.Ref, day int32) error {
	if !s.opts.Archiving {
		return nil
	}
	return b.Set(appendToArchiveKey(nil, day, ref), binary.AppendUvarint(nil, s.lastPosition()), nil)
}

// mark is a device-day that is to be archived.
type mark struct {
	deviceDay
	value []byte // the position
}

// marks calls fn for the marks of a snapshot, in the order of days, tenants and devices.
func marks(ctx context.Context, snapshot pebble.Reader, fn func(m mark) error) (err error) {
	it, err := snapshot.NewIterWithContext(ctx, &pebble.IterOptions{
		LowerBound: []byte{tagToArchive}, UpperBound: []byte{tagToArchive + 1},
	})
	if err != nil {
		return scanError(tagName(tagToArchive), err)
	}
	defer closeInto(&err, it)
	for ok := it.First(); ok; ok = it.Next() {
		day, ref, err := parseToArchiveKey(it.Key())
		if err != nil {
			return fmt.Errorf("%w: %s", ErrCorrupt, printKey(it.Key()))
		}
		value, err := it.ValueAndErr()
		if err == nil {
			err = fn(mark{deviceDay{ref, day}, bytes.Clone(value)})
		}
		if err != nil {
			return err
		}
	}
	return scanError(tagName(tagToArchive), it.Error())
}

// isMarked reports whether a device-day is to be archived.
func (s *Store) isMarked(ref device.Ref, day int32) (bool, error) {
	value, err := s.get(appendToArchiveKey(nil, day, ref))
	return value != nil, err
}

// removeMarks removes marks unless the device-day was sealed again meanwhile.
func (s *Store) removeMarks(list []mark) (err error) {
	s.sealMu.Lock()
	defer s.sealMu.Unlock()
	b := s.db.NewBatch()
	defer closeInto(&err, b)
	for _, m := range list {
		key := appendToArchiveKey(nil, m.day, m.ref)
		now, err := s.get(key)
		if err != nil {
			return err
		}
		if bytes.Equal(now, m.value) {
			if err := b.Delete(key, nil); err != nil {
				return err
			}
		}
	}
	return b.Commit(pebble.NoSync)
}

// NoteArchived tells a store that follows the log what the archive holds, so that it removes the marks
// of what is archived.
func (s *Store) NoteArchived(ctx context.Context, state ArchiveState) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if s.opts.Archive == nil || state.checkComplete(s.Life()) != nil ||
		s.archived.known.Load() && s.archived.reached.Load() == state.Position {
		return nil // nothing has changed
	}
	known, err := s.marked()
	if err != nil {
		return err
	}
	holds, err := s.opts.Archive.Has(ctx, known.last)
	if err != nil || !holds {
		return err // the next leader compares everything
	}
	var done []mark
	err = marks(ctx, s.db, func(m mark) error {
		if pos, n := binary.Uvarint(m.value); n > 0 && pos <= state.Position {
			done = append(done, m)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.removeMarks(done); err != nil {
		return err
	}
	s.archived.mu.Lock()
	defer s.archived.mu.Unlock()
	m, err := s.marked()
	if err != nil {
		return err
	}
	if m.from <= state.Position {
		m.from = 0 // all that is not marked is archived
	}
	if s.opts.Archiving {
		err = s.setMarked(marked{m.from, state.Last})
	}
	if err == nil {
		s.archived.reached.Store(state.Position)
		s.archived.known.Store(true)
	}
	return err
}

// eraseFromArchive removes a device of which the log holds the erasure. A copy that is under way does not
// bring it back.
func (s *Store) eraseFromArchive(ctx context.Context, ref device.Ref) error {
	s.order.Lock()
	at := s.order.erased[ref]
	s.order.Unlock()
	a := &s.archived
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.to == nil {
		return nil
	}
	a.erased[ref] = at
	if !a.begun {
		// The first pass must notice whether the database went back, which this write would hide.
		if _, _, err := s.beginArchive(ctx, a.to); err != nil {
			return fmt.Errorf("reading: erase from the archive: %w", err)
		}
	}
	last, err := a.to.Erase(ctx, ref.Tenant, ref.ID, at)
	if err = s.noteWrite(last, err); err != nil {
		return fmt.Errorf("reading: erase from the archive: %w", err)
	}
	return nil
}

// noteWrite remembers a write of this store to the archive. The caller holds archived.mu.
func (s *Store) noteWrite(last ArchiveWrite, err error) error {
	if err != nil || !s.opts.Archiving {
		return err
	}
	known, err := s.marked()
	if err != nil {
		return err
	}
	if last.Term == known.last.Term && last.Number <= known.last.Number {
		return fmt.Errorf("reading: the database went back: %w", ErrArchiveIncomplete)
	}
	return s.setMarked(marked{known.from, last})
}

// ArchiveStats are the figures of a store's archive.
type ArchiveStats struct {
	Position uint64 // archived position, as far as this node knows
	Behind   int    // device-days that the leader has not copied yet, as of its last pass
	Copied   uint64 // device-days written to the archive since the start
	Fetched  uint64 // device-days read from the archive since the start
	Missing  int    // days that this node does not hold itself yet
	Failed   bool   // the last pass failed
}

// ArchiveStats returns the figures of the archive.
func (s *Store) ArchiveStats() ArchiveStats {
	a := &s.archived
	return ArchiveStats{
		Position: a.reached.Load(),
		Behind:   int(a.behind.Load()),
		Copied:   a.copied.Load(),
		Fetched:  a.fetched.Load(),
		Missing:  len(s.missingDays()),
		Failed:   a.failed.Load(),
	}
}

// noteDamaged records that a device-day's local segments cannot be read, and reports whether readers may
// read the archive instead: only if the archive has all that was sealed.
func (s *Store) noteDamaged(ref device.Ref, day int32) bool {
	if s.opts.Archive == nil || !s.replicated() {
		return false
	}
	if is, err := s.isMarked(ref, day); is || err != nil {
		return false
	}
	s.archived.damagedMu.Lock()
	defer s.archived.damagedMu.Unlock()
	if !s.archived.damaged[deviceDay{ref, day}] {
		s.archived.damaged[deviceDay{ref, day}] = true
		s.opts.Logger.Error("readings: a damaged day is read from the archive", "day", dayName(day),
			"tenant", ref.Tenant, "device", ref.ID)
	}
	return true
}

// isDamaged reports whether a device-day's local segments could not be read.
func (s *Store) isDamaged(ref device.Ref, day int32) bool {
	if s.opts.Archive == nil {
		return false
	}
	s.archived.damagedMu.Lock()
	defer s.archived.damagedMu.Unlock()
	return s.archived.damaged[deviceDay{ref, day}]
}

// damagedDays returns the device-days that could not be read.
func (s *Store) damagedDays() map[deviceDay]bool {
	s.archived.damagedMu.Lock()
	defer s.archived.damagedMu.Unlock()
	return maps.Clone(s.archived.damaged)
}

func (s *Store) forgetDamaged(d deviceDay) {
	s.archived.damagedMu.Lock()
	defer s.archived.damagedMu.Unlock()
	delete(s.archived.damaged, d)
}

// isDamage reports whether an error says that what is stored is damaged.
func isDamage(err error) bool {
	return errors.Is(err, ErrCorrupt) || pebble.IsCorruptionError(err)
}
