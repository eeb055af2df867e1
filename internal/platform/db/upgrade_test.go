package db_test

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"

	"tilth/internal/platform/db"
	"tilth/internal/tools/testkit/folder"
)

// folderAtVersion creates a folder whose database has the migrations up to a version, and runs
// statements in it.
func folderAtVersion(t *testing.T, version int64, statements ...string) (dir string) {
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

// The migration marks cameras in a folder from before, when serials identified them, and loses
// nothing.
func TestMigrationMarksCameras(t *testing.T) {
	dir := folderAtVersion(t, 4,
		`INSERT INTO tenants (id, name, time_zone, language, create_time) VALUES (1, 't', 'UTC', 'en-us', 0)`,
		`INSERT INTO products (id, name, offline_after) VALUES (1, 'p', 1000)`,
		`INSERT INTO scenes (id, tenant_id, name, folded_name, create_time) VALUES (7, 1, 'S', 's', 0)`,
		`INSERT INTO devices
			(tenant_id, name, serial, note_name, folded_title, folded_text, product_id, scene_id, create_time) VALUES
			(1, 'a', 'x-SXT-1', '', 'a', 'a', 1, 7, 5), (1, 'b', 'sxt', 'B', 'b', 'b', 1, NULL, 6),
			(1, 'c', 'SXT', '', 'c', 'c', 1, 7, 7)`,
	)
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
	const query = `SELECT name, video, COALESCE(scene_id, 0) AS scene_id FROM devices ORDER BY id`
	if err := d.Read(t.Context()).NewRaw(query).Scan(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	if want := []found{{"a", true, 7}, {"b", false, 0}, {"c", true, 7}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The migration that notes who invited takes the user who sent an invitation last from the audit log;
// nobody vouches for one that it does not know.
func TestMigrationNotesInviters(t *testing.T) {
	dir := folderAtVersion(t, 43,
		`INSERT INTO tenants (id, name, time_zone, language, create_time) VALUES
			(1, 't', 'UTC', 'en-us', 0), (2, 'u', 'UTC', 'en-us', 0)`,
		`INSERT INTO invitations (id, tenant_id, email, role, nickname, language, invited_by, mailed, token_hash,
			create_time, expire_time) VALUES
			(1, 1, '', 'viewer', '', '', 'Ada', FALSE, x'01', 0, 0),
			(2, 1, '', 'viewer', '', '', 'Bora', FALSE, x'02', 0, 0),
			(3, 2, '', 'viewer', '', '', 'Cem', FALSE, x'03', 0, 0)`,
		`INSERT INTO audit_entries (tenant_id, time, actor, actor_id, actor_name, address, request, kind, action,
			thing_id, thing_name, name_id, changes) VALUES
			(1, 5, 'user', 7, 'Ada', '', '', 'invitation', 'create', 1, '', 0, '[]'),
			(1, 9, 'user', 8, 'Bora', '', '', 'invitation', 'update', 1, '', 0, '[]'),
			(1, 9, 'user', 9, 'Eda', '', '', 'scene', 'create', 2, '', 0, '[]'),
			(1, 9, 'user', 9, 'Eda', '', '', 'invitation', 'create', 3, '', 0, '[]')`,
	)
	d, err := db.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var got []int64
	const query = `SELECT inviter_id FROM invitations ORDER BY id`
	if err := d.Read(t.Context()).NewRaw(query).Scan(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	if want := []int64{8, 0, 0}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The migration that makes the names of elements and products rows keeps every name.
func TestMigrationKeepsNames(t *testing.T) {
	dir := folderAtVersion(t, 23,
		`INSERT INTO elements (id, yeu_sign, unit, yeu_url, name_en_us, name_zh_cn, name_tr_tr, name_ru_ru) VALUES
			(7, 'air', '°C', '/a.svg', 'Air', '空气', 'Hava', 'Воздух'), (9, 'rain', 'mm', '', 'Rain', '', '', '')`,
		`INSERT INTO products (id, name, offline_after, name_en_us, name_zh_cn, name_tr_tr, name_ru_ru) VALUES
			(3, 'mast', 1000, 'Weather mast', '气象站', 'Direk', 'Мачта'), (4, 'probe', 1000, '', '', '', '')`,
	)
	d, err := db.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	const query = `SELECT e.yeu_sign || ' ' || e.unit || ' ' || n.language || ' ' || n.name
			FROM elements AS e JOIN element_names AS n ON n.element_id = e.id
		UNION ALL SELECT p.name || ' ' || n.language || ' ' || n.name
			FROM products AS p JOIN product_names AS n ON n.product_id = p.id ORDER BY 1`
	var got []string
	if err := d.Read(t.Context()).NewRaw(query).Scan(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"air °C en-us Air", "air °C ru-ru Воздух", "air °C tr-tr Hava", "air °C zh-cn 空气",
		"mast en-us Weather mast", "mast ru-ru Мачта", "mast tr-tr Direk", "mast zh-cn 气象站", "rain mm en-us Rain",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// column is one column as SQLite describes it.
type column struct {
	Table, Name, Type string
	NotNull           bool
	Preset            sql.NullString
	Key               int
}

func upgradedColumns(t *testing.T, dir string) (list []column) {
	t.Helper()
	d, err := db.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	const query = `SELECT m.name AS "table", c.name, c.type, c."notnull" AS not_null, c.dflt_value AS preset, c.pk AS "key"
		FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid`
	err = d.Read(t.Context()).NewRaw(query).Scan(t.Context(), &list)
	if err != nil || len(list) < 100 {
		t.Fatal(len(list), err)
	}
	return list
}

// migrationCount returns the number of migrations.
func migrationCount(t *testing.T) int64 {
	t.Helper()
	files, err := filepath.Glob("migrations/sqlite/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	return int64(len(files))
}

// Each migration commits completely or not at all. So an interrupted upgrade leaves a database of
// one of these versions, and the next start upgrades it to the same tables as a new one.
func TestUpgradeFromEveryVersion(t *testing.T) {
	want := upgradedColumns(t, t.TempDir())
	for version := int64(1); version < migrationCount(t); version++ {
		if got := upgradedColumns(t, folderAtVersion(t, version)); !slices.Equal(got, want) {
			t.Errorf("from %d: %v, want %v", version, got, want)
		}
	}
}

// A refused database is unchanged, byte by byte, and the error says why it is refused.
func TestRefusedDatabaseIsUnchanged(t *testing.T) {
	newest := migrationCount(t)
	for name, c := range map[string]struct {
		version   int64 // version of the folder
		statement string
		want      error
		says      string
	}{
		"newer":            {newest, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)`, db.ErrNewer, "at step 999, this version knows"},
		"a missing column": {8, `ALTER TABLE deliveries DROP COLUMN lease_until`, db.ErrUnreleased, "step 8 has deliveries.lease_until"},
		"an extra column":  {8, `ALTER TABLE deliveries ADD COLUMN held BOOLEAN`, db.ErrUnreleased, "step 8 has no deliveries.held"},
		"an extra table":   {8, `CREATE TABLE billing (id INTEGER)`, db.ErrUnreleased, "step 8 has no billing.id"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folderAtVersion(t, c.version, c.statement)
			before := folder.Contents(t, dir)
			for i, open := range []func(context.Context, string) (*db.DB, error){db.Open, db.OpenToRead} {
				d, err := open(t.Context(), dir)
				if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) ||
					!strings.Contains(err.Error(), "nothing was changed") {
					t.Errorf("%d: %v", i, err)
				}
				if err == nil {
					_ = d.Close()
				}
			}
			if !maps.Equal(before, folder.Contents(t, dir)) {
				t.Error("a file has changed")
			}
		})
	}
}

// The version in the write-ahead log of a killed process counts too.
func TestNewerVersionInWALIsRefused(t *testing.T) {
	source, killed := folderAtVersion(t, migrationCount(t)), t.TempDir()
	pool, err := sql.Open("sqlite", "file:"+filepath.Join(source, "tilth.db")+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)`); err != nil {
		t.Fatal(err)
	}
	for name, content := range folder.Contents(t, source) {
		if name == "tilth.db-shm" {
			continue // in memory: it is lost with the power
		}
		if err := os.WriteFile(filepath.Join(killed, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := folder.Contents(t, killed)
	if len(before["tilth.db-wal"]) == 0 {
		t.Fatal("there is no write-ahead log")
	}
	if _, err := db.Open(t.Context(), killed); !errors.Is(err, db.ErrNewer) {
		t.Error(err)
	}
	after := folder.Contents(t, killed)
	delete(after, "tilth.db-shm") // SQLite's index of the log, which every reader rebuilds
	if !maps.Equal(before, after) {
		t.Error("a file has changed")
	}
}

// Different indexes, as in a development state, are no reason to refuse a database.
func TestIndexesMayDiffer(t *testing.T) {
	dir := folderAtVersion(t, 6, `DROP INDEX notices_rule`,
		`CREATE INDEX notices_rule ON notices (rule_id, start_time DESC)`)
	d, err := db.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
