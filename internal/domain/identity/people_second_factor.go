package identity

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/platform/errs"
)

// SecondFactorPolicy says whether the people of a tenant need a second factor.
type SecondFactorPolicy string

// The policies.
const (
	SecondFactorOptional SecondFactorPolicy = "optional"
	SecondFactorRequired SecondFactorPolicy = "required" // of everybody who signs in by password
)

// PolicyOf gives the policy of a tenant.
func PolicyOf(required bool) SecondFactorPolicy {
	if required {
		return SecondFactorRequired
	}
	return SecondFactorOptional
}

// SetSecondFactor sets the policy of the caller's tenant. Only an owner who has a second factor may
// require it of others: nobody locks themselves out by it.
func (p *People) SetSecondFactor(ctx context.Context, c Caller, policy string) error {
	required := SecondFactorPolicy(policy) == SecondFactorRequired
	if !required && SecondFactorPolicy(policy) != SecondFactorOptional {
		return errs.New(errs.Refused, "invalid.choice").WithField("secondFactor")
	}
	err := p.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		t, err := p.manageable(ctx, c.Tenant)
		if err != nil || t.SecondFactorRequired == required {
			return err
		}
		u, err := p.Users.Get(ctx, c.Tenant, c.User)
		if err != nil {
			return err
		}
		if required && !u.SecondFactor {
			return errs.New(errs.Refused, "secondFactor.ownFirst")
		}
		if err := p.Tenants.RequireSecondFactor(ctx, t.ID, required); err != nil {
			return err
		}
		return audit.Log(ctx, t.ID, audit.Action{
			Name: "tenant.update", Thing: audit.Thing{ID: int64(t.ID), Name: t.Name},
			Changes: []audit.Change{{
				Field:  "secondFactor",
				Before: string(PolicyOf(t.SecondFactorRequired)),
				After:  string(PolicyOf(required)),
			}},
		})
	})
	return wrap("set second factor policy", err)
}

// ResetSecondFactor removes the second factor of another person of the caller's tenant, who has lost
// the phone and the recovery codes. The caller's own needs a code.
func (p *People) ResetSecondFactor(ctx context.Context, c Caller, id int64) error {
	if id == c.User {
		return errs.New(errs.Refused, "secondFactor.own")
	}
	return p.change(ctx, c.Tenant, id, "reset second factor", func(ctx context.Context, u *User) error {
		if !u.SecondFactor {
			return nil
		}
		if err := p.Factors.turnOff(ctx, u); err != nil {
			return err
		}
		return emailUser(ctx, p.DB, p.Tenants, p.Mailer, u, "factorOff", "", p.Now())
	})
}
