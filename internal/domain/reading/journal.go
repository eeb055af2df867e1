package reading

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/semaphore"
)

// ErrConsumed is returned by Consume while another Consume runs.
var ErrConsumed = errors.New("reading: the journal already has a consumer")

// journal passes batches from Append to the consumer and holds the positions: evaluated <= consumed
// <= written.
type journal struct {
	slots     chan struct{} // one token for each batch that is written and not consumed
	frames    *semaphore.Weighted
	maxFrames int64 // most frames that are written and not consumed

	mu        sync.Mutex
	queue     chan entry // nil without a consumer
	written   uint64     // last batch handed over
	consumed  uint64     // last batch the consumer took without an error
	evaluated uint64     // last position passed to Trim
}

// entry is one batch in the journal.
type entry struct {
	pos   uint64
	batch []Arrival
}

func newJournal(queueBatches, queueFrames int) *journal {
	maxFrames := int64(queueFrames)
	return &journal{
		slots:     make(chan struct{}, queueBatches),
		frames:    semaphore.NewWeighted(maxFrames),
		maxFrames: maxFrames,
	}
}

// reserve waits for room for a batch of so many frames.
func (j *journal) reserve(ctx, lifetime context.Context, frames int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case j.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-lifetime.Done():
		return ErrClosed
	}
	if j.frames.TryAcquire(j.weight(frames)) {
		return nil
	}
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(lifetime, stop)()
	err := j.frames.Acquire(waiting, j.weight(frames))
	if err != nil {
		<-j.slots
		if err = ctx.Err(); err == nil {
			err = ErrClosed
		}
	}
	return err
}

// weight is how many frames of the queue a batch takes. A batch that is larger than the queue takes
// all of it and waits until it is alone.
func (j *journal) weight(frames int) int64 { return min(int64(frames), j.maxFrames) }

// release frees the room of a batch.
func (j *journal) release(frames int) {
	j.frames.Release(j.weight(frames))
	<-j.slots
}

// handOver queues a durable batch for which room was reserved. Without a consumer it drops the
// batch: Consume begins by reading the disk.
func (j *journal) handOver(pos uint64, batch []Arrival) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.written = pos
	if j.queue == nil {
		j.release(len(batch))
		return
	}
	j.queue <- entry{pos, batch} // never full: it has as many places as there are tokens
}

// attach makes the caller the consumer. The caller reads batches up to written from disk and later
// ones from the queue.
func (j *journal) attach(from uint64) (written uint64, queue <-chan entry, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.queue != nil {
		return 0, nil, ErrConsumed
	}
	j.queue = make(chan entry, cap(j.slots))
	j.consumed = from
	return j.written, j.queue, nil
}

func (j *journal) detach() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for len(j.queue) > 0 {
		e := <-j.queue
		j.release(len(e.batch))
	}
	j.queue = nil
}

func (j *journal) advance(consumed uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.consumed = consumed
}

// Consume calls fn for every batch after position from, in the order in which they were written:
// first those on disk, then each as Append writes it. from is the last position that the caller has
// evaluated and recorded, 0 at the very beginning. Positions rise by one from batch to batch.
//
// When fn fails, Consume calls it again with the same batch, after growing waits, until it
// succeeds; Consume skips nothing. Batches are as they were appended: fn must expect devices that
// have been deleted since, and must not change the batch. After a restart fn gets a batch again
// unless it recorded the position.
//
// A store that is replicated reads a batch that the journal lacks from the log, and returns an error
// if the log lacks it too; it is given positions without any gap. Erasures have positions and are not
// handed to fn.
//
// Consume runs until ctx or the store ends and returns the reason. It also returns an error that
// waiting does not resolve (a damaged entry, a second consumer, a gap).
func (s *Store) Consume(
	ctx context.Context,
	from uint64,
	fn func(ctx context.Context, pos uint64, batch []Arrival) error,
) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.lifetime, cancel)()
	if err := s.skipJournalTo(from); err != nil {
		return err
	}
	written, queue, err := s.journal.attach(from)
	if err != nil {
		return err
	}
	defer s.journal.detach()

	for pos := from; pos < written; {
		e, found, err := s.entryAfter(ctx, pos, written)
		if err != nil {
			return err
		}
		if s.replicated() && (e.pos != pos+1 || !found) {
			to := e.pos
			if found {
				to--
			}
			missing, err := s.missingEntries(ctx, pos, to)
			if err != nil {
				return err
			}
			for _, e := range missing {
				if err := s.deliver(ctx, e, fn); err != nil {
					return err
				}
				pos = e.pos
			}
			continue
		}
		if e.pos != pos+1 {
			s.opts.Logger.Warn("readings: the journal lacks batches that are not evaluated; the consumer skips the gap",
				"evaluated", pos, "next", e.pos)
		}
		if err := s.deliver(ctx, e, fn); err != nil {
			return err
		}
		pos = e.pos
	}
	for {
		select {
		case e := <-queue:
			err := s.deliver(ctx, e, fn)
			s.journal.release(len(e.batch))
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return s.consumeErr(ctx)
		}
	}
}

