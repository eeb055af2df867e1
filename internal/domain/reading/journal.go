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
var ErrConsumed = errors.New("reading: the journal has a consumer already")

// journal passes batches from Append to the consumer and knows the positions:
// judged <= consumed <= written.
type journal struct {
	slots     chan struct{} // one token a batch that is written and not consumed
	frames    *semaphore.Weighted
	maxFrames int64 // of frames that are written and not consumed

	mu        sync.Mutex
	queue     chan entry // nil while nobody consumes
	written   uint64     // last batch handed over
	consumed  uint64     // last batch the consumer took without an error
	evaluated uint64     // as told by Trim
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

// weight is what a batch takes of the room: a larger one than all of it waits
// until it is alone.
func (j *journal) weight(frames int) int64 { return min(int64(frames), j.maxFrames) }

// release gives the room of a batch back.
func (j *journal) release(frames int) {
	j.frames.Release(j.weight(frames))
	<-j.slots
}

// handOver takes a durable batch for which room was reserved. Without a
// consumer it is not kept: Consume begins by reading the disk.
func (j *journal) handOver(pos uint64, batch []Arrival) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.written = pos
	if j.queue == nil {
		j.release(len(batch))
		return
	}
	j.queue <- entry{pos, batch} // as long as the tokens, so never full
}

// attach makes the caller the consumer. Batches up to written are for it to
// read from disk, later ones come through the queue.
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

// Consume gives fn every batch after position from, in the order in which they
// were written: first those on disk, then each as Append writes it. from is the
// last position already judged and recorded, 0 at the very beginning. Positions
// rise by one from batch to batch.
//
// A batch for which fn fails is given again, after growing waits, until fn
// takes it; nothing is skipped. Batches are as they were appended: fn must
// expect devices that have been deleted since, must not change the batch, and
// sees a batch again after a restart unless it recorded the position.
//
// Consume runs until ctx or the store ends and returns why, or an error that
// waiting does not mend (a damaged entry, a second consumer).
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
		e, err := s.entryAfter(ctx, pos, written)
		if err != nil {
			return err
		}
		if e.pos != pos+1 {
			s.opts.Logger.Warn(
				"readings: the journal no longer holds what was not judged yet; judging goes on behind the gap",
				"judged",
				pos,
				"next",
				e.pos,
			)
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

// Backlog gives fn what the journal holds on disk after position from, as
// Consume would begin with it; fn must not keep or change the batches. It ends
// with fn's error, with ctx, or with the store.
func (s *Store) Backlog(ctx context.Context, from uint64, fn func(pos uint64, batch []Arrival) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
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

// skipJournalTo accepts a judged position ahead of the journal, as after a restore of
// an older copy of this folder: new batches are numbered behind it, or they
// would count as judged.
func (s *Store) skipJournalTo(from uint64) error {
	s.order.Lock()
	defer s.order.Unlock()
	if from <= s.order.pos {
		return nil
	}
	if s.order.pos != s.order.opened {
		return fmt.Errorf(
			"reading: cannot judge from position %d: batches up to %d were written already",
			from,
			s.order.pos,
		)
	}
	s.opts.Logger.Warn("readings: older than what was judged (restored from a copy?); the journal goes on behind it",
		"journal", s.order.pos, "judged", from)
	s.order.pos, s.order.opened = from, from
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	s.journal.written = from
	return nil
}

// entryAfter reads the first batch after pos, which is below written. It holds
// no iterator between batches: the consumer may stand still for hours.
func (s *Store) entryAfter(ctx context.Context, pos, written uint64) (e entry, err error) {
	it, err := s.db.NewIterWithContext(ctx, &pebble.IterOptions{
		LowerBound: appendJournalKey(nil, pos+1),
		UpperBound: appendJournalKey(nil, written+1),
	})
	if err != nil {
		return e, err
	}
	defer closeInto(&err, it)
	if !it.First() {
		// Trimmed by a restored position; what comes next is live.
		return entry{pos: written}, it.Error()
	}
	return readEntry(it)
}

// readEntry decodes the entry at which it stands.
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

// deliver gives e to fn until fn takes it or ctx ends. The wait is for what made
// fn fail, usually the database; it has no event to wait for.
func (s *Store) deliver(ctx context.Context, e entry, fn func(context.Context, uint64, []Arrival) error) error {
	wait := s.opts.RetryWait
	for {
		if ctx.Err() != nil {
			return s.consumeErr(ctx)
		}
		if len(e.batch) == 0 {
			break
		}
		err := fn(ctx, e.pos, e.batch)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return s.consumeErr(ctx)
		}
		s.opts.Logger.Warn(
			"readings: a batch could not be judged and is tried again",
			"position",
			e.pos,
			"wait",
			wait,
			"error",
			err,
		)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return s.consumeErr(ctx)
		}
		wait = min(2*wait, 64*s.opts.RetryWait)
	}
	s.journal.advance(e.pos)
	return nil
}

// consumeErr tells Close from the caller's own end; ctx is done.
func (s *Store) consumeErr(ctx context.Context) error {
	if s.lifetime.Err() != nil {
		return ErrClosed
	}
	return ctx.Err()
}

// Trim says that everything up to pos is judged and recorded elsewhere for
// good. The entries are deleted with a later checkpoint. A position not yet
// written counts as the last one written; going back does nothing.
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
