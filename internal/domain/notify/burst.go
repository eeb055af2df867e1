package notify

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
)

// seriousPerMinute is how many serious notices per minute a recipient receives one by one. While
// more occur, the recipient receives one digest per minute.
const seriousPerMinute = 5

// recipient is a recipient of one tenant: a channel kind and an address.
type recipient struct {
	kind    ChannelKind
	address string
}

type recipientMinuteRow struct {
	bun.BaseModel `bun:"table:recipient_minutes,alias:rm"`
	TenantID      tenant.ID
	Mode          ChannelKind
	Recipient     string
	Event         alertmsg.Event
	Began         int64
	Notices       int
	Burst         bool
}

// countSerious counts a serious notice for its recipients. For each recipient over the limit it
// gives the end of the recipient's minute. A minute begins with a notice; if it follows a minute
// over the limit, all its notices wait for its end.
func (o *Outbox) countSerious(ctx context.Context, rows []*deliveryRow) (map[recipient]int64, error) {
	var minutes []*recipientMinuteRow
	for _, r := range rows {
		if r.State == Queued {
			minutes = append(minutes,
				&recipientMinuteRow{TenantID: r.TenantID, Mode: r.Mode, Recipient: r.Recipient, Event: r.Event,
					Began: r.CreateTime, Notices: 1})
		}
	}
	ends := map[recipient]int64{}
	if len(minutes) == 0 {
		return ends, nil
	}
	// If the clock was set back, the minute begins anew.
	const within = "rm.began <= EXCLUDED.began AND EXCLUDED.began < rm.began + ?"
	length := digestMinute.Milliseconds()
	err := o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(&minutes).On("CONFLICT (tenant_id, mode, recipient, event) DO UPDATE").
			Set("burst = CASE WHEN "+within+" THEN rm.burst ELSE "+within+" AND rm.notices > ? END", length, 2*length,
				seriousPerMinute).
			Set("notices = CASE WHEN "+within+" THEN rm.notices + 1 ELSE 1 END", length).
			Set("began = CASE WHEN "+within+" THEN rm.began ELSE EXCLUDED.began END", length).
			Returning("*").Exec(ctx)
		return err
	})
	for _, m := range minutes {
		if m.Burst || m.Notices > seriousPerMinute {
			ends[recipient{m.Mode, m.Recipient}] = m.Began + length
		}
	}
	return ends, err
}

// sweepMinutes removes minutes of recipients that are over.
func (o *Outbox) sweepMinutes(ctx context.Context, now time.Time) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*recipientMinuteRow)(nil)).
			Where("rm.began < ?", now.Add(-2*digestMinute).UnixMilli()).Exec(ctx)
		return err
	})
}
