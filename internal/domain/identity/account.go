package identity

import (
	"context"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// The length of a password, in characters.
const (
	PasswordMin = 6 // unless the provider's settings require more
	passwordMax = 256
)

// Account changes what signed-in users may change of their own account.
type Account struct {
	AccountDeps
}

// AccountDeps holds the dependencies of an Account.
type AccountDeps struct {
	DB       *db.DB
	Tenants  *tenant.Store
	Users    *UserStore
	Sessions *SessionStore
	Codes    *CodeStore
	Factors  *SecondFactorStore
	SignIn   *SignIn // checks passwords and codes, and counts wrong ones
	Hasher   *Hasher
	Mailer   Mailer // nil: no mail is sent
	Now      func() time.Time
	// MinPasswordLength is the least length of new passwords, in characters; 0: PasswordMin.
	MinPasswordLength int
}

// NewAccount makes an Account.
func NewAccount(p AccountDeps) *Account {
	p.MinPasswordLength = max(p.MinPasswordLength, PasswordMin)
	return &Account{p}
}

// CodeRequest is a user's request for a code.
type CodeRequest struct {
	Mobile   string // as typed
	Purpose  int
	Language text.Language // of the SMS
	Address  netip.Addr    // of the client
}

// SendCode sends a code for the caller to a number, even to another user's number: only a caller
// who has proven to hold a number learns that another user has it.
func (a *Account) SendCode(ctx context.Context, c Caller, r CodeRequest) error {
	mobile, err := parseMobile(r.Mobile)
	if err != nil {
		return err
	}
	if err := checkPurpose(r.Purpose); err != nil {
		return err
	}
	t, err := a.Tenants.Get(ctx, c.Tenant)
	if err != nil {
		return err
	}
	return a.Codes.Send(ctx, c.Tenant, OutgoingCode{
		User: c.User, Mobile: mobile, Purpose: r.Purpose, Address: r.Address,
		RenderText: func(code string) string {
			return text.TranslateSMS(r.Language, "sms.code", map[string]string{
				"title": t.Title(), "code": code, "minutes": strconv.Itoa(int(CodeLife.Minutes())),
			}, "title")
		},
	})
}

func checkPurpose(purpose int) error {
	if purpose != PurposeAccount {
		return errs.New(errs.Refused, "invalid.choice").WithField("scene")
	}
	return nil
}

// Profile holds what users change of their own profile; a nil field was not sent.
type Profile struct {
	ID       *int64
	Nickname string
	Email    string
	Mobile   *string // only the bound number is accepted
}

// UpdateProfile changes the caller's nickname and e-mail.
func (a *Account) UpdateProfile(ctx context.Context, c Caller, p Profile) error {
	if p.ID != nil && *p.ID != c.User {
		return errs.Missing()
	}
	nickname, err := parseNickname(p.Nickname)
	if err != nil {
		return err
	}
	email, err := parseEmail(p.Email)
	if err != nil {
		return err
	}
	err = a.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		u, err := a.Users.Get(ctx, c.Tenant, c.User)
		if err != nil {
			return err
		}
		if p.Mobile != nil {
			if err := checkBoundMobile(*p.Mobile, u.Mobile); err != nil {
				return err
			}
		}
		err = a.Users.updateColumns(ctx, c.Tenant, c.User, "nickname = ?, email = ?, email_confirmed = ?",
			nickname, email, u.EmailConfirmed && email == u.Email)
		if err != nil {
			return err
		}
		updated := *u
		updated.Nickname, updated.Email = nickname, email
		if changes := ContactChanges(u, &updated); len(changes) > 0 {
			if err := auditUser(ctx, u, "user.update", changes...); err != nil {
				return err
			}
		}
		if email == u.Email {
			return nil
		}
		// To the old address: an attacker who takes over an account begins with this change.
		return a.emailUser(ctx, u, "email", MaskedEmail(email))
	})
	return wrap("update profile", err)
}

// checkBoundMobile refuses a number other than the bound one. It checks a number without + against
// the Chinese pattern.
func checkBoundMobile(typed, bound string) error {
	typed = strings.TrimSpace(typed)
	switch {
	case typed == bound:
		return nil
	case typed == "":
		return errs.New(errs.Refused, "phone.required")
	case !strings.HasPrefix(typed, "+") && !chineseMobilePattern.MatchString(typed):
		return errs.New(errs.Refused, "profile.mobileFormat")
	}
	number, err := parseMobile(typed)
	if err == nil && number != bound {
		err = errs.New(errs.Refused, "profile.mobileFixed")
	}
	return err
}

// MobileChange is a new number with the code that was sent to it.
type MobileChange struct {
	Mobile  string // as typed
	Purpose int
	Code    string
}

// BindMobile binds a mobile number to the caller, who must have none.
func (a *Account) BindMobile(ctx context.Context, c Caller, m MobileChange) error {
	return a.setMobile(ctx, c, m, true)
}

