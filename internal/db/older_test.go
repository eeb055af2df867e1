package db_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/pressly/goose/v3"

	"tilth/internal/db"
)

// older makes a folder whose database has the migrations up to a version and
// nothing after them, and runs statements in it.
func older(t *testing.T, version int64, statements ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	pool, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "tilth.db")+"?_pragma=foreign_keys(ON)")
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	p, err := goose.NewProvider(goose.DialectSQLite3, pool, os.DirFS("migrations/sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := pool.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return dir
}

// A folder of before devices were told apart by their serial knows its cameras,
// and loses nothing.
func TestOlderFolderKnowsItsCameras(t *testing.T) {
	dir := older(t, 4,
		`INSERT INTO tenants (id, name, time_zone, language, create_time) VALUES (1, 't', 'UTC', 'en-us', 0)`,
		`INSERT INTO products (id, name, offline_after) VALUES (1, 'p', 1000)`,
		`INSERT INTO scenes (id, tenant_id, name, folded_name, create_time) VALUES (7, 1, 'S', 's', 0)`,
		`INSERT INTO devices (tenant_id, name, serial, note_name, folded_title, folded_text, product_id, scene_id, create_time) VALUES
			(1, 'a', 'x-SXT-1', '', 'a', 'a', 1, 7, 5), (1, 'b', 'sxt', 'B', 'b', 'b', 1, NULL, 6), (1, 'c', 'SXT', '', 'c', 'c', 1, 7, 7)`)
	d, err := db.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	type found struct {
		Name    string
		Video   bool
		SceneID int64
	}
	var got []found
	if err := d.Read(t.Context()).NewRaw(`SELECT name, video, COALESCE(scene_id, 0) AS scene_id FROM devices ORDER BY id`).Scan(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	if want := []found{{"a", true, 7}, {"b", false, 0}, {"c", true, 7}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
