package calibration

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
)

// rederivePause is how long Run waits after a failure before it tries again.
const rederivePause = 10 * time.Second

// Past computes the derived values of a tenant's device in the past again, from a time on (epoch ms) to an
// end, day by day, the oldest first.
type Past interface {
	Recompute(ctx context.Context, t tenant.ID, d device.ID, from, to int64) (days, values int, err error)
}

type rederivationRow struct {
	bun.BaseModel `bun:"table:rederivations,alias:rederivations"`
	DeviceID      device.ID `bun:",pk"`
	TenantID      tenant.ID
	FromTime      int64
	Round         int64
}

// askRederivation records that derived values of a tenant's device since a time (epoch ms) are to be
// computed again.
func (s *Service) askRederivation(ctx context.Context, t tenant.ID, d device.ID, from int64) error {
	return s.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		r := &rederivationRow{DeviceID: d, TenantID: t, FromTime: from, Round: 1}
		_, err := tx.NewInsert().Model(r).On("CONFLICT (device_id) DO UPDATE").
			Set("from_time = CASE WHEN EXCLUDED.from_time < rederivations.from_time " +
				"THEN EXCLUDED.from_time ELSE rederivations.from_time END").
			Set("round = rederivations.round + 1").Exec(ctx)
		return wrap("ask for derived values", err)
	})
}

func (s *Service) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default: // it looks anyway
	}
}

// Run computes derived values again, of devices whose calibrations changed, until ctx ends. What an earlier
// process left undone it begins again. Devices that fail let the others go first.
func (s *Service) Run(ctx context.Context, logger *slog.Logger) error {
	var failed []device.ID
	for ctx.Err() == nil {
		next, err := s.nextRederivation(ctx, failed)
		switch {
		case err == nil && next != nil:
			if err = s.rederive(ctx, next); err != nil {
				failed = append(failed, next.DeviceID)
			}
		case err != nil, len(failed) > 0:
			s.rest(ctx)
			failed = nil
		default:
			select {
			case <-s.wake:
			case <-ctx.Done():
			}
		}
		if err != nil && ctx.Err() == nil {
			logger.Warn("derived values of a calibrated device are not computed yet; trying again", "error", err)
		}
	}
	return nil
}

// rest waits before the next try.
func (s *Service) rest(ctx context.Context) {
	wait := time.NewTimer(rederivePause)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
}

// nextRederivation gives a device that waits, but for some; nil: none does.
func (s *Service) nextRederivation(ctx context.Context, except []device.ID) (*rederivationRow, error) {
	var r rederivationRow
	q := s.DB.Read(ctx).NewSelect().Model(&r).OrderExpr("round, device_id").Limit(1)
	if len(except) > 0 {
		q.Where("device_id NOT IN (?)", bun.List(except))
	}
	err := q.Scan(ctx)
	if db.IsMissing(err) {
		return nil, nil
	}
	return &r, wrap("find a device whose values are to be derived", err)
}

// rederive computes the values of one device again. A calibration that comes meanwhile has it begin again.
func (s *Service) rederive(ctx context.Context, r *rederivationRow) error {
	values, err := 0, error(nil)
	if e := s.Registry.Get(r.DeviceID); e != nil && e.Tenant == r.TenantID {
		_, values, err = s.Past.Recompute(ctx, r.TenantID, r.DeviceID, r.FromTime, math.MaxInt64)
	}
	if values > 0 {
		err = errors.Join(err, s.logDerived(context.WithoutCancel(ctx), r))
	}
	if err != nil {
		return err
	}
	return wrap("finish derived values", s.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*rederivationRow)(nil)).
			Where("tenant_id = ? AND device_id = ? AND round = ?", r.TenantID, r.DeviceID, r.Round).Exec(ctx)
		return err
	}))
}

// logDerived notes in the activity that values of a device were computed again.
func (s *Service) logDerived(ctx context.Context, r *rederivationRow) error {
	d, err := s.Devices.ByID(ctx, r.TenantID, r.DeviceID)
	if err != nil {
		return err
	}
	return audit.Log(ctx, r.TenantID, audit.Action{Name: "device.derive", Thing: d.AuditThing()})
}
