package identity

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"tilth/internal/domain/tenant"
)

// decoy is a stored form of this cost for which no password is right: its key is empty.
func (c Cost) decoy() string { return c.encode(make([]byte, saltLen), nil) }

// decoy is the stored form for an attempt at an account that does not exist: to look at
// it takes as long as to look at one that does.
//
// Some accounts have a hash of the older cost still. As large a share of the names that
// nobody has is taken for such ones, by a keyed hash of the name: so how long a name
// takes says nothing about it, neither where all accounts have such a hash nor where
// none has. The key stays, and the share falls as people sign in: a name that nobody
// has goes over to the usual cost once, as an account does, and not with each restart.
func (s *SignIn) decoy(ctx context.Context, a Attempt) (string, error) {
	total, legacy, err := s.Users.countWithCost(ctx, a.Tenant, legacyCost)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, s.Key)
	mac.Write([]byte(accountKey(a.Tenant, a.UserName)))
	position := uint64(binary.BigEndian.Uint32(mac.Sum(nil))) // even, within 1<<32
	if position*total < legacy<<32 {
		return legacyCost.decoy(), nil
	}
	return s.Hasher.cost.decoy(), nil
}

// countWithCost counts a tenant's users, and those of them whose password's hash has a cost.
func (s *UserStore) countWithCost(ctx context.Context, t tenant.ID, c Cost) (total, withCost uint64, err error) {
	var n struct{ Everybody, Such uint64 }
	err = s.db.Read(ctx).NewSelect().Model((*userRow)(nil)).
		ColumnExpr("COUNT(*) AS everybody, COUNT(CASE WHEN u.password_hash LIKE ? THEN 1 END) AS such", c.prefix()+"%").
		Where("u.tenant_id = ?", t).Scan(ctx, &n)
	return n.Everybody, n.Such, err
}
