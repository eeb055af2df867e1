package alarm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

// readingCache holds the readings of one device, as of a view, that are evaluated already. The
// rules of the device, which ask for much the same one after the other, share it.
type readingCache struct {
	view   *reading.View
	device device.ID
	later  []pendingValue
	newest map[string][]reading.Last
	frames map[string][]reading.Frame
}

func newReadingCache(v *reading.View, id device.ID, later []pendingValue) *readingCache {
	return &readingCache{
		view:   v,
		device: id,
		later:  later,
		newest: map[string][]reading.Last{},
		frames: map[string][]reading.Frame{},
	}
}

// AsOf is reading.View.AsOf without the values that are still to be evaluated.
func (r *readingCache) AsOf(
	ctx context.Context,
	t tenant.ID,
	d device.ID,
	at int64,
	props []device.PropertyID,
) ([]reading.Last, error) {
	key := fmt.Sprint(at, props)
	if found, known := r.newest[key]; known {
		return found, nil
	}
	pending := func(at int64, p device.PropertyID) bool { return isPendingValue(r.later, at, p) }
	found, err := r.view.AsOf(ctx, t, d, at, props, pending)
	if err == nil {
		r.newest[key] = found
	}
	return found, err
}

// Range is reading.View.Range without the values that are still to be evaluated.
func (r *readingCache) Range(
	ctx context.Context,
	t tenant.ID,
	d device.ID,
	from, to int64,
	props []device.PropertyID,
	fn func(at int64, fields []reading.Field) error,
) error {
	key := fmt.Sprint(from, props)
	frames, known := r.frames[key]
	if !known {
		err := r.view.Range(ctx, t, d, from, math.MaxInt64, props, func(at int64, fields []reading.Field) error {
			own := slices.DeleteFunc(slices.Clone(fields),
				func(f reading.Field) bool { return isPendingValue(r.later, at, f.Property) })
			if len(own) > 0 {
				for i := range own {
					own[i].Value = kept(own[i].Value)
				}
				frames = append(frames, reading.Frame{Tenant: t, Device: d, Time: at, Fields: own})
			}
			return nil
		})
		if err != nil {
			return err
		}
		r.frames[key] = frames
	}
	for i := range frames {
		if frames[i].Time > to {
			break
		}
		if err := fn(frames[i].Time, frames[i].Fields); err != nil {
			return err
		}
	}
	return nil
}
