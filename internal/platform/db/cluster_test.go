package db_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tilth/internal/platform/db"
	"tilth/internal/tools/pgpair"
	"tilth/internal/tools/testkit"
)

// superuser connects to a server as its superuser.
func superuser(t *testing.T, s *pgpair.Server) *pgx.Conn {
	t.Helper()
	c, err := s.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

// openToLead prepares the database of a cluster and opens it in epoch 1.
func openToLead(t *testing.T, address, dir string, c *pgx.Conn) *db.DB {
	t.Helper()
	if err := db.PrepareCluster(t.Context(), dir, address, true); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(t.Context(), `INSERT INTO shards (shard, epoch, leader, address, life, begin_position)
		VALUES (0, 1, 'a', '', 'life', 0)`); err != nil {
		t.Fatal(err)
	}
	d, err := db.OpenPostgresToLead(t.Context(), dir, address, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// A transaction is no success as long as the copy does not have it, even if PostgreSQL says so because
// the wait for the copy was cancelled.
func TestCommitIsConfirmedByTheCopy(t *testing.T) {
	pair := pgpair.Require(t)
	c := superuser(t, pair.Primary())
	d := openToLead(t, pair.URL(), t.TempDir(), c)
	if err := pair.Copy().Freeze(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- d.Jump(t.Context(), "devices", "id", 7) }()
	waits := func() (n int) {
		t.Helper()
		err := c.QueryRow(t.Context(), "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'").Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for range 3 {
		for began := time.Now(); waits() == 0; time.Sleep(10 * time.Millisecond) {
			if time.Since(began) > testkit.WaitTimeout {
				t.Fatal("the transaction does not wait for the copy")
			}
		}
		const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
		if _, err := c.Exec(t.Context(), cancel); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	select {
	case err := <-ended:
		t.Fatalf("what the copy does not have counts as committed: %v", err)
	default:
	}
	if err := pair.Copy().Thaw(); err != nil {
		t.Fatal(err)
	}
	if err := testkit.Receive(t, "the end of the transaction", ended); err != nil {
		t.Error(err)
	}
}

// After a failover to a copy that was behind, a process writes nothing of what it remembers.
func TestTransactionAfterAStaleCopyIsRefused(t *testing.T) {
	pair := pgpair.Require(t)
	d := openToLead(t, pair.URL(), t.TempDir(), superuser(t, pair.Primary()))
	for n := range int64(8) {
		if n == 5 {
			if err := pair.DetachCopy(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Jump(t.Context(), "devices", "id", 10+n); err != nil {
			t.Fatal(err)
		}
	}
	if err := pair.Failover(t.Context()); err != nil {
		t.Fatal(err)
	}
	var err error
	for began := time.Now(); time.Since(began) < testkit.WaitTimeout; time.Sleep(20 * time.Millisecond) {
		// Until the new primary is found, the connection fails.
		if err = d.Jump(t.Context(), "devices", "id", 100); err == nil || errors.Is(err, db.ErrTakenOver) {
			break
		}
	}
	if !errors.Is(err, db.ErrTakenOver) {
		t.Errorf("it writes on: %v", err)
	}
	testkit.Receive(t, "the end", d.TakenOver())
}

// After a failover that lost nothing, a process goes on.
func TestTransactionAfterAFailoverGoesOn(t *testing.T) {
	pair := pgpair.Require(t)
	d := openToLead(t, pair.URL(), t.TempDir(), superuser(t, pair.Primary()))
	if err := d.Jump(t.Context(), "devices", "id", 10); err != nil {
		t.Fatal(err)
	}
	if err := pair.Failover(t.Context()); err != nil {
		t.Fatal(err)
	}
	var err error
	for began := time.Now(); time.Since(began) < testkit.WaitTimeout; time.Sleep(20 * time.Millisecond) {
		if err = d.Jump(t.Context(), "devices", "id", 100); err == nil {
			return
		}
	}
	t.Error(err)
}

// A transaction of a former epoch changes nothing, whatever lock its session holds.
func TestTransactionNeedsTheEpoch(t *testing.T) {
	server := pgpair.Single(t)
	c := superuser(t, server)
	d := openToLead(t, server.URL(), t.TempDir(), c)
	if err := d.Jump(t.Context(), "devices", "id", 7); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(t.Context(), "UPDATE shards SET epoch = 2"); err != nil {
		t.Fatal(err)
	}
	if err := d.Jump(t.Context(), "devices", "id", 9); !errors.Is(err, db.ErrTakenOver) {
		t.Errorf("a former leader writes: %v", err)
	}
	var last int64
	if err := c.QueryRow(t.Context(), "SELECT last_value FROM devices_id_seq").Scan(&last); err != nil || last != 7 {
		t.Errorf("the next number is after %d, %v", last, err)
	}
	if err := d.Ping(t.Context()); !errors.Is(err, db.ErrTakenOver) {
		t.Errorf("it does not know: %v", err)
	}
}

// A node's folder is refused with another cluster's database, and before it joined.
func TestFolderOfANodeIsChecked(t *testing.T) {
	server := pgpair.Single(t)
	first, none, other := t.TempDir(), t.TempDir(), t.TempDir()
	d, err := db.OpenPostgresToFollow(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if isNew, err := d.CheckFolder(t.Context(), first); !isNew || err != nil {
		t.Errorf("before the first start: %v, %v", isNew, err)
	}
	openToLead(t, server.URL(), first, superuser(t, server))
	if isNew, err := d.CheckFolder(t.Context(), first); isNew || err != nil {
		t.Errorf("its own folder: %v, %v", isNew, err)
	}
	if err := os.WriteFile(filepath.Join(other, "database-mark"), []byte("another\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, words := range map[string]string{none: "tilth join --from", other: "belongs to another cluster"} {
		if _, err := d.CheckFolder(t.Context(), dir); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("want %q: %v", words, err)
		}
	}
}
