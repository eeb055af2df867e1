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

// PurposeAccount is the purpose that codes are sent for: changing a mobile
// number or a password.
const PurposeAccount = 2

// How long a code lives, how many wrong guesses end it, and how often one may
// be asked for.
const (
	CodeLife        = 10 * time.Minute
	maxCodeGuesses  = 5
	codeInterval    = time.Minute // between two codes, for a number and for a user
	codeWindow      = 24 * time.Hour
	codesPerDay     = 10  // for a number and for a user
	codesPerAddress = 50  // a day, for an address
	codesPerTenant  = 500 // a day, for a tenant
)

// SMSSender sends SMS. Its errors are for a person.
type SMSSender interface {
	SendSMS(ctx context.Context, mobile, text string) error
}

// CodeStore sends codes by SMS and checks them. What the limits count is in
// the database, so that a restart forgets nothing.
type CodeStore struct {
	db     *db.DB
	key    []byte
	sender SMSSender
	now    func() time.Time
}

// NewCodeStore makes a store. key is secret, of the platform: six digits are
// soon guessed from a plain hash. A nil sender means that SMS is not set up;
// now is the server's clock.
func NewCodeStore(d *db.DB, key []byte, sender SMSSender, now func() time.Time) *CodeStore {
	return &CodeStore{db: d, key: key, sender: sender, now: now}
}

// Available tells whether codes can be sent at all.
func (s *CodeStore) Available() bool { return s.sender != nil }

// OutgoingCode is a code to be sent.
type OutgoingCode struct {
	User       int64
	Mobile     string // E.164
	Purpose    int
	Address    netip.Addr               // of the client who asks
	RenderText func(code string) string // the text of the SMS
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

// Send makes a code for a tenant's user and number and sends it. Beyond the
// limits it is a TooMany error. The code takes the place of an earlier one.
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
		return err
	}
	// Whoever hangs up has asked all the same: a message that the gateway took
	// must not count as one that failed.
	ctx = context.WithoutCancel(ctx)
	if err := s.sender.SendSMS(ctx, o.Mobile, o.RenderText(code)); err != nil {
		return firstOf(s.markFailed(ctx, t, r.ID), err)
	}
	return nil
}

// markFailed marks a code that was not sent: the next may follow at once, but the
// day's count includes it.
func (s *CodeStore) markFailed(ctx context.Context, t tenant.ID, id int64) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model(
			(*codeRow)(nil),
		).Set(
			"failed = TRUE",
		).Where(
			"c.tenant_id = ? AND c.id = ?",
			t,
			id,
		).Exec(
			ctx,
		)
		return err
	})
}

// retryAfter is how long r must wait for the limits. A number and an address count
// on the whole platform: the phone is one, whoever sends to it.
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
		// The one that has to leave the window before there is room. What was sent
		// at a time to come is of a clock that was set back since: it would be waited
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

// codeAttempt is a code that somebody presents.
type codeAttempt struct {
	user    int64
	mobile  string
	purpose int
	code    string
}

// hash binds a code to everything it is for.
func (s *CodeStore) hash(t tenant.ID, g codeAttempt) []byte {
	mac := hmac.New(sha256.New, s.key)
	fmt.Fprintf(mac, "%d\x00%d\x00%s\x00%d\x00%s", t, g.user, g.mobile, g.purpose, g.code)
	return mac.Sum(nil)
}

// check tells whether a guess is right (nil refusal) and counts a wrong one.
// It must not run in a transaction that the refusal undoes.
func (s *CodeStore) check(ctx context.Context, t tenant.ID, g codeAttempt) (refusal error, err error) {
	return s.verify(ctx, t, g, "guesses = guesses - 1")
}

// redeem is check that uses a right code up.
func (s *CodeStore) redeem(ctx context.Context, t tenant.ID, g codeAttempt) (refusal error, err error) {
	return s.verify(ctx, t, g, "guesses = guesses - 1, used = TRUE")
}

func (s *CodeStore) verify(ctx context.Context, t tenant.ID, g codeAttempt, right string) (refusal error, err error) {
	presented := s.hash(t, codeAttempt{g.user, g.mobile, g.purpose, strings.TrimSpace(g.code)})
	over := errs.New(errs.Refused, "phone.codeOver")
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		var r codeRow
		err := tx.NewSelect().Model(&r).
			Where(
				"c.tenant_id = ? AND c.user_id = ? AND c.mobile = ? AND c.scene = ? AND NOT c.failed",
				t,
				g.user,
				g.mobile,
				g.purpose,
			).
			OrderExpr("c.id DESC").Limit(1).Scan(ctx)
		if db.IsMissing(err) {
			refusal = over
			return nil
		}
		if err != nil {
			return err
		}
		// Counted before it is looked at, so that of many guesses at once no
		// more than allowed are looked at. A code that ends long after CodeLife was
		// sent before the clock was set back.
		now := s.now()
		n, err := s.updateCode(
			ctx,
			tx,
			t,
			r.ID,
			"guesses = guesses + 1",
			"NOT used AND expire_time > ? AND expire_time <= ? AND guesses < ?",
			now.UnixMilli(),
			now.Add(2*CodeLife).UnixMilli(),
			maxCodeGuesses,
		)
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
	return refusal, err
}

func (s *CodeStore) updateCode(
	ctx context.Context,
	tx bun.IDB,
	t tenant.ID,
	id int64,
	set, where string,
	args ...any,
) (int64, error) {
	res, err := tx.NewUpdate().Model(
		(*codeRow)(nil),
	).Set(
		set,
	).Where(
		"c.tenant_id = ? AND c.id = ?",
		t,
		id,
	).Where(
		where,
		args...).Exec(
		ctx,
	)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Sweep removes codes that no limit counts any more.
func (s *CodeStore) Sweep(ctx context.Context) error {
	before := s.now().Add(-codeWindow).UnixMilli()
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*codeRow)(nil)).Where("c.send_time <= ?", before).Exec(ctx)
		return err
	})
}
