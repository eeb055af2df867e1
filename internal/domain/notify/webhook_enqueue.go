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

// enqueueWebhooks queues an event of a notice for the tenant's webhooks. Programs mirror the state
// of notices, so webhooks receive every event at once, regardless of periods, mutes and changes of
// the rule; but they receive the events of one notice in order.
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

// webhooksKey identifies a tenant's webhooks for db.OncePerTx.
type webhooksKey struct{ tenant tenant.ID }

// webhookHistory is a summary of the deliveries about one notice to one webhook.
type webhookHistory struct {
	last    *deliveryRow // nil: there is none
	opened  bool         // there is one for the opening
	repeats int          // how many there are of the same kind of acknowledgement event
}

// webhookHistories gives the histories of a notice by webhook. For an opening it does not ask the
// database: if the opening is announced twice, as after a transaction whose outcome is unknown,
// the insert changes nothing.
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

// precede makes next, a delivery to a webhook, wait for r, which is about the same notice.
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

// webhookDestination is the destination of a webhook. It holds the tenant, so tenants do not wait
// for each other even if they use the same host.
func webhookDestination(t tenant.ID, address string) string {
	return strconv.FormatInt(int64(t), 10) + " " + hostOf(address)
}

// shownRecipient is the recipient of a delivery as people see it.
func (r *deliveryRow) shownRecipient() string {
	if r.Mode != KindWebhook {
		return r.Recipient
	}
	_, host, _ := strings.Cut(r.Destination, " ")
	return host
}

// decideWebhook decides whether a delivery to a webhook may be sent: nothing makes it wait, but
// the webhook may be deleted or switched off.
func (t *batch) decideWebhook(r *deliveryRow) decision {
	if t.addressOf(r).webhook == 0 {
		return decision{reason: WebhookOff, final: Skipped}
	}
	return decision{}
}
