package server

import (
	"crypto/hkdf"
	"crypto/sha256"
)

// embedKey is the key that signs the addresses of embedded cameras. It is derived from the
// platform's key, so that addresses stay valid after a restart.
func embedKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "embedded video", 32)
}

// decoyKey is the key that picks the password cost for accounts that do not exist. It is derived
// from the platform's key, so that a restart picks the same costs.
func decoyKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "decoys", 32)
}

// webhookKey is the key that encrypts the secrets of webhooks. It is derived from the platform's
// key, so that the database alone reveals none.
func webhookKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "webhook secrets", 32)
}

// codeKey is the key under which one-time codes are hashed. It is derived from the platform's key,
// so that the database alone reveals no code.
func codeKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "sms codes", 32)
}

// factorKey is the key from which those of second factors come. It is derived from the platform's key,
// so that the database alone reveals neither keys of apps nor recovery codes.
func factorKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "second factors", 32)
}

// acmeKey is the key that encrypts the account, keys and certificates of an ACME server in the database
// of a cluster. It is derived from the platform's key, so that the database alone reveals none.
func acmeKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "acme files", 32)
}

// homeAssistantKey is the key that encrypts the passwords of brokers, and from which the server's names
// there are made. It is derived from the platform's key, so that the database alone reveals none.
func homeAssistantKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "home assistant", 32)
}

// signOnKey is the key that encrypts what single sign-on stores: secrets of clients and tokens of
// issuers. It is derived from the platform's key, so that the database alone reveals none.
func signOnKey(platform []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, platform, nil, "single sign-on", 32)
}
