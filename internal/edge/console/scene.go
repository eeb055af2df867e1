package console

import (
	"context"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
)

// CreateScene makes a scene and answers its id.
func (s *server) CreateScene(
	ctx context.Context,
	r wire.CreateSceneRequestObject,
) (wire.CreateSceneResponseObject, error) {
	t, id := caller(ctx).Tenant, int64(0)
	err := audit.Record(ctx, t, "scene.create", s.snapshotScene(t, &id), func(ctx context.Context) (err error) {
		id, err = s.Scenes.CreateValidated(ctx, t, deref(r.Body.GroupName), sceneStatus(r.Body.GroupStatus))
		return err
	})
	if err != nil {
		return nil, err
	}
	return wire.CreateScene200JSONResponse{Code: success, Data: &id}, nil
}

// UpdateScene renames a scene, or opens or closes it.
func (s *server) UpdateScene(
	ctx context.Context,
	r wire.UpdateSceneRequestObject,
) (wire.UpdateSceneResponseObject, error) {
	t := caller(ctx).Tenant
	err := audit.Record(ctx, t, "scene.update", s.snapshotScene(t, &r.Body.Id), func(ctx context.Context) error {
		return s.Scenes.Update(ctx, t, r.Body.Id, deref(r.Body.GroupName), sceneStatus(r.Body.GroupStatus))
	})
	if err != nil {
		return nil, err
	}
	return wire.UpdateScene200JSONResponse{Code: success, Data: new(true)}, nil
}

// DeleteScene removes a scene; its devices move to the default group.
func (s *server) DeleteScene(
	ctx context.Context,
	r wire.DeleteSceneRequestObject,
) (wire.DeleteSceneResponseObject, error) {
	t := caller(ctx).Tenant
	err := audit.Record(ctx, t, "scene.delete", s.snapshotScene(t, &r.Params.Id), func(ctx context.Context) error {
		return s.Scenes.Delete(ctx, t, r.Params.Id)
	})
	if db.IsReferenced(err) {
		return nil, s.sceneInUseError(ctx, t, r.Params.Id, err)
	}
	if err != nil {
		return nil, err
	}
	return wire.DeleteScene200JSONResponse{Code: success, Data: new(true)}, nil
}

// sceneInUseError says why a scene cannot be deleted: rules are for it.
func (s *server) sceneInUseError(ctx context.Context, t tenant.ID, scene int64, cause error) error {
	rules, err := s.Rules.UsageOfScene(ctx, t, scene, maxRulesInRefusal)
	if err != nil {
		return err
	}
	return errs.New(errs.Refused, "scene.inUse", "rules", ruleNames(requestFrom(ctx).Language, rules)).WithCause(cause)
}

// GetScene answers one scene.
func (s *server) GetScene(ctx context.Context, r wire.GetSceneRequestObject) (wire.GetSceneResponseObject, error) {
	t := caller(ctx).Tenant
	scene, err := s.Scenes.Get(ctx, t, r.Params.Id)
	if err != nil {
		return nil, err
	}
	groups, err := s.Roster.Groups(ctx, t, device.Query{Scene: &scene.ID}, 0, nil)
	if err != nil {
		return nil, err
	}
	shown := wireScene(*scene, groups)
	return wire.GetScene200JSONResponse{Code: success, Data: &shown}, nil
}

// PageScenes answers the scenes by name, page by page. The default group is not among them.
func (s *server) PageScenes(
	ctx context.Context,
	r wire.PageScenesRequestObject,
) (wire.PageScenesResponseObject, error) {
	t, q := caller(ctx).Tenant, pageQuery(r.Params.PageNo, r.Params.PageSize)
	scenes, total, err := s.Scenes.Page(ctx, t, trimmed(deref(r.Params.GroupName)), q.Offset, q.Limit)
	if err != nil {
		return nil, err
	}
	groups, err := s.Roster.Groups(ctx, t, device.Query{}, 0, nil)
	if err != nil {
		return nil, err
	}
	page := &wire.ScenePage{List: make([]wire.Scene, 0, len(scenes)), Total: int(total)}
	for _, scene := range scenes {
		page.List = append(page.List, wireScene(scene, groups))
	}
	return wire.PageScenes200JSONResponse{Code: success, Data: page}, nil
}

func wireScene(s device.Scene, groups map[int64]*device.Group) wire.Scene {
	w := wire.Scene{Id: s.ID, GroupName: s.Name, GroupStatus: int(s.Status), CreateTime: s.CreateTime}
	if g := groups[s.ID]; g != nil {
		w.DeviceCount, w.OnlineCount = g.Devices, g.Online
	}
	return w
}

// sceneStatus returns the status of a form; 0 if the form has none.
func sceneStatus(status *int) device.SceneStatus {
	if status == nil {
		return 0
	}
	return device.SceneStatus(*status)
}
