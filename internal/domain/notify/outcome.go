package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
)

// expireAfter is how long a notification is retried, from its first attempt on; time in which the
// server did not run does not count.
const expireAfter = 24 * time.Hour

// maxAnswerBytes limits the stored part of a remote server's answer.
const maxAnswerBytes = 500

// outcome is the result of deliveries that share it.
type outcome struct {
	state  State
	reason Reason
	step   string
	answer string
	at     int64 // epoch ms
	began  int64 // when the attempt began, epoch ms; 0: there was none
	next   int64 // when Queued deliveries are tried again, epoch ms
}

// attempt is one attempt to send a notification, and its result.
type attempt struct {
	notification *Notification
	rows         []*deliveryRow
	to           address
	neighbours   []address // the addresses of a webhook's tenant at its host, to included
	level        int       // alarm level for which it was taken
	began        int64
	answer       string
	err          error
}

// outcome decides the outcome of an attempt's deliveries.
func (l *worker) outcome(a *attempt) outcome {
	now := l.Now()
	out := outcome{state: Sent, step: stepAccepted, answer: a.answer, at: now.UnixMilli(), began: a.began}
	first := a.rows[0]
	if a.err == nil {
		l.markReachable(a)
		if logsOnly(l.sender) {
			out.reason, out.step = OnlyLogged, stepLogged
		}
		return out
	}
	kind, after, why := Transient, time.Duration(0), Reason("")
	out.answer = "not brought" // the log has the error
	if f, ok := errors.AsType[*Failure](a.err); ok {
		kind, out.answer, after, why = f.Kind, f.Answer, min(f.RetryAfter, retryLongest), f.Reason
	}
	l.Logger.Debug("a notification was not sent", "mode", l.kind, "tenant", first.TenantID, "notice", first.NoticeID,
		"delivery", first.ID, "error", a.err)
	out.state, out.step = Queued, stepFailed
	switch kind {
	case Permanent:
		l.markReachable(a)
		out.state, out.reason, out.step = Failed, cmp.Or(why, Rejected), stepRefused
		return out
	case Unavailable:
		out.reason, out.next = ForServer, l.markDown(now, out.answer)
	default:
		l.markDeferred(a, now, after)
		out.reason, out.next = ForRetry, now.Add(max(after, jitter(retryDelay(first.Attempts), l.Random()))).UnixMilli()
	}
	last := a.began
	for _, r := range a.rows {
		if r.FirstTime > 0 {
			last = min(last, r.FirstTime)
		}
	}
	last = max(last, l.upSince()) + expireAfter.Milliseconds()
	if out.at >= last {
		out.state, out.reason = Failed, Expired
		return out
	}
	out.next = min(out.next, last)
	return out
}

// persistResults writes the outcomes of finished attempts; it writes those of sent notifications
// together.
func (l *worker) persistResults(ctx context.Context) error {
	delivered := map[alertmsg.Event][]*deliveryRow{}
	sent := map[tenant.ID][]*Notification{}
	var last outcome
	for _, a := range l.finished {
		out := l.results[a]
		if out.state != Sent {
			if err := l.finishByEvent(ctx, a.rows, out); err != nil {
				return err
			}
			continue
		}
		last = out
		sent[a.notification.Tenant] = append(sent[a.notification.Tenant], a.notification)
		for _, r := range a.rows {
			r.said = out.answer
			delivered[r.Event] = append(delivered[r.Event], r)
		}
	}
	last.answer = ""
	for _, rows := range delivered {
		if err := l.finish(ctx, rows, last); err != nil {
			return err
		}
	}
	if l.spec.OwnLimit == nil || last.reason == OnlyLogged {
		return nil
	}
	for _, notifications := range sent {
		if err := l.countSent(ctx, notifications[0].Owner, l.kind, len(notifications)); err != nil {
			return err
		}
	}
	return nil
}

