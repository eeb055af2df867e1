package db

import (
	"context"
	"database/sql"
	"time"

	"github.com/uptrace/bun"
)

const (
	// batchTime is about how long one batch may hold the write lock.
	batchTime = 10 * time.Millisecond
	// firstBatch is how many rows the first batch has, minBatch how many each has at least.
	firstBatch = 100
	minBatch   = 10
	// pauseFactor is how many times as long as a batch the pause after it is.
	pauseFactor = 4
)

// DeleteInBatches calls deleteRows, which deletes at most limit rows, each time in its own
// transaction, until it deletes fewer. Other transactions write in between and use the processor: a
// batch has at most maxRows rows, fewer if it takes long, and the pause after it is longer than the
// batch.
func (d *DB) DeleteInBatches(
	ctx context.Context,
	maxRows int64,
	deleteRows func(ctx context.Context, tx bun.IDB, limit int64) (sql.Result, error),
) error {
	for limit := min(maxRows, firstBatch); ; {
		var removed int64
		var began time.Time
		err := d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
			began = time.Now() // without the time spent waiting for other writers
			res, err := deleteRows(ctx, tx, limit)
			if err != nil {
				return err
			}
			removed, err = res.RowsAffected()
			return err
		})
		if err != nil || removed < limit {
			return err
		}
		took := time.Since(began)
		switch {
		case took > batchTime:
			limit = max(min(maxRows, minBatch), limit/2)
		case took < batchTime/2:
			limit = min(maxRows, limit*2)
		}
		select {
		case <-time.After(pauseFactor * took):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
