package console

import (
	"cmp"
	"context"
	"math"
	"slices"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/comparator"
)

// maxAttentionItems is how many things that need a person one answer has.
const maxAttentionItems = 20

// GetAttention answers what needs a person now: open notices, then silent devices, then low
// batteries.
func (s *server) GetAttention(
	ctx context.Context,
	_ wire.GetAttentionRequestObject,
) (wire.GetAttentionResponseObject, error) {
	t := caller(ctx).Tenant
	notices, open, err := s.Notices.Urgent(ctx, t, maxAttentionItems)
	if err != nil {
		return nil, err
	}
	known, err := s.Notices.KnownOffline(ctx, t)
	if err != nil {
		return nil, err
	}
	silent, silentCount, err := s.Roster.Silent(ctx, t, known, max(maxAttentionItems-len(notices), 0))
	if err != nil {
		return nil, err
	}
	scenes, err := s.Scenes.List(ctx, t)
	if err != nil {
		return nil, err
	}
	sceneNames := make(map[int64]string, len(scenes))
	for _, sc := range scenes {
		sceneNames[sc.ID] = sc.Name
	}
	causes, err := s.Silence.Causes(ctx, t, silentIDs(notices, silent)...)
	if err != nil {
		return nil, err
	}
	batteries, batteryCount, err := s.lowBatteries(ctx, t, maxAttentionItems)
	if err != nil {
		return nil, err
	}
	items := make([]wire.AttentionItem, 0, maxAttentionItems)
	for i := range notices {
		item, err := s.alarmItem(ctx, &notices[i])
		if err != nil {
			return nil, err
		}
		if cause, found := causes[notices[i].Device]; found && tellsOfSilence(&notices[i]) {
			item.Cause = new(silenceCause(&cause))
		}
		items = append(items, item)
	}
	for i := range silent[:min(len(silent), maxAttentionItems-len(items))] {
		item := s.silentItem(&silent[i], sceneNames)
		if cause, found := causes[silent[i].ID]; found {
			item.Cause = new(silenceCause(&cause))
		}
		items = append(items, item)
	}
	for i := range batteries[:min(len(batteries), maxAttentionItems-len(items))] {
		items = append(items, s.batteryItem(ctx, &batteries[i], sceneNames))
	}
	unreached, err := s.unreachedRules(ctx, t)
	if err != nil {
		return nil, err
	}
	return wire.GetAttention200JSONResponse{Code: success, Data: &wire.Attention{
		AlarmCount:   int(open),
		Unreached:    unreached,
		SilentCount:  silentCount,
		BatteryCount: batteryCount,
		Items:        items,
		Time:         s.Now().UnixMilli(),
	}}, nil
}

// unreachedRules are the running rules with channels none of which reaches anybody: they have no kind
// that is set up and sends more than a line to the log. It is nil where there are none.
func (s *server) unreachedRules(ctx context.Context, t tenant.ID) (*wire.UnreachedRules, error) {
	var reaching []notify.ChannelKind
	for _, k := range notify.Kinds() {
		if s.Outbox.Senders[k.Name] != nil && (k.Name != notify.KindSMS || !s.SMSLogged) {
			reaching = append(reaching, k.Name)
		}
	}
	channels, err := s.Channels.Without(ctx, t, reaching)
	if err != nil {
		return nil, err
	}
	count, name, err := s.Rules.RunningOnlyOn(ctx, t, channels)
	if err != nil || count == 0 {
		return nil, err
	}
	return &wire.UnreachedRules{Count: count, AlarmName: name}, nil
}

func (s *server) alarmItem(ctx context.Context, u *alarm.UrgentNotice) (wire.AttentionItem, error) {
	since := u.HoldsSince
	if since == 0 {
		since = u.Start
	}
	item := wire.AttentionItem{
		Kind: wire.AttentionAlarm, DeviceName: u.DeviceName, NoteName: u.NoteName, GroupName: u.SceneName,
		Since: &since, NoticeId: &u.ID, Title: &u.Title, AlarmLevel: new(int(u.Level)), Ack: wireAck(u.Ack),
		MayResolve: new(u.Rule.ManualRelease), StartTime: &u.Start, HoldsSince: omitZero(u.HoldsSince),
		OnlineState: boolInt(s.Presence.Status(caller(ctx).Tenant, u.Device).Online),
	}
	item.HoldsSinceDay, item.HoldsSinceBefore = precisionFlags(u.HoldsSincePrecision)
	cause := u.CauseOf(s.Catalog, s.Readings.Newest(ctx, caller(ctx).Tenant, u.Device))
	if cause == nil {
		return item, nil
	}
	item.Identifier = &cause.Property.Identifier
	item.Limit = &wire.AttentionLimit{
		Subconditions: wire.Operator(cause.Condition.Operator), Value: cause.Condition.Value,
	}
	if cause.Newest == nil {
		return item, nil
	}
	item.Reading = s.wireReading(ctx, cause.Property, cause.Newest)
	trend, err := s.trend(ctx, u.Device, cause.Property, cause.Newest.Time)
	if err != nil || trend == nil {
		return item, err
	}
	item.Trend = &wire.AttentionTrend{Change: trend.Change, Span: trend.Span.Milliseconds()}
	return item, nil
}

