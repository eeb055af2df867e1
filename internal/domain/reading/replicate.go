package reading

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
	"tilth/internal/platform/errs"
)

// A store is replicated from the first call of Follow or Lead on. All its changes are then entries
// of the log, which it applies in order: those of the leading node, and as the leader its own, once
// the log holds them. An entry, its position and its chain are one batch of the engine. Nothing is
// synced: what a crash of the machine drops is a number of the last entries, which the next start
// reads from the log again.
//
// Locks are taken in this order: replica.mu, checkpointMu, sealMu, calendar.writeMu, order. Only
// replica.mu is held while the log is waited for, so checkpoints, sealing, expiry and all reads go
// on meanwhile.

// replica is what a replicated store knows of its log.
type replica struct {
	reader  atomic.Pointer[LogReader] // nil: the store is not replicated
	leading atomic.Pointer[Log]       // nil while the store does not lead; changed with mu held
	life    atomic.Pointer[life]      // nil: the store never belonged to a log

	// mu is held while an entry is appended to the log and applied, so that entries are in order.
	mu         sync.Mutex
	following  bool // Follow runs
	chain      uint64
	chainKnown bool // false: the last entries were written without a log

	// Guarded by checkpointMu.
	checkpoints []checkpointMark // of the last JournalKeep, and one before; oldest first
	chainFrom   uint64           // chains before this position are deleted
}

// checkpointMark is a position and when it was reached at the latest.
type checkpointMark struct {
	at  time.Time
	pos uint64
}

// replicated reports whether Follow or Lead was called.
func (s *Store) replicated() bool { return s.replica.reader.Load() != nil }

