package testkit

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
)

// Each DataDir is a folder of its own, and its database has all migrations: opening it writes
// nothing.
func TestDataDir(t *testing.T) {
	first, second := DataDir(t), DataDir(t)
	withDB(t, first, func(d *db.DB) {
		north := &tenant.Tenant{Name: "north", TimeZone: tenant.Zone("UTC")}
		if err := tenant.NewStore(d, NewClock().Now).Put(t.Context(), north); err != nil {
			t.Fatal(err)
		}
	})
	withDB(t, second, func(d *db.DB) {
		if all, err := tenant.NewStore(d, NewClock().Now).List(t.Context()); err != nil || len(all) > 0 {
			t.Errorf("the second folder has %d tenants, want none; %v", len(all), err)
		}
	})
	want, err := migratedFile()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(second, databaseFile)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("opening the database changed its file: %v", err)
	}
}

func withDB(t *testing.T, dir string, do func(*db.DB)) {
	t.Helper()
	d, err := db.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	do(d)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
