package notify

import (
	"context"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"tilth/internal/db"
	"tilth/internal/news"
	"tilth/internal/tenant"
)

// Program is the way to webhooks. Its recipients are their ids.
const Program Mode = "webhook"

// tellPrograms queues for the tenant's webhooks what happened to a notice.
// Programs keep track of what is: they are told of everything, at once,
// whatever the hour, mute or rule's change; but of each notice in its order.
func (o *Outbox) tellPrograms(ctx context.Context, t tenant.ID, a *news.Alarm) error {
	if o.Webhooks == nil {
		return nil
	}
	hooks, err := db.OncePerTx(ctx, listeningOf{t}, func(ctx context.Context) ([]webhookRow, error) { return o.Webhooks.listening(ctx, t) })
	if err != nil || len(hooks) == 0 {
		return err
	}
	pattern, err := o.pattern(t, a)
	if err != nil {
		return err
	}
	before, err := o.toldBefore(ctx, t, a)
	if err != nil {
		return err
	}
	pattern.Mode, pattern.Period = Program, "{}"
	var rows []*deliveryRow
	for _, h := range hooks {
		was := before[h.ID]
		if !h.wants(a.Event, a.Level, was.begin) {
			continue
		}
		row := *pattern
		row.ChannelID, row.ChannelName, row.Recipient, row.Destination = h.ID, h.Name, strconv.FormatInt(h.ID, 10), programHost(t, h.URL)
		row.Seq = was.times
		if was.last != nil {
			was.last.hold(&row)
		}
		rows = append(rows, &row)
	}
	if len(rows) == 0 {
		return nil
	}
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		return o.insert(ctx, tx, rows)
	})
}

// listeningOf are a tenant's webhooks.
type listeningOf struct{ tenant tenant.ID }

// before is what a webhook was told of a notice, or is to be.
type before struct {
	last  *deliveryRow // nil: nothing
	begin bool         // that it began
	times int          // how often somebody was on it already, or was no more
}

// toldBefore is what webhooks were told of a notice, by webhook. Of a begin that is
// told again, as after a transaction of unknown end, nothing is asked.
func (o *Outbox) toldBefore(ctx context.Context, t tenant.ID, a *news.Alarm) (map[int64]before, error) {
	if a.Event == news.Triggered {
		return nil, nil
	}
	var rows []*deliveryRow
	err := o.DB.Read(ctx).NewSelect().Model(&rows).Column("id", "channel_id", "event", "state", "reason").
		Where("d.tenant_id = ? AND d.notice_id = ? AND d.mode = ?", t, a.Notice, Program).OrderExpr("d.id").Scan(ctx)
	by := make(map[int64]before, len(rows))
	for _, r := range rows {
		b := by[r.ChannelID]
		b.last = r
		switch {
		case r.Event == news.Triggered:
			b.begin = true
		case r.Event == a.Event && a.Event != news.Resolved:
			b.times++
		}
		by[r.ChannelID] = b
	}
	return by, err
}

// hold lets a delivery to a program go after r, which is of the same notice.
func (r *deliveryRow) hold(next *deliveryRow) {
	next.AfterID = r.ID
	switch {
	case r.State == Sent:
	case r.State == Queued:
		next.NextTime, next.Reason = whenItHappens, ForTrigger
	case r.Event == news.Triggered || r.Reason == NotTold:
		next.State, next.Reason = Skipped, NotTold
	}
}

// programHost is the destination of a webhook: tenants do not wait for each
// other's far ends, even where those are the same.
func programHost(t tenant.ID, address string) string {
	return strconv.FormatInt(int64(t), 10) + " " + hostOf(address)
}

// shownRecipient is whom a delivery is for, as people are shown it.
func (r *deliveryRow) shownRecipient() string {
	if r.Mode != Program {
		return r.Recipient
	}
	_, host, _ := strings.Cut(r.Destination, " ")
	return host
}

// toProgram asks whether a delivery to a webhook goes: nothing keeps it waiting,
// but the webhook may be gone, or off.
func (t *taking) toProgram(ctx context.Context, r *deliveryRow) (verdict, error) {
	on, known := t.programs[r.ChannelID]
	if !known {
		var err error
		if on, err = t.Webhooks.isOn(ctx, r.TenantID, r.ChannelID); err != nil {
			return verdict{}, err
		}
		t.programs[r.ChannelID] = on
	}
	if !on {
		return verdict{reason: SwitchedOff, ends: Skipped}, nil
	}
	return verdict{}, nil
}