// finish writes the outcome of deliveries of one event and its consequences: it releases or skips
// the deliveries that waited for them, and queues reminders.
func (o *Outbox) finish(ctx context.Context, rows []*deliveryRow, out outcome) error {
	out.answer = truncateAnswer(out.answer)
	ids, notices, tried, said := make([]int64, len(rows)), make([]int64, len(rows)), 0, map[int64]string{}
	for i, r := range rows {
		ids[i], notices[i], said[r.ID] = r.ID, r.NoticeID, truncateAnswer(r.said)
		tried = max(tried, r.Attempts)
	}
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		set := tx.NewUpdate().Model((*deliveryRow)(nil)).
			Set("state = ?, update_time = ?, lease_until = 0", out.state, out.at)
		if out.state == Queued {
			// A user may have acknowledged the notice while a reminder was in flight.
			const quiet = "d.event = ? AND d.quiet_until > ?"
			set.Set("next_time = CASE WHEN "+quiet+" THEN d.quiet_until ELSE ? END", alertmsg.Reminder, out.next,
				out.next).
				Set("reason = CASE WHEN "+quiet+" THEN '' ELSE ? END", alertmsg.Reminder, out.next, out.reason)
		} else {
			set.Set("reason = ?", out.reason)
		}
		if out.began > 0 {
			set.Set("attempts = attempts + 1").
				Set("first_time = CASE WHEN first_time = 0 THEN ? ELSE first_time END", out.began)
		}
		if out.began > 0 && out.state != Sent {
			set.Set("last_error = ?", out.answer)
		}
		var existing []struct{ ID, QuietUntil int64 }
		err := set.Where("d.id IN (?)", bun.List(ids)).Returning("id, quiet_until").Scan(ctx, &existing)
		if err != nil {
			return err
		}
		if len(existing) == 0 {
			return nil // the deliveries were removed meanwhile
		}
		ids = ids[:len(existing)]
		reminds := slices.ContainsFunc(rows, func(r *deliveryRow) bool { return r.RemindEvery > 0 })
		for i, r := range existing {
			ids[i] = r.ID
			reminds = reminds || r.QuietUntil > out.at
		}
		o.publishChanged(ctx, rows)
		steps := make([]*stepRow, len(ids))
		for i, id := range ids {
			steps[i] = &stepRow{DeliveryID: id, Time: out.at, Step: out.step, Answer: cmp.Or(said[id], out.answer)}
		}
		if _, err := tx.NewInsert().Model(&steps).Returning("NULL").Exec(ctx); err != nil {
			return err
		}
		if tried >= keptSteps {
			if err := o.trimSteps(ctx, ids); err != nil {
				return err
			}
		}
		if out.state == Queued {
			return nil
		}
		o.countFinished(ctx, out, len(rows))
		if slices.Contains(blockingEvents, rows[0].Event) {
			if err := o.releaseWaiting(ctx, ids, notices, rows[0].Event, out); err != nil {
				return err
			}
		}
		if out.state == Sent && reminds {
			return o.enqueueReminders(ctx, ids, out.at)
		}
		return nil
	})
}

// finishByEvent calls finish for deliveries of different events.
func (o *Outbox) finishByEvent(ctx context.Context, rows []*deliveryRow, out outcome) error {
	by := map[alertmsg.Event][]*deliveryRow{}
	for _, r := range rows {
		by[r.Event] = append(by[r.Event], r)
	}
	for _, some := range by {
		if err := o.finish(ctx, some, out); err != nil {
			return err
		}
	}
	return nil
}

// blockingEvents are the events for which later deliveries about the same notice wait.
var blockingEvents = []alertmsg.Event{alertmsg.Triggered, alertmsg.Acknowledged, alertmsg.Unacknowledged}

// releaseWaiting makes the deliveries that waited for deliveries of a blocking event due, or skips
// them: a recipient that did not receive the opening receives nothing that follows. An
// acknowledgement that failed does not block the deliveries after it.
func (o *Outbox) releaseWaiting(ctx context.Context, before, notices []int64, event alertmsg.Event, out outcome) error {
	const waiting = "d.notice_id IN (?) AND d.after_id IN (?) AND d.state = ?"
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if out.state == Sent || event != alertmsg.Triggered && out.reason != OpeningNotSent {
			// A digest that is further ahead was computed before the clock was set back.
			latest := out.at + digestMinute.Milliseconds()
			_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).Set("update_time = ?", out.at).
				Set("next_time = CASE WHEN d.digest > ? AND d.digest <= ? THEN d.digest ELSE ? END", out.at, latest,
					out.at).
				Set("reason = CASE WHEN d.digest > ? AND d.digest <= ? THEN ? ELSE '' END", out.at, latest, ForDigest).
				Where(waiting, bun.List(notices), bun.List(before), Queued).Exec(ctx)
			return err
		}
		if out.reason == NoticeClosed {
			// A recipient that did not receive the opening does not receive the end.
			_, err := tx.NewDelete().Model((*deliveryRow)(nil)).
				Where(waiting, bun.List(notices), bun.List(before), Queued).Exec(ctx)
			return err
		}
		var rows []*deliveryRow
		if err := tx.NewSelect().Model(&rows).Where(waiting, bun.List(notices), bun.List(before), Queued).
			Scan(ctx); err != nil {
			return err
		}
		return o.finishByEvent(ctx, rows,
			outcome{state: Skipped, reason: OpeningNotSent, step: stepSkipped, at: out.at})
	})
}

