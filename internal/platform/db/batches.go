package db

import (
	"context"
	"database/sql"
	"time"

	"github.com/uptrace/bun"
)

const (
	// batchTime is about how long one portion keeps the writer.
	batchTime = 10 * time.Millisecond
	// firstBatch is how many rows the first one has, and minBatch how many
	// each has at least.
	firstBatch = 100
	minBatch   = 10
	// pauseFactor is how many times as long as a portion took is rested after it.
	pauseFactor = 4
)

// DeleteInBatches calls remove, which removes at most so many rows, each time in a
// transaction of its own, until it finds fewer. Others write in between, and use
// the processor: portions are as large as a short while allows, most at most, and
// after each comes a pause that is longer than it took.
func (d *DB) DeleteInBatches(
	ctx context.Context,
	maxRows int64,
	deleteRows func(ctx context.Context, tx bun.IDB, limit int64) (sql.Result, error),
) error {
	for limit := min(maxRows, firstBatch); ; {
		var removed int64
		var began time.Time
		err := d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
			began = time.Now() // what was waited for others does not count
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
