package testkit

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // what RFC 6238 says
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"tilth/internal/domain/identity"
)

// TOTP returns what an authenticator app shows at a time for a secret in base32 (RFC 6238, six
// digits).
func TOTP(t testing.TB, secret string, at time.Time) string {
	t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		t.Fatal(err)
	}
	var counter [8]byte
	binary.BigEndian.PutUint64(counter[:], uint64(at.Unix()/30))
	mac := hmac.New(sha1.New, key)
	mac.Write(counter[:])
	sum := mac.Sum(nil)
	offset := sum[19] & 15
	return fmt.Sprintf("%06d", (binary.BigEndian.Uint32(sum[offset:offset+4])&0x7fffffff)%1e6)
}

// SecondFactor turns on the second factor of a user with Password, with the code of this moment, and
// returns its secret and recovery codes.
func (s *Stores) SecondFactor(t testing.TB, u *identity.User) (secret string, codes []string) {
	t.Helper()
	return s.SecondFactorBy(t, u, Password)
}

// SecondFactorBy is SecondFactor of a user with another password.
func (s *Stores) SecondFactorBy(t testing.TB, u *identity.User, password string) (secret string, codes []string) {
	t.Helper()
	c, err := s.Sessions.Caller(t.Context(), s.Session(t, u).Access)
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Account.BeginSecondFactor(t.Context(), c, identity.Proof{Password: password})
	if err != nil {
		t.Fatal(err)
	}
	codes, err = s.Account.ConfirmSecondFactor(t.Context(), c, TOTP(t, e.Secret, s.Clock.Now()))
	if err != nil {
		t.Fatal(err)
	}
	return e.Secret, codes
}
