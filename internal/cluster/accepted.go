package cluster

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Accepted records until when this node accepted devices, for the node that leads next. It does not
// wait for the copy: what is lost counts as time in which no device could report.
func (t *Term) Accepted(ctx context.Context, until time.Time) error {
	return wrap("record until when devices were accepted",
		t.node.watch.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
			_, err := c.Exec(ctx, "UPDATE shards SET accepted_until = $1 WHERE shard = 0 AND epoch = $2",
				until.UnixMilli(), t.Epoch())
			return err
		}))
}

// AcceptedUntil is until when the node that led before accepted devices; zero: none did.
func (t *Term) AcceptedUntil(ctx context.Context) (until time.Time, err error) {
	err = t.node.watch.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
		var ms int64
		err := c.QueryRow(ctx, "SELECT accepted_until FROM shards WHERE shard = 0").Scan(&ms)
		if ms > 0 {
			until = time.UnixMilli(ms)
		}
		return err
	})
	return until, wrap("read until when devices were accepted", err)
}