// withLifetime returns a context that also ends when Close begins.
func (s *Store) withLifetime(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.lifetime, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// appendToLog is Append of a store that is replicated. Room in the journal was reserved.
func (s *Store) appendToLog(ctx context.Context, e *encoder, batch []Arrival) error {
	e.encode(batch)
	err := s.commit(ctx, EntryFrames, e.entry.buf, entryContent{batch: batch, frames: e.frames})
	if err != nil {
		s.journal.release(len(batch))
	}
	return err
}

// eraseInLog is Erase of a store that is replicated. The erasure is an entry, so every node deletes
// what the entries before it hold and keeps what later ones bring.
func (s *Store) eraseInLog(ctx context.Context, ref device.Ref) error {
	ctx = context.WithoutCancel(ctx) // it would be unknown whether the log holds the erasure
	if err := s.journal.reserve(ctx, s.lifetime, 0); err != nil {
		return err
	}
	err := s.commit(ctx, EntryErasure, appendErasure(nil, ref), entryContent{erased: ref})
	if err != nil {
		s.journal.release(0)
		return err
	}
	return s.eraseFromArchive(ctx, ref)
}

// commit appends an entry to the log and applies it. Room in the journal was reserved.
func (s *Store) commit(ctx context.Context, kind EntryKind, body []byte, content entryContent) error {
	r := &s.replica
	r.mu.Lock()
	defer r.mu.Unlock()
	log := r.leading.Load()
	if log == nil {
		return errs.New(errs.Unavailable, "error.503").WithCause(ErrNotLeading)
	}
	if p := s.broken.Load(); p != nil {
		return *p
	}
	if err := s.stopErr(ctx); err != nil { // while another entry was waited for
		return err
	}
	e := Entry{Position: s.lastPosition() + 1, Kind: kind, Body: body}
	e.Chain = e.ChainAfter(r.chain)
	logCtx, cancel := s.withLifetime(ctx)
	defer cancel()
	if err := (*log).Append(logCtx, e); err != nil {
		s.failLog(err)
		return *s.broken.Load()
	}
	if err := s.applyEntry(&e, content); err != nil {
		s.fail(err) // the log is ahead of this store until it is opened again
		return *s.broken.Load()
	}
	return nil
}

// failLog stops all further writing because it is unknown whether the log holds an entry.
func (s *Store) failLog(cause error) {
	var err error = errs.New(errs.Unavailable, "error.503").
		WithCause(fmt.Errorf("%w: append to the log: %w", ErrBroken, cause))
	if s.broken.CompareAndSwap(nil, &err) {
		level := s.opts.Logger.Error
		if errors.Is(cause, ErrFenced) {
			level = s.opts.Logger.Warn
		}
		level("readings: an entry may be in the log or not; the store writes nothing more until a restart",
			"error", cause)
	}
}

// lastPosition returns the position of the last entry on disk.
func (s *Store) lastPosition() uint64 {
	s.order.Lock()
	defer s.order.Unlock()
	return s.order.pos
}

// applyEntry writes an entry that the log holds, and hands it over. The caller holds replica.mu and
// has reserved room in the journal, which stays reserved if applyEntry fails.
func (s *Store) applyEntry(e *Entry, c entryContent) error {
	var err error
	if e.Kind == EntryErasure {
		err = s.applyErasure(e, c.erased)
	} else {
		err = s.applyFrames(e, c)
	}
	if err != nil {
		return fmt.Errorf("reading: apply entry %d of the log: %w", e.Position, err)
	}
	s.replica.chain = e.Chain
	s.journal.handOver(e.Position, c.batch)
	return nil
}

func (s *Store) applyFrames(e *Entry, c entryContent) error {
	enc := encoderPool.Get().(*encoder)
	defer encoderPool.Put(enc)
	enc.frames = append(enc.frames[:0], c.frames...)
	b := s.db.NewBatchWithSize(len(e.Body) + len(c.batch)*32)
	if err := s.writeFrames(enc, b, e, c.batch); err != nil {
		return err
	}
	s.latest.apply(e.Position, c.batch, nil)
	values := 0
	for i := range c.batch {
		values += len(c.batch[i].Fields)
	}
	s.counts.batches.Add(1)
	s.counts.frames.Add(uint64(len(c.batch)))
	s.counts.values.Add(uint64(values))
	return b.Close()
}

// writeFrames puts the frames of an entry and the entry into the engine. No generation is raised
// meanwhile, so a generation that is sealed is complete.
func (s *Store) writeFrames(enc *encoder, b *pebble.Batch, e *Entry, batch []Arrival) error {
	s.calendar.writeMu.RLock()
	defer s.calendar.writeMu.RUnlock()
	generation := func(day int32) uint16 { return s.calendar.generationFor(day, e.Position) }
	if err := enc.mergeValues(b, batch, e.Body, generation); err != nil {
		return err
	}
	return s.writeEntry(b, e, e.Body, nil)
}

// emptyEntry is the journal entry of an erasure: no arrivals. The consumer skips it, so positions
// reach the consumer without a gap.
var emptyEntry = binary.AppendUvarint(nil, 0)

// applyErasure deletes what a device has. One pass is enough: no entry is applied meanwhile.
func (s *Store) applyErasure(e *Entry, ref device.Ref) error {
	// A running checkpoint could write the latest values back, sealing the readings.
	s.checkpointMu.Lock()
	defer s.checkpointMu.Unlock()
	s.sealMu.Lock()
	defer s.sealMu.Unlock()
	days, err := s.deviceDays(context.Background(), ref) // the log holds the entry, so Close waits
	if err != nil {
		return err
	}
	b := s.db.NewBatch()
	if err := s.deleteDevice(b, ref, days); err != nil {
		return err
	}
	if err := s.writeEntry(b, e, emptyEntry, func() error {
		s.order.erased[ref] = e.Position
		return b.Set(appendRefKey(nil, tagErased, ref), binary.AppendUvarint(nil, e.Position), nil)
	}); err != nil {
		return err
	}
	s.latest.remove(ref)
	s.latest.apply(e.Position, nil, nil)
	return b.Close()
}

// writeEntry adds the journal entry and the chain of e to b and puts b into the engine, not synced.
// prepare completes b before; it may be nil.
func (s *Store) writeEntry(b *pebble.Batch, e *Entry, journalEntry []byte, prepare func() error) error {
	s.order.Lock()
	defer s.order.Unlock()
	if p := s.broken.Load(); p != nil {
		return *p
	}
	if prepare != nil {
		if err := prepare(); err != nil {
			return err
		}
	}
	if err := b.Set(appendJournalKey(nil, e.Position), journalEntry, nil); err != nil {
		return err
	}
	if err := b.Set(chainKey(e.Position), appendChain(nil, e), nil); err != nil {
		return err
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		s.fail(err)
		return *s.broken.Load()
	}
	s.order.pos = e.Position
	return nil
}

// applyVerified applies an entry that comes from the log if it is the next one and continues this
// store's chain. The caller holds replica.mu.
func (s *Store) applyVerified(ctx context.Context, e Entry) error {
	r := &s.replica
	pos := s.lastPosition()
	if e.Position != pos+1 {
		return fmt.Errorf("reading: the log gave entry %d after %d: %w", e.Position, pos, ErrGap)
	}
	if !r.chainKnown {
		return s.writtenWithoutLog(pos)
	}
	content, err := decodeContent(&e)
	if err != nil {
		return err
	}
	if e.ChainAfter(r.chain) != e.Chain {
		return fmt.Errorf("reading: entry %d of the log does not continue entry %d of this node: %w",
			e.Position, pos, ErrDiverged)
	}
	if err := s.journal.reserve(ctx, s.lifetime, len(content.batch)); err != nil {
		return err
	}
	if err := s.applyEntry(&e, content); err != nil {
		s.journal.release(len(content.batch))
		return err
	}
	return nil
}

// writtenWithoutLog is the error for a store that belongs to a log and was written to without it.
func (s *Store) writtenWithoutLog(pos uint64) error {
	return fmt.Errorf("reading: this node's entries up to %d were written without the log: %w", pos, ErrDiverged)
}

// joinLife checks that the store belongs to the life of the log. An empty store that never belonged
// to a log adopts a life that began empty. The caller holds replica.mu.
func (s *Store) joinLife(ctx context.Context, log LogReader) error {
	mark, begin, err := log.Life(ctx)
	if err != nil {
		return err
	}
	own := s.life()
	switch {
	case own == life{mark, begin}:
		// The store may have been written to without the log.
		s.replica.chain, s.replica.chainKnown, err = s.chainAt(s.lastPosition())
		return err
	case own.mark == "" && begin == 0 && mark != "" && s.lastPosition() == 0:
		return s.setLife(func(uint64) life { return life{mark, 0} })
	case own.mark == "":
		return fmt.Errorf(
			"reading: this node's readings belong to no log, the log's life is %q and began after entry %d: %w",
			mark,
			begin,
			ErrOtherLife,
		)
	}
	return fmt.Errorf(
		"reading: this node's life is %q and began after entry %d, the log's is %q and began after entry %d: %w",
		own.mark,
		own.begin,
		mark,
		begin,
		ErrOtherLife,
	)
}
