package app

import (
	"crypto/hkdf"
	"crypto/sha256"
)

// embedKey is the key under which the addresses of cameras' snippets are
// signed. It comes from the platform's, so that they outlive a restart.
func embedKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "embedded video", 32)
}

// decoyKey is the key that picks what accounts that do not exist cost. It comes from the
// platform's, so that a restart picks no others.
func decoyKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "decoys", 32)
}

// webhookKey is the key under which the secrets of webhooks are encrypted. It
// comes from the platform's, so that the database alone tells none.
func webhookKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "webhook secrets", 32)
}

// codeKey is the key under which codes are hashed. It comes from the
// platform's, so that the database alone tells no code.
func codeKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "sms codes", 32)
}
