package db

import (
	"context"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
)

// EmptyCommit is an expression that makes a transaction write something of no meaning. Its commit is
// confirmed only when the synchronous copy has it and everything before it.
const EmptyCommit = "pg_logical_emit_message(true, 'tilth', '')"

// IsUnreplicated reports whether PostgreSQL says that it ended a commit before the copy had it. It reports
// such a commit as a success, and others see it.
func IsUnreplicated(n *pgconn.Notice) bool {
	const warning = "01000"
	return n.Code == warning && n.Routine == "SyncRepWaitForLSN"
}

// confirm makes certain that the copy has what the last transaction wrote, if PostgreSQL ended its wait
// for the copy. Until it has, nobody is told that the transaction succeeded.
func (d *DB) confirm(ctx context.Context) error {
	for d.server != nil && d.server.unreplicated.Swap(false) {
		if err := d.write.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.ExecContext(ctx, "SELECT "+EmptyCommit)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}
