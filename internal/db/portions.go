package db

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"
)

// Portions calls remove, which removes at most so many rows, each time in a
// transaction of its own, until it finds fewer: others write in between.
func (d *DB) Portions(ctx context.Context, atOnce int, remove func(ctx context.Context, tx bun.IDB) (sql.Result, error)) error {
	for {
		var removed int64
		err := d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
			res, err := remove(ctx, tx)
			if err != nil {
				return err
			}
			removed, err = res.RowsAffected()
			return err
		})
		if err != nil || removed < int64(atOnce) {
			return err
		}
	}
}
