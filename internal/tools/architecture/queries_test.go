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
	tenantColumnDecl = regexp.MustCompile(`\b` + tenantColumn + `\s+INTEGER\b`) // as a migration declares it
	tenantCondition  = regexp.MustCompile(`\b` + tenantColumn + `\s*(?:=|IN)\s*\(?\s*\?`)

	// sqlTable finds the tables that SQL reads or changes. SQL keywords are in capitals everywhere
	// in this repository.
	sqlTable = regexp.MustCompile(`\b(?:FROM|JOIN|UPDATE)\s+["\x60]?(\w+)`)
)

// tenantTables returns the tables with a tenant column, from the text of the migrations.
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

// unscopedQueries finds queries of tables with a tenant column that have no condition on it.
// excused are functions that may have such queries.
func unscopedQueries(x *sourceTree, owned map[string]bool, excused map[string]string) (violations []string) {
	needed := map[string]bool{}
	for dir, sources := range x.production() {
		a := newQueryChecker(x, dir, sources, owned)
		for more := true; more; { // a caller of a delegating function may delegate, too
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
				name+" is excused, but names the tenant, queries no tenant's rows, or does not exist",
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
	"identity.CredentialStore.Find":           "establishes the tenant from a key and its secret",
	"identity.AvatarStore.Picture":            "an image request carries no token; its address cannot be guessed",
	"identity.CodeStore.retryAfter":           "limits a phone and an address over all tenants",
	"identity.CredentialStore.Flush":          "writes every tenant's uses later, by ids that Authenticate found",
	"identity.InvitationStore.ByToken":        "establishes the tenant from the token of an invitation's link",
	"identity.TicketStore.byTicket":           "establishes the tenant from the ticket of a sign-in",
	"identity.TicketStore.Sweep":              "clean-up of all tenants: tickets that expired",
	"identity.InvitationStore.Sweep":          "clean-up of all tenants: invitations that expired long ago",
	"identity.SessionStore.Sweep":             "clean-up of all tenants: sessions without tokens",
	"identity.ConnectionStore.atIssuer":       "establishes the tenants from the issuer of a logout token",
	"identity.signOnStore.takeAttempt":        "establishes the tenant from the state of a sign-in at an issuer",
	"identity.signOnStore.takeTicket":         "establishes the tenant from the ticket of a sign-in at an issuer",
	"identity.signOnStore.renewable":          "establishes the tenant from a refresh token",
	"identity.signOnStore.concerned":          "establishes the tenants from the session of a logout token",
	"identity.signOnStore.sweep":              "clean-up of all tenants: sign-ins at issuers that nobody finished",
	"identity.CodeStore.Sweep":                "clean-up of all tenants: codes that no limit counts any longer",
	"identity.UserStore.Sweep":                "clean-up of all tenants: subnets without a recent sign-in",
	"audit.Store.Sweep":                       "clean-up of all tenants: entries past their retention",
	"datafolder.DeviceKey":                    "tells whether any tenant has data that depends on the key",
	"device.Store.OwnerOf":                    "for the provider: device names are unique in the installation",
	"device.Store.OwnersOf":                   "for the provider: device names are unique in the installation",
	"device.Store.Refs":                       "examines a data folder, which holds all tenants",
	"calibration.Service.Load":                "at the start: the calibrations of all tenants",
	"calibration.Service.nextRederivation":    "background work of all tenants",
	"selfservice.keyedItems":                  "for the provider: its shelf is for all tenants",
	"selfservice.Shelf.Put":                   "for the provider: its shelf is for all tenants",
	"selfservice.Shelf.Delete":                "for the provider: its shelf is for all tenants",
	"device.forgetFormer":                     "secrets are unique in the installation: one may move to another tenant's device",
	"device.readRegistry":                     "the registry holds every tenant's devices",
	"device.readStatusPages":                  "a start loads every tenant's status, a standby what changed since",
	"device.readDayPages":                     "a start loads every tenant's status, a standby what changed since",
	"device.TraceStore.Load":                  "a start loads every tenant's traces",
	"device.StatusStore.overfullDevices":      "clean-up of all tenants: devices with too many presence changes",
	"device.StatusStore.sweepPresence":        "clean-up of all tenants: presence changes past their retention",
	"device.sweepDays":                        "clean-up of all tenants: days past their retention",
	"alarm.PositionStore.LoadTenants":         "a start loads every tenant's evaluated position",
	"alarm.PositionStore.Save":                "all tenants share one journal",
	"alarm.RuleStore.pairs":                   "its callers add the condition: one tenant, or for the engine all",
	"alarm.RuleStore.Running":                 "the engine evaluates every tenant's rules",
	"alarm.RuleStore.TenantsWithDynamicRules": "lists the tenants that have dynamic rules",
	"alarm.existingRules":                     "a start checks which notices of all tenants still have their rule",
	"alarm.Engine.loadOpenNotices":            "the engine evaluates every tenant's rules",
	"alarm.noticeArchiver.waiting":            "the archiver stores the charts of every tenant's notices",
	"alarm.onsetFinder.noticesWithoutOnset":   "searches the onsets of every tenant's notices, round robin",
	"alarm.noticeArchiver.sweep":              "clean-up of all tenants: notices past their retention",
	"notify.MessageStore.Sweep":               "clean-up of all tenants: messages past their retention",
	"homeassistant.Store.tenants":             "a start serves the brokers of all tenants",
	"notify.WebhookStore.Sweep":               "clean-up of all tenants: webhook secrets that are no longer valid",
	"notify.Outbox.Sweep":                     "clean-up of all tenants: deliveries past their retention",
	"notify.Outbox.Waiting":                   "metrics of the whole installation",
	"notify.CountQueued":                      "counts the deliveries of all tenants that a restored server holds back",
	"notify.Outbox.begin":                     "a start releases every tenant's deliveries that an earlier run had in flight",
	"notify.worker.followClock":               "a step of the clock concerns all tenants",
	"notify.worker.endUnsureLeases":           "a worker sends every tenant's deliveries",
	"notify.worker.idle":                      "a worker sends every tenant's deliveries",
	"notify.worker.nextWake":                  "a worker sends every tenant's deliveries",
	"notify.worker.failExpired":               "a worker sends every tenant's deliveries",
	"notify.rotation.refresh":                 "lists the tenants with due deliveries",
	"notify.Outbox.sweepMinutes":              "clean-up of all tenants: minutes that are over",
	"notify.Outbox.sweepSentDays":             "clean-up of all tenants: days that are over",
	"notify.batch.lease":                      "writes by id the deliveries that a worker has read, of many tenants",
	"notify.deferrals.write":                  "writes by id the deliveries that a worker has read, of many tenants",
	"notify.Outbox.finish":                    "writes by id the deliveries that a worker has sent, of many tenants",
	"notify.Outbox.releaseWaiting":            "writes by id the deliveries that a worker has sent, of many tenants",
	"notify.Outbox.enqueueReminders":          "writes by id the deliveries that a worker has sent, of many tenants",
	"notify.Outbox.trimReminders":             "writes by id the deliveries that a worker has sent, of many tenants",
}

func TestQueriesNameTheTenant(t *testing.T) {
	owned := tenantTables(migrations(t)...)
	if len(owned) < 15 {
		t.Fatalf("only these tables with a tenant were found: %v", owned)
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
func of(t int) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("d.tenant_id = ?", t) }
}
func j(tx bun.IDB) { tx.NewRaw("SELECT id FROM devices WHERE tenant_id = ?0", t).Scan(ctx); tx.NewRaw("SELECT 1 FROM steps") }
func k(tx bun.IDB) { tx.NewSelect().Model((*step)(nil)).Where("device_id = (SELECT id FROM devices WHERE tenant_id = ? AND id = ?)", t, 1).Scan(ctx) }
func l(tx bun.IDB) { tx.NewSelect().TableExpr("(?) AS some", tx.NewSelect().Model((*row)(nil)).Where("tenant_id = ?", t)).Scan(ctx) }
const words = "read from devices, and update notes"
`,
			"internal/domain/device/bad.go": head + `
func (s *Store) none(tx bun.IDB) { tx.NewSelect().Model((*row)(nil)).Scan(ctx) }
func (s *Store) byID(tx bun.IDB) {
	tx.NewUpdate().Model((*row)(nil)).Set("tenant_id = ?", t).Where("id = ?", 1).Exec(ctx)
}
func (s *Store) column(tx bun.IDB) {
	tx.NewSelect().Model((*row)(nil)).Column("tenant_id").OrderExpr("tenant_id").Scan(ctx)
}
func (s *Store) same(tx bun.IDB) { tx.NewSelect().TableExpr("devices AS d").Where("d.tenant_id = x.tenant_id").Scan(ctx) }
func (s *Store) list(tx bun.IDB) { tx.NewDelete().Model((*row)(nil)).Where("id IN (?)", bun.List(ids)).Exec(ctx) }
func (s *Store) inner(tx bun.IDB) { all := tx.NewSelect().Table("notes"); tx.NewDelete().Model((*row)(nil)).Where("id IN (?)", all).Exec(ctx) }
func (s *Store) other(tx bun.IDB) {
	q := tx.NewSelect().Model((*row)(nil))
	p := tx.NewSelect().Model((*row)(nil))
	q.Where("tenant_id = ?", t).Scan(ctx)
	p.Scan(ctx)
}
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
		"Store.none queries devices",
		"Store.byID queries",
		"Store.column queries",
		"Store.same queries",
		"Store.list queries",
		"Store.inner queries notes",
		"Store.other queries",
		"Store.closure queries",
		"Store.wide queries the tables of g",
		"Store.joined queries notes",
		"Store.sub queries notes",
		"Store.raw queries notes",
		"Store.table queries an unknown table",
		"Store.model queries an unknown table",
		"(constants) queries notes",
		"Reformed is excused",
		"Gone is excused",
	)
}
