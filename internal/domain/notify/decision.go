package notify

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/platform/alertmsg"
)

// decision says whether a delivery is sent now; else until when it waits and for what, or why it
// ends unsent.
type decision struct {
	until  int64
	reason Reason
	final  State // Failed or Skipped; empty: it waits
	// digest: the delivery is sent in one notification with all that wait until then.
	digest bool
}

func (v decision) sendNow() bool { return v.reason == "" }

// decide decides, at the time of sending, whether a delivery may be sent.
func (t *batch) decide(ctx context.Context, r *deliveryRow) (decision, error) {
	if t.sender == nil {
		return decision{reason: NotConfigured, final: Failed}, nil
	}
	if err := r.parse(); err != nil {
		// One unreadable row must not delay the others.
		t.Logger.Error("a delivery is not sent: its facts cannot be read", "tenant", r.TenantID, "notice", r.NoticeID,
			"error", err)
		return decision{reason: Rejected, final: Failed}, nil
	}
	if t.spec.Programs {
		return t.decideWebhook(r), nil
	}
	if r.Over != "" && r.Event == alertmsg.Reminder {
		return decision{reason: r.Over, final: Skipped}, nil
	}
	v, err := t.decideWait(ctx, r)
	if err == nil && !v.sendNow() && r.Over != "" {
		return decision{reason: r.Over, final: Skipped}, nil
	}
	return v, err
}

func (t *batch) decideWait(ctx context.Context, r *deliveryRow) (decision, error) {
	until, err := t.mutedUntil(ctx, r)
	if err != nil {
		return decision{}, err
	}
	if until > t.now {
		return decision{until: until, reason: ForMute}, nil
	}
	if !r.period.Always() {
		owner, err := t.owner(ctx, r.TenantID)
		if err != nil {
			return decision{}, err
		}
		if next := r.period.Next(time.UnixMilli(t.now), owner.TimeZone).UnixMilli(); next > t.now {
			return decision{until: next, reason: ForPeriod}, nil
		}
	}
	if r.Late && t.Backlog != nil {
		if until := t.Backlog(r.TenantID, r.alarm.DeviceID).UnixMilli(); until > t.now {
			return decision{until: until, reason: ForBacklog}, nil
		}
	}
	return decision{}, nil
}

func (t *batch) mutedUntil(ctx context.Context, r *deliveryRow) (int64, error) {
	if t.Muted == nil {
		return 0, nil
	}
	until, known := t.mutes[r.RuleID]
	if known {
		return until, nil
	}
	until, err := t.Muted(ctx, r.TenantID, r.RuleID)
	t.mutes[r.RuleID] = until
	return until, err
}

// deferrals are the deliveries that are not sent now, by decision.
type deferrals map[decision][]*deliveryRow

func (w *deferrals) add(v decision, r *deliveryRow) {
	if *w == nil {
		*w = deferrals{}
	}
	(*w)[v] = append((*w)[v], r)
}

func (w deferrals) write(ctx context.Context, l *worker) error {
	now := l.Now().UnixMilli()
	for v, rows := range w {
		if v.final != "" {
			step := stepSkipped
			if v.final == Failed {
				step = stepFailed
			}
			if err := l.finishByEvent(ctx, rows,
				outcome{state: v.final, reason: v.reason, step: step, at: now}); err != nil {
				return err
			}
			continue
		}
		ids := make([]int64, len(rows))
		for i, r := range rows {
			ids[i] = r.ID
		}
		err := l.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
			set := tx.NewUpdate().Model((*deliveryRow)(nil)).
				Set("next_time = ?, reason = ?, update_time = ?", v.until, v.reason, now)
			if v.digest {
				set.Set("digest = ?", v.until)
			}
			_, err := set.Where("d.id IN (?)", bun.List(ids)).Exec(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
