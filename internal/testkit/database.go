package testkit

import (
	"testing"

	"tilth/internal/db"
)

// DB opens a fresh database, migrated, in a folder that goes with the test.
func DB(t testing.TB) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}
