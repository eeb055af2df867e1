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

// postgresEnv holds the address of a PostgreSQL for tests, where databases
// may be made and dropped: scripts/postgres-test.sh starts one. Some stay behind
// in it.
const postgresEnv = "TILTH_TEST_DATABASE_URL"

// UsePostgres tells whether tests are to use PostgreSQL.
func UsePostgres() bool { return os.Getenv(postgresEnv) != "" }

// Postgres gives the address of a PostgreSQL database, migrated and empty, that
// is the test's alone. Without a server for tests the test is skipped.
func Postgres(t testing.TB) (address string) {
	t.Helper()
	if !UsePostgres() {
		t.Skip("no PostgreSQL for tests: scripts/postgres-test.sh")
	}
	name, err := idleDatabases.take()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() { // whatever it did to it
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

// NewPostgres is Postgres with nothing in it, not even tables.
func NewPostgres(t testing.TB) (address string) {
	t.Helper()
	if !UsePostgres() {
		t.Skip("no PostgreSQL for tests: scripts/postgres-test.sh")
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

// TakeOffline takes a test's PostgreSQL database away from whoever uses it until the
// returned function is called: connections end, and none can be made.
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

// adminPool is who makes and drops databases, for as long as the tests run.
var adminPool = sync.OnceValues(func() (*sql.DB, error) { return sql.Open("pgx", os.Getenv(postgresEnv)) })

func administer(statement string) error {
	pool, err := adminPool()
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(context.Background(), statement)
	return err
}

// databaseURL is the address of another database of the tests' server.
func databaseURL(name string) string {
	u, err := url.Parse(os.Getenv(postgresEnv))
	if err != nil {
		return "" // it was connected to
	}
	u.Path = "/" + name
	return u.String()
}
