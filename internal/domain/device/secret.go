package device

import (
	"context"
	"crypto/rand"
	"encoding/base64"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
)

const (
	// secretBytes is how many random bytes a secret has; its text has 43 characters.
	secretBytes = 32
	// shortSecretLength is how many characters a secret has that people type on a device: 100 random bits.
	shortSecretLength = 20
	// shortSecretAlphabet lacks the letters that people confuse with digits.
	shortSecretAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"
)

// GenerateSecret makes the text of a secret, safe in an address; a short one has only lower-case letters
// and digits.
func GenerateSecret(short bool) string {
	var raw [secretBytes]byte
	_, _ = rand.Read(raw[:]) // never fails (crypto/rand)
	if !short {
		secret := base64.RawURLEncoding.EncodeToString(raw[:])
		if secret[0] == '-' { // command lines take it for an option, spreadsheets for a formula
			return GenerateSecret(short)
		}
		return secret
	}
	for i := range raw {
		raw[i] = shortSecretAlphabet[int(raw[i])%len(shortSecretAlphabet)] // 32 divides 256: no letter is likelier
	}
	return string(raw[:shortSecretLength])
}

// SecretOptions say how a new secret is made.
type SecretOptions struct {
	DropOthers bool // else the newest earlier secret stays valid too
	Short      bool // for a device on which people type it
}

// NewSecret makes a secret for the tenant's device of that name and returns it; it cannot be read
// later. Connections that
// signed in with a secret that is no longer valid end at once.
func (s *Store) NewSecret(
	ctx context.Context,
	t tenant.ID,
	name string,
	o SecretOptions,
	c *Catalog,
	r *Registry,
) (string, error) {
	secret := GenerateSecret(o.Short)
	hash := HashSecret(r.key, secret)
	var id ID
	err := s.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		d, err := s.Get(ctx, t, name)
		if err != nil {
			return err
		}
		id = d.ID
		kept, err := s.Secrets(ctx, t, id)
		if err != nil {
			return err
		}
		if o.DropOthers {
			kept = nil
		} else if n := len(kept); n > 1 {
			kept = kept[n-1:]
		}
		if err := s.PutSecrets(ctx, t, id, append(kept, hash)...); err != nil {
			return err
		}
		return audit.Log(ctx, t, audit.Action{
			Name:    "device.update",
			Thing:   d.AuditThing(),
			Changes: []audit.Change{{Field: "secrets", Hidden: true}},
		})
	})
	if err != nil {
		return "", wrap("make secret", err)
	}
	// The registry must follow the database even if the caller's context was cancelled.
	return secret, wrap("make secret", s.Reload(context.WithoutCancel(ctx), t, c, r, id))
}
