package console

import (
	"context"

	"tilth/internal/domain/alarm"
	"tilth/internal/edge/console/wire"
)

// addCurrentState says of an open notice whether what it is of holds still: by the newest readings,
// or since its device is offline still.
func (s *server) addCurrentState(
	ctx context.Context,
	d *alarm.Detail,
	about wire.AlarmNoticeDevice,
	w *wire.AlarmNoticeDetail,
) error {
	switch {
	case d.Status != alarm.Pending || about.Deleted:
		return nil
	case d.RuleCopy.Trigger == alarm.DeviceOffline:
		w.Holds = new(about.OnlineState == 0)
		return nil
	}
	current, err := alarm.CurrentStatus(&d.RuleCopy, s.Catalog, s.Readings.Newest(ctx, caller(ctx).Tenant, d.Device))
	if err != nil || current == nil {
		return err
	}
	w.Holds, w.Newest = &current.Holds, &wire.AlarmSample{Time: current.Newest.Time, Values: current.Newest.Values}
	return nil
}
