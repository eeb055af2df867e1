package provider

import (
	"context"
	"crypto/rand"

	"tilth/internal/domain/identity"
)

// passwordCache remembers the results of hashing while a file is applied. argon2id is slow on
// purpose, so nothing is computed twice, and nothing while the database is locked unless it changed
// in between.
type passwordCache struct {
	hasher    *identity.Hasher
	verified  map[[2]string]bool // stored form and password
	hashes    map[string]string  // by user
	generated map[string]string  // by user
}

func newPasswordCache(h *identity.Hasher) *passwordCache {
	return &passwordCache{
		hasher:    h,
		verified:  map[[2]string]bool{},
		hashes:    map[string]string{},
		generated: map[string]string{},
	}
}

// verify tells whether stored was made from password.
func (v *passwordCache) verify(ctx context.Context, stored, password string) (bool, error) {
	key := [2]string{stored, password}
	ok, known := v.verified[key]
	if known {
		return ok, nil
	}
	ok, err := v.hasher.Verify(ctx, identity.PlatformRequester, stored, password)
	if err == nil {
		v.verified[key] = ok
	}
	return ok, err
}

// hash gives the stored form of a user's password.
func (v *passwordCache) hash(ctx context.Context, user, password string) (string, error) {
	if h, ok := v.hashes[user]; ok {
		return h, nil
	}
	h, err := v.hasher.Hash(ctx, identity.PlatformRequester, password)
	if err == nil {
		v.hashes[user] = h
	}
	return h, err
}

// generate makes a password for a user to whom the file gives none; it returns the same one each
// time.
func (v *passwordCache) generate(user string) string {
	p, ok := v.generated[user]
	if !ok {
		p = newPassword()
		v.generated[user] = p
	}
	return p
}

// crockfordAlphabet has the 32 characters of Crockford's base 32, each for five random bits. It
// lacks i, l, o and u, which people confuse with others.
const crockfordAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// newPassword makes a password of 80 random bits, in groups that are easy to read out.
func newPassword() string {
	raw := randomBytes(16)
	out := make([]byte, 0, 19)
	for i, b := range raw {
		if i > 0 && i%4 == 0 {
			out = append(out, '-')
		}
		out = append(out, crockfordAlphabet[b%32])
	}
	return string(out)
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails (crypto/rand)
	return b
}
