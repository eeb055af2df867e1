package identity

import (
	"bytes"
	"encoding/base64"
	"testing"
)

func TestTokens(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		token, err := newToken()
		if err != nil {
			t.Fatal(err)
		}
		raw, err := base64.RawURLEncoding.DecodeString(token)
		if err != nil || len(raw) != 32 || seen[token] {
			t.Fatalf("%q: %d bytes, %v", token, len(raw), err)
		}
		seen[token] = true
	}
	if a, b := hashToken("a"), hashToken("b"); len(a) != 32 || bytes.Equal(a, b) || !bytes.Equal(a, hashToken("a")) {
		t.Error("hashToken is not a hash")
	}
}

// Only the used token decrypts the pair that replaced it; the database alone does not.
func TestSeal(t *testing.T) {
	pair := TokenPair{Access: "access", Refresh: "refresh", Expires: 5, UserID: 7}
	sealed, err := seal("used", pair)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, []byte("access")) || bytes.Contains(sealed, []byte("refresh")) {
		t.Error("the sealed pair is readable")
	}
	if got, err := unseal("used", sealed); err != nil || got != pair {
		t.Errorf("%+v %v", got, err)
	}
	twice, err := seal("used", pair)
	if err != nil || bytes.Equal(twice, sealed) {
		t.Error("two seals of one pair must differ")
	}
	changed := bytes.Clone(sealed)
	changed[len(changed)-1] ^= 1
	for name, broken := range map[string]struct {
		used   string
		sealed []byte
	}{
		"another token": {"other", sealed},
		"changed":       {"used", changed},
		"cut":           {"used", sealed[:5]},
		"none":          {"used", nil},
	} {
		if got, err := unseal(broken.used, broken.sealed); err == nil || got != (TokenPair{}) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}
