package audit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/tools/testkit"
)

func TestParseActorRef(t *testing.T) {
	for _, s := range []string{"user:7", "credential:3", "provider", "server"} {
		if p, ok := audit.ParseActorRef(s); !ok || p.String() != s {
			t.Errorf("%s: %+v %v", s, p, ok)
		}
	}
	for _, s := range []string{"", "user", "user:", "user:0", "user:-1", "user:x", "provider:1", "server:", "nobody", "user:99999999999999999999"} {
		if p, ok := audit.ParseActorRef(s); ok {
			t.Errorf("%s: %+v", s, p)
		}
	}
}

// nthAction gives the i-th action that fill writes: on devices, scenes and rules in turn.
func nthAction(i int) audit.Action {
	name := fmt.Sprintf("Pump %d of the northern terraces", i%5000)
	return audit.Action{
		Name:  []string{"device", "scene", "rule"}[i%3] + ".update",
		Thing: audit.Thing{ID: int64(i%5000 + 1), Name: name, SearchAlias: fmt.Sprintf("WS-%05d", i%5000)},
		Changes: []audit.Change{
			{
				Field:  "noteName",
				Before: name,
				After:  name + " (old)",
			},
			{Field: "longitude", Before: 32.85, After: 32.86},
		},
	}
}

// nthActor gives the actor of the i-th action: two users, a credential and the provider in turn.
func nthActor(i int) audit.Actor {
	who := audit.Actor{Kind: audit.User, ID: int64(i%4 + 1), Address: "192.0.2.7", Request: fmt.Sprintf("%016x", i)}
	switch i % 4 {
	case 2:
		who.Kind = audit.Credential
	case 3:
		who.Kind, who.ID = audit.Provider, 0
	}
	return who
}

