package identity

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
	"tilth/internal/platform/vault"
)

// EnrolmentLife is how long a new key waits for its first code, and maxConfirmGuesses how many wrong ones
// end it.
const (
	EnrolmentLife     = 10 * time.Minute
	maxConfirmGuesses = 5
	maxConfirmedUsers = 10_000 // whose wrong first codes are remembered
)

type secondFactorRow struct {
	bun.BaseModel  `bun:"table:second_factors,alias:f"`
	UserID         int64 `bun:",pk"`
	TenantID       tenant.ID
	Secret         []byte // encrypted; nil: off
	LastStep       int64  // the newest time step whose code was used
	PendingSecret  []byte // encrypted; nil: none
	PendingExpires int64
}

type recoveryCodeRow struct {
	bun.BaseModel `bun:"table:recovery_codes,alias:k"`
	UserID        int64 `bun:",pk"`
	TenantID      tenant.ID
	Hash          []byte `bun:",pk"`
}

// SecondFactorStore keeps users' second factors: the keys of their authenticator apps, and their
// recovery codes.
type SecondFactorStore struct {
	db      *db.DB
	users   *UserStore
	vault   vault.Vault
	codeKey []byte                           // under which recovery codes are hashed
	guesses *limit.SlidingWindows[factorKey] // wrong first codes of new keys
	now     func() time.Time
}

// factorKey names a tenant's user.
type factorKey struct {
	tenant tenant.ID
	user   int64
}

// NewSecondFactorStore makes a store. key is derived from the platform's secret: the database alone
// reveals neither keys nor codes. now is the server's clock; meter counts refused codes, nil: they are
// not counted.
func NewSecondFactorStore(
	d *db.DB,
	users *UserStore,
	key []byte,
	now func() time.Time,
	meter *limit.Meter,
) (*SecondFactorStore, error) {
	sealing, err := hkdf.Key(sha256.New, key, nil, "keys of apps", 32)
	if err != nil {
		return nil, err
	}
	s := &SecondFactorStore{db: d, users: users, now: now}
	// A key does not live longer than its guesses are remembered.
	s.guesses = limit.NewSlidingWindows[factorKey](limit.Options{
		Name: "totp_confirm", MaxKeys: maxConfirmedUsers, Now: now, Meter: meter,
	}, maxConfirmGuesses, EnrolmentLife)
	if s.vault, err = vault.New(sealing); err != nil {
		return nil, err
	}
	s.codeKey, err = hkdf.Key(sha256.New, key, nil, "recovery codes", 32)
	return s, err
}

// factorOwner binds a key to its user.
func factorOwner(t tenant.ID, user int64) string {
	return fmt.Sprintf("the second factor of user %d of tenant %d", user, t)
}

// begin gives a tenant's user a new key, which confirm turns on. A key that is on stays on until then.
func (s *SecondFactorStore) begin(ctx context.Context, t tenant.ID, user int64) (key []byte, err error) {
	key = newTOTPKey()
	row := secondFactorRow{
		UserID: user, TenantID: t, LastStep: -1, PendingSecret: s.vault.Seal(factorOwner(t, user), key),
		PendingExpires: s.now().Add(EnrolmentLife).UnixMilli(),
	}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(&row).On("CONFLICT (user_id) DO UPDATE").
			Set("pending_secret = EXCLUDED.pending_secret").
			Set("pending_expires = EXCLUDED.pending_expires").Exec(ctx)
		return err
	})
	s.guesses.Forget(factorKey{t, user})
	return key, wrap("begin second factor", err)
}

// confirm turns on the new key of a tenant's user with a code of it, and gives new recovery codes.
// A wrong code leaves the key as it is, but maxConfirmGuesses of them end it.
func (s *SecondFactorStore) confirm(ctx context.Context, t tenant.ID, user int64, typed string) ([]string, error) {
	var codes []string
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		row, err := s.get(ctx, tx, t, user)
		if err != nil {
			return err
		}
		guessed := factorKey{t, user}
		if row.PendingSecret == nil || !isTokenValid(row.PendingExpires, s.now().UnixMilli(), EnrolmentLife) ||
			s.guesses.LockedFor(guessed) > 0 {
			return errs.New(errs.Refused, "secondFactor.beginOver")
		}
		key, err := s.vault.Open(factorOwner(t, user), row.PendingSecret)
		if err != nil {
			return err
		}
		step, ok := matchTOTP(key, cleanCode(typed), s.now(), -1)
		if !ok {
			if s.guesses.Add(guessed); s.guesses.LockedFor(guessed) > 0 {
				return errs.New(errs.Refused, "secondFactor.beginOver")
			}
			return errs.New(errs.Refused, "secondFactor.confirmWrong")
		}
		row.Secret, row.LastStep, row.PendingSecret, row.PendingExpires = row.PendingSecret, step, nil, 0
		if _, err := tx.NewUpdate().Model(row).Column("secret", "last_step", "pending_secret", "pending_expires").
			Where("f.tenant_id = ? AND f.user_id = ?", t, user).Exec(ctx); err != nil {
			return err
		}
		s.users.notifyChanged(ctx, t, user)
		codes, err = s.newCodes(ctx, t, user)
		return err
	})
	return codes, wrap("confirm second factor", err)
}