// trimSteps keeps only the newest steps of deliveries that were tried often.
func (o *Outbox) trimSteps(ctx context.Context, ids []int64) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		for _, id := range ids {
			newest := tx.NewSelect().Model((*stepRow)(nil)).Column("id").Where("s.delivery_id = ?", id).
				OrderExpr("s.id DESC").Limit(keptSteps)
			if _, err := tx.NewDelete().Model((*stepRow)(nil)).
				Where("s.delivery_id = ? AND s.id NOT IN (?)", id, newest).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// enqueueReminders queues the next reminders of deliveries that were sent just now and whose
// notices are still open. Those of a digest are sent as a digest again.
func (o *Outbox) enqueueReminders(ctx context.Context, sent []int64, now int64) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		// It reads them anew: a notice may have ended or been acknowledged during the attempt.
		var open, next []*deliveryRow
		err := tx.NewSelect().Model(&open).Where("d.id IN (?) AND d.over = ''", bun.List(sent)).
			Where("d.remind_every > 0 OR d.quiet_until > ?", now).OrderExpr("d.id").Scan(ctx)
		if err != nil || len(open) == 0 {
			return err
		}
		for _, r := range open {
			next = append(next, r.nextReminder(now))
		}
		if _, err = tx.NewInsert().Model(&next).On("CONFLICT (notice_id, mode, recipient, event, seq) DO NOTHING").
			Returning("NULL").Exec(ctx); err != nil {
			return err
		}
		return o.trimReminders(ctx, sent)
	})
}

// trimReminders keeps, of the reminders that preceded some deliveries to the same recipients about
// the same notices, only the newest.
func (o *Outbox) trimReminders(ctx context.Context, sent []int64) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		old := tx.NewSelect().TableExpr("deliveries AS newest").ColumnExpr("old.id").
			Join(
				"JOIN deliveries AS old ON old.notice_id = newest.notice_id AND old.mode = newest.mode"+
					" AND old.recipient = newest.recipient AND old.event = newest.event",
			).
			Where("newest.id IN (?) AND newest.event = ?", bun.List(sent), alertmsg.Reminder).
			Where("old.seq <= newest.seq - ? AND old.state <> ?", keptReminders, Queued)
		_, err := tx.NewDelete().Model((*deliveryRow)(nil)).Where("d.id IN (?)", old).Exec(ctx)
		return err
	})
}

func digestAt(digest bool, at int64) int64 {
	if digest {
		return at
	}
	return 0
}

// publishChanged publishes to the open screens, after the commit, of which notices the deliveries
// changed.
func (o *Outbox) publishChanged(ctx context.Context, rows []*deliveryRow) {
	if o.Live == nil {
		return
	}
	type notice struct {
		tenant tenant.ID
		id     int64
	}
	of := map[notice]bool{}
	for _, r := range rows {
		of[notice{r.TenantID, r.NoticeID}] = true
	}
	o.DB.AfterCommit(ctx, func() {
		for n := range of {
			if o.Live.Watched(n.tenant) {
				o.Live.Publish(n.tenant, "delivery", fmt.Appendf(nil, `{"noticeId":%d}`, n.id))
			}
		}
	})
}

// countFinished counts finished deliveries after the commit.
func (o *Outbox) countFinished(ctx context.Context, out outcome, n int) {
	o.DB.AfterCommit(ctx, func() {
		switch out.state {
		case Sent:
			if out.reason == OnlyLogged {
				o.logged.Add(uint64(n))
				return
			}
			o.sent.Add(uint64(n))
		case Failed:
			o.failed.Add(uint64(n))
		case Skipped:
			o.skipped.Add(uint64(n))
		}
	})
}

// truncateAnswer shortens an answer to maxAnswerBytes.
func truncateAnswer(answer string) string {
	if len(answer) <= maxAnswerBytes {
		return answer
	}
	cut := maxAnswerBytes
	for cut > 0 && answer[cut]&0xC0 == 0x80 {
		cut--
	}
	return answer[:cut] + "…"
}
