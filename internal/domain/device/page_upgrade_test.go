package device_test

import (
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/tools/testkit"
)

// beforePages are rows of a database before its status was in pages: two tenants whose devices alternate, one of
// them with more than a page holds.
var beforePages = []string{
	`INSERT INTO tenants (id, name, time_zone, language, create_time) VALUES (1, 't', 'UTC', 'en-us', 0), (2, 'u', 'UTC', 'en-us', 0)`,
	`INSERT INTO products (id, name, offline_after) VALUES (1, 'p', 1000)`,
	`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
		INSERT INTO devices (id, tenant_id, name, serial, note_name, folded_text, product_id, create_time)
		SELECT i, 1 + i % 2, 'd' || i, '', '', 'd' || i, 1, 0 FROM n`,
	`INSERT INTO device_status (device_id, tenant_id, online, last_contact, online_time, offline_time, messages,
			value_count, refused, refusal_time, refusal_identifier, refusal_reason, clock_ahead)
		SELECT id, tenant_id, id % 3 = 0, 1700000000000 + id, 1690000000000 + id, 1680000000000 + id, id, 2 * id,
			id % 5, id % 7, CASE WHEN id % 5 = 0 THEN '' ELSE 'q"\ 🌱' || id END, 'unknown', id % 2 * 1000
		FROM devices WHERE id % 10 <> 0`,
	`INSERT INTO device_days (device_id, day, tenant_id, messages, value_count, refused)
		SELECT id, day, tenant_id, id, day, id % 3 FROM devices,
			(SELECT 20000 AS day UNION ALL SELECT 20777 UNION ALL SELECT 20778) AS x
		WHERE id % 4 <> 0`,
}

// openUpgraded makes a folder, or a PostgreSQL database, as of before pages, and opens it.
func openUpgraded(t *testing.T) *db.DB {
	t.Helper()
	const before = 29
	dir := t.TempDir()
	driver, address, dialect, migrations := "sqlite", "file:"+filepath.Join(
		dir,
		"tilth.db",
	)+"?_pragma=foreign_keys(ON)",
		goose.DialectSQLite3, "sqlite"
	if testkit.UsePostgres() {
		driver, address, dialect, migrations = "pgx", testkit.NewPostgres(t), goose.DialectPostgres, "postgres"
	}
	pool, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	p, err := goose.NewProvider(dialect, pool, os.DirFS("../../platform/db/migrations/"+migrations))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	for _, s := range beforePages {
		if _, err := pool.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	open := func() (*db.DB, error) { return db.Open(t.Context(), dir) }
	if testkit.UsePostgres() {
		open = func() (*db.DB, error) { return db.OpenPostgres(t.Context(), dir, address) }
	}
	d, err := open()
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

// The migration puts the status of every device and all its days into pages, and loses nothing; a flush replaces
// the pages of the migration.
func TestMigrationKeepsStatus(t *testing.T) {
	d := openUpgraded(t)
	check := func(when string) {
		t.Helper()
		sizes, owners, err := device.StoredPages(t.Context(), d)
		if err != nil || fmt.Sprint(sizes) != "[400 350 400 350]" || len(owners) != 1500 {
			t.Fatalf("%s: pages of %v with %d devices (%v)", when, sizes, len(owners), err)
		}
		status, intake, err := device.StoredStatus(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		days, err := device.StoredDays(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		for id := range device.ID(1501) {
			if id == 0 {
				continue
			}
			n := int64(id)
			var wantStatus device.Status
			var wantIntake device.Intake
			if id%10 != 0 {
				wantStatus = device.Status{
					Online:      id%3 == 0,
					LastContact: 1700000000000 + n,
					OnlineTime:  1690000000000 + n,
					OfflineTime: 1680000000000 + n,
				}
				wantIntake = device.Intake{
					Messages: n, Values: 2 * n, Refused: n % 5, ClockAhead: time.Duration(n%2) * time.Second,
				}
				wantIntake.LastRefusal = device.Refusal{Time: n % 7, Reason: device.ReasonUnknown}
				if n%5 != 0 {
					wantIntake.LastRefusal.Identifier = fmt.Sprint(`q"\ 🌱`, n)
				}
			}
			var wantDays []device.DayIntake
			for _, day := range []device.Day{20000, 20777, 20778} {
				if id%4 != 0 {
					wantDays = append(
						wantDays,
						device.DayIntake{Day: day, Messages: n, Values: int64(day), Refused: n % 3},
					)
				}
			}
			if owners[id] != tenant.ID(1+n%2) || status[id] != wantStatus || intake[id] != wantIntake ||
				fmt.Sprint(days[id]) != fmt.Sprint(wantDays) {
				t.Fatalf("%s: device %d of tenant %d: %+v %+v %v, want %+v %+v %v", when, id, owners[id],
					status[id], intake[id], days[id], wantStatus, wantIntake, wantDays)
			}
		}
		if problems, err := device.ExaminePages(t.Context(), d); err != nil || len(problems) > 0 {
			t.Errorf("%s: %v (%v)", when, problems, err)
		}
	}
	check("after the migration")

	clock := testkit.NewClock()
	registry := device.NewRegistry(testkit.SecretKey)
	catalog := device.NewCatalog(d)
	if err := device.NewStore(d, clock.Now).LoadRegistry(t.Context(), catalog, registry); err != nil {
		t.Fatal(err)
	}
	presence := device.NewPresence(registry, clock.Now, clock.Elapsed, testkit.NewLog().Logger)
	diagnostics := device.NewDiagnostics()
	store := device.NewStatusStore(d, registry, presence, diagnostics, clock.Now)
	if err := store.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	days, err := store.Days(t.Context(), 2, 7)
	if want := "[{2026-11-20 7 20777 1} {2026-11-21 7 20778 1}]"; err != nil || fmt.Sprint(days) != want {
		t.Errorf("days %v (%v), want %s", days, err, want)
	}
	if n := presence.OnlineCount(1) + presence.OnlineCount(2); n != 450 {
		t.Errorf("%d devices are online", n)
	}

	// A flush writes the page of a device anew, and the other devices in it stay as they are.
	wantStatus, wantIntake, err := device.StoredStatus(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	presence.Seen(device.Ref{Tenant: 2, ID: 7})
	diagnostics.Count(device.Ref{Tenant: 2, ID: 7}, clock.Milli(), 1, nil, 0)
	if err := store.Flush(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	wantStatus[7], wantIntake[7] = presence.Status(2, 7), diagnostics.Get(2, 7)
	status, intake, err := device.StoredStatus(t.Context(), d)
	if err != nil || !maps.Equal(status, wantStatus) || !maps.Equal(intake, wantIntake) {
		t.Errorf("the flush of one device changed others (%v)", err)
	}
	days, err = store.Days(t.Context(), 2, 9)
	if want := "[{2026-11-20 9 20777 0} {2026-11-21 9 20778 0}]"; err != nil || fmt.Sprint(days) != want {
		t.Errorf("days %v (%v), want %s", days, err, want)
	}
}
