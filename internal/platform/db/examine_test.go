package db_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
)

func TestExamine(t *testing.T) {
	dir := t.TempDir()
	d, err := db.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	before := fileContent(t, dir)
	read, err := db.OpenToRead(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if problems, err := read.Examine(t.Context()); err != nil || len(problems) != 0 {
		t.Errorf("%q %v", problems, err)
	}
	write := func(ctx context.Context, tx bun.IDB) error { return add(ctx, tx, "x") }
	if err := read.Tx(t.Context(), write); err == nil {
		t.Error("OpenToRead allows writing")
	}
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	if after := fileContent(t, dir); after != before {
		t.Error("the file has changed")
	}
}

func fileContent(t *testing.T, dir string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "tilth.db"))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestExamineReportsDanglingRows(t *testing.T) {
	dir := t.TempDir()
	d, err := db.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	// Without foreign keys, as in a damaged file.
	if _, err := d.Read(t.Context()).NewRaw("PRAGMA foreign_keys = OFF").Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	const insert = "INSERT INTO tenant_hosts (host, tenant_id) VALUES ('a.example', 77)"
	if _, err := d.Read(t.Context()).NewRaw(insert).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	problems, err := d.Examine(t.Context())
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0], "tenant_hosts row") {
		t.Errorf("%q %v", problems, err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.OpenToRead(t.Context(), filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that does not exist: no error")
	}
}
