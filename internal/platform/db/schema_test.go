package db_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tilth/internal/platform/db"
	"tilth/internal/tools/testkit"
)

// Both kinds of database have the same migrations, so that one number identifies a schema.
func TestMigrationsOfBothDatabasesMatch(t *testing.T) {
	names := func(dir string) (list []string) {
		files, err := os.ReadDir("migrations/" + dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			list = append(list, f.Name())
		}
		return list
	}
	if a, b := names("sqlite"), names("postgres"); !slices.Equal(a, b) || len(a) == 0 {
		t.Errorf("sqlite has %v, postgres %v", a, b)
	}
}

// schemaLines describes a database's tables in terms that mean the same for both kinds.
func schemaLines(t *testing.T, d *db.DB, queries ...string) (lines []string) {
	t.Helper()
	for _, query := range queries {
		var found []string
		if err := d.Read(t.Context()).NewRaw(query).Scan(t.Context(), &found); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if len(found) < 10 {
			t.Fatalf("%s: %d lines", query, len(found))
		}
		lines = append(lines, found...)
	}
	for i, l := range lines {
		lines[i] = normalizeLine(l)
	}
	slices.Sort(lines)
	return lines
}

// The databases store conditions and defaults in different notations.
var (
	castPattern       = regexp.MustCompile(`::\w+|[()]| COLLATE "C"`)
	conditionReplacer = strings.NewReplacer("<>", "!=", " = ", "=", "'number', 'boolean', 'text'", "LIST")
)

func normalizeLine(line string) string {
	kind, rest, cut := strings.Cut(line, "|")
	if !cut {
		return line
	}
	return strings.TrimSpace(
		kind + " " + strings.ToLower(conditionReplacer.Replace(castPattern.ReplaceAllString(rest, ""))),
	)
}

var sqliteSchemaQueries = []string{
	`SELECT 'column ' || m.name || '.' || c.name || ' ' ||
		CASE c.type WHEN 'INTEGER' THEN 'bigint' WHEN 'REAL' THEN 'double precision' WHEN 'BLOB' THEN 'bytea'
			ELSE lower(c.type) END ||
		CASE WHEN c."notnull" OR c.pk THEN ' not null' ELSE '' END || '|' ||
		COALESCE('default ' || c.dflt_value, '')
		FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' AND ` + sqliteTablesOnly,
	`SELECT 'key ' || m.name || ' ' || group_concat(c.name ORDER BY c.pk)
		FROM sqlite_master AS m, pragma_table_info(m.name) AS c
		WHERE m.type = 'table' AND c.pk > 0 AND ` + sqliteTablesOnly + ` GROUP BY m.name`,
	`SELECT 'reference ' || m.name || '.' || f."from" || ' ' || f."table" || '.' || f."to" || ' ' || lower(f.on_delete)
		FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f
		WHERE m.type = 'table' AND ` + sqliteTablesOnly,
	`SELECT 'unique ' || m.name || ' ' ||
		(SELECT group_concat(c.name ORDER BY c.seqno) FROM pragma_index_info(i.name) AS c)
		FROM sqlite_master AS m, pragma_index_list(m.name) AS i
		WHERE m.type = 'table' AND i.origin = 'u' AND ` + sqliteTablesOnly,
	`SELECT 'index ' || x.name || ' ' || m.name || CASE WHEN i."unique" THEN ' unique' ELSE '' END || ' ' ||
		(SELECT group_concat(c.name || CASE WHEN c."desc" THEN ' desc' ELSE '' END ORDER BY c.seqno)
			FROM pragma_index_xinfo(i.name) AS c WHERE c.key) ||
		'|' || CASE WHEN i.partial THEN substr(x.sql, instr(x.sql, 'WHERE')) ELSE '' END
		FROM sqlite_master AS m, pragma_index_list(m.name) AS i
		JOIN sqlite_master AS x ON x.name = i.name WHERE m.type = 'table' AND i.origin = 'c' AND ` + sqliteTablesOnly,
}

const sqliteTablesOnly = `m.name NOT LIKE 'sqlite_%' AND m.name <> 'goose_db_version'`

