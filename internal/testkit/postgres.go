package testkit

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // makes and drops the tests' databases
)

// postgresVariable holds the address of a PostgreSQL for tests, where databases
// may be made and dropped: scripts/postgres-test.sh starts one. Some stay behind
// in it.
const postgresVariable = "TILTH_TEST_DATABASE_URL"

// PostgresWanted tells whether tests are to use PostgreSQL.
func PostgresWanted() bool { return os.Getenv(postgresVariable) != "" }

// Postgres gives the address of a PostgreSQL database, migrated and empty, that
// is the test's alone. Without a server for tests the test is skipped.
func Postgres(t testing.TB) (address string) {
	t.Helper()
	if !PostgresWanted() {
		t.Skip("no PostgreSQL for tests: scripts/postgres-test.sh")
	}
	name, err := spares.take()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() { // whatever it did to it
			err = drop(name)
		} else {
			err = spares.empty(name)
		}
		if err != nil {
			t.Error(err)
		}
	})
	return addressOf(name)
}

// NewPostgres is Postgres with nothing in it, not even tables.
func NewPostgres(t testing.TB) (address string) {
	t.Helper()
	if !PostgresWanted() {
		t.Skip("no PostgreSQL for tests: scripts/postgres-test.sh")
	}
	name := newName()
	if err := administer("CREATE DATABASE " + name + " TEMPLATE template0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := drop(name); err != nil {
			t.Error(err)
		}
	})
	return addressOf(name)
}

// Away takes a test's PostgreSQL database away from whoever uses it until the
// returned function is called: connections end, and none can be made.
func Away(t testing.TB, address string) (back func()) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/")
	run := func(statements ...string) {
		t.Helper()
		for _, s := range statements {
			if err := administer(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	run("ALTER DATABASE "+name+" WITH ALLOW_CONNECTIONS false",
		"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '"+name+"'")
	return func() { t.Helper(); run("ALTER DATABASE " + name + " WITH ALLOW_CONNECTIONS true") }
}

func newName() string { return "tilth_" + strings.ToLower(rand.Text()) }

func drop(name string) error { return administer("DROP DATABASE " + name + " WITH (FORCE)") }

// keeper is who makes and drops databases, for as long as the tests run.
var keeper = sync.OnceValues(func() (*sql.DB, error) { return sql.Open("pgx", os.Getenv(postgresVariable)) })

func administer(statement string) error {
	pool, err := keeper()
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(context.Background(), statement)
	return err
}

// addressOf is the address of another database of the tests' server.
func addressOf(name string) string {
	u, err := url.Parse(os.Getenv(postgresVariable))
	if err != nil {
		return "" // it was connected to
	}
	u.Path = "/" + name
	return u.String()
}
