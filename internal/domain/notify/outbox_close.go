package notify

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
)

// recheckedReasons are the reasons that sending checks again; a delivery that waits for one of them
// is skipped if its notice ends.
var recheckedReasons = []Reason{ForPeriod, ForMute, ForBacklog}

// peopleEvents are the events of an open notice that people receive.
var peopleEvents = []alertmsg.Event{alertmsg.Triggered, alertmsg.Reminder}

// enqueueClosed queues the end of a notice for the recipients that received its opening or still
// will. It skips openings that wait for a time of day, the end of a mute or of a backlog.
func (o *Outbox) enqueueClosed(ctx context.Context, t tenant.ID, a *alertmsg.Alarm) error {
	openings, err := o.markClosed(ctx, t, a.Notice, NoticeClosed, recheckedReasons)
	if err != nil || len(openings) == 0 {
		return err
	}
	base, err := o.baseRow(t, a)
	if err != nil {
		return err
	}
	var rows []*deliveryRow
	for _, b := range openings {
		if kindOf(b.Mode).Programs {
			continue // enqueueWebhooks queues it
		}
		row := *base
		row.ChannelID, row.ChannelName, row.Language = b.ChannelID, b.ChannelName, b.Language
		row.Mode, row.Recipient, row.Destination = b.Mode, b.Recipient, b.Destination
		row.Period, row.AfterID = b.Period, b.ID
		switch {
		case b.State == Sent:
		case b.State == Queued:
			row.NextTime, row.Reason = untilEvent, ForTrigger
		case b.Reason == NoticeClosed:
			continue // the opening was waiting when the notice ended
		default:
			row.State, row.Reason = Skipped, OpeningNotSent
		}
		rows = append(rows, &row)
	}
	return o.enqueue(ctx, a.Level, rows)
}

// cancelWaiting closes the deliveries of a notice that ended with its rule: deliveries that are
// being sent or retried are still sent, waiting ones are skipped, and the end is not announced.
func (o *Outbox) cancelWaiting(ctx context.Context, t tenant.ID, notice int64) error {
	_, err := o.markClosed(ctx, t, notice, RuleChanged,
		append(recheckedReasons[:len(recheckedReasons):len(recheckedReasons)], ForDigest, ForBudget))
	return err
}

// markClosed records that a notice is closed, and why: it skips the openings that wait for one of
// the reasons waiting, and deletes the reminders. Deliveries that are in flight or retried stay. It
// gives the openings.
func (o *Outbox) markClosed(
	ctx context.Context,
	t tenant.ID,
	notice int64,
	why Reason,
	waiting []Reason,
) (openings []*deliveryRow, err error) {
	err = o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		var rows, skipped []*deliveryRow
		if err := tx.NewSelect().Model(&rows).ExcludeColumn("facts").
			Where("d.tenant_id = ? AND d.notice_id = ?", t, notice).
			Where("d.event IN (?)", bun.List(peopleEvents)).OrderExpr("d.id").Scan(ctx); err != nil {
			return err
		}
		var open, reminders []int64
		for _, r := range rows {
			idle := r.State == Queued && r.LeaseUntil == 0
			switch {
			case r.Event == alertmsg.Reminder && idle && r.Attempts == 0:
				reminders = append(reminders, r.ID)
				continue
			case r.State == Queued:
				open = append(open, r.ID)
			}
			if r.Event != alertmsg.Triggered {
				continue
			}
			if r.State == Queued && slices.Contains(waiting, r.Reason) { // then it is not in flight
				skipped = append(skipped, r)
			}
			openings = append(openings, r)
		}
		if len(reminders) > 0 {
			if _, err := tx.NewDelete().Model((*deliveryRow)(nil)).
				Where("d.tenant_id = ? AND d.id IN (?)", t, bun.List(reminders)).Exec(ctx); err != nil {
				return err
			}
		}
		if len(open) > 0 {
			if _, err := tx.NewUpdate().Model((*deliveryRow)(nil)).Set("over = ?", why).
				Where("d.tenant_id = ? AND d.id IN (?) AND d.over = ''", t, bun.List(open)).Exec(ctx); err != nil {
				return err
			}
		}
		if len(skipped) == 0 {
			return nil
		}
		err := o.finish(ctx, skipped, outcome{state: Skipped, reason: why, step: stepSkipped, at: o.Now().UnixMilli()})
		for _, r := range skipped {
			r.State, r.Reason = Skipped, why
		}
		return err
	})
	return openings, err
}
