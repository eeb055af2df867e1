package identity_test

import (
	"net/netip"
	"testing"

	"golang.org/x/text/unicode/norm"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// The forms of one password, as keyboards of Windows, of a Mac and of Vietnamese Windows make them.
const (
	composed   = "V\u01b0\u1eddn c\u1ee7a t\u00f4i 5"
	vietnamese = "V\u01b0\u01a1\u0300n cu\u0309a t\u00f4i 5"
)

var decomposed = norm.NFD.String(composed)

// hashAsTyped makes a hash of a password as it was typed, as earlier versions did.
func hashAsTyped(t *testing.T, password string) string {
	t.Helper()
	stored, err := identity.NewHasherAt(testkit.PasswordCost, nil).HashAsTyped(password)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

// A password signs in however it was typed when it was set, and however it is typed now; each try
// costs as many hashes as what is typed has forms, whether it is right or wrong.
func TestPasswordForms(t *testing.T) {
	h := identity.NewHasherAt(testkit.PasswordCost, nil)
	computed := h.CountHashes()
	verify := func(stored, password string) (right bool, hashes int) {
		t.Helper()
		before := computed()
		right, err := h.Verify(t.Context(), identity.PlatformRequester, stored, password)
		if err != nil {
			t.Fatal(err)
		}
		return right, computed() - before
	}
	for _, set := range []string{composed, decomposed, vietnamese} {
		now, err := h.Hash(t.Context(), identity.PlatformRequester, set)
		if err != nil {
			t.Fatal(err)
		}
		for typed, forms := range map[string]int{composed: 2, decomposed: 2, vietnamese: 3} {
			if right, hashes := verify(now, typed); !right || hashes != forms {
				t.Errorf("set as %+q, typed as %+q: %t with %d hashes, want %d", set, typed, right, hashes, forms)
			}
		}
		earlier := hashAsTyped(t, set)
		for _, typed := range []string{composed, decomposed} {
			want := set != vietnamese
			if right, hashes := verify(earlier, typed); right != want || hashes != 2 {
				t.Errorf("set earlier as %+q, typed as %+q: %t with %d hashes", set, typed, right, hashes)
			}
		}
		if right, _ := verify(earlier, set); !right {
			t.Errorf("set earlier as %+q: not right as typed then", set)
		}
	}
	for password, forms := range map[string]int{
		"correct horse 1": 1, "": 1, "密码密码密码": 1, "ünlü": 2, "й": 2, "ﬁ": 1, "Å": 2, "\u212b": 3,
	} {
		if right, hashes := verify(hashAsTyped(t, "another"), password); right || hashes != forms {
			t.Errorf("%+q: %t with %d hashes, want %d", password, right, hashes, forms)
		}
	}
	// Letters that only look alike are others.
	if right, _ := verify(hashAsTyped(t, "ﬁ"), "fi"); right {
		t.Error("a ligature counts as its letters")
	}
}

// The number of hashes of a sign-in does not tell whether the account exists, is disabled, or has
// this password.
func TestSignInHashesForms(t *testing.T) {
	for name, password := range map[string]string{"ASCII": "correct horse 1", "beyond": composed, "as on a Mac": decomposed} {
		t.Run(name, func(t *testing.T) {
			s := testkit.NewStores(t)
			field := s.Tenant(t, "field")
			for _, u := range []*identity.User{field.Ada, field.Bora} {
				if err := s.Users.PutPassword(t.Context(), field.ID, u.ID, hashAsTyped(t, password)); err != nil {
					t.Fatal(err)
				}
			}
			field.Bora.Disabled = true
			if err := s.Users.Update(t.Context(), field.ID, field.Bora); err != nil {
				t.Fatal(err)
			}
			computed := s.SignIn.Hasher.CountHashes()
			tries := byte(0)
			hashes := func(user, password string) int {
				t.Helper()
				before := computed()
				tries++ // each from an address of its own, since few may fail from one without a captcha
				from := netip.AddrFrom4([4]byte{203, 0, tries, 1})
				err := signInError(s, attempt(field.ID, user, password, from.String()))
				signedIn := user == "ada" && password != "wrong ü"
				if (err == nil) != signedIn || err != nil && !errs.Is(err, errs.Refused) {
					t.Errorf("%s with %+q: %v", user, password, err)
				}
				return computed() - before
			}
			want := hashes("ada", password)
			if forms := map[bool]int{true: 1, false: 2}[name == "ASCII"]; want != forms {
				t.Errorf("%d hashes of a right password, want %d", want, forms)
			}
			for _, user := range []string{"bora", "nobody"} {
				if n := hashes(user, password); n != want {
					t.Errorf("%s: %d hashes, want %d", user, n, want)
				}
			}
			if n, unknown := hashes("ada", "wrong ü"), hashes("nobody", "wrong ü"); n != 2 || unknown != 2 {
				t.Errorf("a wrong password: %d hashes, of no account %d", n, unknown)
			}
		})
	}
}
