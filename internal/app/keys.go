package app

import (
	"crypto/hkdf"
	"crypto/sha256"
)

// KeyUse is what a key is for that is derived from the installation's.
type KeyUse string

const (
	// EmbeddedVideo signs the addresses of embedded cameras.
	EmbeddedVideo KeyUse = "embedded video"
	// ACMEFiles encrypts the account, keys and certificates of an ACME server in a cluster's database.
	ACMEFiles KeyUse = "acme files"

	passwordDecoys KeyUse = "decoys"          // picks the password cost for accounts that do not exist
	webhookSecrets KeyUse = "webhook secrets" // encrypts the secrets of webhooks
	smsCodes       KeyUse = "sms codes"       // hashes one-time codes
	secondFactors  KeyUse = "second factors"  // encrypts keys of apps, hashes recovery codes
	homeAssistant  KeyUse = "home assistant"  // encrypts passwords of brokers, makes the server's names there
	signOn         KeyUse = "single sign-on"  // encrypts secrets of clients and tokens of issuers
)

// DeriveKey derives the key of a use from the installation's. It is the same after a restart, and the
// database alone does not reveal it.
func DeriveKey(installation []byte, use KeyUse) ([]byte, error) {
	return hkdf.Key(sha256.New, installation, nil, string(use), 32)
}
