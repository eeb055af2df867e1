package testkit

import (
	"context"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

// ObservedStore is a store of readings with somebody who looks at each frame of a
// range as it passes.
type ObservedStore struct {
	*reading.Store
	Each  func(ctx context.Context, n int) error // the nth frame, from 1; an error ends the range. nil: nobody looks
	Ended func(n int, err error)                 // is told how a range ended, after so many frames; may be nil
}

// Range looks at each frame before it is passed on.
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

// Columns looks at each frame before the piece that it comes in is passed on.
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
