package derivation

import (
	"context"
	"errors"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// DeviceFailure is a device of a batch for whose frames nothing could be derived.
type DeviceFailure struct {
	device.Ref
	Err error
}

// DeriveBatch is Derive for a batch of several devices. It returns the batch as the caller must
// write it, with the derived values. entries holds, for each frame, the device if it has derived
// properties, otherwise nil. If the batch is not written, or DeriveBatch fails, the caller must
// call ForgetBatch.
//
// If the engine cannot read one device, that device is in failed: its frames stay as they were
// measured, and the frames of all others are completed. An error concerns the whole batch: ctx has
// ended, or the store accepts no more writes.
func (e *Engine) DeriveBatch(
	ctx context.Context,
	batch []reading.Arrival,
	entries []*device.Entry,
) (whole []reading.Arrival, failed []DeviceFailure, err error) {
	// The frames by device; devices in the order of their first frames.
	type group struct {
		entry    *device.Entry
		frames   []*reading.Arrival
		measured [][]reading.Field // fields of the frames as they arrived
		places   []int
	}
	var groups []*group
	by := map[device.ID]*group{}
	for i, entry := range entries {
		if entry == nil {
			continue
		}
		g := by[entry.ID]
		if g == nil {
			g = &group{entry: entry}
			by[entry.ID] = g
			groups = append(groups, g)
		}
		g.frames = append(g.frames, &batch[i])
		g.measured = append(g.measured, batch[i].Fields)
		g.places = append(g.places, i)
	}
	var before [][]reading.Arrival // extras by the frame before which they are inserted
	extras := 0
	for _, g := range groups {
		found, err := e.Derive(ctx, g.entry, g.frames)
		if err != nil && isBatchError(ctx, err) {
			return nil, nil, err
		}
		if err != nil {
			for i, f := range g.frames {
				f.Fields = g.measured[i]
			}
			failed = append(failed, DeviceFailure{g.entry.Ref, err})
			continue
		}
		if len(found) > 0 && before == nil {
			before = make([][]reading.Arrival, len(batch)+1)
		}
		for _, x := range found {
			at := g.places[len(g.places)-1] + 1
			if x.Before < len(g.places) {
				at = g.places[x.Before]
			}
			before[at] = append(before[at], x.Arrival)
			extras++
		}
	}
	if extras == 0 {
		return batch, failed, nil
	}
	whole = make([]reading.Arrival, 0, len(batch)+extras)
	for i := range batch {
		whole = append(append(whole, before[i]...), batch[i])
	}
	return append(whole, before[len(batch)]...), failed, nil
}

// isBatchError reports whether every other device would get the same error.
func isBatchError(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, reading.ErrClosed) || errors.Is(err, reading.ErrBroken)
}

// ForgetBatch forgets the devices of a batch that was not written.
func (e *Engine) ForgetBatch(entries []*device.Entry) {
	for _, entry := range entries {
		if entry != nil {
			e.Forget(entry.Ref)
		}
	}
}
