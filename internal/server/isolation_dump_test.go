package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tilth/internal/platform/db"
)

// sharedTables are tables that belong to no tenant, or that change by themselves.
var sharedTables = []string{"goose_db_version", "judged_positions", "sqlite_sequence", "outbox_holds"}

// emptyTables are tables of tenants in which this world has no rows.
var emptyTables = []string{
	"device_traces", "home_assistant_topics", "letter_days", "message_marks", "message_reads", "oidc_attempts",
	"oidc_connections", "oidc_links", "oidc_sessions", "oidc_tickets", "recovery_codes", "rederivations",
	"second_factors", "shelf", "sign_in_tickets", "sms_codes",
}

// reference is a column of a table that refers to a row of another table.
type reference struct{ Table, From, Parent, To string }

// tableColumn is a column of a table.
type tableColumn struct {
	Table, Name, Type string
	PK                bool
}

// schema is what the database's tables have.
type schema struct {
	columns []tableColumn
	refs    []reference
}

func (w *isolationEnv) readSchema() (s schema) {
	w.t.Helper()
	ctx := w.t.Context()
	read := w.server.Stores.DB.Read(ctx)
	if err := errors.Join(
		read.NewRaw(`SELECT m.name AS "table", c.name, c.type, c.pk FROM sqlite_master m, pragma_table_info(m.name) c
			WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, c.cid`).Scan(ctx, &s.columns),
		read.NewRaw(`SELECT m.name AS "table", f."from", f."table" AS parent, f."to"
			FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table'`).Scan(ctx, &s.refs),
	); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// tables returns every row of every table that belongs to the other tenant, by its tenant ID or by
// what it refers to, and all rows of tables that belong to no tenant.
func (w *isolationEnv) tables() map[string][]string {
	w.t.Helper()
	if err := errors.Join(
		w.server.Stores.Status.Flush(w.t.Context(), true),
		w.server.Stores.Traces.Flush(w.t.Context()),
		w.server.Stores.Credentials.Flush(w.t.Context()),
	); err != nil { // what is written in the background
		w.t.Fatal(err)
	}
	s := w.readSchema()
	all := map[string][]string{}
	for _, table := range s.tables() {
		if slices.Contains(sharedTables, table) {
			continue
		}
		columns, more := "*", ""
		if table == "device_traces" {
			// Anybody can use a device's name with a wrong secret; that is noted, for its owner.
			columns, more = "device_id, tenant_id, gateway_id", " AND gateway_id <> 0"
		}
		list := w.queryRows(
			fmt.Sprintf(`SELECT %s FROM "%s" WHERE (%s)%s`, columns, table, s.belongs(table, w.foreign.tenant), more),
		)
		if len(list) > 0 {
			all[table] = list
		}
	}
	for table := range db.TenantTables {
		if len(all[table]) == 0 && !slices.Contains(emptyTables, table) && !slices.Contains(sharedTables, table) {
			w.t.Errorf("the other tenant has no %s: let createTenant make one", table)
		}
	}
	return all
}

// queryRows returns the rows of a query, a text for each, sorted.
func (w *isolationEnv) queryRows(query string) (list []string) {
	w.t.Helper()
	ctx := w.t.Context()
	rows, err := w.server.Stores.DB.Read(ctx).QueryContext(ctx, query)
	if err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		w.t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			w.t.Fatal(err)
		}
		list = append(list, fmt.Sprint(values...))
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// tables are the names of the tables.
func (s schema) tables() (names []string) {
	for _, c := range s.columns {
		names = append(names, c.Table)
	}
	return slices.Compact(names)
}

// belongs is the SQL condition for rows of a table that belong to a tenant.
func (s schema) belongs(table string, tenant int64) string {
	switch {
	case table == "tenants":
		return fmt.Sprint("id = ", tenant)
	case slices.ContainsFunc(s.columns, func(c tableColumn) bool { return c.Table == table && c.Name == "tenant_id" }):
		return fmt.Sprint("tenant_id = ", tenant)
	}
	var ways []string
	for _, r := range s.refs {
		if r.Table == table && r.Parent != table {
			ways = append(ways, fmt.Sprintf(
				`"%s" IN (SELECT "%s" FROM "%s" WHERE %s)`, r.From, r.To, r.Parent, s.belongs(r.Parent, tenant),
			))
		}
	}
	if len(ways) == 0 {
		return "TRUE" // the platform's
	}
	return strings.Join(ways, " OR ")
}

// readings are all readings of the other tenant, as the open API returns them.
func (w *isolationEnv) readings() (list []string) {
	w.t.Helper()
	for _, kind := range []string{"mast", "gateway", "camera", "stream"} {
		res := w.serve(
			w.console,
			w.program(
				w.foreign,
				"GET",
				"/devices/"+w.foreign.device(kind)+"/history?from=0&format=csv&to=2100-01-01T00:00:00Z",
				nil,
			),
		)
		if res.Code != 200 {
			w.t.Fatalf("%d %s", res.Code, res.Body)
		}
		list = append(list, strings.Split(res.Body.String(), "\n")...)
	}
	return list
}

// dump is everything that the other tenant has.
type dump struct {
	tables   map[string][]string
	readings []string
}

func (w *isolationEnv) dump() dump {
	w.t.Helper()
	readings := w.readings() // first: the call uses the other tenant's key, which notes its use
	return dump{w.tables(), readings}
}

// checkUnchanged compares the other tenant with an earlier dump, but for some tables.
func (w *isolationEnv) checkUnchanged(before dump, except ...string) {
	w.t.Helper()
	after := w.tables()
	for table, rows := range after {
		if table != "credential_hours" && !slices.Contains(except, table) && !slices.Equal(rows, before.tables[table]) {
			w.t.Errorf(
				"%s was changed:\n%s\nbefore:\n%s",
				table,
				strings.Join(rows, "\n"),
				strings.Join(before.tables[table], "\n"),
			)
		}
	}
	for table := range before.tables {
		if _, there := after[table]; !there {
			w.t.Errorf("%s is empty", table)
		}
	}
	if after := w.readings(); !slices.Equal(before.readings, after) {
		w.t.Errorf("readings %v, before %v", after, before.readings)
	}
}
