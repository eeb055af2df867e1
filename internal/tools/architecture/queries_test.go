package architecture

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tenantColumn is the column that names a row's tenant.
const tenantColumn = "tenant_id"

var (
	tenantColumnDecl = regexp.MustCompile(`\b` + tenantColumn + `\s+INTEGER\b`) // as a migration makes it
	tenantCondition  = regexp.MustCompile(`\b` + tenantColumn + `\s*(?:=|IN)\s*\(?\s*\?`)

	// sqlTable finds the tables that a piece of SQL reads or changes, its words in
	// capitals as everywhere here.
	sqlTable = regexp.MustCompile(`\b(?:FROM|JOIN|UPDATE)\s+["\x60]?(\w+)`)
)

// tenantTables are the tables that name each row's tenant, as the migrations
// make them.
func tenantTables(migrations ...string) map[string]bool {
	owned := map[string]bool{}
	for _, text := range migrations {
		for _, at := range createTable.FindAllStringSubmatchIndex(text, -1) {
			body, _, _ := strings.Cut(text[at[1]:], ");")
			if tenantColumnDecl.MatchString(body) {
				owned[text[at[2]:at[3]]] = true
			}
		}
	}
	return owned
}

// unscopedQueries are queries of tables that name the tenant which do not ask for
// one. excused are functions that may ask so.
func unscopedQueries(x *sourceTree, owned map[string]bool, excused map[string]string) (violations []string) {
	needed := map[string]bool{}
	for dir, sources := range x.production() {
		a := newQueryChecker(x, dir, sources, owned)
		for more := true; more; { // who calls one that delegates may delegate itself
			before := len(a.delegating)
			a.unscoped = map[string][]string{}
			for _, s := range sources {
				a.checkFile(s.file)
			}
			more = len(a.delegating) > before
		}
		for name, places := range a.unscoped {
			if _, ok := excused[name]; ok {
				needed[name] = true
				continue
			}
			violations = append(violations, places...)
		}
	}
	for name := range excused {
		if !needed[name] {
			violations = append(
				violations,
				name+" is excused, but asks for a tenant's rows, or for none, or does not exist",
			)
		}
	}
	slices.Sort(violations)
	return violations
}

// crossTenantQueries are functions whose queries name no tenant, each with its reason.
var crossTenantQueries = map[string]string{
	"tenant.Store.ByHost":                     "establishes the tenant from a host",
	"identity.SessionStore.Caller":            "establishes the tenant from an access token",
	"identity.SessionStore.Refresh":           "establishes the tenant from a refresh token",
	"identity.SessionStore.endReused":         "establishes the tenant from the session of a refresh token",
	"identity.CredentialStore.Authenticate":   "establishes the tenant from a key and its secret",
	"identity.AvatarStore.Picture":            "the address cannot be guessed; an image on a page carries no token",
	"identity.CodeStore.retryAfter":           "a phone and an address are limited on the whole platform, whoever sends",
	"identity.CredentialStore.Flush":          "writes every tenant's behind, by numbers that Check found",
	"identity.SessionStore.Sweep":             "the platform's upkeep: sessions without tokens",
	"identity.CodeStore.Sweep":                "the platform's upkeep: codes that no limit counts",
	"identity.UserStore.Sweep":                "the platform's upkeep: networks that nobody signed in from for long",
	"audit.Store.Sweep":                       "the platform's upkeep: entries that are kept no more",
	"datafolder.DeviceKey":                    "whether anybody has what hangs on the key",
	"device.Store.OwnerOf":                    "for whoever runs the platform: names are unique on it",
	"device.Store.OwnersOf":                   "for whoever runs the platform: names are unique on it",
	"device.Store.Refs":                       "for examining a data folder, which is everybody's",
	"device.Store.LoadRegistry":               "the devices' edge holds every tenant's devices",
	"device.StatusStore.Load":                 "a start reads every tenant's",
	"device.StatusStore.loadDays":             "a start reads every tenant's",
	"device.StatusStore.overfullDevices":      "the platform's upkeep: devices with too many comings",
	"device.StatusStore.sweepPresence":        "the platform's upkeep: comings that are kept no more",
	"device.sweepDays":                        "the platform's upkeep: days that are kept no more",
	"alarm.PositionStore.LoadTenants":         "a start takes up all tenants",
	"alarm.PositionStore.Save":                "the journal is one for all tenants",
	"alarm.RuleStore.pairs":                   "what its callers want: a tenant's, or for the engine every tenant's",
	"alarm.RuleStore.Running":                 "the engine judges every tenant's",
	"alarm.RuleStore.TenantsWithDynamicRules": "which tenants have rules whose devices change by themselves",
	"alarm.existingRules":                     "a start asks of every tenant's notices whether their rules are there",
	"alarm.Engine.loadOpenNotices":            "the engine judges every tenant's",
	"alarm.noticeArchiver.waiting":            "the keeper makes the charts of every tenant's notices",
	"alarm.onsetFinder.noticesWithoutOnset":   "every tenant's notices are looked at, in turn",
	"alarm.noticeArchiver.sweep":              "the platform's upkeep: notices that are kept no more",
	"notify.MessageStore.Sweep":               "the platform's upkeep: messages that are kept no more",
	"notify.WebhookStore.Sweep":               "the platform's upkeep: secrets that do not count any more",
	"notify.Outbox.Sweep":                     "the platform's upkeep: deliveries that are kept no more",
	"notify.Outbox.Waiting":                   "figures for whoever runs the platform",
	"notify.queued":                           "how much a restored server holds, of all tenants",
	"notify.Outbox.begin":                     "a start gives back what an earlier run had in flight",
	"notify.worker.followClock":               "the clock was set for every tenant",
	"notify.worker.idle":                      "a lane brings every tenant's",
	"notify.worker.nextWake":                  "a lane brings every tenant's",
	"notify.worker.failExpired":               "a lane brings every tenant's",
	"notify.rotation.refresh":                 "who has something due, of all tenants",
	"notify.Outbox.sweepMinutes":              "the platform's upkeep: minutes that are over",
	"notify.Outbox.sweepSentDays":             "the platform's upkeep: days that are over",
	"notify.batch.lease":                      "writes by numbers what a turn of a lane has read, of many tenants",
	"notify.deferrals.write":                  "writes by numbers what a turn of a lane has read, of many tenants",
	"notify.Outbox.finish":                    "writes by numbers what a turn of a lane has brought, of many tenants",
	"notify.Outbox.releaseWaiting":            "writes by numbers what a turn of a lane has brought, of many tenants",
	"notify.Outbox.enqueueReminders":          "writes by numbers what a turn of a lane has brought, of many tenants",
	"notify.Outbox.trimReminders":             "writes by numbers what a turn of a lane has brought, of many tenants",
}

