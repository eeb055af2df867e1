package notify

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"tilth/internal/domain/tenant"
)

const (
	// secretPrefix begins a secret as users and programs see it.
	secretPrefix = "whsec_"
	// secretSize is the number of random bytes of a secret.
	secretSize = 32
)

// vault encrypts the secrets of webhooks. The server signs with them, so it cannot store mere
// hashes.
type vault struct{ aead cipher.AEAD }

// newVault makes a vault with a key of 32 bytes.
func newVault(key []byte) (vault, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return vault{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return vault{aead}, err
}

// owned binds a sealed secret to its tenant: in another tenant's row it cannot be opened.
func owned(t tenant.ID) []byte { return []byte("webhook of tenant " + strconv.FormatInt(int64(t), 10)) }

func (v vault) seal(t tenant.ID, secret []byte) []byte {
	return v.aead.Seal(nil, nil, secret, owned(t))
}

func (v vault) open(t tenant.ID, sealed []byte) ([]byte, error) {
	secret, err := v.aead.Open(nil, nil, sealed, owned(t))
	if err != nil {
		return nil, fmt.Errorf("a webhook's secret cannot be read; was DATA/device-key replaced? %w",
			err)
	}
	return secret, nil
}

func newSecret() []byte {
	secret := make([]byte, secretSize)
	_, _ = rand.Read(secret) // never fails (crypto/rand)
	return secret
}

// secretText is a secret as it is shown, once.
func secretText(secret []byte) string {
	return secretPrefix + base64.StdEncoding.EncodeToString(secret)
}

// SecretBytes gives the signing key of a shown secret; an error if it is no secret.
func SecretBytes(shown string) ([]byte, error) {
	rest, ok := strings.CutPrefix(shown, secretPrefix)
	if !ok {
		return nil, fmt.Errorf("notify: a webhook's secret begins with %s", secretPrefix)
	}
	return base64.StdEncoding.DecodeString(rest)
}
