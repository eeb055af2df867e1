package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tilth/internal/platform/db"
	"tilth/internal/tools/pgpair"
)

const patience = time.Minute // of tests, for what comes at once on an idle machine

// oneServer is a PostgreSQL server that tests share which need no more than a database of their own.
var oneServer struct {
	once      sync.Once
	server    *pgpair.Server
	err       error
	databases atomic.Int32
}

func TestMain(m *testing.M) {
	code := m.Run()
	if s := oneServer.server; s != nil {
		if err := s.Discard(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// newDatabase returns the address of a new, empty database.
func newDatabase(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts PostgreSQL servers")
	}
	oneServer.once.Do(func() {
		oneServer.server, oneServer.err = pgpair.StartSingle(context.Background(), pgpair.Options{})
	})
	if errors.Is(oneServer.err, pgpair.ErrMissing) && os.Getenv("CI") == "" {
		t.Skip(oneServer.err)
	}
	if oneServer.err != nil {
		t.Fatal(oneServer.err)
	}
	name := fmt.Sprintf("test_%d", oneServer.databases.Add(1))
	exec(t, oneServer.server, "CREATE DATABASE "+name+" OWNER tilth ENCODING 'UTF8' TEMPLATE template0")
	u, err := url.Parse(oneServer.server.URL())
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

// testDatabase returns a new database with the tables of a cluster.
func testDatabase(t *testing.T) string {
	t.Helper()
	address := newDatabase(t)
	if err := db.PrepareCluster(t.Context(), t.TempDir(), address, true); err != nil {
		t.Fatal(err)
	}
	return address
}
