package notify

import (
	"context"
	"encoding/json"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
)

// postponeReminders records that a user acknowledged a notice: recipients that were notified are
// reminded at Ack.RemindAt and not before, even if the rule has no reminders. Recipients that learn
// later that the notice began are reminded in the same way from then on.
func (o *Outbox) postponeReminders(ctx context.Context, t tenant.ID, a *alertmsg.Alarm) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		newest, _, err := newestByRecipient(ctx, tx, t, a.Notice)
		if err != nil || len(newest) == 0 {
			return err
		}
		now, until := o.Now().UnixMilli(), a.Ack.RemindAt
		var queued, fresh []*deliveryRow
		var waiting []int64
		for _, r := range newest {
			r.Facts = o.factsWithAck(r, a.Ack)
			switch {
			case r.State == Sent:
				r.QuietUntil = until
				fresh = append(fresh, r.nextReminder(now))
			case r.State == Queued && r.isIdleReminder():
				waiting = append(waiting, r.ID)
				queued = append(queued, r)
			case r.State == Queued:
				queued = append(queued, r)
			}
		}
		if err := o.setQuietUntil(ctx, tx, t, queued, until, now); err != nil {
			return err
		}
		if err := reschedule(ctx, tx, t, waiting, until, ceilMinute(until), now); err != nil {
			return err
		}
		if len(fresh) > 0 {
			if _, err := tx.NewInsert().Model(&fresh).Returning("NULL").Exec(ctx); err != nil {
				return err
			}
		}
		o.publishChanged(ctx, newest)
		o.DB.AfterCommit(ctx, o.Wake)
		return nil
	})
}

// resumeReminders records that a notice's acknowledgement was taken back: reminders return to the
// rule's schedule, and a rule without reminders sends none. A reminder that is being sent or
// retried is still sent.
func (o *Outbox) resumeReminders(ctx context.Context, t tenant.ID, a *alertmsg.Alarm) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		newest, notified, err := newestByRecipient(ctx, tx, t, a.Notice)
		if err != nil || len(newest) == 0 {
			return err
		}
		now := o.Now().UnixMilli()
		var queued []*deliveryRow
		var needless []int64
		back := map[int64][]int64{} // reminders by their new time
		for _, r := range newest {
			if r.State != Queued {
				continue
			}
			r.Facts = o.factsWithAck(r, nil)
			queued = append(queued, r)
			switch {
			case !r.isIdleReminder():
			case r.RemindEvery == 0 && r.Attempts == 0:
				needless = append(needless, r.ID)
			case r.RemindEvery > 0 && r.QuietUntil > now:
				at := nextReminderTime(notified[recipient{r.Mode, r.Recipient}], r.RemindEvery, now)
				back[at] = append(back[at], r.ID)
			}
		}
		if err := o.setQuietUntil(ctx, tx, t, queued, 0, now); err != nil {
			return err
		}
		for at, ids := range back {
			if err := reschedule(ctx, tx, t, ids, at, at, now); err != nil {
				return err
			}
		}
		if len(needless) > 0 {
			if _, err := tx.NewDelete().Model((*deliveryRow)(nil)).
				Where("d.tenant_id = ? AND d.id IN (?)", t, bun.List(needless)).Exec(ctx); err != nil {
				return err
			}
		}
		o.publishChanged(ctx, newest)
		o.DB.AfterCommit(ctx, o.Wake)
		return nil
	})
}

// newestByRecipient gives, for each recipient of an open notice, the newest delivery, and when the
// last one was sent, epoch ms.
func newestByRecipient(
	ctx context.Context,
	tx bun.IDB,
	t tenant.ID,
	notice int64,
) (newest []*deliveryRow, notified map[recipient]int64, err error) {
	var rows []*deliveryRow
	err = tx.NewSelect().Model(&rows).
		Where("d.tenant_id = ? AND d.notice_id = ? AND d.mode <> ? AND d.over = ''", t, notice, KindWebhook).
		Where("d.event IN (?)", bun.List(peopleEvents)).OrderExpr("d.id").Scan(ctx)
	at := map[recipient]int{}
	notified = map[recipient]int64{}
	for _, r := range rows {
		who := recipient{r.Mode, r.Recipient}
		if r.State == Sent {
			notified[who] = r.UpdateTime
		}
		if i, known := at[who]; known {
			newest[i] = r
			continue
		}
		at[who] = len(newest)
		newest = append(newest, r)
	}
	return newest, notified, err
}

