package notify

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/db"
	"tilth/internal/news"
	"tilth/internal/tenant"
)

// DefaultMailsADay and DefaultSMSADay are how many letters a tenant may send in a
// day.
const (
	DefaultMailsADay = 5000
	DefaultSMSADay   = 500
)

// sweptDays is for how long it is kept how many letters left in a day.
const sweptDays = 3 * 24 * time.Hour

// Budget is how many letters of a mode a tenant may send in a day of its zone, and
// how many it has.
type Budget struct {
	Mode    Mode
	Letters int   // that left today
	Of      int   // in a day
	Until   int64 // when the next day begins, epoch ms
}

// Near tells whether people are told of it: at 80 %.
func (b *Budget) Near() bool { return b.Letters >= b.near() }

// near, mostHourly and most are numbers of letters: from which people are told of
// the budget, up to which what is not serious comes once an hour, and up to which
// anything leaves.
func (b *Budget) near() int       { return (b.Of*4 + 4) / 5 }
func (b *Budget) mostHourly() int { return b.Of + b.Of/2 }
func (b *Budget) most() int       { return 2 * b.Of }

type letterDayRow struct {
	bun.BaseModel `bun:"table:letter_days,alias:ld"`
	TenantID      tenant.ID
	Mode          Mode
	Day           int64
	Letters       int
}

// Budgets are those of a tenant; a mode that has none is left out.
func (o *Outbox) Budgets(ctx context.Context, t tenant.ID) ([]Budget, error) {
	owner, err := o.Tenants.Get(ctx, t)
	if err != nil {
		return nil, err
	}
	var list []Budget
	for _, m := range []Mode{Email, Phone} {
		b, err := o.budget(ctx, owner, m)
		if err != nil {
			return nil, err
		}
		if b.Of > 0 {
			list = append(list, b)
		}
	}
	return list, nil
}

// budget is a tenant's for today; of 0 letters where it has none.
func (o *Outbox) budget(ctx context.Context, owner *tenant.Tenant, m Mode) (Budget, error) {
	b := Budget{Mode: m, Of: o.lettersADay(owner, m)}
	if b.Of == 0 {
		return b, nil
	}
	var day int64
	day, b.Until = tenant.LocalDay(o.Now().UnixMilli(), owner.TimeZone)
	err := o.DB.Read(ctx).NewSelect().Model((*letterDayRow)(nil)).Column("letters").
		Where("ld.tenant_id = ? AND ld.mode = ? AND ld.day = ?", owner.ID, m, day).Scan(ctx, &b.Letters)
	if db.IsMissing(err) {
		err = nil
	}
	return b, err
}

// lettersADay is a tenant's own number, else the server's; 0: any.
func (o *Outbox) lettersADay(owner *tenant.Tenant, m Mode) int {
	own, all := owner.MailsADay, o.MailsADay
	switch m {
	case Phone:
		own, all = owner.SMSADay, o.SMSADay
	case Program:
		return 0
	}
	if own != nil {
		return *own
	}
	return all
}

// countLetters counts letters that left today, and tells the tenant's people when
// they reach what is to be told.
func (o *Outbox) countLetters(ctx context.Context, owner *tenant.Tenant, m Mode, letters int) error {
	day, _ := tenant.LocalDay(o.Now().UnixMilli(), owner.TimeZone)
	b := Budget{Of: o.lettersADay(owner, m)}
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		// Of a tenant that was deleted meanwhile nothing is counted.
		err := tx.NewRaw(`INSERT INTO letter_days (tenant_id, mode, day, letters) SELECT t.id, ?, ?, ? FROM tenants AS t WHERE t.id = ?
			ON CONFLICT (tenant_id, mode, day) DO UPDATE SET letters = letter_days.letters + EXCLUDED.letters RETURNING letters`,
			m, day, letters, owner.ID).Scan(ctx, &b.Letters)
		if db.IsMissing(err) {
			return nil
		}
		if err != nil || b.Of == 0 {
			return err
		}
		for _, told := range []int{b.near(), b.Of, b.mostHourly(), b.most()} {
			if b.Letters-letters < told && told <= b.Letters {
				o.DB.AfterCommit(ctx, func() { o.tellBudget(owner, m, &b) })
				return nil
			}
		}
		return nil
	})
}

func (o *Outbox) tellBudget(owner *tenant.Tenant, m Mode, b *Budget) {
	o.Log.Warn("a tenant nears its budget for today, or is beyond it", "tenant", owner.ID, "mode", m, "letters", b.Letters, "budget", b.Of)
	if o.Screens != nil && o.Screens.Watched(owner.ID) {
		o.Screens.Publish(owner.ID, "budget", []byte("{}"))
	}
}

// sweepLetters forgets how many letters left in days that are long over.
func (o *Outbox) sweepLetters(ctx context.Context, now time.Time) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*letterDayRow)(nil)).Where("ld.day < ?", now.Add(-sweptDays).UnixMilli()).Exec(ctx)
		return err
	})
}

// withinBudget tells which of deliveries that share a letter, and may go else, go
// within the tenant's budget: all of them or none.
func (t *taking) withinBudget(ctx context.Context, rows []*deliveryRow, waiting *verdicts) (bool, error) {
	b, err := t.budgetOf(ctx, rows[0].TenantID)
	if err != nil || b.Of == 0 {
		return err == nil, err
	}
	letters := b.Letters + t.inFlight(rows[0].TenantID)
	hour := min(b.Until, t.now-t.now%time.Hour.Milliseconds()+time.Hour.Milliseconds())
	for _, r := range rows {
		var v verdict
		switch hourly := r.AlarmLevel < serious && letters < b.mostHourly(); {
		case letters < b.Of, r.AlarmLevel >= serious && letters < b.most(), hourly && r.waitedAnHour():
			return true, nil
		case hourly:
			v = verdict{until: hour, reason: ForBudget, together: true}
		case r.Event == news.Reminder:
			v = verdict{until: b.Until, reason: ForBudget}
		default:
			v = verdict{reason: ForBudget, ends: Skipped}
		}
		waiting.add(v, r)
	}
	return false, nil
}

// waitedAnHour tells whether a delivery is of those that come once an hour, and its
// hour is over.
func (r *deliveryRow) waitedAnHour() bool { return r.Reason == ForBudget && r.Digest > 0 }

// budgetOf is a tenant's budget of this lane's mode.
func (t *taking) budgetOf(ctx context.Context, id tenant.ID) (Budget, error) {
	if b, known := t.budgets[id]; known {
		return b, nil
	}
	owner, err := t.owner(ctx, id)
	if err != nil {
		return Budget{}, err
	}
	b, err := t.budget(ctx, owner, t.mode)
	t.budgets[id] = b
	return b, err
}
