package ingest

import (
	"context"

	"tilth/internal/device"
)

// redo is a day of a device whose derived values are computed anew.
type redo struct {
	ref    device.Ref
	at     int64 // a time of the day, epoch ms
	values int   // that were otherwise, or not there
}

// Redo computes anew what is derived from a device's readings of the day on
// which at lies, epoch ms, and writes what is not stored so: that many values.
// It takes its turn among the messages, and is on disk when Redo returns. Days
// are redone oldest first. A device that is gone, or of whose product nothing is
// derived, has none. An error means that nothing was written.
func (p *Pipeline) Redo(ctx context.Context, ref device.Ref, at int64) (values int, err error) {
	r := &redo{ref: ref, at: at}
	done := make(chan error, 1)
	it := item{redo: r, weight: itemWeight, done: func(o Outcome) { done <- o.Err }}
	if err := p.enqueue(ctx, it); err != nil {
		return 0, err
	}
	// Not ctx: it is being written.
	if err := <-done; err != nil {
		return 0, err
	}
	return r.values, nil
}

// redo is called by the committing goroutine, between batches.
func (p *Pipeline) redo(r *redo) error {
	e := p.opts.Registry.Get(r.ref.ID)
	if e == nil || e.Ref != r.ref || !e.Derives() || p.opts.Derivation == nil {
		return nil
	}
	frames, err := p.opts.Derivation.Redo(p.life, e, r.at, p.opts.Now().UnixMilli())
	if err != nil || len(frames) == 0 {
		return err
	}
	if err := p.opts.Log.Append(p.life, frames); err != nil {
		p.opts.Derivation.Forget(r.ref)
		return err
	}
	for i := range frames {
		r.values += len(frames[i].Fields)
	}
	return nil
}