func (s *SecondFactorStore) get(ctx context.Context, q bun.IDB, t tenant.ID, user int64) (*secondFactorRow, error) {
	row := &secondFactorRow{}
	err := q.NewSelect().Model(row).Where("f.tenant_id = ? AND f.user_id = ?", t, user).Scan(ctx)
	if db.IsMissing(err) {
		return &secondFactorRow{}, nil
	}
	return row, err
}

// newCodes replaces the recovery codes of a tenant's user.
func (s *SecondFactorStore) newCodes(ctx context.Context, t tenant.ID, user int64) ([]string, error) {
	codes := make([]string, recoveryCodes)
	rows := make([]recoveryCodeRow, recoveryCodes)
	for i := range codes {
		codes[i] = newRecoveryCode()
		rows[i] = recoveryCodeRow{UserID: user, TenantID: t, Hash: s.hashCode(t, user, cleanCode(codes[i]))}
	}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if err := s.dropCodes(ctx, tx, t, user); err != nil {
			return err
		}
		_, err := tx.NewInsert().Model(&rows).Exec(ctx)
		return err
	})
	return codes, wrap("make recovery codes", err)
}

func (s *SecondFactorStore) dropCodes(ctx context.Context, tx bun.IDB, t tenant.ID, user int64) error {
	_, err := tx.NewDelete().Model((*recoveryCodeRow)(nil)).
		Where("k.tenant_id = ? AND k.user_id = ?", t, user).Exec(ctx)
	return err
}

// hashCode gives the stored form of a recovery code.
func (s *SecondFactorStore) hashCode(t tenant.ID, user int64, code string) []byte {
	mac := hmac.New(sha256.New, s.codeKey)
	fmt.Fprintf(mac, "%d\x00%d\x00%s", t, user, code)
	return mac.Sum(nil)
}

// redeem tells whether a code of the app or a recovery code is right, and uses it up. Of two at once
// with the same code, one is right.
func (s *SecondFactorStore) redeem(ctx context.Context, t tenant.ID, user int64, typed string) (right bool, err error) {
	code := cleanCode(typed)
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if isTOTP(code) {
			right, err = s.redeemTOTP(ctx, tx, t, user, code)
			return err
		}
		res, err := tx.NewDelete().Model((*recoveryCodeRow)(nil)).
			Where("k.tenant_id = ? AND k.user_id = ? AND k.hash = ?", t, user, s.hashCode(t, user, code)).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		right = n > 0
		return err
	})
	return right, wrap("redeem code", err)
}

func (s *SecondFactorStore) redeemTOTP(
	ctx context.Context,
	tx bun.IDB,
	t tenant.ID,
	user int64,
	code string,
) (bool, error) {
	row, err := s.get(ctx, tx, t, user)
	if err != nil || row.Secret == nil {
		return false, err
	}
	key, err := s.vault.Open(factorOwner(t, user), row.Secret)
	if err != nil {
		return false, err
	}
	step, ok := matchTOTP(key, code, s.now(), row.LastStep)
	if !ok {
		return false, nil
	}
	res, err := tx.NewUpdate().Model((*secondFactorRow)(nil)).Set("last_step = ?", step).
		Where("f.tenant_id = ? AND f.user_id = ? AND f.last_step = ?", t, user, row.LastStep).Exec(ctx)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// turnOff removes the second factor of a user, and logs it.
func (s *SecondFactorStore) turnOff(ctx context.Context, u *User) error {
	if err := s.Remove(ctx, u.Tenant, u.ID); err != nil {
		return err
	}
	return auditUser(ctx, u, "user.update", SecondFactorOff)
}

// SecondFactorOff is the change that the audit log has of a second factor that was removed.
var SecondFactorOff = audit.Change{Field: "secondFactor", Before: true, After: false}

// Remove turns the second factor of a tenant's user off, and forgets their recovery codes.
func (s *SecondFactorStore) Remove(ctx context.Context, t tenant.ID, user int64) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if _, err := tx.NewDelete().Model((*secondFactorRow)(nil)).
			Where("f.tenant_id = ? AND f.user_id = ?", t, user).Exec(ctx); err != nil {
			return err
		}
		s.users.notifyChanged(ctx, t, user)
		return s.dropCodes(ctx, tx, t, user)
	})
	return wrap("remove second factor", err)
}
