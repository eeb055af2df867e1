package notify

import (
	"context"
	"encoding/json"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
)

// postponeReminders takes note that somebody is on a notice: who was told of it is
// reminded at Ack.RemindAt and not before, also of a rule without reminders. Who is
// told later that it began is reminded from then on in the same way.
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

// resumeReminders takes note that nobody is on a notice any more: reminders come in the
// rhythm of before, and of a rule without them none does. What is being tried goes.
func (o *Outbox) resumeReminders(ctx context.Context, t tenant.ID, a *alertmsg.Alarm) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		newest, told, err := newestByRecipient(ctx, tx, t, a.Notice)
		if err != nil || len(newest) == 0 {
			return err
		}
		now := o.Now().UnixMilli()
		var queued []*deliveryRow
		var needless []int64
		back := map[int64][]int64{} // by when they are told
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
				at := nextReminderTime(told[recipient{r.Mode, r.Recipient}], r.RemindEvery, now)
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

// newestByRecipient are, of each recipient of an open notice, the newest delivery, and when one
// arrived last, epoch ms.
func newestByRecipient(
	ctx context.Context,
	tx bun.IDB,
	t tenant.ID,
	notice int64,
) (newest []*deliveryRow, told map[recipient]int64, err error) {
	var rows []*deliveryRow
	err = tx.NewSelect().Model(&rows).
		Where("d.tenant_id = ? AND d.notice_id = ? AND d.mode <> ? AND d.over = ''", t, notice, KindWebhook).
		Where("d.event IN (?)", bun.List(peopleEvents)).OrderExpr("d.id").Scan(ctx)
	at := map[recipient]int{}
	told = map[recipient]int64{}
	for _, r := range rows {
		who := recipient{r.Mode, r.Recipient}
		if r.State == Sent {
			told[who] = r.UpdateTime
		}
		if i, known := at[who]; known {
			newest[i] = r
			continue
		}
		at[who] = len(newest)
		newest = append(newest, r)
	}
	return newest, told, err
}

// isIdleReminder tells whether a queued delivery is a reminder that is not in flight.
func (r *deliveryRow) isIdleReminder() bool { return r.Event == alertmsg.Reminder && r.LeaseUntil == 0 }

// factsWithAck is what a delivery tells, with who is on it now. What nobody understands stays
// as it is: its turn will tell.
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
	o.Logger.Error("a letter does not say who is on its notice: what it tells cannot be read", "tenant", r.TenantID,
		"notice", r.NoticeID, "error", err)
	return r.Facts
}

// setQuietUntil writes what queued deliveries tell now, and until when none that follows
// from them reminds; 0: they remind as their rule says.
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

// reschedule lets reminders wait for another time, as if they had been queued now; those that
// are told with others for that of together.
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

// nextReminder is the next reminder of who was told something just now: when nobody is on
// the notice any more, else when the rule says.
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

// ceilMinute is the end of a time's minute: those of a digest that were acknowledged
// one after the other are reminded together.
func ceilMinute(at int64) int64 {
	minute := digestMinute.Milliseconds()
	return (at + minute - 1) / minute * minute
}

// nextReminderTime is the first time after now of those that follow each other every so many
// milliseconds after somebody was told.
func nextReminderTime(told, every, now int64) int64 {
	if told > now || told == 0 { // the clock was set back, or it is not kept
		return now + every
	}
	return told + ((now-told)/every+1)*every
}
