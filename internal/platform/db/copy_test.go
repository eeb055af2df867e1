package db_test

import (
	"context"
	"sync"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
)

// A copy contains each transaction completely or not at all, however many are running.
func TestCopy(t *testing.T) {
	d, err := db.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	exec := func(ctx context.Context, tx bun.IDB, query string, args ...any) error {
		_, err := tx.ExecContext(ctx, query, args...)
		return err
	}
	const insert = `INSERT INTO tenants (name, time_zone, language, create_time)
		VALUES (hex(randomblob(8)), 'UTC', 'en-us', 0)`
	writing, stop := context.WithCancel(t.Context())
	started := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; writing.Err() == nil; i++ {
			err := d.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
				for range 2 {
					if err := exec(ctx, tx, insert); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
				return
			}
			if i == 0 {
				close(started)
			}
		}
	})
	<-started
	for range 5 {
		dir := t.TempDir()
		if err := d.Copy(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		if err := d.Copy(t.Context(), dir); err == nil {
			t.Error("a copy replaced another one")
		}
		c, err := db.OpenToRead(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		n, err := c.Read(t.Context()).NewSelect().Table("tenants").Count(t.Context())
		problems, e := c.Examine(t.Context())
		if err != nil || e != nil || n == 0 || n%2 != 0 || len(problems) > 0 {
			t.Errorf("%d tenants (%v), %v (%v)", n, err, problems, e)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	stop()
	writer.Wait()
}
