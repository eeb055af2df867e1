package derivation

import (
	"context"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/limit"
)

// Recomputer recomputes the derived values of a device's day, that of the time at (epoch ms), and writes
// those that differ; values is their number, also if there is an error.
type Recomputer interface {
	Recompute(ctx context.Context, ref device.Ref, at int64) (values int, err error)
}

// RecomputeDays recomputes days of a device, the oldest first. After each day it pauses for as long as the
// day took: messages get the other half of the time. It stops when stopping is closed, or ctx ends; running
// is then asked for the error, as before each day. finished counts whole days, values also those before an
// error.
func RecomputeDays(
	ctx context.Context,
	task limit.Task,
	intake Recomputer,
	ref device.Ref,
	days []reading.CoveredDay,
	stopping <-chan struct{},
	running func(context.Context) error,
) (finished, values int, err error) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for _, day := range days {
		task.Pause()
		select {
		case <-pause.C:
		case <-stopping:
		case <-ctx.Done():
		}
		task.Resume(ctx)
		if err := running(ctx); err != nil {
			return finished, values, err
		}
		began := time.Now() // a duration, not a time of day
		more, err := intake.Recompute(ctx, ref, day.First)
		values += more
		if err != nil {
			return finished, values, err
		}
		finished++
		pause.Reset(time.Since(began))
	}
	return finished, values, nil
}
