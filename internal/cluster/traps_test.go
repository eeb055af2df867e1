package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tilth/internal/domain/reading"
	"tilth/internal/platform/db"
	"tilth/internal/tools/pgpair"
	"tilth/internal/tools/testkit"
)

// pairDatabase starts a primary with a synchronous copy, and returns its database with the tables of a
// cluster.
func pairDatabase(t *testing.T) (*pgpair.Pair, string) {
	t.Helper()
	pair := pgpair.Require(t)
	if err := db.PrepareCluster(t.Context(), t.TempDir(), pair.URL(), true); err != nil {
		t.Fatal(err)
	}
	return pair, pair.URL()
}

// exec runs statements as the superuser of a server.
func exec(t *testing.T, s *pgpair.Server, statements ...string) {
	t.Helper()
	c, err := s.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	for _, statement := range statements {
		if _, err := c.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// waitFor asks until a query of the superuser returns true.
func waitFor(t *testing.T, s *pgpair.Server, what, query string, args ...any) {
	t.Helper()
	c, err := s.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	for began := time.Now(); time.Since(began) < 15*time.Second; time.Sleep(20 * time.Millisecond) {
		var is bool
		if err := c.QueryRow(t.Context(), query, args...).Scan(&is); err != nil {
			t.Fatal(err)
		}
		if is {
			return
		}
	}
	t.Fatal("it did not come to pass: " + what)
}

// PostgreSQL reports a commit as a success whose wait for the copy was cancelled. It is not
// acknowledged before the copy has it.
func TestCommitWithoutTheCopyIsNoSuccess(t *testing.T) {
	pair, address := pairDatabase(t)
	term := own(t, joinTest(t, address, "a"))
	if err := term.Append(t.Context(), entryAt(1, 11)); err != nil {
		t.Fatal(err)
	}
	if err := pair.Copy().Freeze(); err != nil {
		t.Fatal(err)
	}
	appended := make(chan error, 1)
	go func() { appended <- term.Append(t.Context(), entryAt(2, 12)) }()
	const waits = "SELECT COUNT(*) = 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
	waitFor(t, pair.Primary(), "the append waits for the copy", waits)
	for range 3 { // the entry is visible from the first time on
		exec(t, pair.Primary(), "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
		time.Sleep(100 * time.Millisecond)
		waitFor(t, pair.Primary(), "it waits again", waits)
	}
	reader := joinTest(t, address, "b").Reader()
	t.Cleanup(func() { _ = reader.Close() })
	if pos, _, err := reader.Last(t.Context()); pos != 2 || err != nil {
		t.Errorf("the log ends at %d, %v: the trap was not sprung", pos, err)
	}
	select {
	case err := <-appended:
		t.Fatalf("what the copy does not have was acknowledged: %v", err)
	default:
	}
	if err := pair.Copy().Thaw(); err != nil {
		t.Fatal(err)
	}
	if err := testkit.Receive(t, "the acknowledgement", appended); err != nil {
		t.Error(err)
	}
}

// After the primary is lost, the copy has everything that was acknowledged, and the leader goes on.
func TestLeaderGoesOnAfterFailover(t *testing.T) {
	pair, address := pairDatabase(t)
	term := own(t, joinTest(t, address, "a"))
	for pos := uint64(1); pos <= 20; pos++ {
		if err := term.Append(t.Context(), entryAt(pos, 100+pos)); err != nil {
			t.Fatal(err)
		}
	}
	if err := pair.Failover(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	if err := term.Append(ctx, entryAt(21, 121)); err != nil {
		t.Fatal(err)
	}
	if pos, chain, err := term.Last(t.Context()); pos != 21 || chain != 121 || err != nil {
		t.Errorf("the log ends at %d, %d, %v", pos, chain, err)
	}
	seen := uint64(0)
	if err := term.After(t.Context(), 0, func(e reading.Entry) error {
		seen++
		if e.Chain != 100+e.Position {
			t.Errorf("entry %d is %d", e.Position, e.Chain)
		}
		return nil
	}); err != nil || seen != 21 {
		t.Errorf("%d entries, %v", seen, err)
	}
}

// A leader whose database went back to a stale copy does not append behind the hole: it must begin anew and
// put back what is missing.
func TestLeaderNoticesAStaleCopy(t *testing.T) {
	pair, address := pairDatabase(t)
	term := own(t, joinTest(t, address, "a"))
	appendUpTo := func(from, to uint64) error {
		for pos := from; pos <= to; pos++ {
			if err := term.Append(t.Context(), entryAt(pos, 100+pos)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := appendUpTo(1, 10); err != nil {
		t.Fatal(err)
	}
	if err := pair.DetachCopy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := appendUpTo(11, 20); err != nil {
		t.Fatal(err)
	}
	if err := pair.Failover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := appendUpTo(21, 21); err == nil || !strings.Contains(err.Error(), "has lost entries 11 to 20") {
		t.Errorf("an append behind a hole: %v", err)
	}
	testkit.Receive(t, "the end of the term", term.Lost())
	reader := joinTest(t, address, "b").Reader()
	t.Cleanup(func() { _ = reader.Close() })
	if pos, _, err := reader.Last(t.Context()); pos != 10 || err != nil {
		t.Errorf("the log ends at %d, %v", pos, err)
	}
}

// A standby that waits for the lock does not keep PostgreSQL from removing dead rows.
func TestVacuumWorksWhileAStandbyWaits(t *testing.T) {
	server := pgpair.Single(t)
	if err := db.PrepareCluster(t.Context(), t.TempDir(), server.URL(), true); err != nil {
		t.Fatal(err)
	}
	term := own(t, joinTest(t, server.URL(), "a"))
	waiting, stop := context.WithCancel(t.Context())
	defer stop()
	standby := joinTest(t, server.URL(), "b")
	go func() {
		if _, err := standby.AwaitTerm(waiting, noPreparation); err == nil {
			t.Error("two nodes lead")
		}
	}()
	const waits = "SELECT COUNT(*) = 1 FROM pg_stat_activity WHERE wait_event = 'advisory'"
	waitFor(t, server, "a standby waits", waits)
	for range 50 {
		if err := term.Accepted(t.Context(), time.Now()); err != nil { // leaves dead rows
			t.Fatal(err)
		}
	}
	c, err := server.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	var now string
	if err := c.QueryRow(t.Context(), "SELECT pg_current_xact_id()::text").Scan(&now); err != nil {
		t.Fatal(err)
	}
	// Within one attempt, the waiting session's horizon moves beyond what was written before.
	const removable = `SELECT COALESCE(min(backend_xmin::text::bigint), 4294967295) >= $1::bigint
		FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
	waitFor(t, server, "dead rows can be removed", removable, now)
	waitFor(t, server, "the standby still waits", waits)
}

func TestWrongSettingsAreRefusedInWords(t *testing.T) {
	server := pgpair.Single(t)
	if err := db.PrepareCluster(t.Context(), t.TempDir(), server.URL(), true); err != nil {
		t.Fatal(err)
	}
	refused := func(name, address, words string) {
		t.Helper()
		n, err := Join(t.Context(), Options{DatabaseURL: address, Name: "a", Logger: slog.New(slog.DiscardHandler)})
		if err == nil {
			_ = n.Close()
		}
		if err == nil || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	several, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	several.RawQuery = ""
	several.Host += ",127.0.0.1:1"
	refused("several machines", several.String(), "target_session_attrs=primary")

	pooler := poolerBefore(t, server.Addr())
	several.Host = pooler
	refused("a pooler", several.String(), "pooler")

	namesake := joinTest(t, server.URL(), "a")
	own(t, namesake)
	say(t, namesake)
	refused("a namesake", server.URL(), "is called a, too")

	exec(t, server, "ALTER DATABASE tilth SET track_activities = off")
	refused("no activities", server.URL(), "track_activities")
	exec(t, server, "ALTER DATABASE tilth RESET track_activities", "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
		"ALTER SCHEMA public OWNER TO CURRENT_USER", "REVOKE CREATE ON SCHEMA public FROM tilth")
	exec(t, server, "ALTER DATABASE tilth OWNER TO CURRENT_USER")
	refused("no rights", server.URL(), "GRANT CREATE")
}

func TestCopyIsRefusedInWords(t *testing.T) {
	pair, _ := pairDatabase(t)
	address := strings.ReplaceAll(pair.Copy().URL(), "target_session_attrs=primary", "target_session_attrs=any")
	_, err := Join(t.Context(), Options{DatabaseURL: address, Name: "a", Logger: slog.New(slog.DiscardHandler)})
	if err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("%s: %v", address, err)
	}
}

// poolerBefore passes connections on to PostgreSQL, and tells clients the process number of another
// session, as a pooler does that serves many clients over few sessions.
func poolerBefore(t *testing.T, target string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", target)
			if err != nil {
				_ = client.Close()
				continue
			}
			go func() { _, _ = io.Copy(server, client) }()
			go func() {
				defer func() { _ = errors.Join(client.Close(), server.Close()) }()
				buf := make([]byte, 64<<10)
				for {
					n, err := server.Read(buf)
					if i := bytes.Index(buf[:n], []byte{'K', 0, 0, 0, 12}); i >= 0 && i+9 <= n {
						binary.BigEndian.PutUint32(buf[i+5:], 4711)
					}
					if _, werr := client.Write(buf[:n]); err != nil || werr != nil {
						return
					}
				}
			}()
		}
	}()
	return ln.Addr().String()
}

// The database of a cluster is refused to a server that is no node.
func TestServerAloneIsRefusedOnTheDatabaseOfACluster(t *testing.T) {
	address, dir := newDatabase(t), t.TempDir()
	if err := db.PrepareCluster(t.Context(), dir, address, true); err != nil {
		t.Fatal(err)
	}
	term := own(t, joinTest(t, address, "a"))
	if err := term.End(); err != nil {
		t.Fatal(err)
	}
	d, err := db.OpenPostgres(t.Context(), dir, address)
	if err == nil {
		_ = d.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "--cluster;") {
		t.Error(err)
	}
}

// say makes a node say that it is there, as Watch does.
func say(t *testing.T, n *Node) {
	t.Helper()
	if err := n.watch.do(t.Context(), func(ctx context.Context, c *pgx.Conn) error {
		if err := n.readLeader(ctx, c); err != nil {
			return err
		}
		said, err := n.sayPresent(ctx, c)
		if err == nil && !said {
			t.Error("nobody leads yet")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestStatusSaysWhatIsWrong(t *testing.T) {
	pair, address := pairDatabase(t)
	has := func(when string, words ...string) {
		t.Helper()
		s, err := ReadStatus(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range words {
			if !strings.Contains(strings.Join(s.Problems, "\n"), w) {
				t.Errorf("%s: %q is missing in %q", when, w, s.Problems)
			}
		}
		if len(words) != len(s.Problems) {
			t.Errorf("%s: %q", when, s.Problems)
		}
	}
	if _, err := ReadStatus(t.Context(), address); !errors.Is(err, ErrNoLog) {
		t.Errorf("before anybody leads: %v", err)
	}
	a := joinTest(t, address, "a")
	term := own(t, a)
	say(t, a)
	has("one node", "Only one node")
	b := joinTest(t, address, "b", func(o *Options) {
		o.Version, o.Trouble = "next", func() string { return "its disk is full" }
	})
	say(t, b)
	has("two nodes", "different versions", "b cannot lead: its disk is full")
	b.opts.Version, b.opts.Trouble = "test", func() string { return "" }
	say(t, b)
	has("two good nodes")
	if err := pair.SetSynchronous(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	has("an asynchronous copy", "does not wait for it")
	if err := term.End(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "PostgreSQL has ended the leader's session", func() bool {
		s, err := ReadStatus(t.Context(), address)
		return err == nil && s.Leader == ""
	})
	has("nobody leads", "does not wait for it", "No node leads: a was the last one")
	c, err := pair.Primary().Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	const aMinuteAgo = "UPDATE nodes SET seen_at = now() - interval '1 minute' WHERE name = 'b'"
	if _, err := c.Exec(t.Context(), aMinuteAgo); err != nil {
		t.Fatal(err)
	}
	has("a node is gone", "does not wait for it", "No node leads", "b was last seen 1m", "Only one node")
	for name, words := range map[string]string{"a": "stop it first", "c": "there is no node c"} {
		if err := ForgetNode(t.Context(), address, name); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("forget %s: %v", name, err)
		}
	}
	if err := ForgetNode(t.Context(), address, "b"); err != nil {
		t.Error(err)
	}
	has("the node is forgotten", "does not wait for it", "No node leads", "Only one node")
}
