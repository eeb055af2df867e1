package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"

	"tilth/internal/edge/provider/wire"
)

// execSQL runs SQL that no store runs.
func (p *fixture) execSQL(t *testing.T, sql string) {
	t.Helper()
	if err := p.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(sql).Exec(ctx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// failOn makes the database fail on an operation on a table if condition holds (empty: always),
// until the returned function is called.
func (p *fixture) failOn(t *testing.T, when, table, condition string) (restore func()) {
	t.Helper()
	if condition == "" {
		condition = "TRUE"
	}
	if p.DB.Read(t.Context()).Dialect().Name() != dialect.PG {
		p.execSQL(
			t,
			fmt.Sprintf(
				`CREATE TRIGGER trouble %s ON %s BEGIN SELECT RAISE(ABORT, 'disk full') WHERE %s; END`,
				when,
				table,
				condition,
			),
		)
		return func() { t.Helper(); p.execSQL(t, `DROP TRIGGER trouble`) }
	}
	p.execSQL(t, fmt.Sprintf(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
		$$BEGIN IF %s THEN RAISE 'disk full'; END IF; RETURN NEW; END$$`, condition))
	p.execSQL(t, fmt.Sprintf(`CREATE TRIGGER trouble %s ON %s FOR EACH ROW EXECUTE FUNCTION fail()`, when, table))
	return func() {
		t.Helper()
		p.execSQL(t, fmt.Sprintf(`DROP TRIGGER trouble ON %s; DROP FUNCTION fail`, table))
	}
}

// everythingFile changes or creates something in every table.
const everythingFile = `
elements:
  - {yeuSign: airTemperature, yeuName: {en-us: Air, zh-cn: 空气, tr-tr: Hava, ru-ru: Воздух}}
products:
  - name: station
    productName: {en-us: Station, zh-cn: 气象站, tr-tr: İstasyon, ru-ru: Станция}
    properties: [{identifier: rain, dataType: number}]
  - {name: probe, properties: [{identifier: soilMoisture, dataType: number}]}
tenants:
  - name: north
    hosts: [other.example]
    users:
      - {userName: ada, disabled: true}
      - {userName: bora, password: another horse}
      - {userName: cem, password: correct horse}
    scenes: [Field, Barn]
    devices:
      - {deviceName: N-1, serial: X, secret: another-secret-of-device-n-1}
      - {deviceName: N-3, product: probe, scene: Barn, secret: secret-of-the-device-n-3}
  - {name: west, timeZone: UTC, hosts: [west.example]}
`

// Whichever statement of an apply fails, nothing of the file is stored, no session is reported as
// ended, and the running server keeps its state. After the fault is removed, the same file is
// applied completely.
func TestApplyIsAtomic(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	p.Session(t, p.user(t, "north", "ada"))
	p.Sessions.Ended.Then(func(int64) { t.Error("a session was reported as ended") })
	p.Registry.StructureChanged.Then(func(struct{}) { t.Error("the running server's registry changed") })
	before := p.dump(t)
	for _, c := range []struct{ when, table string }{
		{"BEFORE INSERT", "elements"}, {"BEFORE INSERT", "element_names"}, {"BEFORE INSERT", "product_names"}, {"BEFORE INSERT", "products"}, {"BEFORE UPDATE", "products"},
		{"BEFORE INSERT", "property_numbers"}, {"BEFORE DELETE", "product_properties"}, {"BEFORE INSERT", "product_properties"},
		{"BEFORE INSERT", "tenants"}, {"BEFORE UPDATE", "tenants"}, {"BEFORE DELETE", "tenant_hosts"}, {"BEFORE INSERT", "tenant_hosts"},
		{"BEFORE INSERT", "users"}, {"BEFORE UPDATE OF disabled", "users"}, {"BEFORE UPDATE OF password_hash", "users"},
		{"BEFORE DELETE", "sessions"}, {"BEFORE INSERT", "scenes"}, {"BEFORE INSERT", "devices"}, {"BEFORE UPDATE", "devices"},
		{"BEFORE DELETE", "device_secrets"}, {"BEFORE INSERT", "device_secrets"}, {"AFTER INSERT", "device_secrets"},
	} {
		t.Run(c.when+" "+c.table, func(t *testing.T) {
			condition := ""
			if c.when == "AFTER INSERT" { // the very last statement
				condition = "(SELECT name FROM devices WHERE id = NEW.device_id) = 'N-3'"
			}
			repair := p.failOn(t, c.when, c.table, condition)
			out, err := p.service.Apply(t.Context(), []byte(everythingFile), true)
			if err == nil || out != nil || !strings.Contains(err.Error(), "disk full") {
				t.Errorf("answered %+v, %v", out, err)
			}
			if after := p.dump(t); after != before {
				t.Errorf("half of a file was stored:\n%s\nwas\n%s", after, before)
			}
			repair()
		})
	}
	if p.Catalog.ProductByName("probe") != nil || p.Catalog.Element("airTemperature") != nil {
		t.Error("the running server loaded changes that were not stored")
	}
}

func TestEverythingAtOnce(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	p.Session(t, p.user(t, "north", "ada"))
	ended := 0
	p.Sessions.Ended.Then(func(int64) { ended++ })
	out := p.apply(t, everythingFile, true)
	want := "product station: productName,properties\ntenant north: hosts\nuser north/ada: disabled\nuser north/bora: password\ndevice north/N-1: serial,secrets"
	if got := itemNames(out.Changed); got != want || len(out.Created) != 6 || out.Unchanged != 1 || ended != 1 {
		t.Errorf(
			"changed\n%s\nwant\n%s\ncreated %s\nleft %d, %d sessions ended",
			got,
			want,
			itemNames(out.Created),
			out.Unchanged,
			ended,
		)
	}
}

// A delete that fails half-way changes nothing.
func TestDeleteIsAtomic(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	session := p.Session(t, p.user(t, "north", "ada"))
	for _, c := range []struct {
		table, owner, name string
		kind               Kind
	}{{"users", "north", "ada", KindUser}, {"scenes", "north", "Field", KindScene}, {"tenants", "", "south", KindTenant}} {
		before := p.dump(t)
		repair := p.failOn(t, "BEFORE DELETE", c.table, "")
		_, err := p.service.Delete(t.Context(), c.kind, c.owner, c.name)
		var r *Refusal
		if err == nil || errors.As(err, &r) {
			t.Errorf("%s: answered %v", c.kind, err)
		}
		if after := p.dump(t); after != before {
			t.Errorf("%s: half deleted:\n%s\nwas\n%s", c.kind, after, before)
		}
		repair()
	}
	if _, err := p.Sessions.Caller(t.Context(), session.Access); err != nil {
		t.Errorf("the session of a user who was not deleted: %v", err)
	}
	// A device whose row cannot be deleted is disabled, and can be deleted later.
	repair := p.failOn(t, "BEFORE DELETE", "devices", "")
	if _, err := p.service.Delete(t.Context(), KindDevice, "north", "N-1"); err == nil {
		t.Error("deleted")
	}
	if e := p.Registry.Get(p.device(t, "north", "N-1").ID); e == nil || !e.Disabled {
		t.Errorf("the device is not disabled: %+v", e)
	}
	repair()
	p.mustDelete(t, KindDevice, "north", "N-1")
}

// A database that cannot be read is a fault, never "there is no such thing".
func TestUnreadableDatabaseIsFault(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	before := p.dump(t)
	for _, table := range []string{"tenants", "tenant_hosts", "users", "scenes", "devices", "device_secrets"} {
		t.Run(table, func(t *testing.T) {
			p.execSQL(t, fmt.Sprintf(`ALTER TABLE %s RENAME TO gone`, table))
			if out, err := p.service.Apply(t.Context(), []byte(everythingFile), true); err == nil || out != nil {
				t.Errorf("applied: %+v", out)
			}
			for kind, name := range map[Kind]string{KindTenant: "north", KindUser: "nobody", KindScene: "Nowhere", KindDevice: "N-9"} {
				owned := map[Kind]string{KindUser: "users", KindScene: "scenes", KindDevice: "devices"}[kind] == table
				var r *Refusal
				_, err := p.service.Delete(t.Context(), kind, "north", name)
				if missing := errors.As(err, &r) && r.Missing; err == nil || missing && (owned || table == "tenants") {
					t.Errorf("%s: %v", kind, err)
				}
			}
			p.execSQL(t, fmt.Sprintf(`ALTER TABLE gone RENAME TO %s`, table))
		})
	}
	if after := p.dump(t); after != before {
		t.Errorf("something was stored:\n%s\nwas\n%s", after, before)
	}
}

// If the running server cannot reload its registry, the result is answered all the same, because
// only the answer has the generated secrets. The service stays marked as stale, and the next call
// fails instead of working on stale data.
func TestReloadFailureStillReturnsSecrets(t *testing.T) {
	f := newAPIFixture(t)
	f.applyBase(t)
	p := f.fixture
	p.execSQL(t, `ALTER TABLE property_numbers RENAME TO gone`)
	// A device's serial needs no property numbers; reloading the registry does.
	const file = `tenants: [{name: north, users: [{userName: mia}], devices: [{deviceName: N-1, serial: Z}, {deviceName: N-7, product: station}]}]`
	out := read[wire.ApplyResult](t, f.post(t, "v1/apply", file), http.StatusOK)
	if out.Warning == nil || !strings.Contains(*out.Warning, "stored") {
		t.Errorf("no warning that the registry was not reloaded: %+v", out)
	}
	secrets := map[string]string{}
	for _, it := range out.Created {
		if it.Secret != nil {
			secrets[it.Name] = *it.Secret
		}
	}
	if d := p.device(t, "north", "N-1"); d.Serial != "Z" || !p.service.stale {
		t.Errorf("serial %q, stale %v", d.Serial, p.service.stale)
	}
	if !f.passwordMatches(t, f.user(t, "north", "mia"), secrets["mia"]) {
		t.Error("the generated password is lost")
	}
	read[wire.Problem](t, f.post(t, "v1/apply", file), http.StatusInternalServerError)
	if !strings.Contains(f.Log.Text(), "registry not reloaded") {
		t.Errorf("log:\n%s", f.Log.Text())
	}
	if _, err := p.service.Delete(t.Context(), KindScene, "north", "Field"); err == nil {
		t.Error("the next call went on")
	}
	p.execSQL(t, `ALTER TABLE gone RENAME TO property_numbers`)
	again := read[wire.ApplyResult](t, f.post(t, "v1/apply", file), http.StatusOK)
	if again.Warning != nil || again.Left != 4 || p.service.stale {
		t.Errorf("again: %+v, stale %v", again, p.service.stale)
	}
	if _, _, ok := p.Registry.Authenticate("N-7", secrets["N-7"]); !ok {
		t.Error("the generated secret is lost")
	}
	p.mustDelete(t, KindScene, "north", "Field")
}