func TestQueriesNameTheTenant(t *testing.T) {
	owned := tenantTables(migrations(t)...)
	if len(owned) < 15 {
		t.Fatalf("tables %v", owned)
	}
	expectNone(t, unscopedQueries(parseRepository(t), owned, crossTenantQueries))
}

func TestQueryRuleFindsViolations(t *testing.T) {
	owned := tenantTables(
		"CREATE TABLE devices (\n    id INTEGER,\n    tenant_id INTEGER\n);\nCREATE TABLE steps (\n    device_id INTEGER\n);",
		"CREATE TABLE notes (tenant_id INTEGER);\nCREATE INDEX n ON steps (tenant_id);",
	)
	if want := map[string]bool{"devices": true, "notes": true}; !maps.Equal(owned, want) {
		t.Fatalf("tables %v", owned)
	}
	const head = "package device\nimport (\"context\"; \"github.com/uptrace/bun\")\n" +
		"type row struct { bun.BaseModel `bun:\"table:devices,alias:d\"`; ID int }\n" +
		"type step struct { bun.BaseModel `bun:\"table:steps\"` }\n"
	expectViolations(
		t,
		unscopedQueries(parseExample(t, map[string]string{
			"internal/domain/device/good.go": head + `
const one = "d.tenant_id = ?" + " AND d.id = ?"
func a(tx bun.IDB) { tx.NewSelect().Model((*row)(nil)).Where(one, t, 1).Scan(ctx) }
func b(tx bun.IDB) { q := tx.NewUpdate().Model((*row)(nil)).Set("x = 1"); if x { q.Set("y = 1") }; q.Where("tenant_id = ?", t).Exec(ctx) }
func c(tx bun.IDB) { tx.NewDelete().Model((*step)(nil)).Where("device_id = 1").Exec(ctx) }
func d(tx bun.IDB) { only := tx.NewSelect().Model((*row)(nil)).Where("tenant_id IN (?)", t).Limit(1); tx.NewDelete().Model((*row)(nil)).Where("id IN (?)", only).Exec(ctx) }
func e(tx bun.IDB) { tx.NewInsert().Model(&row{}).Exec(ctx) }
func f(tx bun.IDB, which func(*bun.SelectQuery) *bun.SelectQuery) { which(tx.NewSelect().Model((*row)(nil))).Scan(ctx) }
func g(tx bun.IDB, which func(*bun.SelectQuery) *bun.SelectQuery) { f(tx, which) }
func h(tx bun.IDB) { g(tx, func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("d.tenant_id = ?", t) }) }
func i(tx bun.IDB) {
	mine := func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("d.tenant_id = ?", t) }
	mine(tx.NewSelect().Model((*row)(nil))).Scan(ctx)
	f(tx, func(q *bun.SelectQuery) *bun.SelectQuery { return mine(q).Limit(1) })
	f(tx, of(t))
}
func of(t int) func(*bun.SelectQuery) *bun.SelectQuery { return func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("d.tenant_id = ?", t) } }
func j(tx bun.IDB) { tx.NewRaw("SELECT id FROM devices WHERE tenant_id = ?0", t).Scan(ctx); tx.NewRaw("SELECT 1 FROM steps") }
func k(tx bun.IDB) { tx.NewSelect().Model((*step)(nil)).Where("device_id = (SELECT id FROM devices WHERE tenant_id = ? AND id = ?)", t, 1).Scan(ctx) }
func l(tx bun.IDB) { tx.NewSelect().TableExpr("(?) AS some", tx.NewSelect().Model((*row)(nil)).Where("tenant_id = ?", t)).Scan(ctx) }
const words = "read from devices, and update notes"
`,
			"internal/domain/device/bad.go": head + `
func (s *Store) none(tx bun.IDB) { tx.NewSelect().Model((*row)(nil)).Scan(ctx) }
func (s *Store) byID(tx bun.IDB) { tx.NewUpdate().Model((*row)(nil)).Set("tenant_id = ?", t).Where("id = ?", 1).Exec(ctx) }
func (s *Store) column(tx bun.IDB) { tx.NewSelect().Model((*row)(nil)).Column("tenant_id").OrderExpr("tenant_id").Scan(ctx) }
func (s *Store) same(tx bun.IDB) { tx.NewSelect().TableExpr("devices AS d").Where("d.tenant_id = x.tenant_id").Scan(ctx) }
func (s *Store) list(tx bun.IDB) { tx.NewDelete().Model((*row)(nil)).Where("id IN (?)", bun.List(ids)).Exec(ctx) }
func (s *Store) inner(tx bun.IDB) { all := tx.NewSelect().Table("notes"); tx.NewDelete().Model((*row)(nil)).Where("id IN (?)", all).Exec(ctx) }
func (s *Store) other(tx bun.IDB) { q := tx.NewSelect().Model((*row)(nil)); p := tx.NewSelect().Model((*row)(nil)); q.Where("tenant_id = ?", t).Scan(ctx); p.Scan(ctx) }
func (s *Store) closure(tx bun.IDB) { s.Tx(func() { tx.NewDelete().Model((*row)(nil)).Where("id = 1").Exec(ctx) }) }
func (s *Store) wide(tx bun.IDB) { g(tx, func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("id > 1") }) }
func (s *Store) joined(tx bun.IDB) { tx.NewSelect().Model((*step)(nil)).Join("JOIN notes AS n ON n.id = 1").Scan(ctx) }
func (s *Store) sub(tx bun.IDB) { tx.NewSelect().Model((*step)(nil)).Where("x IN (SELECT id FROM notes)").Scan(ctx) }
func (s *Store) raw(tx bun.IDB) { tx.NewRaw("DELETE FROM notes WHERE id = ?", 1).Exec(ctx) }
func (s *Store) table(tx bun.IDB, name string) { tx.NewSelect().TableExpr(name).Where("tenant_id IS NULL").Scan(ctx) }
func (s *Store) model(tx bun.IDB, m any) { tx.NewSelect().Model(m).Where("id = 1").Scan(ctx) }
func (s *Store) Excused(tx bun.IDB) { tx.NewSelect().Model((*row)(nil)).Scan(ctx) }
func (s *Store) Reformed(tx bun.IDB) { tx.NewSelect().Model((*row)(nil)).Where("tenant_id = ?", t).Scan(ctx) }
const everybody = "UPDATE notes " + "SET read = TRUE"
`,
			"internal/domain/device/bad_test.go": head + "func x(tx bun.IDB) { tx.NewSelect().Model((*row)(nil)).Scan(ctx) }\n",
		}), owned, map[string]string{"device.Store.Excused": "x", "device.Store.Reformed": "x", "device.Store.Gone": "x"}),
		"Store.none asks of devices",
		"Store.byID asks",
		"Store.column asks",
		"Store.same asks",
		"Store.list asks",
		"Store.inner asks of notes",
		"Store.other asks",
		"Store.closure asks",
		"Store.wide asks of what g reads",
		"Store.joined asks of notes",
		"Store.sub asks of notes",
		"Store.raw asks of notes",
		"Store.table asks of a table that cannot be told",
		"Store.model asks of a table that cannot be told",
		"(constants) asks of notes",
		"Reformed is excused",
		"Gone is excused",
	)
}
