package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"tilth/internal/platform/db"
)

// BeginNewLife begins a new log after the database was set back, with what one node holds. No node may
// run. begin makes what that node holds the beginning, and returns its position. BeginNewLife returns
// the epoch in which the caller may write.
func BeginNewLife(
	ctx context.Context,
	address string,
	begin func(mark string) (uint64, error),
) (epoch int64, err error) {
	config, err := db.ParseClusterAddress(address)
	if err != nil {
		return 0, err
	}
	session := newSession(config, lockOnce)
	defer func() { err = errors.Join(err, session.close()) }()
	mark := newMark()
	err = session.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
		position, err := begin(mark)
		if err != nil {
			return err
		}
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			rows, err := tx.Query(ctx, "DELETE FROM log_tables WHERE shard = 0 RETURNING name")
			if err != nil {
				return err
			}
			names, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return err
			}
			for _, name := range names {
				if _, err := tx.Exec(ctx, "DROP TABLE IF EXISTS "+name); err != nil {
					return err
				}
			}
			return tx.QueryRow(ctx, `UPDATE shards SET epoch = epoch + 1, life = $1, begin_position = $2
				WHERE shard = 0 RETURNING epoch`, mark, int64(position)).Scan(&epoch)
		})
	})
	return epoch, wrap("begin a new log", asNoLog(err))
}

// lockOnce takes the lock of the log, and refuses if a node has it.
func lockOnce(ctx context.Context, c *pgx.Conn) error {
	var free bool
	if err := c.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(logLockID)).Scan(&free); err != nil {
		return err
	}
	if !free {
		return fmt.Errorf("a node of the cluster leads; stop every node first")
	}
	return nil
}
