package identity_test

import (
	"context"
	"net/netip"
	"strings"
	"testing"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// setLegacyHash gives a user a password whose hash has the legacy cost.
func setLegacyHash(t *testing.T, s *testkit.Stores, u *identity.User) (stored string) {
	t.Helper()
	stored, err := identity.NewHasherAt(identity.LegacyCost, nil).Hash(t.Context(), identity.PlatformRequester,
		testkit.Password)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Users.PutPassword(t.Context(), u.Tenant, u.ID, stored); err != nil {
		t.Fatal(err)
	}
	return stored
}

func storedHash(t *testing.T, s *testkit.Stores, u *identity.User) string {
	t.Helper()
	stored, err := s.Users.PasswordHash(t.Context(), u.Tenant, u.ID)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

// The first valid sign-in rehashes a hash of the legacy cost at the current one. That is no change
// of the password: sessions go on, and the audit log has only the sign-in.
func TestSignInRehashesLegacyPassword(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	before := setLegacyHash(t, s, field.Ada)
	session := s.Session(t, field.Ada)
	ctx := s.Audit.NewContext(t.Context(), audit.Actor{Kind: audit.User, Address: homeAddr})
	if _, err := s.SignIn.WithPassword(ctx, attempt(field.ID, "ada", "wrong", homeAddr)); !errs.Is(err, errs.Refused) {
		t.Errorf("a wrong password: %v", err)
	}
	if storedHash(t, s, field.Ada) != before {
		t.Error("a wrong password rehashed")
	}
	var renewed string
	for range 2 {
		if _, err := s.SignIn.WithPassword(ctx, attempt(field.ID, "ada", testkit.Password, homeAddr)); err != nil {
			t.Fatal(err)
		}
		now := storedHash(t, s, field.Ada)
		if !strings.HasPrefix(now, testkit.PasswordCost.Prefix()) || renewed != "" && now != renewed {
			t.Errorf("stored %q after %q", now, renewed)
		}
		renewed = now
	}
	if _, err := s.Sessions.Caller(t.Context(), session.Access); err != nil {
		t.Errorf("an earlier session: %v", err)
	}
	if err := s.Audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, _, err := s.Audit.Page(t.Context(), field.ID, audit.Query{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]int{}
	for _, e := range list {
		said[e.Action]++
	}
	if len(list) != 3 || said["signIn"] != 2 || said["fail"] != 1 {
		t.Errorf("the audit log has %v", said)
	}
	e := errs.As(signInError(s, attempt(field.ID, "ada", "wrong", homeAddr)))
	if e == nil || e.Key != "signin.fail" {
		t.Errorf("a wrong password afterwards: %v", e)
	}
}

func signInError(s *testkit.Stores, a identity.Attempt) error {
	_, err := s.SignIn.WithPassword(context.Background(), a)
	return err
}

// A disabled account is not rehashed, even with the right password: that would take longer than the
// refusal of a wrong one. The hasher of this test panics if it makes a hash.
func TestDisabledAccountIsNotRehashed(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	before := setLegacyHash(t, s, field.Ada)
	field.Ada.Disabled = true
	if err := s.Users.Update(t.Context(), field.ID, field.Ada); err != nil {
		t.Fatal(err)
	}
	s.SignIn.Hasher = identity.NewHasherAt(identity.Cost{Passes: 0, Memory: 8, Threads: 1}, nil)
	if err := signInError(s, attempt(field.ID, "ada", testkit.Password, homeAddr)); !errs.Is(err, errs.Refused) {
		t.Errorf("%v", err)
	}
	if storedHash(t, s, field.Ada) != before {
		t.Error("the password was rehashed")
	}
}

// Of two concurrent valid sign-ins that rehash, both succeed, and one hash stays.
func TestConcurrentRehash(t *testing.T) {
	s := testkit.NewStores(t)
	field, in := s.Tenant(t, "field"), newInterruptedSignIn(s)
	setLegacyHash(t, s, field.Ada)
	right := attempt(field.ID, "ada", testkit.Password, homeAddr)
	var others string
	in.interrupt = func() {
		if err := signInError(s, right); err != nil {
			t.Errorf("the other sign-in: %v", err)
		}
		others = storedHash(t, s, field.Ada)
	}
	pair, err := in.WithPassword(t.Context(), right)
	if err != nil || pair.UserID != field.Ada.ID {
		t.Errorf("%+v %v", pair, err)
	}
	if now := storedHash(t, s, field.Ada); others == "" || now != others {
		t.Errorf("the other sign-in stored %q, and this one %q", others, now)
	}
}

// A rehash does not replace a password that was set meanwhile, and the sign-in with the earlier
// password fails.
func TestRehashKeepsNewerPassword(t *testing.T) {
	s := testkit.NewStores(t)
	field, in := s.Tenant(t, "field"), newInterruptedSignIn(s)
	setLegacyHash(t, s, field.Ada)
	reset := testkit.PasswordHash("from the provider")
	in.interrupt = func() {
		changeAndEndSessions(t, s, field.Ada, func(ctx context.Context) error {
			return s.Users.PutPassword(ctx, field.ID, field.Ada.ID, reset)
		})
	}
	if _, err := in.WithPassword(t.Context(), attempt(field.ID, "ada", testkit.Password, homeAddr)); err == nil ||
		errs.As(err).Key != "signin.fail" {
		t.Errorf("%v", err)
	}
	if now := storedHash(t, s, field.Ada); now != reset {
		t.Errorf("stored %q", now)
	}
}

// If the queue of hashes is full, a sign-in with the right password succeeds without a rehash.
func TestSignInSkipsRehashWhenQueueFull(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	before := setLegacyHash(t, s, field.Ada)
	leave := s.SignIn.Hasher.FillQueue(t.Context(), identity.Subnet.Of(netip.MustParseAddr(homeAddr)))
	if err := signInError(s, attempt(field.ID, "ada", testkit.Password, homeAddr)); err != nil {
		t.Errorf("%v", err)
	}
	if storedHash(t, s, field.Ada) != before {
		t.Error("the password was rehashed: the queue was not full")
	}
	leave()
	if err := signInError(s, attempt(field.ID, "ada", testkit.Password, homeAddr)); err != nil {
		t.Errorf("%v", err)
	}
	if storedHash(t, s, field.Ada) == before {
		t.Error("the password was not rehashed with an empty queue")
	}
}
