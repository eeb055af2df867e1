package notify

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/news"
)

// verdict is whether a delivery goes now; else until when it waits and for
// what, or why it comes to an end.
type verdict struct {
	until  int64
	reason Reason
	ends   State // Failed or Skipped; empty: it waits
	// together: in one letter with all that wait until then.
	together bool
}

func (v verdict) goes() bool { return v.reason == "" }

// judge asks, at the time of sending, whether a delivery may go.
func (t *taking) judge(ctx context.Context, r *deliveryRow) (verdict, error) {
	if t.carrier == nil {
		return verdict{reason: WayOff, ends: Failed}, nil
	}
	if err := r.parse(); err != nil {
		// One row that nobody understands must not keep the others waiting.
		t.Log.Error("somebody is not told: what of cannot be read", "tenant", r.TenantID, "notice", r.NoticeID, "error", err)
		return verdict{reason: WasRefused, ends: Failed}, nil
	}
	if r.Mode == Program {
		return t.toProgram(ctx, r)
	}
	if r.Over != "" && r.Event == news.Reminder {
		return verdict{reason: r.Over, ends: Skipped}, nil
	}
	v, err := t.waits(ctx, r)
	if err == nil && !v.goes() && r.Over != "" {
		return verdict{reason: r.Over, ends: Skipped}, nil
	}
	return v, err
}

func (t *taking) waits(ctx context.Context, r *deliveryRow) (verdict, error) {
	until, err := t.mutedUntil(ctx, r)
	if err != nil {
		return verdict{}, err
	}
	if until > t.now {
		return verdict{until: until, reason: ForMute}, nil
	}
	if !r.period.Always() {
		owner, err := t.owner(ctx, r.TenantID)
		if err != nil {
			return verdict{}, err
		}
		if next := r.period.Next(time.UnixMilli(t.now), owner.TimeZone).UnixMilli(); next > t.now {
			return verdict{until: next, reason: ForPeriod}, nil
		}
	}
	if r.Late && t.Backlog != nil {
		if until := t.Backlog(r.TenantID, r.alarm.DeviceID).UnixMilli(); until > t.now {
			return verdict{until: until, reason: ForBacklog}, nil
		}
	}
	return verdict{}, nil
}

func (t *taking) mutedUntil(ctx context.Context, r *deliveryRow) (int64, error) {
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

// verdicts are deliveries that do not go now, by why.
type verdicts map[verdict][]*deliveryRow

func (w *verdicts) add(v verdict, r *deliveryRow) {
	if *w == nil {
		*w = verdicts{}
	}
	(*w)[v] = append((*w)[v], r)
}

func (w verdicts) write(ctx context.Context, l *lane) error {
	now := l.Now().UnixMilli()
	for v, rows := range w {
		if v.ends != "" {
			step := stepSkipped
			if v.ends == Failed {
				step = stepFailed
			}
			if err := l.finishEach(ctx, rows, outcome{state: v.ends, reason: v.reason, step: step, at: now}); err != nil {
				return err
			}
			continue
		}
		ids := make([]int64, len(rows))
		for i, r := range rows {
			ids[i] = r.ID
		}
		err := l.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
			set := tx.NewUpdate().Model((*deliveryRow)(nil)).Set("next_time = ?, reason = ?, update_time = ?", v.until, v.reason, now)
			if v.together {
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
