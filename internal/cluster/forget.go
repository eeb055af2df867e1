package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"tilth/internal/platform/db"
)

// ForgetNode removes a node that was taken away from the status. It refuses one that runs.
func ForgetNode(ctx context.Context, address, name string) error {
	config, err := db.ParseClusterAddress(address)
	if err != nil {
		return err
	}
	s := newSession(config, nil)
	return errors.Join(s.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
		var runs bool
		err := c.QueryRow(ctx, "SELECT seen_at > now() - $2 * interval '1 second' FROM nodes WHERE name = $1",
			name, presentFor.Seconds()).Scan(&runs)
		switch {
		case errors.Is(err, pgx.ErrNoRows), hasCode(err, undefinedTable):
			return fmt.Errorf("there is no node %s", name)
		case err != nil:
			return err
		case runs:
			return fmt.Errorf("the node %s runs: stop it first", name)
		}
		_, err = c.Exec(ctx, "DELETE FROM nodes WHERE name = $1", name)
		return err
	}), s.close())
}
