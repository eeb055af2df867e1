package identity

import (
	"context"
	"net/netip"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/platform/errs"
)

// Proof is how a signed-in user proves who they are, besides the session.
type Proof struct {
	Password string
	Code     string     // of the app, or a recovery code
	Address  netip.Addr // of the client
}

// BeginSecondFactor gives the caller a new key for an authenticator app. It is on once
// ConfirmSecondFactor gets a code of it. A caller who has a second factor already, and moves to
// another phone, proves the old one with a code.
func (a *Account) BeginSecondFactor(ctx context.Context, c Caller, p Proof) (*Enrolment, error) {
	u, err := a.ownRow(ctx, c)
	if err != nil {
		return nil, err
	}
	if u.SecondFactor && p.Code == "" {
		return nil, errs.New(errs.Refused, "secondFactor.codeFirst")
	}
	if err := a.SignIn.checkOwnPassword(ctx, u, p.Password, p.Address); err != nil {
		return nil, err
	}
	t, err := a.Tenants.Get(ctx, c.Tenant)
	if err != nil {
		return nil, err
	}
	var e *Enrolment
	err = a.withCode(ctx, c, p, false, func(ctx context.Context, u *User) (err error) {
		e, err = a.SignIn.enrol(ctx, t, u)
		return err
	})
	return e, wrap("begin second factor", err)
}

// ConfirmSecondFactor turns the caller's second factor on with a first code, and gives the recovery
// codes.
func (a *Account) ConfirmSecondFactor(ctx context.Context, c Caller, code string) ([]string, error) {
	var codes []string
	err := a.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		u, err := a.Users.Get(ctx, c.Tenant, c.User)
		if err != nil {
			return err
		}
		codes, err = a.SignIn.turnOn(ctx, u, code)
		return err
	})
	return codes, wrap("confirm second factor", err)
}

// DisableSecondFactor turns the caller's second factor off, unless the tenant requires one.
func (a *Account) DisableSecondFactor(ctx context.Context, c Caller, p Proof) error {
	t, err := a.Tenants.Get(ctx, c.Tenant)
	if err != nil {
		return err
	}
	if t.SecondFactorRequired {
		return errs.New(errs.Refused, "secondFactor.required")
	}
	u, err := a.ownRow(ctx, c)
	if err != nil {
		return err
	}
	if !u.SecondFactor {
		return errs.New(errs.Refused, "secondFactor.off")
	}
	if err := a.SignIn.checkOwnPassword(ctx, u, p.Password, p.Address); err != nil {
		return err
	}
	err = a.withCode(ctx, c, p, true, func(ctx context.Context, u *User) error {
		if err := a.Factors.turnOff(ctx, u); err != nil {
			return err
		}
		return a.emailUser(ctx, u, "factorOff", "")
	})
	return wrap("disable second factor", err)
}

// NewRecoveryCodes gives the caller new recovery codes in place of the old ones.
func (a *Account) NewRecoveryCodes(ctx context.Context, c Caller, p Proof) ([]string, error) {
	var codes []string
	err := a.withCode(ctx, c, p, true, func(ctx context.Context, u *User) (err error) {
		if codes, err = a.Factors.newCodes(ctx, c.Tenant, c.User); err != nil {
			return err
		}
		return auditUser(ctx, u, "user.update", audit.Change{Field: "recoveryCodes", Hidden: true})
	})
	return codes, wrap("make recovery codes", err)
}

func (a *Account) ownRow(ctx context.Context, c Caller) (*userRow, error) {
	return a.Users.getWhere(ctx, c.Tenant, "u.id = ?", c.User)
}

// withCode does something in one transaction after the caller's code; a caller without a second
// factor needs none, unless it has to be on. A refused code counts although nothing is done.
func (a *Account) withCode(
	ctx context.Context,
	c Caller,
	p Proof,
	on bool,
	do func(ctx context.Context, u *User) error,
) error {
	var refusal error
	err := a.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		u, err := a.ownRow(ctx, c)
		if err != nil {
			return err
		}
		// The session may have ended while the password was checked.
		active, err := a.Sessions.IsActive(ctx, c.Tenant, c.Session)
		switch {
		case err != nil:
			return err
		case !active:
			return notSignedIn()
		case u.SecondFactor:
			from, err := a.SignIn.originOf(ctx, u, p.Address)
			if err != nil {
				return err
			}
			from.signedIn = true
			if refusal, err = a.SignIn.tryCode(ctx, from, u, p.Code); refusal != nil || err != nil {
				return err
			}
		case on:
			return errs.New(errs.Refused, "secondFactor.off")
		}
		return do(ctx, u.user())
	})
	return firstOf(err, refusal)
}
