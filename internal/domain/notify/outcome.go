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

// expireAfter is how long a letter is tried, from its first attempt on; time in
// which the server did not run does not count.
const expireAfter = 24 * time.Hour

// maxAnswerBytes is how much of a far end's answer is kept, in bytes.
const maxAnswerBytes = 500

// outcome is what became of deliveries that share it.
type outcome struct {
	state  State
	reason Reason
	step   string
	answer string
	at     int64 // epoch ms
	began  int64 // of an attempt: when it did, epoch ms; 0: none was made
	next   int64 // of queued ones: when they are tried again, epoch ms
}

// attempt is a letter that was brought, or was not.
type attempt struct {
	notification *Notification
	rows         []*deliveryRow
	level        int // at which it was taken
	began        int64
	answer       string
	err          error
}

// outcome decides what becomes of an attempt's deliveries.
func (l *worker) outcome(a *attempt) outcome {
	now := l.Now()
	out := outcome{state: Sent, step: stepAccepted, answer: a.answer, at: now.UnixMilli(), began: a.began}
	first := a.rows[0]
	if a.err == nil {
		l.markReachable(first.Destination)
		if logsOnly(l.sender) {
			out.reason, out.step = OnlyLogged, stepLogged
		}
		return out
	}
	trouble, after := Transient, time.Duration(0)
	out.answer = "not brought" // whatever it was, it is in the log
	if f, ok := errors.AsType[*Failure](a.err); ok {
		trouble, out.answer, after = f.Kind, f.Answer, min(f.RetryAfter, retryLongest)
	}
	l.Logger.Debug("a letter did not arrive", "mode", l.kind, "tenant", first.TenantID, "notice", first.NoticeID,
		"delivery", first.ID, "error", a.err)
	out.state, out.step = Queued, stepFailed
	switch trouble {
	case Permanent:
		l.markReachable(first.Destination)
		out.state, out.reason, out.step = Failed, Rejected, stepRefused
		return out
	case Unavailable:
		out.reason, out.next = ForServer, l.markDown(now, out.answer)
	default:
		l.markDeferred(first.Destination, now, after)
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

// persistResults writes what became of letters that have landed: of those that arrived
// together.
func (l *worker) persistResults(ctx context.Context) error {
	arrived := map[alertmsg.Event][]*deliveryRow{}
	left := map[tenant.ID][]*Notification{}
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
		left[a.notification.Tenant] = append(left[a.notification.Tenant], a.notification)
		for _, r := range a.rows {
			r.said = out.answer
			arrived[r.Event] = append(arrived[r.Event], r)
		}
	}
	last.answer = ""
	for _, rows := range arrived {
		if err := l.finish(ctx, rows, last); err != nil {
			return err
		}
	}
	if l.kind == KindWebhook || last.reason == OnlyLogged {
		return nil
	}
	for _, notifications := range left {
		if err := l.countSent(ctx, notifications[0].Owner, l.kind, len(notifications)); err != nil {
			return err
		}
	}
	return nil
}

// finish writes what became of deliveries of one event, and what follows: for the
// resolutions that waited for them, and for who is to be reminded.
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
			// Somebody may have said to be on it while a reminder was in flight.
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
		var there []struct{ ID, QuietUntil int64 }
		if err := set.Where("d.id IN (?)", bun.List(ids)).Returning("id, quiet_until").Scan(ctx, &there); err != nil {
			return err
		}
		if len(there) == 0 {
			return nil // whom they were of is gone
		}
		ids = ids[:len(there)]
		reminds := slices.ContainsFunc(rows, func(r *deliveryRow) bool { return r.RemindEvery > 0 })
		for i, r := range there {
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

// finishByEvent is finish of deliveries of different events.
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

// blockingEvents are the events of which others of the same notice wait until they are told.
var blockingEvents = []alertmsg.Event{alertmsg.Triggered, alertmsg.Acknowledged, alertmsg.Unacknowledged}

// releaseWaiting lets go what waited for deliveries of one of those events, or tells why it
// never will: who was not told of the begin is not told what became of it. That somebody
// is on it may not have been told, and all after it is.
func (o *Outbox) releaseWaiting(ctx context.Context, before, notices []int64, event alertmsg.Event, out outcome) error {
	const waiting = "d.notice_id IN (?) AND d.after_id IN (?) AND d.state = ?"
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if out.state == Sent || event != alertmsg.Triggered && out.reason != OpeningNotSent {
			// A digest that is further ahead was reckoned by a clock that was set back.
			latest := out.at + digestMinute.Milliseconds()
			_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).Set("update_time = ?", out.at).
				Set("next_time = CASE WHEN d.digest > ? AND d.digest <= ? THEN d.digest ELSE ? END", out.at, latest,
					out.at).
				Set("reason = CASE WHEN d.digest > ? AND d.digest <= ? THEN ? ELSE '' END", out.at, latest, ForDigest).
				Where(waiting, bun.List(notices), bun.List(before), Queued).Exec(ctx)
			return err
		}
		if out.reason == NoticeClosed {
			// Who did not hear of the notice while it was open does not hear of its end.
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

// trimSteps keeps the newest steps of deliveries that were tried often.
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

// enqueueReminders queues the next reminders of what was told just now and is still
// open. Those of a digest come together again.
func (o *Outbox) enqueueReminders(ctx context.Context, told []int64, now int64) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		// As they are now: a notice may have ended, or somebody be on it, since its letter left.
		var open, next []*deliveryRow
		err := tx.NewSelect().Model(&open).Where("d.id IN (?) AND d.over = ''", bun.List(told)).
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
		return o.trimReminders(ctx, told)
	})
}

// trimReminders keeps, of the reminders that came before some deliveries and
// told the same people of the same notices, the newest.
func (o *Outbox) trimReminders(ctx context.Context, told []int64) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		old := tx.NewSelect().TableExpr("deliveries AS told").ColumnExpr("old.id").
			Join(
				"JOIN deliveries AS old ON old.notice_id = told.notice_id AND old.mode = told.mode AND old.recipient = told.recipient AND old.event = told.event",
			).
			Where("told.id IN (?) AND told.event = ?", bun.List(told), alertmsg.Reminder).
			Where("old.seq <= told.seq - ? AND old.state <> ?", keptReminders, Queued)
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

// publishChanged tells the open screens which notices' deliveries are others now, once
// that is kept.
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

// countFinished counts deliveries that came to an end, once that is kept.
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

// truncateAnswer is an answer of a length that is kept.
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
