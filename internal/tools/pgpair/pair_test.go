package pgpair_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"tilth/internal/tools/pgpair"
)

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func run(t *testing.T, conn *pgx.Conn, statement string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// execOn runs a statement on the primary that a URL leads to, on a connection of its own.
func execOn(t *testing.T, address, statement string) {
	t.Helper()
	conn := connect(t, address)
	defer conn.Close(t.Context())
	run(t, conn, statement)
}

func query[T any](t *testing.T, address, statement string) (value T) {
	t.Helper()
	conn := connect(t, address)
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), statement).Scan(&value); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return value
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// hangs tells whether a statement is unanswered after a time in which others are answered many times.
func hangs(t *testing.T, address, statement string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, address)
	if err == nil {
		defer conn.Close(context.Background())
		_, err = conn.Exec(ctx, statement)
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) && !pgconn.Timeout(err) {
		t.Fatalf("%s: %v", statement, err)
	}
	return err != nil
}

func TestPairIsSynchronous(t *testing.T) {
	p := pgpair.Require(t)
	execOn(t, p.URL(), "CREATE TABLE rows (n int)")

	if copies := query[int](t, p.Primary().URL(), "SELECT count(*) FROM pg_stat_replication"); copies != 1 {
		t.Errorf("%d copies are connected, want 1", copies)
	}
	admin, err := p.Primary().Connect(t.Context())
	ok(t, err)
	defer admin.Close(t.Context())
	var state, sync string
	ok(t, admin.QueryRow(t.Context(), "SELECT state, sync_state FROM pg_stat_replication").Scan(&state, &sync))
	if state != "streaming" || sync != "quorum" {
		t.Errorf("the copy is %s, %s", state, sync)
	}
	if query[bool](t, p.URL(), "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") {
		t.Error("the role of the URL is a superuser")
	}
	if !query[bool](t, p.Copy().URL(), "SELECT pg_is_in_recovery()") {
		t.Error("the copy is a primary")
	}

	ok(t, p.Copy().Freeze())
	if !hangs(t, p.Primary().URL(), "INSERT INTO rows VALUES (1)") {
		t.Error("a commit did not wait for the copy")
	}
	ok(t, p.Copy().Thaw())
	execOn(t, p.URL(), "INSERT INTO rows VALUES (2)")

	ok(t, p.Copy().Freeze())
	ok(t, p.Primary().Freeze())
	if !hangs(t, p.Primary().URL(), "SELECT 1") {
		t.Error("a frozen server answered")
	}
	ok(t, p.Primary().Thaw())
	ok(t, p.Copy().Thaw())
	execOn(t, p.URL(), "INSERT INTO rows VALUES (3)")

	ok(t, p.SetSynchronous(t.Context(), false))
	ok(t, p.Copy().Kill())
	execOn(t, p.Primary().URL(), "INSERT INTO rows VALUES (4)")
	ok(t, p.Copy().Start(t.Context()))
	ok(t, p.SetSynchronous(t.Context(), true))
	ok(t, p.Copy().Stop())
	if !hangs(t, p.Primary().URL(), "INSERT INTO rows VALUES (5)") {
		t.Error("a commit did not wait for the copy after SetSynchronous")
	}
}

func TestCommittedRowSurvivesFailovers(t *testing.T) {
	p := pgpair.Require(t)
	execOn(t, p.URL(), "CREATE TABLE rows (n int)")
	first := p.Primary()
	for n := range 2 {
		conn := connect(t, p.URL())
		run(t, conn, "INSERT INTO rows VALUES (1)")
		ok(t, p.Failover(t.Context()))
		if _, err := conn.Exec(t.Context(), "SELECT 1"); err == nil {
			t.Error("the killed primary answered")
		}
		if rows := query[int](t, p.URL(), "SELECT count(*) FROM rows"); rows != n+1 {
			t.Fatalf("%d rows survived failover %d, want %d", rows, n+1, n+1)
		}
		execOn(t, p.URL(), "CREATE TABLE alone"+string(rune('a'+n))+" ()") // waits for nobody
		ok(t, p.NewCopy(t.Context()))
		if rows := query[int](t, p.Copy().URL(), "SELECT count(*) FROM rows"); rows != n+1 {
			t.Fatalf("the new copy has %d rows, want %d", rows, n+1)
		}
	}
	if p.Primary() != first {
		t.Error("after two failovers the first primary is not primary again")
	}
	ok(t, p.Primary().Kill())
	ok(t, p.Primary().Start(t.Context()))
	if rows := query[int](t, p.URL(), "SELECT count(*) FROM rows"); rows != 2 {
		t.Errorf("%d rows after a kill and a start, want 2", rows)
	}
}

