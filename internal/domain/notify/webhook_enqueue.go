package notify

import (
	"context"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/db"
)

// KindWebhook is the way to webhooks. Its recipients are their ids.
const KindWebhook ChannelKind = "webhook"

// enqueueWebhooks queues for the tenant's webhooks what happened to a notice.
// Programs keep track of what is: they are told of everything, at once,
// whatever the hour, mute or rule's change; but of each notice in its order.
func (o *Outbox) enqueueWebhooks(ctx context.Context, t tenant.ID, a *alertmsg.Alarm) error {
	if o.Webhooks == nil {
		return nil
	}
	hooks, err := db.OncePerTx(ctx, webhooksKey{t},
		func(ctx context.Context) ([]webhookRow, error) { return o.Webhooks.enabled(ctx, t) })
	if err != nil || len(hooks) == 0 {
		return err
	}
	base, err := o.baseRow(t, a)
	if err != nil {
		return err
	}
	histories, err := o.webhookHistories(ctx, t, a)
	if err != nil {
		return err
	}
	base.Mode, base.Period = KindWebhook, "{}"
	var rows []*deliveryRow
	for _, h := range hooks {
		history := histories[h.ID]
		if !h.subscribesTo(a.Event, a.Level, history.opened) {
			continue
		}
		row := *base
		row.ChannelID, row.ChannelName, row.Recipient, row.Destination = h.ID, h.Name, strconv.FormatInt(h.ID,
			10), webhookDestination(t, h.URL)
		row.Seq = history.repeats
		if history.last != nil {
			history.last.precede(&row)
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

// webhooksKey are a tenant's webhooks.
type webhooksKey struct{ tenant tenant.ID }

// webhookHistory is what a webhook was told of a notice, or is to be.
type webhookHistory struct {
	last    *deliveryRow // nil: nothing
	opened  bool         // that it began
	repeats int          // how often somebody was on it already, or was no more
}

// webhookHistories is what webhooks were told of a notice, by webhook. Of a begin that is
// told again, as after a transaction of unknown end, nothing is asked.
func (o *Outbox) webhookHistories(
	ctx context.Context,
	t tenant.ID,
	a *alertmsg.Alarm,
) (map[int64]webhookHistory, error) {
	if a.Event == alertmsg.Triggered {
		return nil, nil
	}
	var rows []*deliveryRow
	err := o.DB.Read(ctx).NewSelect().Model(&rows).Column("id", "channel_id", "event", "state", "reason").
		Where("d.tenant_id = ? AND d.notice_id = ? AND d.mode = ?", t, a.Notice, KindWebhook).OrderExpr("d.id").
		Scan(ctx)
	by := make(map[int64]webhookHistory, len(rows))
	for _, r := range rows {
		b := by[r.ChannelID]
		b.last = r
		switch {
		case r.Event == alertmsg.Triggered:
			b.opened = true
		case r.Event == a.Event && a.Event != alertmsg.Resolved:
			b.repeats++
		}
		by[r.ChannelID] = b
	}
	return by, err
}

// precede lets a delivery to a program go after r, which is of the same notice.
func (r *deliveryRow) precede(next *deliveryRow) {
	next.AfterID = r.ID
	switch {
	case r.State == Sent:
	case r.State == Queued:
		next.NextTime, next.Reason = untilEvent, ForTrigger
	case r.Event == alertmsg.Triggered || r.Reason == OpeningNotSent:
		next.State, next.Reason = Skipped, OpeningNotSent
	}
}

// webhookDestination is the destination of a webhook: tenants do not wait for each
// other's far ends, even where those are the same.
func webhookDestination(t tenant.ID, address string) string {
	return strconv.FormatInt(int64(t), 10) + " " + hostOf(address)
}

// shownRecipient is whom a delivery is for, as people are shown it.
func (r *deliveryRow) shownRecipient() string {
	if r.Mode != KindWebhook {
		return r.Recipient
	}
	_, host, _ := strings.Cut(r.Destination, " ")
	return host
}

// decideWebhook asks whether a delivery to a webhook goes: nothing keeps it waiting,
// but the webhook may be gone, or off.
func (t *batch) decideWebhook(ctx context.Context, r *deliveryRow) (decision, error) {
	on, known := t.webhooksOn[r.ChannelID]
	if !known {
		var err error
		if on, err = t.Webhooks.isEnabled(ctx, r.TenantID, r.ChannelID); err != nil {
			return decision{}, err
		}
		t.webhooksOn[r.ChannelID] = on
	}
	if !on {
		return decision{reason: WebhookOff, final: Skipped}, nil
	}
	return decision{}, nil
}
