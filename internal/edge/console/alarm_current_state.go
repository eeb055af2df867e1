package console

import (
	"context"

	"tilth/internal/domain/alarm"
	"tilth/internal/edge/console/wire"
)

// addCurrentState says whether the cause of an open notice still holds: whether the newest readings
// still fulfil the conditions, or whether the device is still offline.
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
