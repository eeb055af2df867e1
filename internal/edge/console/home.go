package console

import (
	"context"

	"tilth/internal/edge/console/wire"
)

// GetOverviewStatistics answers the four statistics of the home page.
func (s *server) GetOverviewStatistics(
	ctx context.Context,
	_ wire.GetOverviewStatisticsRequestObject,
) (wire.GetOverviewStatisticsResponseObject, error) {
	t := caller(ctx).Tenant
	midnight, err := s.startOfDay(ctx)
	if err != nil {
		return nil, err
	}
	total, unassigned, err := s.Roster.Count(ctx, t)
	if err != nil {
		return nil, err
	}
	scenes, err := s.Scenes.List(ctx, t)
	if err != nil {
		return nil, err
	}
	notices, err := s.Notices.Count(ctx, t, midnight)
	if err != nil {
		return nil, err
	}
	wentOffline, err := s.Roster.OfflineSince(ctx, t, midnight)
	if err != nil {
		return nil, err
	}
	budgets, err := s.Outbox.Budgets(ctx, t)
	if err != nil {
		return nil, err
	}
	var near *[]wire.LetterBudget
	for _, b := range budgets {
		if !b.Near() {
			continue
		}
		if near == nil {
			near = new([]wire.LetterBudget)
		}
		*near = append(
			*near,
			wire.LetterBudget{Mode: string(b.Kind), Letters: b.Sent, Budget: b.Limit, Until: b.Until},
		)
	}
	online := min(s.Presence.OnlineCount(t), total)
	return wire.GetOverviewStatistics200JSONResponse{Code: success, Data: &wire.Overview{
		DeviceCount:       total,
		OnlineCount:       online,
		OfflineCount:      total - online,
		TodayAlarmCount:   int(notices.Today),
		PendingAlarmCount: int(notices.Pending),
		LastAlarmTime:     omitZero(notices.Last),
		SceneCount:        len(scenes),
		UnassignedCount:   unassigned,
		OfflineTodayCount: int(wentOffline),
		Time:              s.Now().UnixMilli(),
		AlarmsBehind:      omitZero(int(s.Alarms.TenantBehind(t).Lag.Seconds())),
		Budgets:           near,
	}}, nil
}

// GetUnreadCount answers how many messages the signed-in user has not read.
func (s *server) GetUnreadCount(
	ctx context.Context,
	_ wire.GetUnreadCountRequestObject,
) (wire.GetUnreadCountResponseObject, error) {
	c := caller(ctx)
	n, err := s.Messages.CountUnread(ctx, c.Tenant, c.User)
	if err != nil {
		return nil, err
	}
	count := int(n)
	return wire.GetUnreadCount200JSONResponse{Code: success, Data: &count}, nil
}
