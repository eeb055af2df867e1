package alarm

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
)

const (
	// chartMargin is how far a notice's chart reaches before the notice's start and past its end.
	chartMargin = 5 * time.Minute
	// maxChartPoints is how many points of each property a chart keeps.
	maxChartPoints = 500
	// chartBatchSize is how many charts one transaction writes, removedAtOnce how many notices one
	// removes.
	chartBatchSize = 50
	removedAtOnce  = 1000
	// noticeYears is for how long notices are kept, sweepEvery how often the archiver removes older
	// ones.
	noticeYears  = 3
	sweepEvery   = time.Hour
	archiveRetry = 10 * time.Second
)

// noticeArchiver keeps the chart points of each notice that is over, since the readings themselves
// are removed earlier, and removes notices that are too old. It finds its work in the database, so
// a restart loses nothing.
type noticeArchiver struct {
	o    *EngineOptions
	idle atomic.Bool   // no notice waits until its chart is due
	wake chan struct{} // holds one
}

func newNoticeArchiver(o *EngineOptions) *noticeArchiver {
	return &noticeArchiver{o: o, wake: make(chan struct{}, 1)}
}

// wakeUp says that a notice is over. A notice that ends later is archived later, so only an idle
// archiver has to be woken.
func (k *noticeArchiver) wakeUp() {
	if k.idle.Swap(false) {
		select {
		case k.wake <- struct{}{}:
		default:
		}
	}
}

func (k *noticeArchiver) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.wake:
		case <-timer.C:
		}
		next, err := k.pass(ctx)
		if err != nil && ctx.Err() == nil {
			k.o.Logger.Warn("charts of alarm notices were not saved, trying again", "error", err)
			next = k.o.Now().Add(archiveRetry)
		}
		timer.Reset(max(next.Sub(k.o.Now()), time.Millisecond))
	}
}

// pass archives and removes what is due, and returns when to look again.
func (k *noticeArchiver) pass(ctx context.Context) (time.Time, error) {
	for {
		done, err := k.archiveBatch(ctx)
		if err != nil {
			return time.Time{}, err
		}
		if done < chartBatchSize {
			break
		}
	}
	if err := k.sweep(ctx); err != nil {
		return time.Time{}, err
	}
	// This comes before the query: a notice that ends meanwhile must not be missed.
	k.idle.Store(true)
	var earliest []int64
	if err := k.waiting(ctx).Column("n.end_time").OrderExpr("n.end_time").Limit(1).Scan(ctx, &earliest); err != nil {
		return time.Time{}, err
	}
	next := k.o.Now().Add(sweepEvery)
	if len(earliest) > 0 {
		k.idle.Store(false)
		if due := time.UnixMilli(earliest[0]).Add(chartMargin); due.Before(next) {
			next = due
		}
	}
	return next, nil
}

// waiting selects notices that are over and have no chart yet.
func (k *noticeArchiver) waiting(ctx context.Context) *bun.SelectQuery {
	return k.o.DB.Read(ctx).NewSelect().Model((*noticeRow)(nil)).Where("n.kept = '' AND n.resolve_status <> 0")
}

// archiveBatch writes the charts of the notices that have waited longest, up to chartBatchSize, and
// returns how many.
func (k *noticeArchiver) archiveBatch(ctx context.Context) (int, error) {
	var rows []noticeRow
	if err := k.waiting(ctx).Column("id", "tenant_id", "device_id", "start_time", "end_time", "rule").
		Where("n.end_time <= ?", k.o.Now().Add(-chartMargin).UnixMilli()).OrderExpr("n.end_time").
		Limit(chartBatchSize).Scan(ctx, &rows); err != nil {
		return 0, err
	}
	if len(rows) == 0 {
		return 0, nil
	}
	charts := make([]string, len(rows))
	for i := range rows {
		kept, err := k.buildChart(ctx, &rows[i])
		if err != nil {
			return 0, fmt.Errorf("alarm: chart of notice %d: %w", rows[i].ID, err)
		}
		charts[i] = kept
	}
	return len(rows), k.o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		for i := range rows {
			if _, err := tx.NewUpdate().Model((*noticeRow)(nil)).Set("kept = ?", charts[i]).
				Where("n.tenant_id = ? AND n.id = ?", rows[i].TenantID, rows[i].ID).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// buildChart reads the points of a notice's properties, including those that the product no longer
// has. A device that is gone has no points.
func (k *noticeArchiver) buildChart(ctx context.Context, n *noticeRow) (string, error) {
	var rule RuleCopy
	if err := json.Unmarshal([]byte(n.Rule), &rule); err != nil {
		return "", err
	}
	kept := Chart{}
	if entry := k.o.Registry.Get(n.DeviceID); entry != nil && entry.Tenant == n.TenantID {
		names := map[device.PropertyID]string{}
		var wanted []device.PropertyID
		for _, c := range rule.Conditions {
			id, ever := k.o.Catalog.Number(c.Attribute)
			if _, named := names[id]; ever && !named {
				names[id] = c.Attribute
				wanted = append(wanted, id)
			}
		}
		series, err := k.o.Readings.Series(ctx, n.TenantID, n.DeviceID,
			n.StartTime-chartMargin.Milliseconds(), n.EndTime+chartMargin.Milliseconds(), wanted, maxChartPoints)
		if err != nil {
			return "", err
		}
		for p, points := range series {
			kept[names[p]] = chartPoints(points)
		}
	}
	text, err := json.Marshal(kept)
	return string(text), err
}

func chartPoints(points []reading.Point) []ChartPoint {
	kept := make([]ChartPoint, len(points))
	for i, p := range points {
		kept[i] = ChartPoint(p)
	}
	return kept
}

// sweep removes notices that are over and were recorded too long ago.
func (k *noticeArchiver) sweep(ctx context.Context) error {
	until := k.o.RetentionClock
	if until == nil {
		until = k.o.Now
	}
	oldest := until().AddDate(-noticeYears, 0, 0).UnixMilli()
	return removeNotices(ctx, k.o.DB, func(some *bun.SelectQuery) *bun.SelectQuery {
		return some.Where("n.create_time < ? AND n.resolve_status <> 0", oldest)
	})
}

// removeNotices removes the notices that a query selects, together with their messages and
// deliveries.
func removeNotices(ctx context.Context, d *db.DB, which func(*bun.SelectQuery) *bun.SelectQuery) error {
	return d.DeleteInBatches(ctx, removedAtOnce, func(
		ctx context.Context,
		tx bun.IDB,
		atOnce int64,
	) (sql.Result, error) {
		some := which(tx.NewSelect().Model((*noticeRow)(nil)).Column("id")).Limit(atOnce)
		return tx.NewDelete().Model((*noticeRow)(nil)).Where("n.id IN (?)", some).Exec(ctx)
	})
}

// Clear removes all notices of a tenant that is being removed.
func (s *NoticeStore) Clear(ctx context.Context, t tenant.ID) error {
	return wrap("remove notices", removeNotices(ctx, s.db, func(some *bun.SelectQuery) *bun.SelectQuery {
		return some.Where("n.tenant_id = ?", t)
	}))
}
