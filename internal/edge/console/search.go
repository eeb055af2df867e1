package console

import (
	"context"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
)

// foundEach is how many things of a kind a search gives if the caller does not say.
const foundEach = 6

// GetSearchResult answers the devices, scenes, rules and notices of the caller's tenant whose names have a text
// in them.
func (s *server) GetSearchResult(
	ctx context.Context,
	r wire.GetSearchResultRequestObject,
) (wire.GetSearchResultResponseObject, error) {
	t, each := caller(ctx).Tenant, int64(foundEach)
	if r.Params.PageSize != nil {
		each = int64(*r.Params.PageSize)
	}
	wanted := trimmed(r.Params.Text)
	found := &wire.SearchResult{
		Devices: wire.FoundDevices{List: []wire.FoundDevice{}},
		Scenes:  wire.FoundScenes{List: []wire.FoundScene{}},
		Rules:   wire.FoundRules{List: []wire.FoundRule{}},
		Notices: wire.AlarmNoticePage{List: []wire.AlarmNotice{}},
	}
	if wanted == "" { // spaces alone
		return wire.GetSearchResult200JSONResponse{Code: success, Data: found}, nil
	}
	var err error
	if found.Devices, err = s.findDevices(ctx, t, wanted, each); err != nil {
		return nil, err
	}
	scenes, total, err := s.Scenes.Page(ctx, t, wanted, 0, each)
	if err != nil {
		return nil, err
	}
	for _, scene := range scenes {
		found.Scenes.List = append(found.Scenes.List, wire.FoundScene{Id: scene.ID, GroupName: scene.Name})
	}
	found.Scenes.Total = int(total)
	rules, total, _, err := s.Rules.Page(ctx, t, alarm.RuleQuery{Name: wanted, Limit: each})
	if err != nil {
		return nil, err
	}
	for i := range rules {
		rule := &rules[i]
		found.Rules.List = append(found.Rules.List, wire.FoundRule{
			Id: int64(rule.ID), AlarmName: rule.Name, AlarmLevel: int(rule.Level), DeployState: int(rule.Deploy),
		})
	}
	found.Rules.Total = int(total)
	notices, total, err := s.Notices.Page(ctx, t, alarm.NoticeQuery{Title: wanted, Limit: each})
	if err != nil {
		return nil, err
	}
	found.Notices = wire.AlarmNoticePage{List: wireNotices(notices), Total: int(total)}
	return wire.GetSearchResult200JSONResponse{Code: success, Data: found}, nil
}

func (s *server) findDevices(
	ctx context.Context,
	t tenant.ID,
	wanted string,
	most int64,
) (found wire.FoundDevices, err error) {
	devices, total, err := s.Roster.Page(ctx, t, device.Query{Search: wanted, Limit: most})
	if err != nil {
		return found, err
	}
	scenes, err := s.Scenes.List(ctx, t)
	if err != nil {
		return found, err
	}
	sceneNames := make(map[int64]string, len(scenes))
	for _, scene := range scenes {
		sceneNames[scene.ID] = scene.Name
	}
	found = wire.FoundDevices{List: make([]wire.FoundDevice, len(devices)), Total: int(total)}
	for i, d := range devices {
		found.List[i] = wire.FoundDevice{
			DeviceName:  d.Name,
			NoteName:    d.NoteName,
			GroupName:   sceneNames[d.SceneID],
			OnlineState: boolInt(s.Presence.Status(t, d.ID).Online),
		}
	}
	return found, nil
}
