package reading

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// The entries that are asked of the log at once. They are read together because the consumer may
// take hours, during which nothing of the log is held open.
const (
	maxMissingEntries = 256
	maxMissingBytes   = 4 << 20
)

// errChunkFull ends a call of LogReader.After.
var errChunkFull = errors.New("enough entries")

// logEntries reads entries after pos up to to from the log, because the journal lacks them. There is
// at least one.
func (s *Store) logEntries(ctx context.Context, pos, to uint64) (entries []entry, err error) {
	var previous Entry
	size := 0
	err = (*s.replica.reader.Load()).After(ctx, pos, func(e Entry) error {
		if e.Position != pos+uint64(len(entries))+1 {
			return fmt.Errorf("the log gave entry %d after %d: %w", e.Position, pos+uint64(len(entries)), ErrGap)
		}
		if len(entries) > 0 && e.ChainAfter(previous.Chain) != e.Chain {
			return fmt.Errorf("entry %d does not continue the one before it: %w", e.Position, ErrCorrupt)
		}
		content, err := decodeContent(&e)
		if err != nil {
			return err
		}
		entries = append(entries, entry{e.Position, content.batch})
		previous = e
		size += len(e.Body)
		if e.Position >= to || len(entries) >= maxMissingEntries || size >= maxMissingBytes {
			return errChunkFull
		}
		return nil
	})
	if errors.Is(err, errChunkFull) {
		err = nil
	}
	if err == nil && len(entries) == 0 {
		err = ErrGap
	}
	if err != nil {
		return nil, fmt.Errorf(
			"reading: the journal lacks entry %d, and it cannot be read from the log: %w",
			pos+1,
			err,
		)
	}
	return entries, nil
}

// missingEntries returns some of the entries after pos up to to, which the journal lacks; at least
// one. It waits for a log that cannot be read at present.
func (s *Store) missingEntries(ctx context.Context, pos, to uint64) (entries []entry, err error) {
	err = s.retry(ctx, "readings: the log cannot be read; trying again", pos+1, func() (final bool, err error) {
		entries, err = s.logEntries(ctx, pos, to)
		return endsFollowing(err), err
	})
	return entries, err
}

// errJournalGap ends the reading of the journal before a gap.
var errJournalGap = errors.New("the journal has a gap")

// backlogWithoutGap is Backlog of a store that is replicated.
func (s *Store) backlogWithoutGap(
	ctx context.Context,
	pos uint64,
	fn func(pos uint64, batch []Arrival) error,
) error {
	ctx, cancel := s.withLifetime(ctx)
	defer cancel()
	give := func(e entry) error {
		if ctx.Err() != nil {
			return s.consumeErr(ctx)
		}
		pos = e.pos
		if len(e.batch) == 0 { // an erasure
			return nil
		}
		return fn(e.pos, e.batch)
	}
	for end := s.Position(); ; {
		to := end
		err := s.each(ctx, tagJournal, appendJournalKey(nil, pos+1), func(it *pebble.Iterator) error {
			e, err := readEntry(it)
			if err != nil {
				return err
			}
			if e.pos != pos+1 {
				to = e.pos - 1
				return errJournalGap
			}
			return give(e)
		})
		if err != nil && !errors.Is(err, errJournalGap) || err == nil && pos >= end {
			return err
		}
		missing, err := s.missingEntries(ctx, pos, to)
		if err != nil {
			return err
		}
		for _, e := range missing {
			if err := give(e); err != nil {
				return err
			}
		}
	}
}
