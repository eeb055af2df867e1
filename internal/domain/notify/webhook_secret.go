package notify

import (
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

// owned binds a sealed secret to its tenant: in another tenant's row it cannot be opened.
func owned(t tenant.ID) string { return "webhook of tenant " + strconv.FormatInt(int64(t), 10) }

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
