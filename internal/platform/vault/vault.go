// Package vault encrypts secrets that the server has to read again, so that it cannot store mere
// hashes of them. The key is derived from the platform's, so the database alone reveals none.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"
)

// Vault encrypts secrets with one key.
type Vault struct{ aead cipher.AEAD }

// New makes a vault with a key of 32 bytes.
func New(key []byte) (Vault, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return Vault{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return Vault{aead}, err
}

// Seal encrypts a secret. owner names whose it is ("webhook of tenant 3"): the sealed form cannot be
// opened as another owner's.
func (v Vault) Seal(owner string, secret []byte) []byte {
	return v.aead.Seal(nil, nil, secret, []byte(owner))
}

// Open decrypts what Seal made for an owner.
func (v Vault) Open(owner string, sealed []byte) ([]byte, error) {
	secret, err := v.aead.Open(nil, nil, sealed, []byte(owner))
	if err != nil {
		return nil, fmt.Errorf("the secret of %s cannot be read; was DATA/device-key replaced? %w", owner, err)
	}
	return secret, nil
}