// Backlog calls fn for the batches that the journal holds on disk after position from, with which
// Consume would begin; as Consume, a store that is replicated reads what the journal lacks from the
// log. fn must not keep or change the batches. Backlog stops on an error of fn, or when ctx or the
// store ends.
func (s *Store) Backlog(ctx context.Context, from uint64, fn func(pos uint64, batch []Arrival) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if s.replicated() {
		return s.backlogWithoutGap(ctx, from, fn)
	}
	return s.each(ctx, tagJournal, appendJournalKey(nil, from+1), func(it *pebble.Iterator) error {
		if err := s.stopErr(ctx); err != nil {
			return err
		}
		e, err := readEntry(it)
		if err != nil {
			return err
		}
		return fn(e.pos, e.batch)
	})
}

// skipJournalTo accepts an evaluated position ahead of the journal, as after a restore of an older
// copy of this folder: it numbers new batches after that position, because they would count as
// evaluated otherwise.
func (s *Store) skipJournalTo(from uint64) error {
	s.order.Lock()
	defer s.order.Unlock()
	if from <= s.order.pos {
		return nil
	}
	if s.replicated() {
		return fmt.Errorf("reading: cannot consume from position %d: the log ends at %d (restored from a copy?): %w",
			from, s.order.pos, ErrGap)
	}
	if s.order.pos != s.order.opened {
		return fmt.Errorf("reading: cannot consume from position %d: batches up to %d were already written",
			from, s.order.pos)
	}
	s.opts.Logger.Warn("readings: older than the evaluated position (restored from a copy?); the journal skips to it",
		"journal", s.order.pos, "evaluated", from)
	if err := s.logs.report([]Loss{s.logs.missingAtEnd(s.order.pos, from)}); err != nil {
		return fmt.Errorf("reading: %w", err)
	}
	s.order.pos, s.order.opened = from, from
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	s.journal.written = from
	return nil
}

// entryAfter reads the first batch after pos, which is below written. If the journal holds none, it
// returns an empty one at written. Consume holds no iterator between batches, because fn may take
// hours.
func (s *Store) entryAfter(ctx context.Context, pos, written uint64) (e entry, found bool, err error) {
	it, err := s.db.NewIterWithContext(ctx, &pebble.IterOptions{
		LowerBound: appendJournalKey(nil, pos+1),
		UpperBound: appendJournalKey(nil, written+1),
	})
	if err != nil {
		return e, false, scanError("journal", err)
	}
	defer closeInto(&err, it)
	if !it.First() {
		// A restored position trimmed the entries; the next batches come from the queue.
		return entry{pos: written}, false, scanError("journal", it.Error())
	}
	e, err = readEntry(it)
	return e, true, err
}

// readEntry decodes the entry at the iterator's position.
func readEntry(it *pebble.Iterator) (e entry, err error) {
	if e.pos, err = parseJournalKey(it.Key()); err != nil {
		return e, fmt.Errorf("%w: %s", ErrCorrupt, printKey(it.Key()))
	}
	value, err := it.ValueAndErr()
	if err == nil {
		e.batch, err = decodeEntry(value)
	}
	if err != nil {
		err = fmt.Errorf("reading: %s: %w", printKey(it.Key()), err)
	}
	return e, err
}

// deliver calls fn with e until fn succeeds or ctx ends. It has nothing to deliver of an erasure.
func (s *Store) deliver(ctx context.Context, e entry, fn func(context.Context, uint64, []Arrival) error) error {
	err := s.retry(ctx, "readings: the consumer failed with a batch and gets it again", e.pos, func() (bool, error) {
		if len(e.batch) == 0 {
			return false, nil
		}
		return false, fn(ctx, e.pos, e.batch)
	})
	if err == nil {
		s.journal.advance(e.pos)
	}
	return err
}

// retry calls try until it succeeds, its error is final or ctx ends. It waits for the cause of a
// failure to pass, usually in the database; there is no event to wait for.
func (s *Store) retry(ctx context.Context, warning string, pos uint64, try func() (final bool, err error)) error {
	wait := s.opts.RetryWait
	for {
		if ctx.Err() != nil {
			return s.consumeErr(ctx)
		}
		final, err := try()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return s.consumeErr(ctx)
		}
		if final {
			return err
		}
		s.opts.Logger.Warn(warning, "position", pos, "wait", wait, "error", err)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return s.consumeErr(ctx)
		}
		wait = min(2*wait, 64*s.opts.RetryWait)
	}
}

// consumeErr returns why Consume stops: ErrClosed after Close, otherwise the error of ctx, which is
// done.
func (s *Store) consumeErr(ctx context.Context) error {
	if s.lifetime.Err() != nil {
		return ErrClosed
	}
	return ctx.Err()
}

// Trim tells the store that everything up to pos is evaluated and durably recorded elsewhere. A
// later checkpoint deletes the entries. A position that is not written yet counts as the last one
// written; a lower position than before does nothing.
func (s *Store) Trim(pos uint64) {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	s.journal.evaluated = max(s.journal.evaluated, min(pos, s.journal.written))
}

func (j *journal) positions() (written, consumed, evaluated uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.written, j.consumed, j.evaluated
}
