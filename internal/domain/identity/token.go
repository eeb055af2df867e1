package identity

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// tokenLen is the length of a token in bytes: 256 random bits.
const tokenLen = 32

// newToken makes an opaque token.
func newToken() (string, error) {
	b := make([]byte, tokenLen)
	if _, err := rand.Read(b); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// hashToken gives the form in which a token is stored and looked up.
func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// seal encrypts the pair that replaced a refresh token under a key derived from that token, so that
// the database alone does not reveal the pair.
func seal(used string, pair TokenPair) ([]byte, error) {
	aead, err := successorCipher(used)
	if err != nil {
		return nil, err
	}
	plain, err := json.Marshal(pair)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return aead.Seal(nonce, nonce, plain, nil), nil
}

func unseal(used string, sealed []byte) (TokenPair, error) {
	var pair TokenPair
	aead, err := successorCipher(used)
	if err != nil {
		return pair, err
	}
	if len(sealed) < aead.NonceSize() {
		return pair, fmt.Errorf("the sealed token pair has only %d bytes", len(sealed))
	}
	plain, err := aead.Open(nil, sealed[:aead.NonceSize()], sealed[aead.NonceSize():], nil)
	if err != nil {
		return pair, err
	}
	return pair, json.Unmarshal(plain, &pair)
}

func successorCipher(used string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, []byte(used), nil, "refresh token successor", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
