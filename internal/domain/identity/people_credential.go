package identity

import (
	"context"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
)

// PersonCredential is a credential of a person of the tenant, as its owners see it.
type PersonCredential struct {
	Credential
	May Role // what it may do now: the lesser of its role and the person's
}

// PageCredentials gives up to limit of the credentials of a tenant's person from offset on, newest
// first, and how many the person has.
func (p *People) PageCredentials(
	ctx context.Context,
	t tenant.ID,
	id, offset, limit int64,
) ([]PersonCredential, int64, error) {
	if _, err := p.manageable(ctx, t); err != nil {
		return nil, 0, err
	}
	u, err := p.Users.Get(ctx, t, id)
	if err != nil {
		return nil, 0, err
	}
	found, total, err := p.Credentials.Page(ctx, t, id, offset, limit)
	list := make([]PersonCredential, 0, len(found))
	for _, c := range found {
		list = append(list, PersonCredential{c, c.Role.least(u.Role)})
	}
	return list, total, err
}

// DeleteCredential removes a credential of a tenant's person; its secret is invalid from then on.
func (p *People) DeleteCredential(ctx context.Context, t tenant.ID, id, credential int64) error {
	return p.change(ctx, t, id, "delete credential of person", func(ctx context.Context, u *User) error {
		c, err := p.Credentials.Get(ctx, t, id, credential)
		if err != nil {
			return err
		}
		if err := p.Credentials.Delete(ctx, t, id, credential); err != nil {
			return err
		}
		return audit.Log(ctx, t, audit.Action{
			Name:  "credential.delete",
			Thing: audit.Thing{ID: c.ID, Name: c.Name, SearchAlias: c.AppKey + "\n" + u.UserName},
			Changes: []audit.Change{
				{Field: "person", Before: u.Name()}, {Field: "appKey", Before: c.AppKey},
				{Field: "role", Before: string(c.Role)},
			},
		})
	})
}

// countByUser gives how many credentials each user of a tenant has; one who has none is left out.
func (s *CredentialStore) countByUser(ctx context.Context, t tenant.ID) (map[int64]int, error) {
	var rows []struct {
		UserID int64
		Count  int
	}
	err := s.db.Read(ctx).NewSelect().Model((*credentialRow)(nil)).ColumnExpr("c.user_id, COUNT(*) AS count").
		Where("c.tenant_id = ?", t).GroupExpr("c.user_id").Scan(ctx, &rows)
	counts := make(map[int64]int, len(rows))
	for _, r := range rows {
		counts[r.UserID] = r.Count
	}
	return counts, wrap("count credentials", err)
}
