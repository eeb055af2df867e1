package device

import (
	"context"
	"crypto/rand"
	"encoding/base64"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
)

// secretBytes are the random bytes of a secret, which is 43 characters long.
const secretBytes = 32

// NewSecret makes a secret for a tenant's device of that name and answers it,
// this once. The newest secret before it stays valid beside it, unless
// dropOthers is set; connections of those that do not end at once.
func (s *Store) NewSecret(ctx context.Context, t tenant.ID, name string, dropOthers bool, r *Registry) (string, error) {
	var raw [secretBytes]byte
	_, _ = rand.Read(raw[:])                               // never fails (crypto/rand)
	secret := base64.RawURLEncoding.EncodeToString(raw[:]) // an address may hold it
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
		if dropOthers {
			kept = nil
		} else if n := len(kept); n > 1 {
			kept = kept[n-1:]
		}
		if err := s.PutSecrets(ctx, t, id, append(kept, hash)...); err != nil {
			return err
		}
		return audit.Log(
			ctx,
			t,
			audit.Action{
				Name:    "device.update",
				Thing:   d.AuditThing(),
				Changes: []audit.Change{{Field: "secrets", Hidden: true}},
			},
		)
	})
	if err != nil {
		return "", err
	}
	// What is kept must be taken up, even when whoever asked has gone.
	return secret, s.reloadSecrets(context.WithoutCancel(ctx), t, id, r)
}

// reloadSecrets makes the registry know a device's secrets as the database has
// them. It reads in a transaction, as LoadRegistry does, so that an older
// reading never replaces a newer one.
func (s *Store) reloadSecrets(ctx context.Context, t tenant.ID, id ID, r *Registry) error {
	return s.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		hashes, err := s.Secrets(ctx, t, id)
		if err == nil {
			r.replaceSecrets(Ref{Tenant: t, ID: id}, hashes)
		}
		return err
	})
}
