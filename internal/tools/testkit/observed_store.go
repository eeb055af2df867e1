package testkit

import (
	"context"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

// ObservedStore is a store of readings that calls Each with each frame of a range before it passes
// it on.
type ObservedStore struct {
	*reading.Store
	Each  func(ctx context.Context, n int) error // gets the frame's number, from 1; an error ends the range; may be nil
	Ended func(n int, err error)                 // gets the number of frames and the range's error; may be nil
}

// Range observes each frame before it passes it on.
func (s *ObservedStore) Range(
	ctx context.Context,
	t tenant.ID,
	d device.ID,
	from, to int64,
	props []device.PropertyID,
	fn func(int64, []reading.Field) error,
) error {
	n := 0
	return s.finish(&n, s.Store.Range(ctx, t, d, from, to, props, func(at int64, fields []reading.Field) error {
		if err := s.observe(ctx, &n); err != nil {
			return err
		}
		return fn(at, fields)
	}))
}

// Columns observes each frame of a piece before it passes the piece on.
func (s *ObservedStore) Columns(
	ctx context.Context,
	t tenant.ID,
	d device.ID,
	from, to int64,
	props []device.PropertyID,
	fn func(*reading.Columns) error,
) error {
	n := 0
	return s.finish(&n, s.Store.Columns(ctx, t, d, from, to, props, func(c *reading.Columns) error {
		for range c.Times {
			if err := s.observe(ctx, &n); err != nil {
				return err
			}
		}
		return fn(c)
	}))
}

func (s *ObservedStore) observe(ctx context.Context, n *int) error {
	*n++
	if s.Each == nil {
		return nil
	}
	return s.Each(ctx, *n)
}

func (s *ObservedStore) finish(n *int, err error) error {
	if s.Ended != nil {
		s.Ended(*n, err)
	}
	return err
}
