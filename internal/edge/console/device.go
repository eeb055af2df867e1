package console

import (
	"context"
	"math"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
)

// maxGroupDevices is how many devices of a group one answer lists.
const maxGroupDevices = 100

// GetDevicePage answers devices of the tenant, page by page.
func (s *server) GetDevicePage(
	ctx context.Context,
	r wire.GetDevicePageRequestObject,
) (wire.GetDevicePageResponseObject, error) {
	p := r.Params
	q := pageQuery(p.PageNo, p.PageSize)
	q.Scene = p.GroupId
	if p.DeviceName != nil {
		q.Search = trimmed(*p.DeviceName)
	}
	if p.ExecutionId != nil {
		q.Names = *p.ExecutionId
	}
	if p.ProductId != nil {
		q.ProductID = *p.ProductId
	}
	if p.OnlineState != nil {
		online := *p.OnlineState == 1
		q.Online = &online
	}
	if p.Sort != nil {
		q.Sort = device.Sort(*p.Sort)
	}
	q.Number = s.stateNumber(ctx, q.Sort)
	if p.SortSign != nil {
		q.Number = s.latestNumber(ctx, caller(ctx).Tenant, trimmed(*p.SortSign))
	}
	q.Language = requestFrom(ctx).Language
	q.Descending = p.Descending != nil && *p.Descending
	if err := s.onlyCopyTargets(ctx, &q, p.TakesRule); err != nil {
		return nil, err
	}
	page, err := s.devicePage(ctx, q, (*deviceView).device)
	if err != nil {
		return nil, err
	}
	return wire.GetDevicePage200JSONResponse{Code: success, Data: page}, nil
}

// GetDevicesByNames answers the devices of the given names, page by page, with the contents of
// their cards.
func (s *server) GetDevicesByNames(
	ctx context.Context,
	r wire.GetDevicesByNamesRequestObject,
) (wire.GetDevicesByNamesResponseObject, error) {
	q := pageQuery(r.Params.PageNo, r.Params.PageSize)
	if r.Params.DeviceNames != nil {
		q.Names = *r.Params.DeviceNames
	}
	page, err := s.devicePage(ctx, q, (*deviceView).card)
	if err != nil {
		return nil, err
	}
	return wire.GetDevicesByNames200JSONResponse{Code: success, Data: page}, nil
}

// GetGroupDeviceList answers groups with their first devices.
func (s *server) GetGroupDeviceList(
	ctx context.Context,
	r wire.GetGroupDeviceListRequestObject,
) (wire.GetGroupDeviceListResponseObject, error) {
	t := caller(ctx).Tenant
	view, err := s.newDeviceView(ctx, t)
	if err != nil {
		return nil, err
	}
	q := device.Query{Scene: r.Params.GroupId}
	if r.Params.DeviceName != nil {
		q.Search = trimmed(*r.Params.DeviceName)
	}
	if err := s.onlyCopyTargets(ctx, &q, r.Params.TakesRule); err != nil {
		return nil, err
	}
	figures := s.newFigures(t)
	groupsByScene, err := s.Roster.Groups(ctx, t, q, maxGroupDevices, func(scene int64, id device.ID, product int64) {
		figures.add(ctx, scene, id, product)
	})
	if err != nil {
		return nil, err
	}
	if id := r.Params.GroupId; id != nil && !view.hasScene(*id) {
		return nil, errs.Missing()
	}
	groups := []wire.Group{}
	scenes := append([]device.Scene{{ID: device.DefaultScene, Status: device.SceneUsable}}, view.scenes...)
	for _, scene := range scenes {
		if r.Params.GroupId != nil && *r.Params.GroupId != scene.ID {
			continue
		}
		g := groupsByScene[scene.ID]
		if g == nil {
			g = &device.Group{}
		}
		groups = append(groups, wire.Group{
			Id: scene.ID, GroupName: scene.Name, GroupStatus: int(scene.Status),
			DeviceCount: g.Devices, OnlineCount: g.Online,
			Figures: figures.of(requestFrom(ctx).Language, scene.ID), DeviceList: view.list(ctx, g.First),
		})
	}
	return wire.GetGroupDeviceList200JSONResponse{Code: success, Data: &groups}, nil
}

// onlyCopyTargets narrows q to the devices to which a rule can be copied; without a rule it leaves q as
// it is.
func (s *server) onlyCopyTargets(ctx context.Context, q *device.Query, rule *int64) error {
	if rule == nil {
		return nil
	}
	card, err := s.Rules.Get(ctx, caller(ctx).Tenant, alarm.RuleID(*rule))
	if err != nil {
		return err
	}
	q.Products, q.Except = s.RuleForms.FittingProducts(&card.Rule), card.DeviceName
	return nil
}

func (s *server) devicePage(
	ctx context.Context,
	q device.Query,
	write func(*deviceView, context.Context, *device.Device) wire.Device,
) (*wire.DevicePage, error) {
	t := caller(ctx).Tenant
	view, err := s.newDeviceView(ctx, t)
	if err != nil {
		return nil, err
	}
	devices, total, err := s.Roster.Page(ctx, t, q)
	if err != nil {
		return nil, err
	}
	page := &wire.DevicePage{List: make([]wire.Device, len(devices)), Total: int(total)}
	for i, d := range devices {
		page.List[i] = write(view, ctx, d)
	}
	return page, nil
}

