package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/news"
	"tilth/internal/tenant"
)

// triedFor is how long a letter is tried, from its first attempt on; time in
// which the server did not run does not count.
const triedFor = 24 * time.Hour

// shortAnswer is how much of a far end's answer is kept, in bytes.
const shortAnswer = 500

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
	letter *Letter
	rows   []*deliveryRow
	level  int // at which it was taken
	began  int64
	answer string
	err    error
}

// outcome decides what becomes of an attempt's deliveries.
func (l *lane) outcome(a *attempt) outcome {
	now := l.Now()
	out := outcome{state: Sent, step: stepAccepted, answer: a.answer, at: now.UnixMilli(), began: a.began}
	first := a.rows[0]
	if a.err == nil {
		l.arrived(first.Destination)
		if logsOnly(l.carrier) {
			out.reason, out.step = OnlyLogged, stepLogged
		}
		return out
	}
	trouble, after := Later, time.Duration(0)
	out.answer = "not brought" // whatever it was, it is in the log
	if f, ok := errors.AsType[*Failure](a.err); ok {
		trouble, out.answer, after = f.Trouble, f.Answer, min(f.After, retryLongest)
	}
	l.Log.Debug("a letter did not arrive", "mode", l.mode, "tenant", first.TenantID, "notice", first.NoticeID, "delivery", first.ID, "error", a.err)
	out.state, out.step = Queued, stepFailed
	switch trouble {
	case Refused:
		l.arrived(first.Destination)
		out.state, out.reason, out.step = Failed, WasRefused, stepRefused
		return out
	case Down:
		out.reason, out.next = ForServer, l.isDown(now, out.answer)
	default:
		l.refusedForNow(first.Destination, now, after)
		out.reason, out.next = ForRetry, now.Add(max(after, spread(retryWait(first.Attempts), l.Random()))).UnixMilli()
	}
	last := a.began
	for _, r := range a.rows {
		if r.FirstTime > 0 {
			last = min(last, r.FirstTime)
		}
	}
	last = max(last, l.triableSince()) + triedFor.Milliseconds()
	if out.at >= last {
		out.state, out.reason = Failed, TooOld
		return out
	}
	out.next = min(out.next, last)
	return out
}

// settle writes what became of letters that have landed: of those that arrived
// together.
func (l *lane) settle(ctx context.Context) error {
	arrived := map[news.Event][]*deliveryRow{}
	left := map[tenant.ID][]*Letter{}
	var last outcome
	for _, a := range l.ended {
		out := l.ruling[a]
		if out.state != Sent {
			if err := l.finishEach(ctx, a.rows, out); err != nil {
				return err
			}
			continue
		}
		last = out
		left[a.letter.Tenant] = append(left[a.letter.Tenant], a.letter)
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
	if l.mode == Program || last.reason == OnlyLogged {
		return nil
	}
	for _, letters := range left {
		if err := l.countLetters(ctx, letters[0].Owner, l.mode, len(letters)); err != nil {
			return err
		}
	}
	return nil
}

// finish writes what became of deliveries of one event, and what follows: for the
// resolutions that waited for them, and for who is to be reminded.
func (o *Outbox) finish(ctx context.Context, rows []*deliveryRow, out outcome) error {
	out.answer = shortened(out.answer)
	ids, notices, tried, said := make([]int64, len(rows)), make([]int64, len(rows)), 0, map[int64]string{}
	for i, r := range rows {
		ids[i], notices[i], said[r.ID] = r.ID, r.NoticeID, shortened(r.said)
		tried = max(tried, r.Attempts)
	}
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		set := tx.NewUpdate().Model((*deliveryRow)(nil)).
			Set("state = ?, reason = ?, update_time = ?, lease_until = 0", out.state, out.reason, out.at)
		if out.state == Queued {
			set.Set("next_time = ?", out.next)
		}
		if out.began > 0 {
			set.Set("attempts = attempts + 1").Set("first_time = CASE WHEN first_time = 0 THEN ? ELSE first_time END", out.began)
		}
		if out.began > 0 && out.state != Sent {
			set.Set("last_error = ?", out.answer)
		}
		if err := set.Where("d.id IN (?)", bun.List(ids)).Returning("id").Scan(ctx, &ids); err != nil {
			return err
		}
		if len(ids) == 0 {
			return nil // whom they were of is gone
		}
		o.changed(ctx, rows)
		steps := make([]*stepRow, len(ids))
		for i, id := range ids {
			steps[i] = &stepRow{DeliveryID: id, Time: out.at, Step: out.step, Answer: cmp.Or(said[id], out.answer)}
		}
		if _, err := tx.NewInsert().Model(&steps).Returning("NULL").Exec(ctx); err != nil {
			return err
		}
		if tried >= keptSteps {
			if err := o.forgetSteps(ctx, ids); err != nil {
				return err
			}
		}
		if out.state == Queued {
			return nil
		}
		o.counted(ctx, out, len(rows))
		if rows[0].Event == news.Triggered {
			if err := o.release(ctx, ids, notices, out); err != nil {
				return err
			}
		}
		if out.state == Sent {
			return o.remind(ctx, rows, ids, out.at)
		}
		return nil
	})
}

