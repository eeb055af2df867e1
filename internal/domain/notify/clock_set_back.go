package notify

import (
	"context"

	"github.com/uptrace/bun"
)

// followClock detects that the clock was set back since the last call or, at the first call, since
// a delivery was queued. Then it corrects the times that were computed by the earlier clock: it
// makes deliveries with a reason that is checked at sending due now, so that it is checked again,
// and keeps the remaining wait of all others. If the clock jumped ahead, deliveries do not expire
// for it (see uptime).
func (l *worker) followClock(ctx context.Context) error {
	l.upSince()
	now := l.Now().UnixMilli()
	if now >= l.clockSeen && l.clockSeen > 0 {
		l.clockSeen = now
		return nil
	}
	err := l.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).
			Set("next_time = CASE WHEN d.reason IN (?) THEN ? ELSE d.next_time - (d.update_time - ?) END",
				bun.List(recheckedReasons), now, now).
			Set("quiet_until = CASE WHEN d.quiet_until > 0 THEN d.quiet_until - (d.update_time - ?) ELSE 0 END", now).
			Set("update_time = ?", now).
			Where("d.state = 'queued' AND d.mode = ? AND d.update_time > ? AND d.next_time <> ?", l.kind, now,
				int64(untilEvent)).Exec(ctx)
		return err
	})
	if err != nil {
		return err
	}
	// Remote servers get another chance.
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down.until = min(l.down.until, now)
	for a, p := range l.failed {
		p.until = min(p.until, now)
		l.failed[a] = p
	}
	l.clockSeen = now
	return nil
}
