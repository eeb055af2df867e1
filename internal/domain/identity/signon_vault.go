package identity

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/json"
	"fmt"
	"strconv"

	"tilth/internal/domain/identity/oidc"
	"tilth/internal/domain/tenant"
)

// signOnVault encrypts what the server must show to issuers again, so it cannot store mere hashes.
type signOnVault struct{ aead cipher.AEAD }

// newSignOnVault makes a vault with a key of 32 bytes.
func newSignOnVault(key []byte) (signOnVault, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return signOnVault{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return signOnVault{aead}, err
}

// ofTenant binds what is sealed to its tenant: in another tenant's row it cannot be opened.
func ofTenant(t tenant.ID) []byte {
	return []byte("single sign-on of tenant " + strconv.FormatInt(int64(t), 10))
}

func (v signOnVault) seal(t tenant.ID, secret []byte) []byte {
	return v.aead.Seal(nil, nil, secret, ofTenant(t))
}

func (v signOnVault) open(t tenant.ID, sealed []byte) ([]byte, error) {
	secret, err := v.aead.Open(nil, nil, sealed, ofTenant(t))
	if err != nil {
		return nil, fmt.Errorf("a secret of single sign-on cannot be read; was DATA/device-key replaced? %w", err)
	}
	return secret, nil
}

// maxTokenLength limits each token of an issuer that is stored, in bytes: without the ID token, the
// issuer asks at sign-out; without the others, a session ends at its renewal.
const maxTokenLength = 32 << 10

func (v signOnVault) sealTokens(t tenant.ID, tokens oidc.Tokens) ([]byte, error) {
	for _, token := range []*string{&tokens.Refresh, &tokens.Access, &tokens.ID} {
		if len(*token) > maxTokenLength {
			*token = ""
		}
	}
	plain, err := json.Marshal(tokens)
	if err != nil {
		return nil, err
	}
	return v.seal(t, plain), nil
}

func (v signOnVault) openTokens(t tenant.ID, sealed []byte) (tokens oidc.Tokens, err error) {
	plain, err := v.open(t, sealed)
	if err != nil {
		return tokens, err
	}
	return tokens, json.Unmarshal(plain, &tokens)
}