// trend gives the trend of a property of one of the caller's devices up to its newest reading; nil
// where there is none to tell.
func (s *server) trend(ctx context.Context, d device.ID, p *device.Property, newest int64) (*alarm.Trend, error) {
	readings := func(ctx context.Context, from, to int64, fn func(at int64, fields []reading.Field) error) error {
		return s.Readings.Range(ctx, caller(ctx).Tenant, d, from, to, []device.PropertyID{p.ID}, fn)
	}
	now := s.Now().UnixMilli()
	return alarm.TrendAt(ctx, readings, s.Catalog.TrendSpan(p), s.Catalog.TrendDecimals(p), min(newest, now), now)
}

func (s *server) wireReading(ctx context.Context, p *device.Property, n *reading.Newest) *wire.Reading {
	return &wire.Reading{
		Value:     n.Value,
		Time:      n.Time,
		Arrival:   earlyArrival(n),
		Unit:      s.Catalog.Unit(p),
		Name:      s.Catalog.Name(requestFrom(ctx).Language, p),
		Precision: p.Precision,
	}
}

func (s *server) silentItem(d *device.Silent, sceneNames map[int64]string) wire.AttentionItem {
	offlineAfter := device.DefaultOfflineAfter.Milliseconds()
	if p := s.Catalog.Product(d.ProductID); p != nil {
		offlineAfter = p.OfflineAfter.Milliseconds()
	}
	return wire.AttentionItem{
		Kind: wire.AttentionSilent, DeviceName: d.Name, NoteName: d.NoteName, GroupName: sceneNames[d.SceneID],
		Since: omitZero(d.Since(offlineAfter)),
	}
}

// tellsOfSilence is true for a notice on a device's being offline.
func tellsOfSilence(u *alarm.UrgentNotice) bool { return u.Rule.Trigger == alarm.DeviceOffline }

// silentIDs gives the devices whose silence an answer explains.
func silentIDs(notices []alarm.UrgentNotice, silent []device.Silent) (ids []device.ID) {
	for i := range notices {
		if tellsOfSilence(&notices[i]) {
			ids = append(ids, notices[i].Device)
		}
	}
	for i := range silent {
		ids = append(ids, silent[i].ID)
	}
	return ids
}

// lowBattery is an online device whose battery is below its limit.
type lowBattery struct {
	*device.MapPoint
	property *device.Property
	newest   reading.Newest
	limit    float64
}

// lowBatteries gives the tenant's online devices with a low battery, at most limit, the lowest for
// their limit first, and how many there are. A product that measures volts and says no limit is left
// out: which kind of battery it has cannot be told from its newest value.
func (s *server) lowBatteries(ctx context.Context, t tenant.ID, limit int) ([]lowBattery, int, error) {
	type battery struct {
		property *device.Property
		limit    float64
	}
	batteries, products := map[int64]battery{}, map[int64]bool{}
	for _, p := range s.Catalog.Products() {
		if low, known := s.Catalog.BatteryLimit(p, math.NaN()); known {
			batteries[p.ID], products[p.ID] = battery{s.Catalog.Battery(p), low}, true
		}
	}
	devices, err := s.Roster.OfProducts(ctx, t, products)
	if err != nil {
		return nil, 0, err
	}
	var list []lowBattery
	for _, d := range devices {
		b := batteries[d.ProductID]
		newest, known := s.Readings.NewestOf(ctx, t, d.ID, b.property.ID)
		if known && newest.Value.Kind() == reading.KindNumber && newest.Value.Float() < b.limit &&
			s.Presence.Status(t, d.ID).Online {
			list = append(list, lowBattery{MapPoint: d, property: b.property, newest: newest, limit: b.limit})
		}
	}
	share := func(b *lowBattery) float64 { return b.newest.Value.Float() / b.limit }
	slices.SortStableFunc(list, func(a, b lowBattery) int { return cmp.Compare(share(&a), share(&b)) })
	return list[:min(limit, len(list))], len(list), nil
}

// batteryItem tells of a low battery of an online device.
func (s *server) batteryItem(ctx context.Context, b *lowBattery, sceneNames map[int64]string) wire.AttentionItem {
	limit := wire.AttentionLimit{Subconditions: wire.Operator(comparator.Below), Value: reading.Number(b.limit)}
	return wire.AttentionItem{
		Kind: wire.AttentionBattery, DeviceName: b.Name, NoteName: b.NoteName, GroupName: sceneNames[b.SceneID],
		OnlineState: boolInt(true), Identifier: &b.property.Identifier, Limit: &limit,
		Reading: s.wireReading(ctx, b.property, &b.newest),
	}
}
