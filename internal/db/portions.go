package db

import (
	"context"
	"database/sql"
	"time"

	"github.com/uptrace/bun"
)

const (
	// portionTakes is about how long one portion keeps the writer.
	portionTakes = 10 * time.Millisecond
	// portionBegins is how many rows the first one has, and portionLeast how many
	// each has at least.
	portionBegins = 100
	portionLeast  = 10
	// portionRests is how many times as long as a portion took is rested after it.
	portionRests = 4
)

// Portions calls remove, which removes at most so many rows, each time in a
// transaction of its own, until it finds fewer. Others write in between, and use
// the processor: portions are as large as a short while allows, most at most, and
// after each comes a pause that is longer than it took.
func (d *DB) Portions(ctx context.Context, most int64, remove func(ctx context.Context, tx bun.IDB, atOnce int64) (sql.Result, error)) error {
	for atOnce := min(most, portionBegins); ; {
		var removed int64
		var began time.Time
		err := d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
			began = time.Now() // what was waited for others does not count
			res, err := remove(ctx, tx, atOnce)
			if err != nil {
				return err
			}
			removed, err = res.RowsAffected()
			return err
		})
		if err != nil || removed < atOnce {
			return err
		}
		took := time.Since(began)
		switch {
		case took > portionTakes:
			atOnce = max(min(most, portionLeast), atOnce/2)
		case took < portionTakes/2:
			atOnce = min(most, atOnce*2)
		}
		select {
		case <-time.After(portionRests * took):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
