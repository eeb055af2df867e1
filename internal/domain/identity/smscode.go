package identity

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"math/big"
	"net/netip"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
)

// PurposeAccount is the only purpose of codes: to change a mobile number or a password.
const PurposeAccount = 2

// How long a code is valid, how many wrong guesses end it, and how often a code may be requested.
const (
	CodeLife        = 10 * time.Minute
	maxCodeGuesses  = 5
	codeInterval    = time.Minute // between two codes, per number and per user
	codeWindow      = 24 * time.Hour
	codesPerDay     = 10  // per number and per user
	codesPerAddress = 50  // a day, per address
	codesPerTenant  = 500 // a day, per tenant
)

// SMSSender sends SMS. People may see its errors.
type SMSSender interface {
	SendSMS(ctx context.Context, mobile, text string) error
}

// CodeStore sends codes by SMS and checks them. It keeps the counts of its limits in the database,
// so that a restart does not reset them.
type CodeStore struct {
	db     *db.DB
	key    []byte
	sender SMSSender
	now    func() time.Time
}

// NewCodeStore makes a store. key is derived from the platform's secret: six digits would soon be guessed from a
// hash without a key. A nil sender means that SMS is not set up; now is the server's clock.
func NewCodeStore(d *db.DB, key []byte, sender SMSSender, now func() time.Time) *CodeStore {
	return &CodeStore{db: d, key: key, sender: sender, now: now}
}

// Available tells whether codes can be sent at all.
func (s *CodeStore) Available() bool { return s.sender != nil }

// OutgoingCode says for whom, and where, to send a code.
type OutgoingCode struct {
	User       int64
	Mobile     string // E.164
	Purpose    int
	Address    netip.Addr               // of the client that requests the code
	RenderText func(code string) string // makes the text of the SMS
}

