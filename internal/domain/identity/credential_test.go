package identity_test

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

type credentialFixture struct {
	*testkit.Stores
	field, rival *testkit.Tenant
}

func newCredentialFixture(t *testing.T) *credentialFixture {
	k := &credentialFixture{Stores: testkit.NewStores(t)}
	k.field, k.rival = k.Tenant(t, "field"), k.Tenant(t, "rival")
	return k
}

func (k *credentialFixture) create(t *testing.T, u *identity.User, name string) (identity.Credential, string) {
	t.Helper()
	c, secret, err := k.Credentials.Create(t.Context(), u.Tenant, u.ID, identity.CredentialForm{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return c, secret
}

func (k *credentialFixture) list(t *testing.T, u *identity.User) []identity.Credential {
	t.Helper()
	list, total, err := k.Credentials.Page(t.Context(), u.Tenant, u.ID, 0, 400)
	if err != nil || int64(len(list)) != total {
		t.Fatalf("%d of %d: %v", len(list), total, err)
	}
	return list
}

func (k *credentialFixture) authenticates(t *testing.T, appKey, secret string) bool {
	t.Helper()
	_, err := k.Credentials.Authenticate(t.Context(), appKey, secret)
	if err != nil && !errs.Is(err, errs.Unauthenticated) {
		t.Fatal(err)
	}
	return err == nil
}

func TestCredentialCreateAndAuthenticate(t *testing.T) {
	k := newCredentialFixture(t)
	c, secret := k.create(t, k.field.Ada, " Weather feed ")
	if c.Name != "Weather feed" || !c.Enabled || c.CreateTime != k.Clock.Milli() || c.LastUse != 0 ||
		!regexp.MustCompile(`^tk_[0-9a-z]{24}$`).MatchString(c.AppKey) ||
		len(secret) != 43 {
		t.Errorf("%+v %q", c, secret)
	}
	p, err := k.Credentials.Authenticate(t.Context(), c.AppKey, secret)
	if err != nil || p.Tenant != k.field.ID || p.User != k.field.Ada.ID || p.Credential != c.ID ||
		p.Role != identity.Owner || len(p.Scopes) != 3 {
		t.Errorf("%+v %v", p, err)
	}
	other, otherSecret := k.create(t, k.field.Ada, c.Name) // names need not be unique
	if other.AppKey == c.AppKey || otherSecret == secret {
		t.Error("two credentials have the same key or secret")
	}
	// The stored hash is no valid secret.
	var stored struct{ SecretHash []byte }
	if err := k.DB.Read(t.Context()).NewSelect().Table("credentials").Column("secret_hash").Where("id = ?", c.ID).
		Scan(t.Context(), &stored); err != nil {
		t.Fatal(err)
	}
	if len(stored.SecretHash) != 32 || bytes.Contains(stored.SecretHash, []byte(secret)) ||
		k.authenticates(t, c.AppKey, string(stored.SecretHash)) {
		t.Errorf("stored %x", stored.SecretHash)
	}
	for name, pair := range map[string][2]string{
		"no secret": {c.AppKey, ""}, "another's secret": {c.AppKey, otherSecret}, "another's key": {other.AppKey, secret},
		"longer": {c.AppKey, secret + "x"}, "shorter": {c.AppKey, secret[:42]}, "capitals": {strings.ToUpper(c.AppKey), secret},
		"no such key": {"tk_" + strings.Repeat("0", 24), secret}, "no key": {"", ""}, "not a key": {"tk_%", secret},
		"quotes": {"tk_' OR '1'='1' --abcdefghi", secret}, "NUL": {c.AppKey + "\x00", secret}, "id": {"1", secret}, "swapped": {secret, c.AppKey},
	} {
		if k.authenticates(t, pair[0], pair[1]) {
			t.Errorf("%s: is accepted", name)
		}
	}
}

// Names are trimmed and have 1 to 64 characters.
func TestCredentialNames(t *testing.T) {
	k := newCredentialFixture(t)
	for name, key := range map[string]string{
		"": "common.nameRequired", " \t\n ": "common.nameRequired", strings.Repeat("ş", 65): "invalid.long", "a\x00b": "invalid.format", "a\nb": "invalid.format",
		"\ufeff": "common.nameRequired", "a\u2066b": "invalid.format",
	} {
		if _, _, err := k.Credentials.Create(t.Context(), k.field.ID, k.field.Ada.ID,
			identity.CredentialForm{Name: name}); !errs.Is(err, errs.Refused) || errs.As(err).Key != key {
			t.Errorf("%q: %v", name, err)
		}
	}
	for given, kept := range map[string]string{
		" x ": "x", strings.Repeat("ş", 64): strings.Repeat("ş", 64),
		"  " + strings.Repeat("李", 64) + " ": strings.Repeat("李", 64),
	} {
		if c, _ := k.create(t, k.field.Ada, given); c.Name != kept {
			t.Errorf("%q is stored as %q", given, c.Name)
		}
	}
}

func TestCredentialsNewestFirst(t *testing.T) {
	k := newCredentialFixture(t)
	for _, name := range []string{"a", "b", "c"} { // in one millisecond
		k.create(t, k.field.Ada, name)
	}
	k.create(t, k.field.Bora, "Bora's")
	names := func(offset, limit int64) string {
		list, total, err := k.Credentials.Page(t.Context(), k.field.ID, k.field.Ada.ID, offset, limit)
		if err != nil || total != 3 {
			t.Fatalf("%d %v", total, err)
		}
		var all []string
		for _, c := range list {
			all = append(all, c.Name)
		}
		return strings.Join(all, "")
	}
	if got := names(0, 2) + " " + names(2, 2) + " " + names(4, 2); got != "cb a " {
		t.Errorf("pages %q", got)
	}
}

func TestCredentialToggleAndDelete(t *testing.T) {
	k := newCredentialFixture(t)
	c, secret := k.create(t, k.field.Ada, "a")
	for _, open := range []bool{false, true, false} {
		if err := k.Credentials.Toggle(t.Context(), k.field.ID, k.field.Ada.ID, c.ID); err != nil {
			t.Fatal(err)
		}
		if k.authenticates(t, c.AppKey, secret) != open || k.list(t, k.field.Ada)[0].Enabled != open {
			t.Errorf("the credential is not enabled: %v", open)
		}
	}
	if err := k.Credentials.Delete(t.Context(), k.field.ID, k.field.Ada.ID, c.ID); err != nil {
		t.Fatal(err)
	}
	if k.authenticates(t, c.AppKey, secret) || len(k.list(t, k.field.Ada)) != 0 {
		t.Error("the deleted credential is still valid")
	}
	for name, err := range map[string]error{
		"delete": k.Credentials.Delete(t.Context(), k.field.ID, k.field.Ada.ID, c.ID),
		"toggle": k.Credentials.Toggle(t.Context(), k.field.ID, k.field.Ada.ID, c.ID),
	} {
		if !errs.Is(err, errs.NotFound) {
			t.Errorf("%s again: %v", name, err)
		}
	}
}

// A credential is disabled and deleted with its user.
func TestCredentialFollowsItsUser(t *testing.T) {
	k := newCredentialFixture(t)
	c, secret := k.create(t, k.field.Ada, "a")
	mine, mySecret := k.create(t, k.field.Bora, "b")
	shut := *k.field.Ada
	for _, disabled := range []bool{true, false} {
		shut.Disabled = disabled
		if err := k.Users.Update(t.Context(), k.field.ID, &shut); err != nil {
			t.Fatal(err)
		}
		if k.authenticates(t, c.AppKey, secret) == disabled {
			t.Errorf("user disabled %v: the credential does not follow", disabled)
		}
	}
	if err := k.Users.Delete(t.Context(), k.field.ID, k.field.Ada.ID); err != nil {
		t.Fatal(err)
	}
	if k.authenticates(t, c.AppKey, secret) || len(k.list(t, k.field.Ada)) != 0 {
		t.Error("the credential of the deleted user is still valid")
	}
	if !k.authenticates(t, mine.AppKey, mySecret) {
		t.Error("another user's credential is gone")
	}
}

// Neither another user of the tenant nor another tenant can use or change a credential.
func TestCredentialIsolation(t *testing.T) {
	k := newCredentialFixture(t)
	c, secret := k.create(t, k.field.Ada, "a")
	for name, who := range map[string]struct {
		tenant tenant.ID
		user   int64
	}{
		"another user": {k.field.ID, k.field.Bora.ID}, "another tenant": {k.rival.ID, k.rival.Ada.ID},
		"her id in another tenant": {k.rival.ID, k.field.Ada.ID}, "another's id in hers": {k.field.ID, k.rival.Ada.ID}, "nobody": {0, 0},
	} {
		list, total, err := k.Credentials.Page(t.Context(), who.tenant, who.user, 0, 10)
		if err != nil || total != 0 || len(list) != 0 {
			t.Errorf("%s sees %v %v", name, list, err)
		}
		if err := k.Credentials.Toggle(t.Context(), who.tenant, who.user, c.ID); !errs.Is(err, errs.NotFound) {
			t.Errorf("%s toggles: %v", name, err)
		}
		if err := k.Credentials.Delete(t.Context(), who.tenant, who.user, c.ID); !errs.Is(err, errs.NotFound) {
			t.Errorf("%s deletes: %v", name, err)
		}
	}
	if _, _, err := k.Credentials.Create(t.Context(), k.rival.ID, k.field.Ada.ID,
		identity.CredentialForm{Name: "crossed"}); !errs.Is(err, errs.NotFound) {
		t.Errorf("a credential of one tenant's user for another tenant: %v", err)
	}
	if !k.authenticates(t, c.AppKey, secret) {
		t.Error("the credential is no longer valid for its owner")
	}
}

func TestMaxCredentialsPerUser(t *testing.T) {
	k := newCredentialFixture(t)
	for range identity.MaxCredentialsPerUser {
		k.create(t, k.field.Ada, "a")
	}
	_, _, err := k.Credentials.Create(
		t.Context(),
		k.field.ID,
		k.field.Ada.ID,
		identity.CredentialForm{Name: "one more"},
	)
	if !errs.Is(err, errs.Refused) || errs.As(err).Key != "credential.tooMany" {
		t.Fatal(err)
	}
	k.create(t, k.field.Bora, "another user's") // the limit is per user, not per tenant
	if err := k.Credentials.Delete(t.Context(), k.field.ID, k.field.Ada.ID, k.list(t, k.field.Ada)[0].ID); err != nil {
		t.Fatal(err)
	}
	k.create(t, k.field.Ada, "in its place")
}

// The time of last use is shown at once, written later, and never decreases.
func TestLastUse(t *testing.T) {
	k := newCredentialFixture(t)
	c, secret := k.create(t, k.field.Ada, "a")
	idle, _ := k.create(t, k.field.Ada, "idle")
	stored := func(id int64) (at int64) {
		if err := k.DB.Read(t.Context()).NewSelect().Table("credentials").Column("last_use_time").Where("id = ?", id).
			Scan(t.Context(), &at); err != nil {
			t.Fatal(err)
		}
		return at
	}
	k.Clock.Advance(time.Minute)
	first := k.Clock.Milli()
	k.authenticates(t, c.AppKey, secret)
	k.authenticates(t, idle.AppKey, "wrong") // not counted as a use
	if list := k.list(t, k.field.Ada); list[1].LastUse != first || list[0].LastUse != 0 || stored(c.ID) != 0 {
		t.Errorf("%+v, stored %d", list, stored(c.ID))
	}
	if err := k.Credentials.Flush(t.Context()); err != nil || stored(c.ID) != first || stored(idle.ID) != 0 {
		t.Errorf("stored %d, want %d (%v)", stored(c.ID), first, err)
	}
	k.Clock.Set(k.Clock.Now().Add(-time.Hour)) // the machine's clock is set back
	k.authenticates(t, c.AppKey, secret)
	if err := k.Credentials.Flush(t.Context()); err != nil || stored(c.ID) != first ||
		k.list(t, k.field.Ada)[1].LastUse != first {
		t.Errorf("the last use decreased to %d (%v)", stored(c.ID), err)
	}
	// A use that cannot be written now is written later.
	k.Clock.Advance(2 * time.Hour)
	k.authenticates(t, c.AppKey, secret)
	ended, end := context.WithCancel(t.Context())
	end()
	if err := k.Credentials.Flush(ended); !errors.Is(err, context.Canceled) || stored(c.ID) != first {
		t.Errorf("%v", err)
	}
	// Run flushes at its end, and a deleted credential does not make that fail.
	other, otherSecret := k.create(t, k.field.Ada, "deleted")
	k.authenticates(t, other.AppKey, otherSecret)
	if err := k.Credentials.Delete(t.Context(), k.field.ID, k.field.Ada.ID, other.ID); err != nil {
		t.Fatal(err)
	}
	if err := k.Credentials.Run(ended, k.Log.Logger); err != nil || stored(c.ID) != k.Clock.Milli() {
		t.Errorf("stored %d, want %d (%v)", stored(c.ID), k.Clock.Milli(), err)
	}
}
