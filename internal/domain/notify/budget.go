package notify

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/db"
)

// DefaultMailsADay and DefaultSMSADay are how many mails and SMS a tenant may send per day.
const (
	DefaultMailsADay = 5000
	DefaultSMSADay   = 500
)

// sweptDays is how long the count of a day's notifications is kept.
const sweptDays = 3 * 24 * time.Hour

// Budget is how many notifications of a kind a tenant may send per day of its time zone, and how
// many it has sent.
type Budget struct {
	Kind  ChannelKind
	Sent  int   // today
	Limit int   // per day
	Until int64 // when the next day begins, epoch ms
}

// Near tells whether people see a warning: from 80 % on.
func (b *Budget) Near() bool { return b.Sent >= b.nearThreshold() }

// nearThreshold is the number of notifications from which people see a warning.
func (b *Budget) nearThreshold() int { return (b.Limit*4 + 4) / 5 }

// hourlyLimit is the number up to which notices that are not serious are sent once an hour.
func (b *Budget) hourlyLimit() int { return b.Limit + b.Limit/2 }

// hardLimit is the number from which nothing is sent.
func (b *Budget) hardLimit() int { return 2 * b.Limit }

type sentDayRow struct {
	bun.BaseModel `bun:"table:letter_days,alias:ld"`
	TenantID      tenant.ID
	Mode          ChannelKind
	Day           int64
	Letters       int
}

// Budgets gives a tenant's budgets; it leaves out kinds without a limit.
func (o *Outbox) Budgets(ctx context.Context, t tenant.ID) ([]Budget, error) {
	owner, err := o.Tenants.Get(ctx, t)
	if err != nil {
		return nil, err
	}
	var list []Budget
	for _, k := range kinds {
		b, err := o.budget(ctx, owner, k.Name)
		if err != nil {
			return nil, wrap("read budgets", err)
		}
		if b.Limit > 0 {
			list = append(list, b)
		}
	}
	return list, nil
}

// budget gives a tenant's budget for today; its Limit is 0 if there is no limit.
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

// dailyLimit gives the tenant's own limit, else the server's; 0: none.
func (o *Outbox) dailyLimit(owner *tenant.Tenant, kind ChannelKind) int {
	k := kindOf(kind)
	if k.OwnLimit == nil {
		return 0
	}
	if own := k.OwnLimit(owner); own != nil {
		return *own
	}
	return o.PerDay[kind]
}

// countSent adds to the notifications that were sent today, and announces it when they reach a
// threshold of the budget.
func (o *Outbox) countSent(ctx context.Context, owner *tenant.Tenant, kind ChannelKind, notifications int) error {
	day, _ := tenant.DayBounds(o.Now().UnixMilli(), owner.TimeZone)
	b := Budget{Limit: o.dailyLimit(owner, kind)}
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		// For a tenant that was deleted meanwhile this counts nothing.
		err := tx.NewRaw(
			`INSERT INTO letter_days (tenant_id, mode, day, letters)
			SELECT t.id, ?, ?, ? FROM tenants AS t WHERE t.id = ?
			ON CONFLICT (tenant_id, mode, day) DO UPDATE SET letters = letter_days.letters + EXCLUDED.letters
			RETURNING letters`,
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
	o.Logger.Warn("a tenant is near its budget for today, or over it", "tenant", owner.ID, "mode", kind,
		"sent", b.Sent, "budget", b.Limit)
	if o.Live != nil && o.Live.Watched(owner.ID) {
		o.Live.Publish(owner.ID, "budget", []byte("{}"))
	}
}

// sweepSentDays removes the counts of days that are long over.
func (o *Outbox) sweepSentDays(ctx context.Context, now time.Time) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*sentDayRow)(nil)).Where("ld.day < ?", now.Add(-sweptDays).UnixMilli()).
			Exec(ctx)
		return err
	})
}

// withinBudget tells whether the tenant's budget lets deliveries that share a notification be sent:
// all of them or none. It adds those that may not be sent to waiting.
func (t *batch) withinBudget(ctx context.Context, rows []*deliveryRow, waiting *deferrals) (bool, error) {
	b, err := t.budgetOf(ctx, rows[0].TenantID)
	if err != nil || b.Limit == 0 {
		return err == nil, err
	}
	sent := b.Sent + t.countInFlight(rows[0].TenantID)
	hour := min(b.Until, t.now-t.now%time.Hour.Milliseconds()+time.Hour.Milliseconds())
	for _, r := range rows {
		var v decision
		switch hourly := r.AlarmLevel < serious && sent < b.hourlyLimit(); {
		case sent < b.Limit, r.AlarmLevel >= serious && sent < b.hardLimit(), hourly &&
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

// isHourlyDigest tells whether a delivery that is due belongs to an hourly digest.
func (r *deliveryRow) isHourlyDigest() bool { return r.Reason == ForBudget && r.Digest > 0 }

// budgetOf gives a tenant's budget for this worker's kind.
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