// release lets the resolutions go that waited for triggers, or tells why they
// never will.
func (o *Outbox) release(ctx context.Context, triggers, notices []int64, out outcome) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if out.state == Sent {
			// A digest that is further ahead was reckoned by a clock that was set back.
			latest := out.at + digestMinute.Milliseconds()
			_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).Set("update_time = ?", out.at).
				Set("next_time = CASE WHEN d.digest > ? AND d.digest <= ? THEN d.digest ELSE ? END", out.at, latest, out.at).
				Set("reason = CASE WHEN d.digest > ? AND d.digest <= ? THEN ? ELSE '' END", out.at, latest, ForDigest).
				Where("d.notice_id IN (?) AND d.event = ? AND d.after_id IN (?) AND d.state = ?", bun.List(notices), news.Resolved, bun.List(triggers), Queued).Exec(ctx)
			return err
		}
		if out.reason == Ended {
			// Who did not hear of the notice while it was open does not hear of its end.
			_, err := tx.NewDelete().Model((*deliveryRow)(nil)).
				Where("d.notice_id IN (?) AND d.event = ? AND d.after_id IN (?) AND d.state = ?", bun.List(notices), news.Resolved, bun.List(triggers), Queued).Exec(ctx)
			return err
		}
		var rows []*deliveryRow
		err := tx.NewSelect().Model(&rows).
			Where("d.notice_id IN (?) AND d.event = ? AND d.after_id IN (?) AND d.state = ?", bun.List(notices), news.Resolved, bun.List(triggers), Queued).Scan(ctx)
		if err != nil || len(rows) == 0 {
			return err
		}
		return o.finish(ctx, rows, outcome{state: Skipped, reason: NotTold, step: stepSkipped, at: out.at})
	})
}

// forgetSteps keeps the newest steps of deliveries that were tried often.
func (o *Outbox) forgetSteps(ctx context.Context, ids []int64) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		for _, id := range ids {
			newest := tx.NewSelect().Model((*stepRow)(nil)).Column("id").Where("s.delivery_id = ?", id).OrderExpr("s.id DESC").Limit(keptSteps)
			if _, err := tx.NewDelete().Model((*stepRow)(nil)).Where("s.delivery_id = ? AND s.id NOT IN (?)", id, newest).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// remind queues the next reminders of what was told just now and is still
// open. Those of a digest come together again.
func (o *Outbox) remind(ctx context.Context, told []*deliveryRow, ids []int64, now int64) error {
	if !slices.ContainsFunc(told, func(r *deliveryRow) bool { return r.RemindEvery > 0 }) {
		return nil
	}
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		var open []*deliveryRow // as they are now: a notice may have ended while its letter was in flight
		err := tx.NewSelect().Model(&open).Where("d.id IN (?) AND d.over = '' AND d.remind_every > 0", bun.List(ids)).OrderExpr("d.id").Scan(ctx)
		if err != nil || len(open) == 0 {
			return err
		}
		for _, r := range open {
			next := now + r.RemindEvery
			*r = deliveryRow{
				TenantID: r.TenantID, NoticeID: r.NoticeID, RuleID: r.RuleID, ChannelID: r.ChannelID, ChannelName: r.ChannelName,
				Recipient: r.Recipient, Destination: r.Destination, Mode: r.Mode, Event: news.Reminder, Seq: r.Seq + 1,
				AlarmLevel: r.AlarmLevel, Language: r.Language, Facts: r.Facts, Period: r.Period, RemindEvery: r.RemindEvery,
				State: Queued, NextTime: next, CreateTime: now, UpdateTime: now, Digest: digestAt(r.Digest > 0, next),
			}
		}
		if _, err = tx.NewInsert().Model(&open).On("CONFLICT (notice_id, mode, recipient, event, seq) DO NOTHING").Returning("NULL").Exec(ctx); err != nil {
			return err
		}
		return o.forgetReminders(ctx, ids)
	})
}

// forgetReminders keeps, of the reminders that came before some deliveries and
// told the same people of the same notices, the newest.
func (o *Outbox) forgetReminders(ctx context.Context, told []int64) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		old := tx.NewSelect().TableExpr("deliveries AS told").ColumnExpr("old.id").
			Join("JOIN deliveries AS old ON old.notice_id = told.notice_id AND old.mode = told.mode AND old.recipient = told.recipient AND old.event = told.event").
			Where("told.id IN (?) AND told.event = ?", bun.List(told), news.Reminder).
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

// changed tells the open screens which notices' deliveries are others now, once
// that is kept.
func (o *Outbox) changed(ctx context.Context, rows []*deliveryRow) {
	if o.Screens == nil {
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
			if o.Screens.Watched(n.tenant) {
				o.Screens.Publish(n.tenant, "delivery", fmt.Appendf(nil, `{"noticeId":%d}`, n.id))
			}
		}
	})
}

// counted counts deliveries that came to an end, once that is kept.
func (o *Outbox) counted(ctx context.Context, out outcome, n int) {
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

// shortened is an answer of a length that is kept.
func shortened(answer string) string {
	if len(answer) <= shortAnswer {
		return answer
	}
	cut := shortAnswer
	for cut > 0 && answer[cut]&0xC0 == 0x80 {
		cut--
	}
	return answer[:cut] + "…"
}
