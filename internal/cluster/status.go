package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"tilth/internal/platform/db"
)

// Status is what a cluster's database says of it.
type Status struct {
	Leader   string // the name of the node that leads; empty: none holds the lock now
	Epoch    int64
	Life     string
	First    uint64 // the oldest entry that the log still has; 0: none
	Last     uint64
	LogBytes int64
	LogSince time.Time // when the oldest table was made; zero: there is none
	Archived uint64    // the archived position
	// ArchiveComplete is true if Archived is known, and so a node can begin with the archive.
	ArchiveComplete bool
	ArchiveBytes    int64 // in tables; 0: nothing is archived
	Nodes           []NodeStatus
	Problems        []string // in plain sentences, what needs somebody's attention
}

// NodeStatus is what a node said of itself.
type NodeStatus struct {
	Name, Address, Version string
	Position               uint64
	Trouble                string        // why it cannot lead; empty: it can
	Seen                   time.Duration // ago
}

// ReadStatus reads the status of the cluster of a database.
func ReadStatus(ctx context.Context, address string) (*Status, error) {
	config, err := db.ParseClusterAddress(address)
	if err != nil {
		return nil, err
	}
	if err := checkAddress(config); err != nil {
		return nil, err
	}
	session := newSession(config, nil)
	s := &Status{}
	err = session.do(ctx, func(ctx context.Context, c *pgx.Conn) error {
		err := s.readShard(ctx, c)
		if err == nil {
			err = s.readLog(ctx, c)
		}
		if err == nil {
			err = s.readArchive(ctx, c)
		}
		if err == nil {
			err = s.readNodes(ctx, c)
		}
		if err == nil {
			err = s.readCopies(ctx, c)
		}
		return err
	})
	if err == nil {
		reader := &LogReader{session: session}
		s.Last, _, err = reader.Last(ctx)
	}
	if err != nil {
		return nil, errors.Join(wrap("read the status", asNoLog(err)), session.close())
	}
	s.examine()
	return s, session.close()
}

func (s *Status) readShard(ctx context.Context, c *pgx.Conn) error {
	err := c.QueryRow(ctx, "SELECT leader, epoch, life FROM shards WHERE shard = 0").Scan(&s.Leader, &s.Epoch, &s.Life)
	if err != nil {
		return err
	}
	h, err := findHolder(ctx, c, logLockID)
	if err == nil && h == nil {
		s.Problems = append(
			s.Problems,
			"No node leads: "+s.Leader+" was the last one. Start a node, and look at its log.",
		)
		s.Leader = ""
	}
	return err
}

func (s *Status) readLog(ctx context.Context, c *pgx.Conn) error {
	var first *int64
	var since *time.Time
	err := c.QueryRow(ctx, `SELECT min(first_position), min(made_at),
		COALESCE(sum(pg_total_relation_size(to_regclass(name))), 0)::bigint FROM log_tables WHERE shard = 0`).
		Scan(&first, &since, &s.LogBytes)
	if first != nil {
		s.First, s.LogSince = uint64(*first), *since
	}
	return err
}

// readArchive reads what the archive holds. Tables of an earlier version have none.
func (s *Status) readArchive(ctx context.Context, c *pgx.Conn) error {
	var position int64
	err := c.QueryRow(ctx, "SELECT position, complete FROM archives WHERE shard = 0 AND life <> ''").
		Scan(&position, &s.ArchiveComplete)
	if errors.Is(err, pgx.ErrNoRows) || hasCode(err, undefinedTable) {
		return nil
	}
	if err != nil {
		return err
	}
	s.Archived = uint64(position)
	err = pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = '200ms'"); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `SELECT COALESCE(sum(pg_total_relation_size(inhrelid)), 0)::bigint
			FROM pg_inherits WHERE inhparent = to_regclass('reading_parts')`).Scan(&s.ArchiveBytes)
	})
	if hasCode(err, lockNotAvailable) {
		s.Problems = append(s.Problems, "Another session of PostgreSQL has locked the archive's tables "+
			"(reading_parts): nothing is copied to them meanwhile, and their size is not known.")
		return nil
	}
	return err
}

func (s *Status) readNodes(ctx context.Context, c *pgx.Conn) error {
	rows, err := c.Query(ctx, `SELECT name, address, version, position, trouble,
		EXTRACT(EPOCH FROM now() - seen_at)::float8 FROM nodes ORDER BY name`)
	if err != nil {
		return err
	}
	s.Nodes, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (n NodeStatus, err error) {
		var position int64
		var seconds float64
		err = row.Scan(&n.Name, &n.Address, &n.Version, &position, &n.Trouble, &seconds)
		n.Position, n.Seen = uint64(position), time.Duration(seconds*float64(time.Second))
		return n, err
	})
	return err
}

// readCopies looks whether PostgreSQL waits for a copy. Only roles with pg_monitor see the state of the
// copies; others see that there are some.
func (s *Status) readCopies(ctx context.Context, c *pgx.Conn) error {
	var names string
	var copies, visible, synchronous int
	err := c.QueryRow(ctx, `SELECT current_setting('synchronous_standby_names'), count(*), count(sync_state),
		count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')) FROM pg_stat_replication`).
		Scan(&names, &copies, &visible, &synchronous)
	switch {
	case err != nil:
		return err
	case names == "" && copies > 0:
		s.Problems = append(s.Problems, "PostgreSQL has a copy but does not wait for it (synchronous_standby_names is "+
			"empty): if the machine of the primary is lost, so are the newest acknowledged readings.")
	case names == "":
		s.Problems = append(s.Problems, "PostgreSQL has no synchronous copy (synchronous_standby_names is empty): "+
			"if its machine is lost, so is everything that was acknowledged since its last backup.")
	case copies == 0:
		s.Problems = append(
			s.Problems,
			"No copy of PostgreSQL is connected, and it waits for one: nothing is acknowledged.",
		)
	case visible > 0 && synchronous == 0:
		s.Problems = append(s.Problems, "None of PostgreSQL's copies is the one that it waits for ("+names+
			"): nothing is acknowledged.")
	}
	return nil
}

// examine adds what is wrong with the nodes.
func (s *Status) examine() {
	var versions []string
	present := 0
	for _, n := range s.Nodes {
		if n.Seen > presentFor {
			s.Problems = append(s.Problems, fmt.Sprintf("%s was last seen %s ago.", n.Name, n.Seen.Round(time.Second)))
			continue
		}
		present++
		if n.Trouble != "" {
			s.Problems = append(s.Problems, fmt.Sprintf("%s cannot lead: %s.", n.Name, n.Trouble))
		}
		if !slices.Contains(versions, n.Version) {
			versions = append(versions, n.Version)
		}
	}
	if len(versions) > 1 {
		slices.Sort(versions)
		s.Problems = append(s.Problems, fmt.Sprintf("The nodes run different versions: %s. Finish the upgrade.",
			joinAnd(versions)))
	}
	if present == 1 {
		s.Problems = append(s.Problems, "Only one node is there: nobody takes over if it fails.")
	}
}

// joinAnd joins words for a sentence.
func joinAnd(words []string) string {
	text := words[0]
	for i, w := range words[1:] {
		if i == len(words)-2 {
			text += " and " + w
		} else {
			text += ", " + w
		}
	}
	return text
}
