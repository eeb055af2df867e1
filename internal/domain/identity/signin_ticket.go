package identity

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
)

const (
	// TicketLife is how long a sign-in waits for a code after the password. One that waits for the
	// user to set up the second factor waits for EnrolmentLife.
	TicketLife        = 5 * time.Minute
	maxTicketGuesses  = 5
	maxTicketsPerUser = 5 // a new one beyond it ends the oldest
)

// ticketRow is a sign-in whose password was right.
type ticketRow struct {
	bun.BaseModel  `bun:"table:sign_in_tickets,alias:k"`
	ID             int64 `bun:",pk,autoincrement"`
	TenantID       tenant.ID
	UserID         int64
	Hash           []byte
	Enrol          bool // it waits for the user to set up the second factor
	Remember       bool
	PasswordDigest []byte // of the stored password: a new password ends the ticket
	Guesses        int
	ExpireTime     int64
}

func (r *ticketRow) life() time.Duration {
	if r.Enrol {
		return EnrolmentLife
	}
	return TicketLife
}

func passwordDigest(u *userRow) []byte {
	sum := sha256.Sum256([]byte(u.PasswordHash))
	return sum[:]
}

// isFor tells whether the ticket is of a user who may still go on with it.
func (r *ticketRow) isFor(u *userRow) bool {
	return !u.isShutOut() && u.SecondFactor != r.Enrol &&
		subtle.ConstantTimeCompare(r.PasswordDigest, passwordDigest(u)) == 1
}

// TicketStore keeps the sign-ins that wait for a second step.
type TicketStore struct {
	db  *db.DB
	now func() time.Time
}

// NewTicketStore makes a store; now is the server's clock.
func NewTicketStore(d *db.DB, now func() time.Time) *TicketStore {
	return &TicketStore{db: d, now: now}
}

// put makes a ticket for a user whose password was right.
func (s *TicketStore) put(ctx context.Context, u *userRow, enrol, remember bool) (ticket string, err error) {
	if ticket, err = newToken(); err != nil {
		return "", err
	}
	r := ticketRow{
		TenantID: u.TenantID, UserID: u.ID, Hash: hashToken(ticket), Enrol: enrol, Remember: remember,
		PasswordDigest: passwordDigest(u),
	}
	r.ExpireTime = s.now().Add(r.life()).UnixMilli()
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if _, err := tx.NewInsert().Model(&r).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewDelete().Model((*ticketRow)(nil)).Where("k.tenant_id = ? AND k.user_id = ?", u.TenantID, u.ID).
			Where("k.id NOT IN (SELECT n.id FROM sign_in_tickets AS n "+
				"WHERE n.tenant_id = ? AND n.user_id = ? ORDER BY n.id DESC LIMIT ?)",
				u.TenantID, u.ID, maxTicketsPerUser).Exec(ctx)
		return err
	})
	return ticket, wrap("put sign-in ticket", err)
}

// byTicket finds what a ticket stands for. The tenant and the user of the second step come only from
// here. An unknown, used and expired one give the same error (601).
func (s *TicketStore) byTicket(ctx context.Context, ticket string) (*ticketRow, error) {
	var r ticketRow
	err := s.db.Read(ctx).NewSelect().Model(&r).Where("k.hash = ?", hashToken(ticket)).Scan(ctx)
	if db.IsMissing(err) || err == nil && !isTokenValid(r.ExpireTime, s.now().UnixMilli(), r.life()) {
		return nil, ticketOver()
	}
	return &r, wrap("find sign-in ticket", err)
}

// TicketOver is the data of a refusal after which the sign-in begins anew, with the password.
type TicketOver struct {
	TicketOver bool `json:"ticketOver"`
}

func ticketOver() *errs.Error {
	return errs.New(errs.Refused, "signin.ticketOver").WithData(TicketOver{TicketOver: true})
}

// countGuess counts a wrong code, and gives the refusal to answer: the one given, or after
// maxTicketGuesses that the ticket is over.
func (s *TicketStore) countGuess(ctx context.Context, r *ticketRow, refusal error) (error, error) {
	if r.Guesses+1 >= maxTicketGuesses {
		return ticketOver(), s.delete(ctx, r)
	}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*ticketRow)(nil)).Set("guesses = guesses + 1").
			Where("k.tenant_id = ? AND k.id = ?", r.TenantID, r.ID).Exec(ctx)
		return err
	})
	return refusal, wrap("count guess", err)
}

func (s *TicketStore) delete(ctx context.Context, r *ticketRow) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*ticketRow)(nil)).
			Where("k.tenant_id = ? AND k.id = ?", r.TenantID, r.ID).Exec(ctx)
		return err
	})
	return wrap("delete sign-in ticket", err)
}

// Sweep removes the tickets that have expired at until.
func (s *TicketStore) Sweep(ctx context.Context, until time.Time) error {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*ticketRow)(nil)).Where("k.expire_time <= ?", until.UnixMilli()).Exec(ctx)
		return err
	})
	return wrap("sweep sign-in tickets", err)
}
