package db

import "context"

// OncePerTx returns the result of read. Within a transaction it calls read only the first time for
// a key, a comparable value of a type of the caller's own. It is for data from which a transaction
// writes many rows and which the transaction does not change.
func OncePerTx[V any](ctx context.Context, key any, read func(ctx context.Context) (V, error)) (V, error) {
	u, within := ctx.Value(txKey{}).(*txState)
	if !within {
		return read(ctx)
	}
	if v, known := u.onceValues[key]; known {
		return v.(V), nil
	}
	v, err := read(ctx)
	if err != nil {
		return v, err
	}
	if u.onceValues == nil {
		u.onceValues = map[any]any{}
	}
	u.onceValues[key] = v
	return v, nil
}
