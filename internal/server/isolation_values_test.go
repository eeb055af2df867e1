package server

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"tilth/internal/platform/db"
)

// foreignValue is an ID, a name or a token of the other tenant, and a similar value that never
// existed.
type foreignValue struct {
	what, kind  string // kind: number, text
	real, never any
}

// foreignValues are IDs, names and tokens of the other tenant: of each table the newest row's ID, of each
// of its columns a text, and what no column has.
func (w *isolationEnv) foreignValues() (list []foreignValue) {
	w.t.Helper()
	b := w.foreign
	text := func(what, real string) {
		twin := strings.ReplaceAll(real, foreignMark, absentMark)
		if twin == real {
			twin = similarText(real)
		}
		list = append(list, foreignValue{what, "text", real, twin})
	}
	id := func(what string, n int64) {
		never := n + 1_000_000_000
		list = append(list,
			foreignValue{what, "number", n, never},
			foreignValue{what + " as text", "text", number(n), number(never)},
		)
	}
	named := map[string]string{
		"tenant name": b.tag + "farm", "host": b.tag + "host.example", "user name": b.tag + "ada",
		"mast": b.device("mast"), "camera": b.device("camera"), "gateway": b.device("gateway"),
		"mobile": b.mobile, "password": b.password, "key": b.key, "key secret": b.secret,
		"access token": b.access, "refresh token": b.refresh, "device secret": b.tag + "-secret-of-the-mast",
		"picture": b.avatar, "cursor": b.cursor, "snippet": b.embed, "reading": b.tag + " text 0",
		"webhook address": webhookURL(b.tag),
	}
	maps.Copy(named, w.storedTexts(slices.Collect(maps.Values(named))))
	for what, real := range named {
		text(what, real)
	}
	for table, n := range b.ids {
		id(table, n)
	}
	id("user", b.user)
	id("ended notice", b.done)
	id("mast's ID", b.devices[b.device("mast")])
	for what, n := range map[string]int64{"user": b.user, "credential": b.ids["credentials"]} {
		list = append(list, foreignValue{
			what + " who did", "text", fmt.Sprint(what, ":", n), fmt.Sprint(what, ":", n+1_000_000_000),
		})
	}
	slices.SortFunc(list, func(x, y foreignValue) int { return strings.Compare(x.what, y.what) })
	return list
}

// storedTexts are texts that begin with the other tenant's mark, each once, by table and column.
func (w *isolationEnv) storedTexts(known []string) map[string]string {
	w.t.Helper()
	ctx := w.t.Context()
	s := w.readSchema()
	found := map[string]string{}
	for _, c := range s.columns {
		if c.Type != "TEXT" {
			continue
		}
		var texts []string
		if err := w.server.Stores.DB.Read(ctx).NewRaw(fmt.Sprintf(
			`SELECT "%s" FROM "%s" WHERE (%s) AND "%s" LIKE '%s%%' LIMIT 1`,
			c.Name, c.Table, s.belongs(c.Table, w.foreign.tenant), c.Name, foreignMark,
		)).Scan(ctx, &texts); err != nil {
			w.t.Fatal(err)
		}
		for _, text := range texts {
			joined := strings.ContainsFunc(text, unicode.IsControl) // of several fields, for search
			if !joined && !slices.Contains(known, text) {
				known = append(known, text)
				found[c.Table+"."+c.Name] = text
			}
		}
	}
	return found
}

// newestIDs are the IDs of a tenant's newest rows, by table.
func (w *isolationEnv) newestIDs(tenant int64) map[string]int64 {
	w.t.Helper()
	ctx := w.t.Context()
	s := w.readSchema()
	ids := map[string]int64{}
	for _, c := range s.columns {
		if _, ok := db.TenantTables[c.Table]; !ok || c.Name != "id" || !c.PK || c.Type != "INTEGER" {
			continue
		}
		var id int64
		if err := w.server.Stores.DB.Read(ctx).NewRaw(
			fmt.Sprintf(`SELECT COALESCE(MAX(id), 0) FROM "%s" WHERE %s`, c.Table, s.belongs(c.Table, tenant)),
		).Scan(ctx, &id); err != nil {
			w.t.Fatal(err)
		}
		if id != 0 {
			ids[c.Table] = id
		}
	}
	return ids
}

// similarText is a text of the same form with other letters and digits, which belongs to nobody.
func similarText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '1' && r < '9', r >= 'a' && r < 'f', r >= 'g' && r < 'z', r >= 'A' && r < 'F', r >= 'G' && r < 'Z':
			return r + 1
		}
		return r
	}, s)
}

// forbiddenTexts are the texts that no answer to another tenant may hold: the marker that is in
// every text of the other tenant, and its random values.
func forbiddenTexts(b *tenantFixture) []string {
	list := []string{
		foreignMark,
		strings.TrimPrefix(b.mobile, "+"),
		b.key,
		b.secret,
		b.access,
		b.refresh,
		b.avatar,
		b.cursor,
		b.embed,
		number(b.user),
		number(b.done),
		number(b.devices[b.device("mast")]),
	}
	for _, n := range b.ids {
		list = append(list, number(n))
	}
	return list
}
