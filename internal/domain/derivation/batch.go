package derivation

import (
	"context"
	"errors"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// DeviceFailure is a device from whose frames of a batch nothing could be derived.
type DeviceFailure struct {
	device.Ref
	Err error
}

// DeriveBatch is Derive for a batch of several devices: the batch as it is to be
// written, with what is derived. entries names the device of each frame of which
// anything is derived, nil elsewhere. When the batch is not written, Undo must
// follow; after an error too.
//
// What cannot be read of one device is its lapse: its frames stay as they were
// measured, and all others are completed. An error is of the batch: ctx has
// ended, or the store takes no more.
func (e *Engine) DeriveBatch(
	ctx context.Context,
	batch []reading.Arrival,
	entries []*device.Entry,
) (whole []reading.Arrival, failed []DeviceFailure, err error) {
	// Frames of one device together, devices in the order of their first.
	type group struct {
		entry    *device.Entry
		frames   []*reading.Arrival
		measured [][]reading.Field // of the frames, as they came
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
	var before [][]reading.Arrival // extras by the frame that they come before
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

// isBatchError tells whether an error would have met any other device as well.
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