const postgresTablesOnly = `c.relnamespace = current_schema()::regnamespace
	AND c.relname NOT IN ('goose_db_version', 'data_folders', 'shards', 'nodes', 'log_tables', 'writer_transactions',
		'acme_files', 'presence_handover', 'reading_parts', 'reading_latest', 'archives', 'archive_terms',
		'damaged_parts')`

var postgresSchemaQueries = []string{
	`SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) ||
		CASE WHEN a.attnotnull THEN ' not null' ELSE '' END || '|' ||
		COALESCE('default ' || pg_get_expr(d.adbin, d.adrelid), '')
		FROM pg_class AS c
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'rowid'
		LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
		WHERE c.relkind = 'r' AND ` + postgresTablesOnly,
	`SELECT CASE k.contype WHEN 'p' THEN 'key ' ELSE 'unique ' END || c.relname || ' ' ||
		(SELECT string_agg(a.attname, ',' ORDER BY n.i)
			FROM unnest(k.conkey) WITH ORDINALITY AS n (num, i)
			JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = n.num)
		FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
		WHERE k.contype IN ('p', 'u') AND ` + postgresTablesOnly,
	`SELECT 'reference ' || c.relname || '.' || a.attname || ' ' || k.confrelid::regclass || '.' || f.attname || ' ' ||
		CASE k.confdeltype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null' WHEN 'a' THEN 'no action'
			ELSE k.confdeltype::text END
		FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
		JOIN pg_attribute AS f ON f.attrelid = k.confrelid AND f.attnum = k.confkey[1]
		WHERE k.contype = 'f' AND ` + postgresTablesOnly,
	`SELECT 'index ' || x.relname || ' ' || c.relname || CASE WHEN i.indisunique THEN ' unique' ELSE '' END || ' ' ||
		(SELECT string_agg(a.attname || CASE WHEN i.indoption[n.i - 1] & 1 = 1 THEN ' desc' ELSE '' END, ','
				ORDER BY n.i)
			FROM unnest(i.indkey::int[]) WITH ORDINALITY AS n (num, i)
			JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = n.num) ||
		'|' || COALESCE('WHERE ' || pg_get_expr(i.indpred, i.indrelid), '')
		FROM pg_index AS i JOIN pg_class AS x ON x.oid = i.indexrelid JOIN pg_class AS c ON c.oid = i.indrelid
		WHERE NOT EXISTS (SELECT FROM pg_constraint AS k
			WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u')) AND ` + postgresTablesOnly,
}

// Both kinds of database have the same columns, keys, references and indexes.
func TestSchemasOfBothDatabasesMatch(t *testing.T) {
	postgres := openPostgres(t, testkit.Postgres(t), t.TempDir())
	sqlite, err := db.Open(context.WithoutCancel(t.Context()), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer sqlite.Close()
	a, b := schemaLines(t, sqlite, sqliteSchemaQueries...), schemaLines(t, postgres, postgresSchemaQueries...)
	for _, l := range a {
		if !slices.Contains(b, l) {
			t.Errorf("only SQLite has %s", l)
		}
	}
	for _, l := range b {
		if !slices.Contains(a, l) {
			t.Errorf("only PostgreSQL has %s", l)
		}
	}
	// Every text is compared byte by byte.
	var others []string
	const collations = `SELECT c.relname || '.' || a.attname
		FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
		JOIN pg_collation AS l ON l.oid = a.attcollation
		WHERE c.relkind = 'r' AND l.collname <> 'C' AND a.attnum > 0 AND ` + postgresTablesOnly
	err = postgres.Read(t.Context()).NewRaw(collations).Scan(t.Context(), &others)
	if err != nil || len(others) > 0 {
		t.Errorf("columns with another collation: %v (%v)", others, err)
	}
}

func openPostgres(t *testing.T, address, dir string) *db.DB {
	t.Helper()
	d, err := db.OpenPostgres(t.Context(), dir, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(fmt.Errorf("close: %w", err))
		}
	})
	return d
}
