package ingest

import (
	"context"
	"math"

	"tilth/internal/domain/device"
)

// recompute is a day of a device whose derived values are computed anew.
type recompute struct {
	ref    device.Ref
	at     int64 // a time of the day, epoch ms
	from   int64 // where to go on within it, epoch ms
	more   bool  // the day is not done
	values int   // that were otherwise, or not there
}

// Recompute computes anew what is derived from a device's readings of the day on
// which at lies, epoch ms, and writes what is not stored so: that many values.
// It takes its turn among the messages, of a day of many readings again and again,
// and is on disk when Redo returns. Days are redone oldest first. A device that is
// gone, or of whose product nothing is derived, has none. What was written before an
// error counts in values, and is right.
func (p *Pipeline) Recompute(ctx context.Context, ref device.Ref, at int64) (values int, err error) {
	r := &recompute{ref: ref, at: at, from: math.MinInt64, more: true}
	done := make(chan error, 1)
	for r.more {
		it := item{recompute: r, weight: itemWeight, done: func(o Outcome) { done <- o.Err }}
		if err := p.enqueue(ctx, it); err != nil {
			return r.values, err
		}
		// Not ctx: it is being written.
		if err := <-done; err != nil {
			return r.values, err
		}
	}
	return r.values, nil
}

// recompute is called by the committing goroutine, between batches.
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
		values += len(frames[i].Fields) // before they are the store's
	}
	if err := p.opts.Journal.Append(p.ctx, frames); err != nil {
		p.opts.Derivation.Forget(r.ref)
		return err
	}
	r.values += values
	r.more = done.More
	return nil
}
