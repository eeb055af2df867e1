package testkit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"

	"tilth/internal/platform/db"
)

// idleDatabases are databases of this process that no test uses, migrated and empty. Emptying one
// takes a twentieth of the time that making one takes.
var idleDatabases databasePool

type databasePool struct {
	mu       sync.Mutex
	names    []string
	template string // new databases are copies of it; empty if there is none yet
}

// take returns an idle database, or makes one.
func (p *databasePool) take() (name string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.names); n > 0 {
		name, p.names = p.names[n-1], p.names[:n-1]
		return name, nil
	}
	if p.template == "" {
		if p.template, err = newTemplate(); err != nil {
			return "", err
		}
	}
	name = newDatabaseName()
	return name, administer("CREATE DATABASE " + name + " TEMPLATE " + p.template)
}

func newTemplate() (name string, err error) {
	name = newDatabaseName()
	if err := administer("CREATE DATABASE " + name + " TEMPLATE template0"); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "tilth-template")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d, err := db.OpenPostgres(context.Background(), dir, databaseURL(name))
	if err != nil {
		return "", err
	}
	return name, errors.Join(d.Close(), wipeDatabase(name))
}

// release empties a database and makes it an idle one.
func (p *databasePool) release(name string) error {
	if err := wipeDatabase(name); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.names = append(p.names, name)
	return nil
}

// wipeSQL waits until the connection that wrote is gone (its lock is free), and removes all rows
// without checking foreign keys, and what FailStatement made. It truncates large tables, which also
// frees their files.
const wipeSQL = `
SELECT pg_advisory_lock(%d);
SET session_replication_role = replica;
DROP FUNCTION IF EXISTS refuse CASCADE;
DO $$
DECLARE t text; c text;
BEGIN
	FOR t IN SELECT tablename FROM pg_tables
			WHERE schemaname = current_schema() AND tablename <> 'goose_db_version' LOOP
		IF pg_relation_size(quote_ident(t)) > 1 << 20 THEN
			EXECUTE format('TRUNCATE %%I CASCADE', t);
		ELSE
			EXECUTE format('DELETE FROM %%I', t);
		END IF;
	END LOOP;
	FOR t, c IN SELECT table_name, column_name FROM information_schema.columns
			WHERE table_schema = current_schema() AND is_identity = 'YES' AND table_name <> 'goose_db_version' LOOP
		EXECUTE format('ALTER TABLE %%I ALTER COLUMN %%I RESTART', t, c);
	END LOOP;
END $$;
SELECT pg_advisory_unlock_all();`

func wipeDatabase(name string) (err error) {
	pool, err := sql.Open("pgx", databaseURL(name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	pool.SetMaxOpenConns(1)
	_, err = pool.ExecContext(context.Background(), fmt.Sprintf(wipeSQL, int64(db.OwnerLockID)))
	return err
}