// UpdateMobile replaces the caller's mobile number.
func (a *Account) UpdateMobile(ctx context.Context, c Caller, m MobileChange) error {
	return a.setMobile(ctx, c, m, false)
}

func (a *Account) setMobile(ctx context.Context, c Caller, m MobileChange, first bool) error {
	mobile, err := parseMobile(m.Mobile)
	if err != nil {
		return err
	}
	if err := checkPurpose(m.Purpose); err != nil {
		return err
	}
	if strings.TrimSpace(m.Code) == "" {
		return errs.New(errs.Refused, "phone.codeRequired")
	}
	var refusal error
	err = a.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		u, err := a.Users.Get(ctx, c.Tenant, c.User)
		if err != nil {
			return err
		}
		if first && u.Mobile != "" {
			return errs.New(errs.Refused, "phone.bound")
		}
		// A refusal must not roll back the transaction: the guess has to count.
		refusal, err = a.Codes.redeem(ctx, c.Tenant, codeAttempt{c.User, mobile, m.Purpose, m.Code})
		if refusal != nil || err != nil || mobile == u.Mobile {
			return err
		}
		taken, err := a.Users.hasMobile(ctx, c.Tenant, mobile)
		if err != nil {
			return err
		}
		if taken {
			refusal = errs.New(errs.Refused, "phone.inUse")
			return nil
		}
		if err := a.Users.updateColumns(ctx, c.Tenant, c.User, "mobile = ?", mobile); err != nil {
			return err
		}
		updated := *u
		updated.Mobile = mobile
		if err := auditUser(ctx, u, "user.update", ContactChanges(u, &updated)...); err != nil {
			return err
		}
		return a.emailUser(ctx, u, "mobile", MaskedMobile(mobile))
	})
	return firstOf(wrap("set mobile", err), refusal)
}

// ChangePassword changes the caller's password, given a code that was sent to the caller's own
// mobile number, and ends the caller's other sessions.
func (a *Account) ChangePassword(ctx context.Context, c Caller, code, password string) error {
	if strings.TrimSpace(code) == "" {
		return errs.New(errs.Refused, "phone.codeRequired")
	}
	if err := checkPassword(password, a.MinPasswordLength); err != nil {
		return err
	}
	u, err := a.Users.Get(ctx, c.Tenant, c.User)
	if err != nil {
		return err
	}
	if u.Mobile == "" {
		return errs.New(errs.Refused, "password.bindFirst")
	}
	g := codeAttempt{c.User, u.Mobile, PurposeAccount, code}
	// Check the code before the costly hash, so that a guess costs none. The code is used up only
	// with the change, so that an overload uses up no code.
	refusal, err := a.Codes.check(ctx, c.Tenant, g)
	if err != nil || refusal != nil {
		return firstOf(err, refusal)
	}
	hash, err := a.Hasher.Hash(ctx, Requester{Known: true, Account: accountKey(c.Tenant, u.UserName)}, password)
	if err != nil {
		return err
	}
	err = a.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		u, err := a.Users.Get(ctx, c.Tenant, c.User)
		if err != nil {
			return err
		}
		// The password may have been reset while this one was hashed. A caller whose session the
		// reset ended must not undo it.
		active, err := a.Sessions.IsActive(ctx, c.Tenant, c.Session)
		if err != nil {
			return err
		}
		if !active {
			return notSignedIn()
		}
		g.mobile = u.Mobile // the current one
		if refusal, err = a.Codes.redeem(ctx, c.Tenant, g); refusal != nil || err != nil {
			return err
		}
		if err := a.Users.PutPassword(ctx, c.Tenant, c.User, hash); err != nil {
			return err
		}
		if err := a.Sessions.EndOthers(ctx, c.Tenant, c.User, c.Session); err != nil {
			return err
		}
		if err := auditUser(ctx, u, "user.update", audit.Change{Field: "password", Hidden: true}); err != nil {
			return err
		}
		return a.emailUser(ctx, u, "password", "")
	})
	return firstOf(wrap("change password", err), refusal)
}

// checkPassword refuses (601) a new password of fewer than least or more than passwordMax characters.
func checkPassword(password string, least int) error {
	switch n := PasswordLength(password); {
	case n == 0:
		return errs.New(errs.Refused, "password.required")
	case n < least && least == PasswordMin: // the specification's text
		return errs.New(errs.Refused, "password.min")
	case n < least:
		return errs.New(errs.Refused, "password.minOf", "count", strconv.Itoa(least))
	case n > passwordMax:
		return errs.New(errs.Refused, "invalid.long", "limit", strconv.Itoa(passwordMax)).WithField("password")
	}
	return nil
}

func firstOf(err, refusal error) error {
	if err != nil {
		return err
	}
	return refusal
}

// emailUser sends u an email about an event, after the transaction in ctx commits.
func (a *Account) emailUser(ctx context.Context, u *User, event, value string) error {
	return emailUser(ctx, a.DB, a.Tenants, a.Mailer, u, event, value, a.Now())
}