// fill writes n entries; together of them at a time have the same second and actor.
func (y *auditFixture) fill(t testing.TB, n, together int) {
	t.Helper()
	err := y.DB.Tx(context.Background(), func(ctx context.Context, _ bun.IDB) error {
		for i := 0; i < n; i += together {
			actions := make([]audit.Action, together)
			for j := range actions {
				actions[j] = nthAction(i + j)
			}
			if err := audit.Log(y.Audit.NewContext(ctx, nthActor(i/together)), y.field.ID, actions...); err != nil {
				return err
			}
			y.Clock.Advance(time.Second)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A list has a stable order across its pages, even for entries of the same moment.
func TestPages(t *testing.T) {
	y := newAuditFixture(t)
	ctx := y.asAda(t.Context())
	for i := range 25 {
		if err := audit.Log(ctx, y.field.ID, audit.Action{Name: "a.b",
			Thing: audit.Thing{Name: fmt.Sprint(i)}}); err != nil {
			t.Fatal(err)
		}
		if i%5 == 4 {
			y.Clock.Advance(time.Second)
		}
	}
	y.Clock.Advance(-time.Hour) // after the clock is set back, the order is by time, not by number
	if err := audit.Log(ctx, y.field.ID, audit.Action{Name: "a.b", Thing: audit.Thing{Name: "early"}}); err != nil {
		t.Fatal(err)
	}
	var names []string
	for offset := int64(0); offset < 30; offset += 7 {
		list, total, err := y.Audit.Page(t.Context(), y.field.ID, audit.Query{Offset: offset, Limit: 7})
		if err != nil || total != 26 {
			t.Fatal(total, err)
		}
		for _, e := range list {
			names = append(names, e.Thing.Name)
		}
	}
	want := "24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0 early"
	if got := strings.Join(names, " "); got != want {
		t.Error(got)
	}
}

func TestFilters(t *testing.T) {
	y := newAuditFixture(t)
	start := y.Clock.Milli()
	y.fill(t, 144, 1)
	at := func(s int64) *int64 { v := start + s*1000; return &v }
	for name, c := range map[string]struct {
		q     audit.Query
		total int64
	}{
		"all":                  {audit.Query{}, 144},
		"a user":               {audit.Query{Actor: &audit.ActorRef{Kind: audit.User, ID: 1}}, 36},
		"a credential":         {audit.Query{Actor: &audit.ActorRef{Kind: audit.Credential, ID: 3}}, 36},
		"no such user":         {audit.Query{Actor: &audit.ActorRef{Kind: audit.User, ID: 3}}, 0},
		"the provider":         {audit.Query{Actor: &audit.ActorRef{Kind: audit.Provider}}, 36},
		"a kind":               {audit.Query{Kind: "rule"}, 48},
		"a kind of a user":     {audit.Query{Kind: "rule", Actor: &audit.ActorRef{Kind: audit.User, ID: 1}}, 12},
		"a common name":        {audit.Query{Text: "terraces"}, 144},
		"a common name's rest": {audit.Query{Text: "terraces", Kind: "rule"}, 48},
		"a name":               {audit.Query{Text: "pump 7 "}, 1},
		"another name":         {audit.Query{Text: "ws-00007"}, 1},
		"an unknown name":      {audit.Query{Text: "pump_7"}, 0},
		"from":                 {audit.Query{From: at(40)}, 104},
		"to":                   {audit.Query{To: at(7)}, 8},
		"between":              {audit.Query{From: at(7), To: at(7)}, 1},
		"everything at once":   {audit.Query{From: at(0), To: at(20), Kind: "device", Text: "PUMP", Actor: &audit.ActorRef{Kind: audit.Provider}}, 2},
		"beyond the last page": {audit.Query{Offset: 400}, 144},
	} {
		c.q.Limit = 400
		list, total, err := y.Audit.Page(t.Context(), y.field.ID, c.q)
		if err != nil || total != c.total || c.q.Offset == 0 && int64(len(list)) != total {
			t.Errorf("%s: %d of %d, want %d, %v", name, len(list), total, c.total, err)
		}
	}
}

// A list has only the newest maxListed entries; a query by time finds older ones.
func TestPageTotalIsCapped(t *testing.T) {
	y := newAuditFixture(t)
	start := y.Clock.Milli()
	const counted = 1000
	y.Audit.SetLimits(counted, 100)
	y.fill(t, counted+50, 50)
	for name, c := range map[string]struct {
		q     audit.Query
		total int64
		rows  int
		last  int64 // the time of the page's last entry, in seconds after the start
	}{
		"the newest":         {audit.Query{}, counted, 10, counted / 50},
		"the last page":      {audit.Query{Offset: counted - 10}, counted, 10, 1},
		"beyond it":          {audit.Query{Offset: counted}, counted, 0, 0},
		"older entries":      {audit.Query{To: &start}, 50, 10, 0},
		"a common name":      {audit.Query{Text: "northern", Offset: 7}, counted, 10, counted / 50},
		"a rare name's last": {audit.Query{Text: "ws-0000", Offset: 9}, 10, 1, 0},
	} {
		c.q.Limit = 10
		list, total, err := y.Audit.Page(t.Context(), y.field.ID, c.q)
		if err != nil || total != c.total || len(list) != c.rows ||
			c.rows > 0 && list[c.rows-1].Time != start+c.last*1000 {
			t.Errorf("%s: %d of %d, %+v, %v", name, len(list), total, list[max(0, len(list)-1):], err)
		}
	}
}

// Actors gives each actor once, with its newest name.
func TestListActors(t *testing.T) {
	y := newAuditFixture(t)
	y.fill(t, 48, 1)
	renamed := audit.WithActor(y.asAda(t.Context()), audit.User, 2, "Bora the second")
	if err := audit.Log(renamed, y.field.ID, audit.Action{Name: "a.b"}); err != nil {
		t.Fatal(err)
	}
	rival := y.Tenant(t, "rival")
	if err := audit.Log(audit.WithActor(renamed, audit.User, 9, "theirs"), rival.ID,
		audit.Action{Name: "a.b"}); err != nil {
		t.Fatal(err)
	}
	people, err := y.Audit.Actors(t.Context(), y.field.ID)
	if want := "[credential:3 provider user:1 user:2]"; err != nil || fmt.Sprint(people) != want ||
		people[3].Name != "Bora the second" {
		t.Errorf("%v %+v, want %s", err, people, want)
	}
	if people, err := y.Audit.Actors(t.Context(), 99); err != nil || len(people) != 0 {
		t.Error(people, err)
	}
}

// Sweep removes old entries of tenants and of the platform, and nothing else.
func TestSweep(t *testing.T) {
	y := newAuditFixture(t)
	keep := audit.NewStore(y.DB, time.Hour, y.Clock.Now)
	y.fill(t, 1200, 1)
	if err := audit.Log(y.asAda(t.Context()), 0, audit.Action{Name: "product.create"}); err != nil {
		t.Fatal(err)
	}
	y.Clock.Advance(time.Hour - 10*time.Second)
	if err := keep.Sweep(t.Context(), y.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	for search, want := range map[string]int64{"": 10, "pump": 10, "pump 1199 ": 1, "pump 7 ": 0} {
		if _, total, err := y.Audit.Page(t.Context(), y.field.ID, audit.Query{Limit: 1, Text: search}); err != nil ||
			total != want {
			t.Errorf("%q: %d left, want %d, %v", search, total, want, err)
		}
	}
	y.Clock.Advance(11 * time.Second)
	if err := keep.Sweep(t.Context(), y.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"audit_entries", "audit_names"} {
		if n, err := y.DB.Read(t.Context()).NewSelect().TableExpr(table).Count(t.Context()); err != nil || n != 0 {
			t.Error(table, n, err)
		}
	}
}

// A tenant's entries are deleted with the tenant.
func TestEntriesDeletedWithTenant(t *testing.T) {
	y := newAuditFixture(t)
	gone := y.Stores.Tenant(t, "gone")
	if err := audit.Log(y.asAda(t.Context()), gone.ID, audit.Action{Name: "a.b"}); err != nil {
		t.Fatal(err)
	}
	for _, u := range []int64{gone.Ada.ID, gone.Bora.ID} {
		if err := y.Users.Delete(t.Context(), gone.ID, u); err != nil {
			t.Fatal(err)
		}
	}
	if err := y.Tenants.Delete(t.Context(), gone.ID); err != nil {
		t.Fatal(err)
	}
	if lines := y.formatEntries(t, gone.ID); len(lines) != 0 {
		t.Error(lines)
	}
}

// BenchmarkPage measures a page of a large log: of 10,000 entries and, without -short, of a
// million.
func BenchmarkPage(b *testing.B) {
	for _, size := range []int{10_000, 1_000_000} {
		if size > 10_000 && testing.Short() {
			continue
		}
		y := &auditFixture{Stores: testkit.NewStores(b)}
		y.field = y.Stores.Tenant(b, "field")
		y.fill(b, size, 100)
		now := y.Clock.Milli()
		for name, q := range map[string]audit.Query{
			"first": {}, "last": {Offset: min(int64(size), audit.MaxListed) - 10}, "who": {Actor: &audit.ActorRef{Kind: audit.User, ID: 1}}, "kind": {Kind: "rule"},
			"hour": {From: new(now - 3_600_000)}, "name": {Text: "pump 4711 "}, "common": {Text: "pump"}, "none": {Text: "no such thing"},
		} {
			b.Run(fmt.Sprint(size, "/", name), func(b *testing.B) {
				q.Limit = 10
				for b.Loop() {
					if _, _, err := y.Audit.Page(b.Context(), y.field.ID, q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprint(size, "/people"), func(b *testing.B) {
			for b.Loop() {
				if _, err := y.Audit.Actors(b.Context(), y.field.ID); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
