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
	// secretPrefix begins a secret as people and programs are told it.
	secretPrefix = "whsec_"
	// secretSize is how many random bytes a secret has.
	secretSize = 32
)

// vault encrypts the secrets of webhooks, with which the server has to sign:
// a hash of them would not do.
type vault struct{ aead cipher.AEAD }

// newVault makes a vault under a key of 32 bytes.
func newVault(key []byte) (vault, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return vault{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return vault{aead}, err
}

// owned binds a secret to its tenant: put into another's row it opens nothing.
func owned(t tenant.ID) []byte { return []byte("webhook of tenant " + strconv.FormatInt(int64(t), 10)) }

func (v vault) seal(t tenant.ID, secret []byte) []byte {
	return v.aead.Seal(nil, nil, secret, owned(t))
}

func (v vault) open(t tenant.ID, sealed []byte) ([]byte, error) {
	secret, err := v.aead.Open(nil, nil, sealed, owned(t))
	if err != nil {
		return nil, fmt.Errorf("notify: a webhook's secret cannot be read; is DATA/device-key another than it was? %w",
			err)
	}
	return secret, nil
}

func newSecret() []byte {
	secret := make([]byte, secretSize)
	_, _ = rand.Read(secret) // never fails (crypto/rand)
	return secret
}

// secretText is a secret as it is told, once.
func secretText(secret []byte) string {
	return secretPrefix + base64.StdEncoding.EncodeToString(secret)
}

// SecretBytes is what a secret that was told signs with; an error where it is
// none.
func SecretBytes(told string) ([]byte, error) {
	rest, ok := strings.CutPrefix(told, secretPrefix)
	if !ok {
		return nil, fmt.Errorf("notify: a webhook's secret begins with %s", secretPrefix)
	}
	return base64.StdEncoding.DecodeString(rest)
}
