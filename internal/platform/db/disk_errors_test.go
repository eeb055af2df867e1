package db_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
)

// A full disk gives a StorageFailure, which is counted; the database works again once there is
// space.
func TestFullDiskIsStorageFailure(t *testing.T) {
	d, err := db.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	limit := func(pages int) {
		t.Helper()
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
			_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", pages))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	name := strings.Repeat("x", 1<<20)
	write := func() error {
		return d.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO tenants (name, time_zone, language, create_time)
				VALUES (?, 'UTC', 'en-us', 0)`, name)
			return err
		})
	}
	limit(1) // no more pages than exist
	if err := write(); !errs.Is(err, errs.StorageFailure) || errs.As(err).Key != "error.disk" ||
		errs.As(err).Retry <= 0 {
		t.Errorf("a full disk: %v", err)
	}
	if n := d.StorageFailures(); n != 1 {
		t.Errorf("%d counted", n)
	}
	if n, err := d.Read(t.Context()).NewSelect().Table("tenants").Count(t.Context()); err != nil || n != 0 {
		t.Errorf("%d tenants, %v", n, err)
	}
	limit(1 << 30)
	if err := write(); err != nil {
		t.Errorf("with space again: %v", err)
	}
}

// Other errors are not StorageFailures.
func TestOtherErrorsAreNotStorageFailures(t *testing.T) {
	d, err := db.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for cause, isFailure := range map[error]bool{
		&fs.PathError{Op: "write", Path: "/data/x", Err: syscall.ENOSPC}: true,
		fmt.Errorf("sync: %w", syscall.EROFS):                            true,
		fmt.Errorf("sync: %w", syscall.EDQUOT):                           true,
		errors.New("no such column"):                                     false,
		errs.New(errs.Refused, "invalid.required"):                       false,
		context.Canceled: false,
	} {
		err := d.Tx(t.Context(), func(context.Context, bun.IDB) error { return cause })
		if errs.Is(err, errs.StorageFailure) != isFailure || !errors.Is(err, cause) {
			t.Errorf("%v became %v", cause, err)
		}
	}
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO nowhere VALUES (1)")
		return err
	}); err == nil || errs.Is(err, errs.StorageFailure) {
		t.Errorf("a wrong statement: %v", err)
	}
	if n := d.StorageFailures(); n != 3 {
		t.Errorf("%d counted", n)
	}
}
