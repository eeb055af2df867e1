package device

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/db"
	"tilth/internal/tenant"
	"tilth/internal/text"
)

// SceneStatus says whether a scene takes new devices.
type SceneStatus int

// The states of a scene.
const (
	SceneUsable    SceneStatus = 1
	SceneForbidden SceneStatus = 2
)

// DefaultScene is the id of the group of devices that stand in no scene.
const DefaultScene int64 = 0

// Scene is a place that a tenant's devices are grouped by.
type Scene struct {
	ID     int64
	Name   string
	Status SceneStatus
}

type sceneRow struct {
	bun.BaseModel `bun:"table:scenes"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	Name          string
	FoldedName    string
	Status        SceneStatus
	CreateTime    int64
}

// SceneStore keeps scenes.
type SceneStore struct {
	db  *db.DB
	now func() time.Time
}

// NewSceneStore makes a store; now is the server's clock.
func NewSceneStore(d *db.DB, now func() time.Time) *SceneStore { return &SceneStore{db: d, now: now} }

// List gives a tenant's scenes by name.
func (s *SceneStore) List(ctx context.Context, t tenant.ID) ([]Scene, error) {
	var rows []sceneRow
	err := s.db.Read(ctx).NewSelect().Model(&rows).Where("tenant_id = ?", t).OrderExpr("folded_name, id").Scan(ctx)
	scenes := make([]Scene, 0, len(rows))
	for _, r := range rows {
		scenes = append(scenes, Scene{ID: r.ID, Name: r.Name, Status: r.Status})
	}
	return scenes, err
}

// Get finds a tenant's scene by id.
func (s *SceneStore) Get(ctx context.Context, t tenant.ID, id int64) (*Scene, error) {
	return s.one(ctx, t, "id = ?", id)
}

// ByName finds a tenant's scene by name, in any case.
func (s *SceneStore) ByName(ctx context.Context, t tenant.ID, name string) (*Scene, error) {
	return s.one(ctx, t, "folded_name = ?", text.Fold(name))
}

func (s *SceneStore) one(ctx context.Context, t tenant.ID, where string, arg any) (*Scene, error) {
	var r sceneRow
	if err := s.db.Read(ctx).NewSelect().Model(&r).Where("tenant_id = ?", t).Where(where, arg).Scan(ctx); err != nil {
		return nil, missing(err)
	}
	return &Scene{ID: r.ID, Name: r.Name, Status: r.Status}, nil
}

// Create makes a scene and answers its id.
func (s *SceneStore) Create(ctx context.Context, t tenant.ID, name string, status SceneStatus) (int64, error) {
	r := sceneRow{TenantID: t, Name: name, FoldedName: text.Fold(name), Status: status, CreateTime: s.now().UnixMilli()}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewInsert().Model(&r).Exec(ctx)
		return err
	})
	return r.ID, err
}

// Delete removes a scene; its devices move to the default group.
func (s *SceneStore) Delete(ctx context.Context, t tenant.ID, id int64) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*sceneRow)(nil)).Where("tenant_id = ? AND id = ?", t, id).Exec(ctx)
		return err
	})
}
