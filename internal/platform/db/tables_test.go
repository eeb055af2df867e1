package db_test

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/platform/db"
	"tilth/internal/tools/testkit"
)

// schemaNames asks a new SQLite database with all migrations for names of its tables or columns.
func schemaNames(t *testing.T, query string) (names []string) {
	t.Helper()
	d, err := db.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.Read(t.Context()).NewRaw(query).Scan(t.Context(), &names); err != nil {
		t.Fatal(err)
	}
	return names
}

// compareNames fails the test for each name that only one of two lists has.
func compareNames(t *testing.T, schema, listed []string, list string) {
	t.Helper()
	for _, name := range schema {
		if !slices.Contains(listed, name) {
			t.Errorf("%s has no row in %s", name, list)
		}
	}
	for _, name := range listed {
		if !slices.Contains(schema, name) {
			t.Errorf("%s has a row in %s, and is not in the schema", name, list)
		}
	}
}

func TestTenantTablesAreThoseOfTheSchema(t *testing.T) {
	found := schemaNames(t, `WITH RECURSIVE owned (name) AS (
		SELECT 'tenants' UNION SELECT m.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
			WHERE m.type = 'table' AND c.name LIKE '%tenant%id'
		UNION SELECT m.name FROM owned AS o, sqlite_master AS m, pragma_foreign_key_list(m.name) AS f
			WHERE m.type = 'table' AND f."table" = o.name)
		SELECT name FROM owned`)
	compareNames(t, found, slices.Sorted(maps.Keys(db.TenantTables)), "db.TenantTables")
	for name, m := range db.TenantTables {
		if m.Why == "" {
			t.Errorf("%s has no reason", name)
		}
	}
}

func TestSceneColumnsAreThoseOfTheSchema(t *testing.T) {
	found := schemaNames(t, `SELECT m.name || '.' || c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
		WHERE m.type = 'table' AND (c.name LIKE '%scene%' OR c.name LIKE '%group%')
		UNION SELECT m.name || '.' || f."from" FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f
		WHERE m.type = 'table' AND f."table" = 'scenes'`)
	compareNames(t, found, slices.Sorted(maps.Keys(db.SceneColumns)), "db.SceneColumns")
}

// A scene that one row of a table names is deleted, and the row ends as the list says.
func TestSceneColumnsAreTrue(t *testing.T) {
	s := testkit.NewStores(t)
	field, station := s.Tenant(t, "field"), s.Station(t)
	put := map[string]func(scene int64) error{
		"devices.scene_id": func(scene int64) error {
			s.Device(t, field.ID, station, "WS-1", func(d *device.Device) { d.SceneID = scene })
			return nil
		},
		"alarm_rule_targets.scene_id": func(scene int64) error {
			_, err := s.Rules.Create(t.Context(), field.ID, &alarm.Rule{
				Name: "Offline", Targets: alarm.Targets{Scenes: []int64{scene}}, Trigger: alarm.DeviceOffline,
			})
			return err
		},
		"sms_codes.scene": func(scene int64) error {
			return s.Codes.Send(t.Context(), field.ID, identity.OutgoingCode{
				User: field.Ada.ID, Mobile: "+905551112233", Purpose: int(scene),
				Address: netip.MustParseAddr("198.51.100.1"), RenderText: func(code string) string { return code },
			})
		},
	}
	compareNames(t, slices.Collect(maps.Keys(db.SceneColumns)), slices.Collect(maps.Keys(put)), "the rows of this test")
	for column, insert := range put {
		t.Run(column, func(t *testing.T) {
			table, name, _ := strings.Cut(column, ".")
			scene := s.Scene(t, field.ID, column)
			if err := insert(scene); err != nil {
				t.Fatal(err)
			}
			count := func(where string, args ...any) (n int) {
				t.Helper()
				query := fmt.Sprintf("SELECT COUNT(*) FROM %s WHERE %s", table, where)
				if err := s.DB.Read(t.Context()).NewRaw(query, args...).Scan(t.Context(), &n); err != nil {
					t.Fatal(err)
				}
				return n
			}
			if named, all := count(name+" = ?", scene), count("TRUE"); named != 1 || all != 1 {
				t.Fatalf("%d rows name the scene, of %d", named, all)
			}
			err := s.Scenes.Delete(t.Context(), field.ID, scene)
			end := db.SceneColumns[column]
			if db.IsReferenced(err) != (end == db.SceneRefused) || err != nil && !db.IsReferenced(err) {
				t.Errorf("%s: deleting the scene: %v", end, err)
			}
			want := map[db.SceneEnd]struct{ named, cleared, all int }{
				db.SceneCleared: {0, 1, 1}, db.SceneRefused: {1, 0, 1}, db.RowDeleted: {0, 0, 0}, db.RowKept: {1, 0, 1},
			}[end]
			got := struct{ named, cleared, all int }{count(name+" = ?", scene), count(name + " IS NULL"), count("TRUE")}
			if got != want {
				t.Errorf("%s: %+v, want %+v", end, got, want)
			}
		})
	}
}
