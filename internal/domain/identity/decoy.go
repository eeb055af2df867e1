package identity

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"tilth/internal/domain/tenant"
)

// decoy gives a stored form of this cost that no password matches: its key is empty.
func (c Cost) decoy() string { return c.encode(make([]byte, saltLen), nil) }

// decoy gives the stored form for an attempt at an account that does not exist: verifying it takes
// as long as verifying a real one.
//
// Some accounts still have a hash of the legacy cost. The same share of the names without an
// account gets a decoy of that cost, chosen by a keyed hash of the name. So the time that an
// attempt takes does not reveal whether its name has an account, even if all accounts have a legacy
// hash or none has. The key never changes, and the share falls as people sign in: the decoy of a
// name changes to the current cost once, as an account's hash does, and not with each restart.
func (s *SignIn) decoy(ctx context.Context, a Attempt) (string, error) {
	total, legacy, err := s.Users.countWithCost(ctx, a.Tenant, legacyCost)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, s.Key)
	mac.Write([]byte(accountKey(a.Tenant, a.UserName)))
	position := uint64(binary.BigEndian.Uint32(mac.Sum(nil))) // uniform, below 1<<32
	if position*total < legacy<<32 {
		return legacyCost.decoy(), nil
	}
	return s.Hasher.cost.decoy(), nil
}

// countWithCost counts a tenant's users, and those whose password hash has the cost.
func (s *UserStore) countWithCost(ctx context.Context, t tenant.ID, c Cost) (total, withCost uint64, err error) {
	var n struct{ Total, WithCost uint64 }
	err = s.db.Read(ctx).NewSelect().Model((*userRow)(nil)).
		ColumnExpr("COUNT(*) AS total").
		ColumnExpr("COUNT(CASE WHEN u.password_hash LIKE ? THEN 1 END) AS with_cost", c.prefix()+"%").
		Where("u.tenant_id = ?", t).Scan(ctx, &n)
	return n.Total, n.WithCost, wrap("count password costs", err)
}
