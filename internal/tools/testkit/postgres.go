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

// postgresEnv is the environment variable with the address of a PostgreSQL server on which tests
// create and drop databases. scripts/postgres-test.sh starts one. Some databases remain on it.
const postgresEnv = "TILTH_TEST_DATABASE_URL"

// UsePostgres tells whether the tests use PostgreSQL.
func UsePostgres() bool { return os.Getenv(postgresEnv) != "" }

// Postgres returns the address of a PostgreSQL database, migrated and empty, that only this test
// uses. Without a PostgreSQL server it skips the test.
func Postgres(t testing.TB) (address string) {
	t.Helper()
	if !UsePostgres() {
		t.Skip("no PostgreSQL for tests: scripts/postgres-test.sh starts one")
	}
	name, err := idleDatabases.take()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() { // the database may be in any state
			err = dropDatabase(name)
		} else {
			err = idleDatabases.release(name)
		}
		if err != nil {
			t.Error(err)
		}
	})
	return databaseURL(name)
}

// NewPostgres is like Postgres, but the database is empty: it has no tables.
func NewPostgres(t testing.TB) (address string) {
	t.Helper()
	if !UsePostgres() {
		t.Skip("no PostgreSQL for tests: scripts/postgres-test.sh starts one")
	}
	name := newDatabaseName()
	if err := administer("CREATE DATABASE " + name + " TEMPLATE template0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dropDatabase(name); err != nil {
			t.Error(err)
		}
	})
	return databaseURL(name)
}

// TakeOffline makes a test's PostgreSQL database unreachable until the caller calls back: it ends
// all connections and allows no new ones.
func TakeOffline(t testing.TB, address string) (back func()) {
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

func newDatabaseName() string { return "tilth_" + strings.ToLower(rand.Text()) }

func dropDatabase(name string) error { return administer("DROP DATABASE " + name + " WITH (FORCE)") }

// adminPool is the connection pool that creates and drops databases, as long as the tests run.
var adminPool = sync.OnceValues(func() (*sql.DB, error) { return sql.Open("pgx", os.Getenv(postgresEnv)) })

func administer(statement string) error {
	pool, err := adminPool()
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(context.Background(), statement)
	return err
}

// databaseURL returns the address of another database on the tests' server.
func databaseURL(name string) string {
	u, err := url.Parse(os.Getenv(postgresEnv))
	if err != nil {
		return "" // cannot happen: adminPool connected to it
	}
	u.Path = "/" + name
	return u.String()
}
