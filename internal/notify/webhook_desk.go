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

// tellPrograms queues for the tenant's webhooks that a notice began or ended.
// Programs keep track of what is: they are told of everything, at once,
// whatever the hour, mute or rule's change; but of an end only after the begin.
func (o *Outbox) tellPrograms(ctx context.Context, t tenant.ID, a *news.Alarm) error {
	if o.Webhooks == nil {
		return nil
	}
	hooks, err := db.Once(ctx, listeningOf{t}, func(ctx context.Context) ([]webhookRow, error) { return o.Webhooks.listening(ctx, t) })
	if err != nil || len(hooks) == 0 {
		return err
	}
	pattern, err := o.pattern(t, a)
	if err != nil {
		return err
	}
	begun, err := o.begunFor(ctx, t, a)
	if err != nil {
		return err
	}
	pattern.Mode, pattern.Period = Program, "{}"
	var rows []*deliveryRow
	for _, h := range hooks {
		if !h.wants(a.Event, a.Level, begun[h.ID] != nil) {
			continue
		}
		row := *pattern
		row.ChannelID, row.ChannelName, row.Recipient, row.Destination = h.ID, h.Name, strconv.FormatInt(h.ID, 10), programHost(t, h.URL)
		if b := begun[h.ID]; b != nil {
			row.AfterID = b.ID
			switch b.State {
			case Sent:
			case Queued:
				row.NextTime, row.Reason = whenItHappens, ForTrigger
			default:
				row.State, row.Reason = Skipped, NotTold
			}
		}
		rows = append(rows, &row)
	}
	if len(rows) == 0 {
		return nil
	}
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if err := o.insert(ctx, tx, rows); err != nil {
			return err
		}
		o.DB.AfterCommit(ctx, o.lanes[Program].nudge)
		return nil
	})
}

// listeningOf are a tenant's webhooks.
type listeningOf struct{ tenant tenant.ID }

// begunFor are the deliveries that told webhooks of the begin of a notice that
// ended, by webhook.
func (o *Outbox) begunFor(ctx context.Context, t tenant.ID, a *news.Alarm) (map[int64]*deliveryRow, error) {
	if a.Event != news.Resolved {
		return nil, nil
	}
	var rows []*deliveryRow
	err := o.DB.Read(ctx).NewSelect().Model(&rows).Column("id", "channel_id", "state").
		Where("d.tenant_id = ? AND d.notice_id = ? AND d.mode = ? AND d.event = ?", t, a.Notice, Program, news.Triggered).Scan(ctx)
	by := make(map[int64]*deliveryRow, len(rows))
	for _, r := range rows {
		by[r.ChannelID] = r
	}
	return by, err
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
