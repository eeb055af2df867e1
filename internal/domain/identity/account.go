package identity

import (
	"context"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// How long a password is, in characters.
const (
	PasswordMin = 6 // where the provider asks for no more
	passwordMax = 256
)

// Account is what signed-in users change of themselves.
type Account struct {
	AccountDeps
}

// AccountDeps is what an Account is made of.
type AccountDeps struct {
	DB       *db.DB
	Tenants  *tenant.Store
	Users    *UserStore
	Sessions *SessionStore
	Codes    *CodeStore
	Hasher   *Hasher
	Mailer   Mailer // nil: no mail is sent
	Now      func() time.Time
	// MinPasswordLength is how many characters new passwords have at least; 0: PasswordMin.
	MinPasswordLength int
}

// NewAccount makes an Account.
func NewAccount(p AccountDeps) *Account {
	p.MinPasswordLength = max(p.MinPasswordLength, PasswordMin)
	return &Account{p}
}

// CodeRequest is a person asking for a code.
type CodeRequest struct {
	Mobile   string // as typed
	Purpose  int
	Language text.Language // of the SMS
	Address  netip.Addr    // of the client
}

// SendCode sends the caller a code to a number, whoever has it: that a number
// is another user's is told only to who has proven to hold it.
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
				"title": displayTitle(t), "code": code, "minutes": strconv.Itoa(int(CodeLife.Minutes())),
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

// Profile is what a person writes of themselves; nil is what was not sent.
type Profile struct {
	ID       *int64
	Nickname string
	Email    string
	Mobile   *string // only the bound one passes
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
	return a.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		u, err := a.Users.Get(ctx, c.Tenant, c.User)
		if err != nil {
			return err
		}
		if p.Mobile != nil {
			if err := checkBoundMobile(*p.Mobile, u.Mobile); err != nil {
				return err
			}
		}
		if err := a.Users.updateColumns(ctx, c.Tenant, c.User, "nickname = ?, email = ?", nickname, email); err != nil {
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
		// To the address so far: who takes an account over begins with this.
		return a.emailUser(ctx, u, "email", maskedEmail(email))
	})
}

// checkBoundMobile refuses a number other than the bound one. One without + is judged
// by the Chinese pattern.
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

// MobileChange is a number with the code that was sent to it.
type MobileChange struct {
	Mobile  string // as typed
	Purpose int
	Code    string
}

// BindMobile gives the caller, who has none, a mobile number.
func (a *Account) BindMobile(ctx context.Context, c Caller, m MobileChange) error {
	return a.setMobile(ctx, c, m, true)
}

// UpdateMobile gives the caller another mobile number.
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
		// A refusal is no error of the transaction: the guess has to count.
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
		return a.emailUser(ctx, u, "mobile", maskedMobile(mobile))
	})
	if err != nil {
		return err
	}
	return refusal
}

// ChangePassword gives the caller another password, with a code that was sent
// to the caller's own mobile, and ends the caller's other sessions.
func (a *Account) ChangePassword(ctx context.Context, c Caller, code, password string) error {
	switch n := utf8.RuneCountInString(password); {
	case strings.TrimSpace(code) == "":
		return errs.New(errs.Refused, "phone.codeRequired")
	case n == 0:
		return errs.New(errs.Refused, "password.required")
	case n < a.MinPasswordLength && a.MinPasswordLength == PasswordMin: // in the specification's words
		return errs.New(errs.Refused, "password.min")
	case n < a.MinPasswordLength:
		return errs.New(errs.Refused, "password.minOf", "count", strconv.Itoa(a.MinPasswordLength))
	case n > passwordMax:
		return errs.New(errs.Refused, "invalid.long", "limit", strconv.Itoa(passwordMax)).WithField("password")
	}
	u, err := a.Users.Get(ctx, c.Tenant, c.User)
	if err != nil {
		return err
	}
	if u.Mobile == "" {
		return errs.New(errs.Refused, "password.bindFirst")
	}
	g := codeAttempt{c.User, u.Mobile, PurposeAccount, code}
	// Before the costly hash, which nobody gets for a guess; the code is used
	// up only with the change, so that an overload costs no code.
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
		// The password may have been reset while this one was hashed: who is shut
		// out by that must not undo it.
		lives, err := a.Sessions.IsActive(ctx, c.Tenant, c.Session)
		if err != nil {
			return err
		}
		if !lives {
			return notSignedIn()
		}
		g.mobile = u.Mobile // as it is now
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
	return firstOf(err, refusal)
}

func firstOf(err, refusal error) error {
	if err != nil {
		return err
	}
	return refusal
}

// emailUser posts a letter to u once the transaction in ctx is kept.
func (a *Account) emailUser(ctx context.Context, u *User, event, value string) error {
	if a.Mailer == nil {
		return nil
	}
	t, err := a.Tenants.Get(ctx, u.Tenant)
	if err != nil {
		return err
	}
	if l := newAccountEmail(t, u, event, value, a.Now()); l != nil {
		a.DB.AfterCommit(ctx, func() { a.Mailer.Enqueue(*l) })
	}
	return nil
}