// isIdleReminder tells whether a queued delivery is a reminder that is not in flight.
func (r *deliveryRow) isIdleReminder() bool { return r.Event == alertmsg.Reminder && r.LeaseUntil == 0 }

// factsWithAck gives the facts of a delivery with the acknowledgement ack. It leaves unreadable
// facts as they are: sending the delivery will fail.
func (o *Outbox) factsWithAck(r *deliveryRow, ack *alertmsg.Ack) string {
	var a alertmsg.Alarm
	err := json.Unmarshal([]byte(r.Facts), &a)
	if err == nil {
		var facts []byte
		a.Ack = ack
		if facts, err = json.Marshal(&a); err == nil {
			return string(facts)
		}
	}
	o.Logger.Error("a delivery lacks the acknowledgement: its facts cannot be read", "tenant", r.TenantID,
		"notice", r.NoticeID, "error", err)
	return r.Facts
}

// setQuietUntil writes the new facts of queued deliveries, and the time before which no reminder
// that follows from them is sent; 0: the rule's schedule applies.
func (o *Outbox) setQuietUntil(
	ctx context.Context,
	tx bun.IDB,
	t tenant.ID,
	queued []*deliveryRow,
	until, now int64,
) error {
	same := map[string][]int64{}
	for _, r := range queued {
		same[r.Facts] = append(same[r.Facts], r.ID)
	}
	for facts, ids := range same {
		_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).
			Set("facts = ?, quiet_until = ?, update_time = ?", facts, until, now).
			Where("d.tenant_id = ? AND d.id IN (?)", t, bun.List(ids)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// reschedule moves reminders to another time, as if they had been queued now: those of a digest to
// together, the others to at.
func reschedule(ctx context.Context, tx bun.IDB, t tenant.ID, ids []int64, at, together, now int64) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).
		Set("next_time = CASE WHEN d.digest > 0 THEN ? ELSE ? END", together, at).
		Set("digest = CASE WHEN d.digest > 0 THEN ? ELSE 0 END", together).
		Set("reason = '', first_time = 0, create_time = ?, update_time = ?", now, now).
		Where("d.tenant_id = ? AND d.id IN (?)", t, bun.List(ids)).Exec(ctx)
	return err
}

// nextReminder gives the reminder that follows a delivery that was sent just now: at the end of the
// acknowledgement, else at the time that the rule gives.
func (r *deliveryRow) nextReminder(now int64) *deliveryRow {
	next, quiet := now+r.RemindEvery, int64(0)
	if r.QuietUntil > now {
		next, quiet = r.QuietUntil, r.QuietUntil
		if r.Digest > 0 {
			next = ceilMinute(next)
		}
	}
	return &deliveryRow{
		TenantID:    r.TenantID,
		NoticeID:    r.NoticeID,
		RuleID:      r.RuleID,
		ChannelID:   r.ChannelID,
		ChannelName: r.ChannelName,
		Recipient:   r.Recipient,
		Destination: r.Destination,
		Mode:        r.Mode,
		Event:       alertmsg.Reminder,
		Seq:         r.Seq + 1,
		AlarmLevel:  r.AlarmLevel,
		Language:    r.Language,
		Facts:       r.Facts,
		Period:      r.Period,
		RemindEvery: r.RemindEvery,
		QuietUntil:  quiet,
		State:       Queued,
		NextTime:    next,
		CreateTime:  now,
		UpdateTime:  now,
		Digest:      digestAt(r.Digest > 0, next),
	}
}

// ceilMinute rounds a time up to a full minute, so that the reminders of a digest whose notices
// were acknowledged one after the other are sent together.
func ceilMinute(at int64) int64 {
	minute := digestMinute.Milliseconds()
	return (at + minute - 1) / minute * minute
}

// nextReminderTime gives the first time after now in the sequence notified+every, notified+2*every
// and so on, in milliseconds.
func nextReminderTime(notified, every, now int64) int64 {
	if notified > now || notified == 0 { // the clock was set back, or no sent delivery is stored
		return now + every
	}
	return notified + ((now-notified)/every+1)*every
}
