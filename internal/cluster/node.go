// Package cluster makes several machines one Tilth. One node leads: it is a whole server. The others
// follow its log, and take over if it fails. Nodes speak only to PostgreSQL.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"tilth/internal/platform/db"
)

var (
	// ErrNewerNode is wrapped if a newer version of the program wrote what this one does not know.
	ErrNewerNode = errors.New("a newer version of Tilth leads; upgrade this node")
	// ErrNoLog is wrapped if no node has led on the database yet.
	ErrNoLog = errors.New("no node has led on this database yet")
)

// Options says how a node takes part.
type Options struct {
	DatabaseURL   string
	Name          string        // of this node; no two nodes have the same
	Address       string        // of this node's admin port, as others reach it
	Version       string        // of the program
	TakeoverAfter time.Duration // patience with a leader that is silent
	LogKeep       time.Duration // how long entries stay in the log
	Logger        *slog.Logger
	// Position is the newest entry that this node has; Trouble why it cannot lead, empty if it can.
	Position func() uint64
	Trouble  func() string
}

// Node is this process's part in the cluster.
type Node struct {
	opts   Options
	config *pgx.ConnConfig
	watch  *session // looks at the leader and says that this node lives
	leader *leaderState
	term   atomic.Int64 // epoch of this process's own newest term; 0: none
}

// Join checks the settings of the database and returns this node. Its errors say in one sentence what
// is wrong.
func Join(ctx context.Context, o Options) (*Node, error) {
	config, err := db.ParseClusterAddress(o.DatabaseURL)
	if err != nil {
		return nil, err
	}
	if err := checkAddress(config); err != nil {
		return nil, err
	}
	n := &Node{opts: o, config: config, leader: newLeaderState()}
	watching := config.Copy()
	// What a node says of itself need not wait for the copy.
	watching.RuntimeParams["synchronous_commit"] = "off"
	n.watch = newSession(watching, n.checkDatabase)
	if err := n.watch.do(ctx, n.refuseNamesake); err != nil {
		return nil, errors.Join(err, n.watch.close())
	}
	return n, nil
}

// refuseNamesake refuses the name of another node that runs.
func (n *Node) refuseNamesake(ctx context.Context, c *pgx.Conn) error {
	var address string
	err := c.QueryRow(ctx, `SELECT address FROM nodes WHERE name = $1 AND address <> $2
		AND seen_at > now() - $3 * interval '1 second'`, n.opts.Name, n.opts.Address, presentFor.Seconds()).Scan(&address)
	if errors.Is(err, pgx.ErrNoRows) || hasCode(err, undefinedTable) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("--node-name: another node, at %s, is called %s, too: give each node a name of its own",
			address, n.opts.Name)
	}
	return err
}

// Reader returns a reader of the log with a connection of its own.
func (n *Node) Reader() *LogReader { return &LogReader{session: newSession(n.config, nil)} }

// Close ends the node's connections, but for those of a term.
func (n *Node) Close() error { return n.watch.close() }

// Close ends the reader's connection.
func (r *LogReader) Close() error { return r.session.close() }

// checkAddress refuses an address with several machines that does not say which of them is meant.
func checkAddress(config *pgx.ConnConfig) error {
	if len(config.Fallbacks) > 0 && config.ValidateConnect == nil && hosts(config) > 1 {
		return errors.New("--database-url names several machines: add target_session_attrs=primary, " +
			"so that the node finds the one that can write")
	}
	return nil
}

// hosts is how many machines an address names.
func hosts(config *pgx.ConnConfig) int {
	seen := map[string]bool{fmt.Sprint(config.Host, config.Port): true}
	for _, f := range config.Fallbacks {
		seen[fmt.Sprint(f.Host, f.Port)] = true
	}
	return len(seen)
}

// checkDatabase refuses a database in which leadership would not be safe.
func (n *Node) checkDatabase(ctx context.Context, c *pgx.Conn) error {
	var pid uint32
	var activities, encoding, synchronous, standby string
	var mayCreate bool
	err := c.QueryRow(ctx, `SELECT pg_backend_pid(), current_setting('track_activities'),
		current_setting('server_encoding'), current_setting('synchronous_standby_names'),
		current_setting('transaction_read_only'), has_schema_privilege(current_schema(), 'CREATE')`).
		Scan(&pid, &activities, &encoding, &synchronous, &standby, &mayCreate)
	if err != nil {
		return err
	}
	switch {
	case pid != c.PgConn().PID():
		return errors.New("--database-url: there is a pooler between this node and PostgreSQL; " +
			"a node needs connections of its own: name PostgreSQL itself")
	case activities != "on":
		return errors.New("PostgreSQL's track_activities is off, by which a standby sees whether the leader lives: " +
			"turn it on")
	case encoding != "UTF8":
		return fmt.Errorf("the database's encoding is %s: create it with ENCODING 'UTF8'", encoding)
	case standby == "on":
		return errors.New("--database-url leads to a copy that cannot be written: add target_session_attrs=primary")
	case !mayCreate:
		return errors.New("the role of --database-url may not create tables in its schema: " +
			"make it the leader of the database, or GRANT CREATE ON SCHEMA")
	}
	n.noteSynchronous(synchronous != "")
	return nil
}
