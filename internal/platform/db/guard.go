package db

import "context"

type guardKey struct{}

// WithGuard returns a context in which every transaction first calls guard, inside the transaction;
// an error of guard rolls it back. It is for asking at the moment of a change whether the caller may
// still make it: the call may have waited since it was admitted.
func WithGuard(ctx context.Context, guard func(ctx context.Context) error) context.Context {
	return context.WithValue(ctx, guardKey{}, guard)
}

// checkGuard calls the guard of a context; ctx carries the transaction.
func checkGuard(ctx context.Context) error {
	guard, ok := ctx.Value(guardKey{}).(func(ctx context.Context) error)
	if !ok {
		return nil
	}
	return guard(ctx)
}
