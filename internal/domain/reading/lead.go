package reading

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Mended are the entries that Lead appended to a log that had lost them; zero if there were none.
type Mended struct{ From, To uint64 }

// Lead makes the store the one that appends to the log. It first applies what the log holds after
// the store's position. If the log has lost its end, as after a failover to an older copy of the
// database, and the rest is the store's own beginning, Lead appends the store's entries after it
// (mends it). It needs the journal for that, which keeps them for JournalKeep; the error wraps ErrGap
// if the journal does not reach back so far. If store and log hold different entries, the error wraps
// ErrDiverged, and ErrOtherLife if the store does not belong to the log. After an error the store
// does not lead.
//
// From a successful call on, Append and Erase append to the log first. If an append fails, it is
// unknown whether the log holds the entry: the store is broken (ErrBroken) until it is opened again.
// The error wraps ErrFenced too if another node leads. Run tells the log which entries are evaluated
// (Log.Forget).
//
// Lead must not be called while Append, Erase or Follow run. The caller makes sure that no other node
// appends to the log; the log itself refuses another's entries.
func (s *Store) Lead(ctx context.Context, log Log) (Mended, error) {
	if err := s.enter(); err != nil {
		return Mended{}, err
	}
	defer s.leave()
	logCtx, cancel := s.withLifetime(ctx)
	defer cancel()
	mended, err := s.beginLeading(logCtx, log)
	if err != nil && s.stopErr(ctx) != nil {
		err = s.stopErr(ctx)
	}
	return mended, err
}

func (s *Store) beginLeading(ctx context.Context, log Log) (m Mended, err error) {
	r := &s.replica
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.leading.Load() != nil || r.following {
		return m, errors.New("reading: the store already leads or follows")
	}
	if p := s.broken.Load(); p != nil {
		return m, *p
	}
	var reader LogReader = log
	r.reader.Store(&reader)
	if err := s.joinLife(ctx, log); err != nil {
		return m, err
	}
	pos := s.lastPosition()
	if !r.chainKnown {
		return m, s.writtenWithoutLog(pos)
	}
	if err := log.After(ctx, pos, func(e Entry) error { return s.applyVerified(ctx, e) }); err != nil {
		return m, err
	}
	pos = s.lastPosition()
	last, chain, err := log.Last(ctx)
	if err != nil {
		return m, err
	}
	if last > pos {
		return m, fmt.Errorf("reading: the log ends at entry %d, but gave no entry after %d", last, pos)
	}
	if err := s.compareAt(last, chain); err != nil {
		return m, err
	}
	if last < pos {
		if err := s.mend(ctx, log, last, pos); err != nil {
			return m, fmt.Errorf("reading: mend the log from entry %d to %d: %w", last+1, pos, err)
		}
		m = Mended{From: last + 1, To: pos}
		s.opts.Logger.Warn("readings: the log had lost entries that this node holds; they are in the log again",
			"from", m.From, "to", m.To)
	}
	r.leading.Store(&log)
	return m, nil
}

// archivedLimit returns the position up to which entries of the log are archived; all are if nothing is to
// be archived.
func (s *Store) archivedLimit() uint64 {
	switch {
	case !s.opts.Archiving:
		return math.MaxUint64
	case !s.archived.known.Load():
		return 0
	}
	return s.archived.reached.Load()
}

// forgetEvaluated tells the log that entries are evaluated and archived, if the store leads, and returns
// the position that it told: known if that has not changed.
func (s *Store) forgetEvaluated(ctx context.Context, known uint64) (uint64, error) {
	log := s.replica.leading.Load()
	_, _, evaluated := s.journal.positions()
	evaluated = min(evaluated, s.archivedLimit())
	if log == nil || evaluated <= known {
		return known, nil
	}
	ctx, cancel := s.withLifetime(ctx)
	defer cancel()
	if err := (*log).Forget(ctx, evaluated); err != nil {
		return known, fmt.Errorf("reading: tell the log that entries up to %d are evaluated: %w", evaluated, err)
	}
	return evaluated, nil
}

// compareAt compares the chain of the log's last entry with that of the same entry in this store.
func (s *Store) compareAt(last, chain uint64) error {
	own := s.life()
	if last < own.begin {
		return fmt.Errorf("reading: the log ends at entry %d, before its life began after %d: %w",
			last, own.begin, ErrGap)
	}
	if last == own.begin { // the log has no entry in this life
		return nil
	}
	ownChain, known, err := s.chainAt(last)
	switch {
	case err != nil:
		return err
	case !known:
		return fmt.Errorf("reading: the log ends at entry %d and this node's journal no longer reaches back to it: %w",
			last, ErrGap)
	case ownChain != chain:
		return fmt.Errorf("reading: the log's entry %d is not this node's: %w", last, ErrDiverged)
	}
	return nil
}

// mend appends the store's entries after last up to pos to the log. Before it appends any, it makes
// sure that the store holds all of them.
func (s *Store) mend(ctx context.Context, log Log, last, pos uint64) error {
	for _, use := range []func(e Entry) error{
		func(Entry) error { return nil },
		func(e Entry) error { return log.Append(ctx, e) },
	} {
		chain, _, err := s.chainAt(last)
		if err != nil {
			return err
		}
		for at := last + 1; at <= pos; at++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			e, err := s.ownEntry(at)
			if err != nil {
				return err
			}
			if e.ChainAfter(chain) != e.Chain {
				return fmt.Errorf("%w: %s", ErrCorrupt, printKey(chainKey(at)))
			}
			if err := use(e); err != nil {
				return err
			}
			chain = e.Chain
		}
	}
	return nil
}