type codeRow struct {
	bun.BaseModel `bun:"table:sms_codes,alias:c"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	UserID        int64
	Mobile        string
	Scene         int
	Address       string
	Hash          []byte
	SendTime      int64
	ExpireTime    int64
	Guesses       int
	Used          bool
	Failed        bool
}

// Send makes a code for a tenant's user and number and sends it. The code replaces an earlier one.
// Beyond the limits, the error is TooMany.
func (s *CodeStore) Send(ctx context.Context, t tenant.ID, o OutgoingCode) error {
	if s.sender == nil {
		return errs.New(errs.NotConfigured, "channel.smsOff")
	}
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		return err
	}
	code := fmt.Sprintf("%06d", n)
	now := s.now()
	r := codeRow{
		TenantID: t, UserID: o.User, Mobile: o.Mobile, Scene: o.Purpose, Address: limit.Client.Of(o.Address).String(),
		SendTime: now.UnixMilli(), ExpireTime: now.Add(CodeLife).UnixMilli(),
	}
	r.Hash = s.hash(t, codeAttempt{o.User, o.Mobile, o.Purpose, code})
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if wait, err := s.retryAfter(ctx, tx, r); err != nil || wait > 0 {
			if err == nil {
				err = errs.New(errs.TooMany, "error.429").RetryAfter(wait)
			}
			return err
		}
		_, err := tx.NewInsert().Model(&r).Exec(ctx)
		return err
	})
	if err != nil {
		return wrap("send code", err)
	}
	// The code counts even if the client disconnects: a message that the gateway accepted must not
	// count as failed.
	ctx = context.WithoutCancel(ctx)
	if err := s.sender.SendSMS(ctx, o.Mobile, o.RenderText(code)); err != nil {
		return wrap("send code", firstOf(s.markFailed(ctx, t, r.ID), err))
	}
	return nil
}

// markFailed marks a code that was not sent: the user may request the next at once, but the limits
// of the day count it.
func (s *CodeStore) markFailed(ctx context.Context, t tenant.ID, id int64) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*codeRow)(nil)).Set("failed = TRUE").
			Where("c.tenant_id = ? AND c.id = ?", t, id).Exec(ctx)
		return err
	})
}

// retryAfter gives how long the limits make r wait. Numbers and addresses count across all tenants:
// a phone is the same, whichever tenant sends to it.
func (s *CodeStore) retryAfter(ctx context.Context, tx bun.IDB, r codeRow) (longest time.Duration, err error) {
	for _, l := range []struct {
		most   int64
		within time.Duration
		where  string
		args   []any
	}{
		{1, codeInterval, "c.mobile = ? AND NOT c.failed", []any{r.Mobile}},
		{1, codeInterval, "c.tenant_id = ? AND c.user_id = ? AND NOT c.failed", []any{r.TenantID, r.UserID}},
		{codesPerDay, codeWindow, "c.mobile = ?", []any{r.Mobile}},
		{codesPerDay, codeWindow, "c.tenant_id = ? AND c.user_id = ?", []any{r.TenantID, r.UserID}},
		{codesPerAddress, codeWindow, "c.address = ?", []any{r.Address}},
		{codesPerTenant, codeWindow, "c.tenant_id = ?", []any{r.TenantID}},
	} {
		// Read the oldest code that must leave the window first. A code with a time in the future
		// was sent before the clock was set back; it does not count, or the user would have to wait
		// for as long as the clock was ahead.
		var oldest int64
		err := tx.NewSelect().Model((*codeRow)(nil)).Column("send_time").Where(l.where, l.args...).
			Where("c.send_time > ? AND c.send_time <= ?", r.SendTime-l.within.Milliseconds(), r.SendTime).
			OrderExpr("c.send_time DESC").Limit(1).Offset(l.most-1).Scan(ctx, &oldest)
		if db.IsMissing(err) {
			continue
		}
		if err != nil {
			return 0, err
		}
		longest = max(longest, time.Duration(oldest-r.SendTime)*time.Millisecond+l.within)
	}
	return longest, nil
}

// codeAttempt is a code that a user presents.
type codeAttempt struct {
	user    int64
	mobile  string
	purpose int
	code    string
}

// hash gives a code's keyed hash, bound to its tenant, user, number and purpose.
func (s *CodeStore) hash(t tenant.ID, g codeAttempt) []byte {
	mac := hmac.New(sha256.New, s.key)
	fmt.Fprintf(mac, "%d\x00%d\x00%s\x00%d\x00%s", t, g.user, g.mobile, g.purpose, g.code)
	return mac.Sum(nil)
}

// check checks an attempt, and counts a wrong one; the refusal is nil if it is right. The caller
// must not roll back its transaction because of the refusal.
func (s *CodeStore) check(ctx context.Context, t tenant.ID, g codeAttempt) (refusal error, err error) {
	return s.verify(ctx, t, g, "guesses = guesses - 1")
}

// redeem checks an attempt as check does, and uses up a right code.
func (s *CodeStore) redeem(ctx context.Context, t tenant.ID, g codeAttempt) (refusal error, err error) {
	return s.verify(ctx, t, g, "guesses = guesses - 1, used = TRUE")
}

func (s *CodeStore) verify(ctx context.Context, t tenant.ID, g codeAttempt, right string) (refusal error, err error) {
	presented := s.hash(t, codeAttempt{g.user, g.mobile, g.purpose, strings.TrimSpace(g.code)})
	over := errs.New(errs.Refused, "phone.codeOver")
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		var r codeRow
		err := tx.NewSelect().Model(&r).
			Where("c.tenant_id = ? AND c.user_id = ? AND c.mobile = ? AND c.scene = ? AND NOT c.failed",
				t, g.user, g.mobile, g.purpose).
			OrderExpr("c.id DESC").Limit(1).Scan(ctx)
		if db.IsMissing(err) {
			refusal = over
			return nil
		}
		if err != nil {
			return err
		}
		// Count the attempt before checking it, so that no more concurrent guesses than allowed are
		// checked. A code that expires more than twice CodeLife from now was sent before the clock
		// was set back, and is not valid.
		now := s.now()
		n, err := s.updateCode(ctx, tx, t, r.ID, "guesses = guesses + 1",
			"NOT used AND expire_time > ? AND expire_time <= ? AND guesses < ?",
			now.UnixMilli(), now.Add(2*CodeLife).UnixMilli(), maxCodeGuesses)
		switch {
		case err != nil:
			return err
		case n == 0:
			refusal = over
		case hmac.Equal(presented, r.Hash):
			_, err = s.updateCode(ctx, tx, t, r.ID, right, "TRUE")
			return err
		case r.Guesses+1 >= maxCodeGuesses:
			refusal = over
		default:
			refusal = errs.New(errs.Refused, "phone.codeWrong")
		}
		return nil
	})
	return refusal, wrap("check code", err)
}

func (s *CodeStore) updateCode(
	ctx context.Context,
	tx bun.IDB,
	t tenant.ID,
	id int64,
	set, where string,
	args ...any,
) (int64, error) {
	res, err := tx.NewUpdate().Model((*codeRow)(nil)).Set(set).
		Where("c.tenant_id = ? AND c.id = ?", t, id).Where(where, args...).Exec(ctx)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Sweep removes the codes that no limit counts any more.
func (s *CodeStore) Sweep(ctx context.Context) error {
	before := s.now().Add(-codeWindow).UnixMilli()
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*codeRow)(nil)).Where("c.send_time <= ?", before).Exec(ctx)
		return err
	})
	return wrap("sweep codes", err)
}
