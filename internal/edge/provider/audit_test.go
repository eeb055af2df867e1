package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

// newAuditedAPI returns the API with an audit log.
func newAuditedAPI(t *testing.T) *apiFixture {
	t.Helper()
	f := newAPIFixture(t)
	f.options.Audit, f.service.Outbox, f.service.BackupSource = f.Audit, f.Outbox, BackupSource{
		Readings: f.readings,
		DataDir:  t.TempDir(),
		Now:      f.Clock.Now,

		SharedFiles: []string{"database-mark"},
	}
	f.contract = testkit.NewContract(t, New(f.options))
	f.applyBase(t)
	return f
}

// auditLines returns the audit entries of a call, one line each, oldest first: those of a tenant,
// or those of the platform (0), which no user sees.
func (f *apiFixture) auditLines(t *testing.T, owner tenant.ID, request string) (lines []string) {
	t.Helper()
	var rows []struct {
		Actor, Address, Kind, Action, ThingName, Changes string
	}
	sel := f.DB.Read(t.Context()).NewSelect().TableExpr(
		"audit_entries",
	).Column("actor", "address", "kind", "action", "thing_name", "changes").
		Where("COALESCE(tenant_id, 0) = ? AND request = ?", owner, request).OrderExpr(
		"id",
	)
	if err := sel.Scan(t.Context(), &rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Actor != "provider" || r.Address != "192.0.2.1" {
			t.Errorf("%s from %s", r.Actor, r.Address)
		}
		lines = append(
			lines,
			strings.TrimSpace(r.Kind+"."+r.Action+" "+r.ThingName+" "+strings.TrimPrefix(r.Changes, "[]")),
		)
	}
	return lines
}

const changesFile = `
elements:
  - {yeuSign: airTemperature, unit: K, yeuName: {en-us: Air, zh-cn: 气温, tr-tr: Hava, ru-ru: Воздух}}
tenants:
  - name: north
    language: tr-tr
    users:
      - {userName: ada, password: another horse, mobile: "+905551112299", email: ada@example.com}
      - {userName: cem, password: the horse of cem, nickname: Cem}
    scenes: [Orchard]
    devices:
      - {deviceName: N-1, product: station, secret: another-secret-of-n-1, scene: Orchard, noteName: Pump}
      - {deviceName: N-3, product: station, secret: secret-of-the-device-n-3, elementData: {airTemperature: "https://example.org/?token=abcdef"}}
`

