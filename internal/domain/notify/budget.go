package notify

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/db"
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
	Kind  ChannelKind
	Sent  int   // that left today
	Limit int   // in a day
	Until int64 // when the next day begins, epoch ms
}

// Near tells whether people are told of it: at 80 %.
func (b *Budget) Near() bool { return b.Sent >= b.nearThreshold() }

// nearThreshold, hourlyLimit and most are numbers of letters: from which people are told of
// the budget, up to which what is not serious comes once an hour, and up to which
// anything leaves.
func (b *Budget) nearThreshold() int { return (b.Limit*4 + 4) / 5 }
func (b *Budget) hourlyLimit() int   { return b.Limit + b.Limit/2 }
func (b *Budget) hardLimit() int     { return 2 * b.Limit }

type sentDayRow struct {
	bun.BaseModel `bun:"table:letter_days,alias:ld"`
	TenantID      tenant.ID
	Mode          ChannelKind
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
	for _, kind := range []ChannelKind{KindEmail, KindSMS} {
		b, err := o.budget(ctx, owner, kind)
		if err != nil {
			return nil, err
		}
		if b.Limit > 0 {
			list = append(list, b)
		}
	}
	return list, nil
}

// budget is a tenant's for today; of 0 letters where it has none.
func (o *Outbox) budget(ctx context.Context, owner *tenant.Tenant, kind ChannelKind) (Budget, error) {
	b := Budget{Kind: kind, Limit: o.dailyLimit(owner, kind)}
	if b.Limit == 0 {
		return b, nil
	}
	var day int64
	day, b.Until = tenant.DayBounds(o.Now().UnixMilli(), owner.TimeZone)
	err := o.DB.Read(ctx).NewSelect().Model((*sentDayRow)(nil)).Column("letters").
		Where("ld.tenant_id = ? AND ld.mode = ? AND ld.day = ?", owner.ID, kind, day).Scan(ctx, &b.Sent)
	if db.IsMissing(err) {
		err = nil
	}
	return b, err
}

// dailyLimit is a tenant's own number, else the server's; 0: any.
func (o *Outbox) dailyLimit(owner *tenant.Tenant, kind ChannelKind) int {
	own, all := owner.MailsPerDay, o.MailsADay
	switch kind {
	case KindSMS:
		own, all = owner.SMSPerDay, o.SMSADay
	case KindWebhook:
		return 0
	}
	if own != nil {
		return *own
	}
	return all
}

// countSent counts letters that left today, and tells the tenant's people when
// they reach what is to be told.
func (o *Outbox) countSent(ctx context.Context, owner *tenant.Tenant, kind ChannelKind, notifications int) error {
	day, _ := tenant.DayBounds(o.Now().UnixMilli(), owner.TimeZone)
	b := Budget{Limit: o.dailyLimit(owner, kind)}
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		// Of a tenant that was deleted meanwhile nothing is counted.
		err := tx.NewRaw(
			`INSERT INTO letter_days (tenant_id, mode, day, letters) SELECT t.id, ?, ?, ? FROM tenants AS t WHERE t.id = ?
			ON CONFLICT (tenant_id, mode, day) DO UPDATE SET letters = letter_days.letters + EXCLUDED.letters RETURNING letters`,
			kind, day, notifications, owner.ID).Scan(ctx, &b.Sent)
		if db.IsMissing(err) {
			return nil
		}
		if err != nil || b.Limit == 0 {
			return err
		}
		for _, threshold := range []int{b.nearThreshold(), b.Limit, b.hourlyLimit(), b.hardLimit()} {
			if b.Sent-notifications < threshold && threshold <= b.Sent {
				o.DB.AfterCommit(ctx, func() { o.announceBudget(owner, kind, &b) })
				return nil
			}
		}
		return nil
	})
}

func (o *Outbox) announceBudget(owner *tenant.Tenant, kind ChannelKind, b *Budget) {
	o.Logger.Warn("a tenant nears its budget for today, or is beyond it", "tenant", owner.ID, "mode", kind,
		"letters", b.Sent, "budget", b.Limit)
	if o.Live != nil && o.Live.Watched(owner.ID) {
		o.Live.Publish(owner.ID, "budget", []byte("{}"))
	}
}

// sweepSentDays forgets how many letters left in days that are long over.
func (o *Outbox) sweepSentDays(ctx context.Context, now time.Time) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*sentDayRow)(nil)).Where("ld.day < ?", now.Add(-sweptDays).UnixMilli()).
			Exec(ctx)
		return err
	})
}

// withinBudget tells which of deliveries that share a letter, and may go else, go
// within the tenant's budget: all of them or none.
func (t *batch) withinBudget(ctx context.Context, rows []*deliveryRow, waiting *deferrals) (bool, error) {
	b, err := t.budgetOf(ctx, rows[0].TenantID)
	if err != nil || b.Limit == 0 {
		return err == nil, err
	}
	notifications := b.Sent + t.countInFlight(rows[0].TenantID)
	hour := min(b.Until, t.now-t.now%time.Hour.Milliseconds()+time.Hour.Milliseconds())
	for _, r := range rows {
		var v decision
		switch hourly := r.AlarmLevel < serious && notifications < b.hourlyLimit(); {
		case notifications < b.Limit, r.AlarmLevel >= serious && notifications < b.hardLimit(), hourly &&
			r.isHourlyDigest():
			return true, nil
		case hourly:
			v = decision{until: hour, reason: ForBudget, digest: true}
		case r.Event == alertmsg.Reminder:
			v = decision{until: b.Until, reason: ForBudget}
		default:
			v = decision{reason: ForBudget, final: Skipped}
		}
		waiting.add(v, r)
	}
	return false, nil
}

// isHourlyDigest tells whether a delivery is of those that come once an hour, and its
// hour is over.
func (r *deliveryRow) isHourlyDigest() bool { return r.Reason == ForBudget && r.Digest > 0 }

// budgetOf is a tenant's budget of this lane's mode.
func (t *batch) budgetOf(ctx context.Context, id tenant.ID) (Budget, error) {
	if b, known := t.budgets[id]; known {
		return b, nil
	}
	owner, err := t.owner(ctx, id)
	if err != nil {
		return Budget{}, err
	}
	b, err := t.budget(ctx, owner, t.kind)
	t.budgets[id] = b
	return b, err
}