func pageQuery(pageNo, pageSize *int) device.Query {
	no, size := 1, 10
	if pageNo != nil {
		no = min(*pageNo, math.MaxInt32) // far beyond any list, and without overflow
	}
	if pageSize != nil {
		size = *pageSize
	}
	return device.Query{Offset: int64(no-1) * int64(size), Limit: int64(size)}
}

// deviceView writes devices as the wire has them, with everything that a list, a card or a marker
// needs.
type deviceView struct {
	server     *server
	tenant     tenant.ID
	scenes     []device.Scene
	sceneNames map[int64]string
	openAlarms map[device.ID]alarm.OpenSummary
}

func (s *server) newDeviceView(ctx context.Context, t tenant.ID) (*deviceView, error) {
	scenes, err := s.Scenes.List(ctx, t)
	if err != nil {
		return nil, err
	}
	open, err := s.Notices.OpenByDevice(ctx, t)
	if err != nil {
		return nil, err
	}
	names := make(map[int64]string, len(scenes))
	for _, sc := range scenes {
		names[sc.ID] = sc.Name
	}
	return &deviceView{server: s, tenant: t, scenes: scenes, sceneNames: names, openAlarms: open}, nil
}

// hasScene tells whether the tenant has a scene of that id; the default group always exists.
func (v *deviceView) hasScene(id int64) bool {
	_, there := v.sceneNames[id]
	return there || id == device.DefaultScene
}

func (v *deviceView) list(ctx context.Context, devices []*device.Device) []wire.Device {
	list := make([]wire.Device, 0, len(devices))
	for _, d := range devices {
		list = append(list, v.device(ctx, d))
	}
	return list
}

func (v *deviceView) device(ctx context.Context, d *device.Device) wire.Device {
	status := v.server.Presence.Status(v.tenant, d.ID)
	w := wire.Device{
		Id: int64(d.ID), DeviceName: d.Name, GroupId: d.SceneID, GroupName: v.sceneNames[d.SceneID],
		OnlineState: boolInt(status.Online), State: boolInt(!status.Online || d.Disabled),
		CreateTime: d.CreateTime, OnlineTime: omitZero(status.OnlineTime), OfflineTime: omitZero(status.OfflineTime),
		LastContact: omitZero(status.LastContact), Type: 1, LastData: []wire.Latest{},
	}
	writePlainFields(&w, d)
	if open, found := v.openAlarms[d.ID]; found {
		w.OpenAlarms, w.AlarmLevel = &open.Count, new(int(open.Level))
	}
	if d.IsVideo() {
		kind := string(d.Video(v.server.Catalog.Product(d.ProductID)).Kind)
		w.Type, w.VideoKind = 2, &kind
	}
	if p := v.server.Catalog.Product(d.ProductID); p != nil {
		w.ProductId, w.ProductName, w.Product = p.ID, p.DisplayName(requestFrom(ctx).Language), p.Name
		w.OfflineAfter = p.OfflineAfter.Milliseconds()
		w.MainSign = mainSign(p)
		if main := p.Main(); main != nil && v.server.Catalog.Housekeeping(main) {
			w.MainHousekeeping = new(true)
		}
		w.BatterySign, w.SignalSign = identifierOf(
			v.server.Catalog.Battery(p),
		), identifierOf(
			v.server.Catalog.Signal(p),
		)
		if latest := v.server.latest(ctx, v.tenant, d.ID, p); len(latest) > 0 {
			w.LastData = append(w.LastData, latest)
		}
	}
	return w
}

// card returns a device with the further contents of its card: a camera's picture, or a sensor's
// readings with the names and icons of their elements.
func (v *deviceView) card(ctx context.Context, d *device.Device) wire.Device {
	w := v.device(ctx, d)
	switch {
	case d.IsVideo():
		w.VideoObj = v.server.video(d, v.server.Catalog.Product(d.ProductID))
	case len(w.LastData) > 0:
		w.SignDataObj = v.server.signData(w.LastData[0])
	}
	return w
}

// signData returns readings with the catalogue entries of their elements.
func (s *server) signData(latest wire.Latest) *wire.SignData {
	by := make(wire.SignData, len(latest))
	for identifier, r := range latest {
		one := wire.SignReading{
			Value:     r.Value,
			Time:      r.Time,
			Unit:      r.Unit,
			Name:      r.Name,
			YeuName:   r.Name,
			Precision: r.Precision,
		}
		if e := s.Catalog.Element(identifier); e != nil {
			one.YeuUrl = e.YeuURL
		}
		by[identifier] = one
	}
	return &by
}

// mainSign returns the identifier of the property that is shown first of a product; empty if it has
// no property.
func mainSign(p *device.Product) string {
	if main := p.Main(); main != nil {
		return main.Identifier
	}
	return ""
}

// GetProductSimpleList answers every product's id, name and main property, and how many of the
// tenant's devices are of it.
func (s *server) GetProductSimpleList(
	ctx context.Context,
	_ wire.GetProductSimpleListRequestObject,
) (wire.GetProductSimpleListResponseObject, error) {
	counts, err := s.Roster.CountByProduct(ctx, caller(ctx).Tenant)
	if err != nil {
		return nil, err
	}
	list := []wire.ProductName{}
	l := requestFrom(ctx).Language
	for _, p := range s.Catalog.ProductsByDisplayName(l) {
		list = append(list, wire.ProductName{
			Id: p.ID, ProductName: p.DisplayName(l), MainSign: mainSign(p), DeviceCount: counts[p.ID],
		})
	}
	return wire.GetProductSimpleList200JSONResponse{Code: success, Data: &list}, nil
}
