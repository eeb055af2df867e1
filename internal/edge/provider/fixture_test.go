package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

// fixture is the service on real stores.
type fixture struct {
	*testkit.Stores
	readings *reading.Store
	hasher   *identity.Hasher
	service  *Service
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	p := &fixture{Stores: testkit.NewStores(t), hasher: identity.NewHasher()}
	p.readings = p.Readings
	p.restart(t)
	return p
}

// restart is a start of the server on the same stores.
func (p *fixture) restart(t testing.TB) {
	t.Helper()
	p.Restart(t)
	p.Hasher = p.hasher
	p.service = p.serviceWith(p.readings)
}

func (p *fixture) serviceWith(e device.Eraser) *Service {
	p.Remover.Readings, p.Remover.Intake = e, &stubIntake{}
	return NewService(Deps{Stores: p.Stores.Stores, Intake: &stubIntake{}})
}

// stubIntake is an intake without readings; onWait may write some.
type stubIntake struct{ onWait func() }

func (i *stubIntake) Recompute(context.Context, device.Ref, int64) (int, error) {
	return 0, errors.New("nothing is derived here")
}

func (i *stubIntake) WaitCommitted() {
	if i.onWait != nil {
		i.onWait()
	}
}

// apply applies a file, which must be valid.
func (p *fixture) apply(t testing.TB, source string, overwrite bool) *Result {
	t.Helper()
	out, err := p.service.Apply(t.Context(), []byte(source), overwrite)
	if err != nil {
		var wrong *FileError
		if errors.As(err, &wrong) {
			t.Fatalf("%v: %+v", err, wrong.Errors)
		}
		t.Fatal(err)
	}
	return out
}

// applyBase applies testdata/base.yaml. It makes the users before, with cheap password hashes, so
// that a test waits only for hashes that it needs.
func (p *fixture) applyBase(t testing.TB) {
	t.Helper()
	north := &tenant.Tenant{Name: "north", TimeZone: time.UTC, Language: text.English}
	if err := p.Tenants.Put(t.Context(), north); err != nil {
		t.Fatal(err)
	}
	for _, u := range []*identity.User{{UserName: "ada", Nickname: "ada", Mobile: "+905551112233"}, {UserName: "bora", Nickname: "bora"}} {
		if err := p.Users.Create(t.Context(), north.ID, u, testkit.PasswordHash("correct horse")); err != nil {
			t.Fatal(err)
		}
	}
	if out := p.apply(t, readTestFile(t, "testdata/base.yaml"), true); out.Unchanged != 2 {
		t.Fatalf("the users are not as the file says: %+v", out)
	}
}

// tenant returns a tenant, which must exist.
func (p *fixture) tenant(t testing.TB, name string) *tenant.Tenant {
	t.Helper()
	found, err := p.Tenants.ByName(t.Context(), name)
	if err != nil {
		t.Fatalf("tenant %s: %v", name, err)
	}
	return found
}

func (p *fixture) device(t testing.TB, owner, name string) *device.Device {
	t.Helper()
	d, err := p.Devices.Get(t.Context(), p.tenant(t, owner).ID, name)
	if err != nil {
		t.Fatalf("device %s: %v", name, err)
	}
	return d
}

func (p *fixture) user(t testing.TB, owner, name string) *identity.User {
	t.Helper()
	u, err := p.Users.ByName(t.Context(), p.tenant(t, owner).ID, name)
	if err != nil {
		t.Fatalf("user %s: %v", name, err)
	}
	return u
}

// passwordMatches tells whether a user's password is the given one.
func (p *fixture) passwordMatches(t testing.TB, u *identity.User, password string) bool {
	t.Helper()
	stored, err := p.Users.PasswordHash(t.Context(), u.Tenant, u.ID)
	if err != nil {
		t.Fatal(err)
	}
	ok, err := p.hasher.Verify(t.Context(), identity.PlatformRequester, stored, password)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// dump returns everything that the service stores as text, to compare two states.
func (p *fixture) dump(t testing.TB) string {
	t.Helper()
	var out bytes.Buffer
	ctx := context.Background()
	for _, table := range []string{
		"elements", "element_names", "property_numbers", "products", "product_names", "product_properties", "tenants", "tenant_hosts",
		"users", "sessions", "scenes", "devices", "device_secrets",
	} {
		var rows []map[string]any
		// The order is that of the rows' content, because only SQLite numbers the rows of every
		// table.
		if err := p.DB.Read(ctx).NewSelect().Table(table).Scan(ctx, &rows); err != nil {
			t.Fatal(err)
		}
		lines := make([]string, len(rows))
		for i, r := range rows {
			content, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			lines[i] = string(content)
		}
		slices.Sort(lines)
		fmt.Fprintf(&out, "%s %s\n", table, lines)
	}
	return out.String()
}

// manyDevices returns a file of n devices in one tenant.
func manyDevices(n int) []byte {
	var b bytes.Buffer
	b.WriteString("products:\n  - {name: station, properties: [{identifier: airTemperature, dataType: number}]}\n")
	b.WriteString("tenants:\n  - name: plain\n    timeZone: Europe/Istanbul\n    scenes: [Field]\n    devices:\n")
	for i := range n {
		fmt.Fprintf(
			&b,
			"      - {deviceName: WS-%06d, serial: A-%06d, noteName: Mast %d, product: station, secret: \"secret-of-%06d-7af2c941\", scene: Field, longitude: 32.%06d, latitude: 39.9}\n",
			i,
			i,
			i,
			i,
			i,
		)
	}
	return b.Bytes()
}
