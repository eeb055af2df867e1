package cluster

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"tilth/internal/platform/db"
)

// RequestYield asks the node that leads to hand over. It notices within a second.
func RequestYield(ctx context.Context, address string) error {
	config, err := db.ParseClusterAddress(address)
	if err != nil {
		return err
	}
	s := newSession(config, nil)
	return errors.Join(s.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
		tag, err := c.Exec(ctx, "UPDATE shards SET yield_epoch = epoch WHERE shard = 0")
		if err == nil && tag.RowsAffected() == 0 {
			err = ErrNoLog
		}
		return wrap("ask the leader to hand over", asNoLog(err))
	}), s.close())
}