func TestStaleCopyLacksTheRow(t *testing.T) {
	p := pgpair.Require(t)
	execOn(t, p.URL(), "CREATE TABLE rows (n int)")
	execOn(t, p.URL(), "INSERT INTO rows VALUES (1)")
	ok(t, p.DetachCopy(t.Context()))
	execOn(t, p.URL(), "INSERT INTO rows VALUES (2)")
	if n := query[int](t, p.Copy().URL(), "SELECT max(n) FROM rows"); n != 1 {
		t.Fatalf("the detached copy has row %d", n)
	}
	ok(t, p.AttachCopy(t.Context()))
	execOn(t, p.URL(), "INSERT INTO rows VALUES (3)")
	ok(t, p.DetachCopy(t.Context()))
	execOn(t, p.URL(), "INSERT INTO rows VALUES (4)")
	ok(t, p.Failover(t.Context()))
	if n := query[int](t, p.URL(), "SELECT max(n) FROM rows"); n != 3 {
		t.Errorf("after a failover to the stale copy the newest row is %d, want 3", n)
	}
}

func TestSingle(t *testing.T) {
	s := pgpair.Single(t)
	execOn(t, s.URL(), "CREATE TABLE rows (n int)")
	ok(t, s.Stop())
	if _, err := s.Connect(t.Context()); err == nil {
		t.Error("a stopped server answered")
	}
	ok(t, s.Start(t.Context()))
	if encoding := query[string](t, s.URL(), "SHOW server_encoding"); encoding != "UTF8" {
		t.Errorf("the encoding is %s", encoding)
	}
	execOn(t, s.URL(), "INSERT INTO rows VALUES (1)")
	log, err := s.Log()
	ok(t, err)
	if !strings.Contains(log, "pg1 LOG:") {
		t.Errorf("the log lacks the server's lines:\n%s", log)
	}
}

func TestStartRefusesLongPaths(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("x", 80))
	_, err := pgpair.Start(t.Context(), pgpair.Options{Dir: dir})
	if errors.Is(err, pgpair.ErrMissing) {
		t.Skip(err)
	}
	if err == nil || !strings.Contains(err.Error(), "too long a path") {
		t.Errorf("Start in a folder with a long path: %v", err)
	}
}

func TestStopLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts PostgreSQL servers")
	}
	dir := namedFolder(t)
	p, err := pgpair.Start(t.Context(), pgpair.Options{Dir: dir, Fsync: true})
	if errors.Is(err, pgpair.ErrMissing) {
		t.Skip(err)
	}
	ok(t, err)
	if fsync := query[string](t, p.URL(), "SHOW fsync"); fsync != "on" {
		t.Errorf("fsync is %s", fsync)
	}
	if n := processesOf(t, dir); n < 10 {
		t.Fatalf("the test finds %d processes of a running pair, want ten at least", n)
	}
	ok(t, p.Copy().Freeze())
	began := time.Now()
	ok(t, p.Stop())
	// In order, the primary would wait half a minute for the frozen copy.
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("Stop took %s", took)
	}
	if n := processesOf(t, dir); n != 0 {
		t.Errorf("%d processes remain", n)
	}
	log, err := p.Log()
	ok(t, err)
	if !strings.Contains(log, "pg2 LOG:") {
		t.Error("the log of a folder that the caller named is gone")
	}
	ok(t, p.Stop())

	if _, err := pgpair.Start(t.Context(), pgpair.Options{Dir: dir}); err == nil {
		t.Error("a second pair started in a folder with data")
	}
}
