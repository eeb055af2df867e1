package db

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"tilth/internal/platform/listen"
)

// epochQuery reads the epoch of the cluster's one shard; it rises whenever another node begins to
// lead.
const epochQuery = "SELECT epoch FROM shards WHERE shard = 0"

// Both ends of a connection notice within about four seconds that the other machine is gone.
const (
	keepAliveIdle     = time.Second
	keepAliveInterval = time.Second
	keepAliveCount    = 3
	// unacknowledgedTimeout is how long PostgreSQL's machine may leave bytes unacknowledged.
	unacknowledgedTimeout = 5 * time.Second
)

// OpenPostgresToLead is OpenPostgres for a node of a cluster that leads in the given epoch. Every
// transaction requires that epoch, and fails with ErrTakenOver once there is another.
func OpenPostgresToLead(ctx context.Context, dir, address string, epoch int64) (*DB, error) {
	d, err := openPostgres(ctx, address, epoch)
	if err != nil {
		return nil, err
	}
	if err := d.checkPairing(ctx, dir); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// OpenPostgresToFollow opens a database to read it while another node of the cluster writes. Tx fails.
func OpenPostgresToFollow(address string) (*DB, error) {
	config, err := ParseClusterAddress(address)
	if err != nil {
		return nil, err
	}
	config.RuntimeParams["default_transaction_read_only"] = "on"
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(readers)
	b := bun.NewDB(pool, pgdialect.New())
	s := newServer(config, 0)
	return &DB{read: b, write: b, server: s, writeLock: make(chan struct{}, 1)}, nil
}

// ParseClusterAddress parses a database's address for a node of a cluster: a connection whose other
// end is gone ends within seconds, on both sides.
func ParseClusterAddress(address string) (*pgx.ConnConfig, error) {
	config, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{KeepAliveConfig: net.KeepAliveConfig{
		Enable: true, Idle: keepAliveIdle, Interval: keepAliveInterval, Count: keepAliveCount,
	}}
	dialer.Control = listen.LimitUnacknowledged(unacknowledgedTimeout)
	config.DialFunc = dialer.DialContext
	for name, value := range map[string]string{
		"tcp_keepalives_idle":              "1",
		"tcp_keepalives_interval":          "1",
		"tcp_keepalives_count":             "3",
		"client_connection_check_interval": "1s",
	} {
		config.RuntimeParams[name] = value
	}
	return config, nil
}

// countTransaction counts a transaction of the leader's writer, and refuses it once another node leads or
// the database has lost transactions of this process. The lock alone keeps the others from writing; the
// epoch also covers a session that was handed on, as by a pooler. The count covers a failover to a copy
// that was behind: what this process remembers is not what the database has, so it must write nothing
// more. count is to be remembered once the transaction is committed.
func (d *DB) countTransaction(ctx context.Context, tx bun.Tx) (count int64, err error) {
	if d.server == nil || d.server.epoch == 0 {
		return 0, nil
	}
	var epoch int64
	err = tx.QueryRowContext(ctx, `UPDATE writer_transactions SET committed = committed + 1 WHERE shard = 0
		RETURNING committed, (`+epochQuery+`)`).Scan(&count, &epoch)
	if err != nil {
		return 0, err
	}
	if epoch != d.server.epoch || count <= d.server.committed.Load() {
		return 0, d.server.noteTakenOver()
	}
	return count, nil
}

// TakenOver is closed once this process must not write any more: another one does, or the database went
// back to an earlier state.
func (d *DB) TakenOver() <-chan struct{} { return d.server.lost }

// refuseCluster refuses the database of a cluster to a server that is no node of it.
func (s *pgServer) refuseCluster(ctx context.Context, c *pgx.Conn) error {
	if s.epoch != 0 {
		return nil
	}
	var led bool
	err := c.QueryRow(ctx, "SELECT COUNT(*) > 0 FROM shards").Scan(&led)
	switch {
	case postgresCode(err, undefinedTable):
		return nil
	case led:
		return fmt.Errorf("the database %s belongs to a cluster: start this server with --cluster; "+
			"to go back to one server, make a backup and restore it without --database-url", s.name)
	}
	return err
}

// Jump makes the numbers that a table gives to new rows larger than a number. It never lowers them.
func (d *DB) Jump(ctx context.Context, table, column string, beyond int64) error {
	return d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(`SELECT setval(s.name::regclass, ?) FROM (
				SELECT name, COALESCE(pg_sequence_last_value(name::regclass), 0) AS last
				FROM (SELECT pg_get_serial_sequence(?, ?) AS name) AS n
			) AS s WHERE ? > s.last`, beyond, table, column, beyond).Exec(ctx)
		return err
	})
}