// Every call of the provider that changes something leaves one entry for each thing.
func TestProviderIsAudited(t *testing.T) {
	device := func(name string) string { return fmt.Sprintf(`{"kind":"device","tenant":"north","name":%q}`, name) }
	for _, c := range []struct {
		operation, path, body string
		tenant, platform      []string
	}{
		{"apply", "v1/apply?overwrite=true", changesFile, []string{
			`tenant.update north [{"field":"language","before":"en-us","after":"tr-tr"}]`,
			`user.update ada [{"field":"email","after":"a•••@example.com"},{"field":"mobile","before":"+90•••••233","after":"+90•••••299"},{"field":"password","hidden":true}]`,
			`user.create Cem [{"field":"nickname","after":"Cem"}]`,
			`scene.create Orchard`,
			`device.update Pump [{"field":"groupName","before":"Field","after":"Orchard"},{"field":"noteName","after":"Pump"},{"field":"secrets","hidden":true}]`,
			`device.create N-3`,
		}, []string{`element.create airTemperature [{"field":"unit","after":"K"}]`}},
		{"apply", "v1/apply", "tenants:\n  - name: north\n    scenes: [Field]\n", nil, nil}, // it is so already
		{"apply", "v1/apply", "tenants:\n  - nam: north\n", nil, nil},
		{"delete", "v1/delete", device("N-2"), []string{`device.update N-2 [{"field":"disabled","before":false,"after":true}]`, `device.delete N-2`}, nil},
		{"delete", "v1/delete", device("N-9"), nil, nil},
		{"delete", "v1/delete", `{"kind":"user","tenant":"north","name":"bora"}`, []string{"user.delete bora"}, nil},
		{"delete", "v1/delete", `{"kind":"scene","tenant":"north","name":"Shut"}`, []string{"scene.delete Shut"}, nil},
		{"delete", "v1/delete", `{"kind":"tenant","name":"north"}`, nil, nil}, // it is not empty
		{"delete", "v1/delete", `{"kind":"tenant","name":"south"}`, nil, []string{"tenant.delete south"}},
		{"resetUser", "v1/user/reset", `{"tenant":"north","userName":"ada"}`, []string{`user.update ada [{"field":"password","hidden":true}]`}, nil},
		{"releaseOutbox", "v1/outbox/release", "", nil, []string{"installation.release"}},
		{"backup", "v1/backup", "", nil, []string{"installation.backup"}},
		{"seed", "v1/seed", "", nil, []string{"installation.seed"}},
	} {
		t.Run(c.operation, func(t *testing.T) {
			f := newAuditedAPI(t)
			north := f.tenant(t, "north").ID
			if c.operation == "releaseOutbox" {
				if err := tenant.Hold(t.Context(), f.DB, f.Clock.Now()); err != nil {
					t.Fatal(err)
				}
			}
			var request string
			if c.operation == "backup" || c.operation == "seed" {
				a := f.contract.Do(t, testkit.Call{Path: Prefix + c.path, Token: tokenA})
				request = a.Header.Get("X-Request-Id")
			} else {
				request = f.post(t, c.path, c.body).Header.Get("X-Request-Id")
			}
			for owner, want := range map[tenant.ID][]string{north: c.tenant, 0: c.platform} {
				got := f.auditLines(t, owner, request)
				slices.Sort(got)
				if slices.Sort(want); !slices.Equal(got, want) {
					t.Errorf("of %d:\n%s\nwant\n%s", owner, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		})
	}
}

// The test above covers all calls of the provider's API.
func TestProviderOperationsAreListed(t *testing.T) {
	f := newAPIFixture(t)
	var found []string
	for _, op := range f.contract.Operations("provider") {
		found = append(found, op.ID)
	}
	slices.Sort(found)
	// TestDerive covers derive.
	if want := []string{
		"apply",
		"backup",
		"delete",
		"derive",
		"releaseOutbox",
		"resetUser",
		"seed",
	}; !slices.Equal(found, want) {
		t.Errorf("%v: add new calls to TestProviderIsAudited, or say why they leave no entry", found)
	}
}

// The log holds no password, secret or token.
func TestNoProviderSecretIsAudited(t *testing.T) {
	f := newAuditedAPI(t)
	made := f.post(t, "v1/apply?overwrite=true", changesFile)
	reset := f.post(t, "v1/user/reset", `{"tenant":"north","userName":"cem"}`)
	if made.Status != http.StatusOK || reset.Status != http.StatusOK {
		t.Fatalf("%s %s", made.Body, reset.Body)
	}
	password := strings.Split(string(reset.Body), `"`)[3]
	var rows []map[string]any
	if err := f.DB.Read(t.Context()).NewRaw("SELECT * FROM audit_entries").Scan(t.Context(), &rows); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(rows)
	for _, secret := range []string{tokenA, "another horse", "horse of cem", "another-secret", "secret-of", "token=abcdef", "2299", "ada@", "$argon2id$", password} {
		if len(secret) < 4 || strings.Contains(text, secret) {
			t.Errorf("%q is in the log", secret)
		}
	}
	if len(rows) != 8 {
		t.Errorf("%d entries", len(rows))
	}
}

// If an apply fails, it leaves neither changes nor entries.
func TestApplyFailsWithoutAuditEntry(t *testing.T) {
	f := newAuditedAPI(t)
	repair := testkit.FailStatement(t, f.DB, "INSERT ON audit_entries")
	if a := f.post(t, "v1/apply", changesFile); a.Status != http.StatusInternalServerError {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	repair()
	list, total, err := f.Audit.Page(t.Context(), f.tenant(t, "north").ID, audit.Query{Limit: 1})
	if err != nil || total != 0 {
		t.Errorf("%+v %v", list, err)
	}
	if scenes, err := f.Scenes.List(t.Context(), f.tenant(t, "north").ID); err != nil || len(scenes) != 2 {
		t.Errorf("%v %v", scenes, err)
	}
}
