package identity_test

import (
	"strconv"
	"strings"
	"testing"

	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

// legacyHash gives a stored form of the legacy cost.
func legacyHash() string { return identity.LegacyCost.Prefix() + "AAAA$AAAA" }

// The share of names without an account whose decoy has the legacy cost equals the share of
// accounts with a legacy hash. Each name keeps its cost from attempt to attempt, also after a
// restart. As accounts change to the current cost, names do, and none changes back.
func TestDecoyCostsMatchAccounts(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	const names = 400
	older := func(of tenant.ID, in *identity.SignIn) map[string]bool {
		t.Helper()
		chosen := map[string]bool{}
		for i := range names {
			name := "nobody" + strconv.Itoa(i)
			decoy, err := in.Decoy(t.Context(), attempt(of, name, "", homeAddr))
			if err != nil {
				t.Fatal(err)
			}
			if chosen[name] = strings.HasPrefix(decoy, identity.LegacyCost.Prefix()); !chosen[name] &&
				!strings.HasPrefix(decoy, testkit.PasswordCost.Prefix()) {
				t.Fatalf("the decoy of %s is %q", name, decoy)
			}
			if again, err := in.Decoy(t.Context(), attempt(of, strings.ToUpper(name), "", otherAddr)); err != nil ||
				again != decoy {
				t.Errorf("the decoy of %s is %q and then %q, %v", name, decoy, again, err)
			}
		}
		return chosen
	}
	put := func(user *identity.User, stored string) {
		t.Helper()
		if err := s.Users.PutPassword(t.Context(), user.Tenant, user.ID, stored); err != nil {
			t.Fatal(err)
		}
	}
	put(field.Ada, legacyHash())
	put(field.Bora, legacyHash())
	before := older(field.ID, s.SignIn)
	for step, c := range []struct {
		do          func()
		least, most int
	}{
		{func() {}, names, names},
		{func() { put(field.Ada, testkit.PasswordHash("x")) }, names * 4 / 10, names * 6 / 10},
		{func() { s.User(t, field.ID, "cem"); s.User(t, field.ID, "duru") }, names * 15 / 100, names * 35 / 100},
		{func() { put(field.Bora, testkit.PasswordHash("x")) }, 0, 0},
	} {
		c.do()
		after := older(field.ID, s.SignIn)
		n := 0
		for name, is := range after {
			if is {
				n++
			}
			if is && !before[name] {
				t.Errorf("step %d: the decoy of %s changed back to the legacy cost", step, name)
			}
		}
		if n < c.least || n > c.most {
			t.Errorf("step %d: %d of %d names have the legacy cost, want %d to %d", step, n, names, c.least, c.most)
		}
		restarted := identity.NewSignIn(s.SignIn.SignInDeps)
		for name, is := range older(field.ID, restarted) {
			if is != after[name] {
				t.Errorf("step %d: the decoy of %s has another cost after a restart", step, name)
			}
		}
		before = after
	}
	put(field.Ada, legacyHash())
	for _, of := range []tenant.ID{rival.ID, 0} { // no account has a legacy hash, or the tenant does not exist
		for name, is := range older(of, s.SignIn) {
			if is {
				t.Errorf("the decoy of %s in tenant %d has the legacy cost", name, of)
			}
		}
	}
	other := s.SignIn.SignInDeps
	other.Key = []byte("another platform's")
	same := true
	theirs, ours := older(field.ID, identity.NewSignIn(other)), older(field.ID, s.SignIn)
	for name := range ours {
		same = same && ours[name] == theirs[name]
	}
	if same {
		t.Error("the selection of names does not depend on the key")
	}
}
