package alarm

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/errs"
)

// RemindHours are the choices of hours after which people are reminded again of an acknowledged
// notice. DefaultRemindHours applies where nobody chooses.
var RemindHours = []int{1, 4, 12}

// DefaultRemindHours is one of RemindHours.
const DefaultRemindHours = 4

// Acknowledge records that a user (by display name) handles a tenant's open notice, with a note:
// nobody is reminded of the notice for the duration quiet. It replaces an earlier acknowledgement.
// It refuses a notice that is over.
func (e *Engine) Acknowledge(
	ctx context.Context,
	t tenant.ID,
	notice int64,
	user, note string,
	quiet time.Duration,
) error {
	return e.changeAck(ctx, t, notice, func(n *Notice) (audit.Action, error) {
		now := e.now()
		was := n.Ack
		n.Ack = &Ack{User: user, Time: now, Note: note, RemindAt: now + quiet.Milliseconds()}
		action := audit.Action{
			Name:    "notice.acknowledge",
			Changes: []audit.Change{{Field: "remindAt", After: n.Ack.RemindAt}},
		}
		if was != nil {
			action.Changes[0].Before = was.RemindAt
		}
		if note != "" {
			action.Changes = append([]audit.Change{{Field: "note", After: note}}, action.Changes...)
		}
		return action, nil
	})
}

// Unacknowledge withdraws the acknowledgement of a tenant's open notice: people are reminded as
// before. It refuses a notice that is over and one that nobody acknowledged.
func (e *Engine) Unacknowledge(ctx context.Context, t tenant.ID, notice int64) error {
	return e.changeAck(ctx, t, notice, func(n *Notice) (audit.Action, error) {
		if n.Ack == nil {
			return audit.Action{}, errs.New(errs.Refused, "notice.notAcknowledged")
		}
		n.Ack = nil
		return audit.Action{Name: "notice.unacknowledge"}, nil
	})
}

// changeAck changes the acknowledgement of a tenant's open notice and notifies of it. Either all of
// that is written or nothing.
func (e *Engine) changeAck(
	ctx context.Context,
	t tenant.ID,
	notice int64,
	change func(n *Notice) (audit.Action, error),
) error {
	if err := e.lock(ctx, t); err != nil {
		return err
	}
	defer e.unlock()
	r, err := e.findOpen(ctx, t, notice)
	if err != nil {
		return err
	}
	n := *r.notice
	action, err := change(&n)
	if err != nil {
		return err
	}
	action.Thing = n.auditThing()
	err = e.opts.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		if err := e.saveAck(ctx, t, &n); err != nil {
			return err
		}
		if err := e.notifyAcknowledged(ctx, r, &n); err != nil {
			return err
		}
		return audit.Log(ctx, t, action)
	})
	if err != nil {
		return wrap("write acknowledgement", err)
	}
	r.notice = &n
	e.publishNotices([]noticeEvent{{t, n}})
	return nil
}

// findOpen finds the active rule of a tenant's open notice. It refuses a notice that is over; a
// notice that does not exist is errs.Missing.
func (e *Engine) findOpen(ctx context.Context, t tenant.ID, notice int64) (*activeRule, error) {
	if r := e.openByNotice[notice]; r != nil && r.Tenant == t {
		return r, nil
	}
	found, err := e.opts.DB.Read(ctx).NewSelect().Model((*noticeRow)(nil)).
		Where("n.tenant_id = ? AND n.id = ?", t, notice).Exists(ctx)
	switch {
	case err != nil:
		return nil, wrap("find notice", err)
	case !found:
		return nil, errs.Missing()
	}
	return nil, errs.New(errs.Refused, "notice.over")
}

// saveAck writes the acknowledgement of an open notice.
func (e *Engine) saveAck(ctx context.Context, t tenant.ID, n *Notice) error {
	var a Ack
	if n.Ack != nil {
		a = *n.Ack
	}
	return e.opts.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*noticeRow)(nil)).
			Set("ack_user = ?, ack_time = ?, ack_note = ?, ack_remind_at = ?", a.User, a.Time, a.Note, a.RemindAt).
			Where("n.tenant_id = ? AND n.id = ? AND n.resolve_status = ?", t, n.ID, Pending).Exec(ctx)
		return err
	})
}

// notifyAcknowledged notifies that a notice was acknowledged, or that its acknowledgement was
// withdrawn.
func (e *Engine) notifyAcknowledged(ctx context.Context, r *activeRule, n *Notice) error {
	what := alertmsg.Acknowledged
	if n.Ack == nil {
		what = alertmsg.Unacknowledged
	}
	a := e.buildAlarm(what, r, n, nil)
	a.At = e.now()
	if n.Ack != nil {
		a.At = n.Ack.Time
	}
	return e.opts.Notifier.NoticeAcknowledged(ctx, r.Tenant, a)
}

// Acks gives the acknowledgements of those of a tenant's notices that are open and acknowledged, by
// notice.
func (s *NoticeStore) Acks(ctx context.Context, t tenant.ID, notices []int64) (map[int64]*Ack, error) {
	if len(notices) == 0 {
		return nil, nil
	}
	var rows []noticeRow
	err := s.db.Read(ctx).NewSelect().Model(&rows).Column("n.id", "n.ack_user", "n.ack_time", "n.ack_note",
		"n.ack_remind_at").
		Where("n.tenant_id = ? AND n.id IN (?) AND n.resolve_status = ? AND n.ack_time > 0", t, bun.List(notices),
			Pending).Scan(ctx)
	acks := make(map[int64]*Ack, len(rows))
	for i := range rows {
		acks[rows[i].ID] = rows[i].notice().Ack
	}
	return acks, wrap("read acknowledgements", err)
}

// alertAck is the acknowledgement as an alert message carries it.
func (a *Ack) alertAck() *alertmsg.Ack {
	if a == nil {
		return nil
	}
	return &alertmsg.Ack{User: a.User, Time: a.Time, Note: a.Note, RemindAt: a.RemindAt}
}
