package ingest

import (
	"context"
	"math"

	"tilth/internal/domain/device"
)

// recompute is the recomputation of the derived values of a device's day.
type recompute struct {
	ref    device.Ref
	at     int64 // a time of the day, epoch ms
	from   int64 // where to continue within the day, epoch ms
	more   bool  // the day is not finished
	values int   // changed or added values
}

// Recompute recomputes the values derived from a device's readings of the day of the time at, epoch
// ms, and writes those that differ from the stored ones; values is their number. It queues among
// the messages, several times for a day with many readings, and its values are on disk when it
// returns. Days must be recomputed oldest first. If the device is gone, or its product derives
// nothing, there is nothing to do. After an error, values counts what was written before, which is
// correct.
func (p *Pipeline) Recompute(ctx context.Context, ref device.Ref, at int64) (values int, err error) {
	r := &recompute{ref: ref, at: at, from: math.MinInt64, more: true}
	done := make(chan error, 1)
	for r.more {
		it := item{recompute: r, weight: itemWeight, done: func(o Outcome) { done <- o.Err }}
		if err := p.enqueue(ctx, it); err != nil {
			return r.values, err
		}
		// Do not stop at ctx: the write is in progress.
		if err := <-done; err != nil {
			return r.values, err
		}
	}
	return r.values, nil
}

// recompute runs in the committing goroutine, between batches.
func (p *Pipeline) recompute(r *recompute) error {
	r.more = false
	e := p.opts.Registry.Get(r.ref.ID)
	if e == nil || e.Ref != r.ref || !e.Derives() || p.opts.Derivation == nil {
		return nil
	}
	done, err := p.opts.Derivation.Recompute(p.ctx, e, r.at, r.from, p.opts.Now().UnixMilli())
	r.from = done.Next
	if err != nil || len(done.Frames) == 0 {
		return err
	}
	frames, values := done.Frames, 0
	for i := range frames {
		values += len(frames[i].Fields) // counted before the store owns them
	}
	if err := p.opts.Journal.Append(p.ctx, frames); err != nil {
		p.opts.Derivation.Forget(r.ref)
		return err
	}
	r.values += values
	r.more = done.More
	return nil
}
