package device

import (
	"context"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/change"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// SceneStatus says whether a scene takes new devices.
type SceneStatus int

// The states of a scene.
const (
	SceneUsable    SceneStatus = 1
	SceneForbidden SceneStatus = 2
)

// DefaultScene is the id of the default group: the devices in no scene.
const DefaultScene int64 = 0

// MaxScenesPerTenant is how many scenes a tenant may have: each is a group of the home page's list.
const MaxScenesPerTenant = 1000

// Scene is a place that a tenant's devices are grouped by.
type Scene struct {
	ID         int64
	Name       string
	Status     SceneStatus
	CreateTime int64 // epoch milliseconds
}

type sceneRow struct {
	bun.BaseModel `bun:"table:scenes,alias:s"`
	ID            int64 `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	Name          string
	FoldedName    string
	Status        SceneStatus
	CreateTime    int64
}

func (r *sceneRow) scene() Scene {
	return Scene{ID: r.ID, Name: r.Name, Status: r.Status, CreateTime: r.CreateTime}
}

// SceneRef names a tenant's scene.
type SceneRef struct {
	Tenant tenant.ID
	ID     int64
}

// SceneStore keeps scenes.
type SceneStore struct {
	db  *db.DB
	now func() time.Time

	// Changed tells of a scene that was created, changed or deleted, Deleted of one that was deleted.
	Changed, Deleted change.Kind[SceneRef]
}

// NewSceneStore makes a store; now is the server's clock.
func NewSceneStore(d *db.DB, now func() time.Time) *SceneStore { return &SceneStore{db: d, now: now} }

// List gives a tenant's scenes, ordered by name.
func (s *SceneStore) List(ctx context.Context, t tenant.ID) ([]Scene, error) {
	scenes, _, err := s.list(ctx, t, "", 0, 0)
	return scenes, err
}

// RequireOpen refuses a scene that is not the tenant's and one that takes no devices, naming groupId.
// DefaultScene passes.
func (s *SceneStore) RequireOpen(ctx context.Context, t tenant.ID, id int64) error {
	return wrap("find", requireOpenScene(ctx, s.db.Read(ctx), t, id))
}

// Page gives the tenant's scenes whose name contains search, in any case, ordered by name, and how
// many there are in all.
func (s *SceneStore) Page(
	ctx context.Context,
	t tenant.ID,
	search string,
	offset, limit int64,
) ([]Scene, int64, error) {
	return s.list(ctx, t, search, offset, limit)
}

func (s *SceneStore) list(
	ctx context.Context,
	t tenant.ID,
	search string,
	offset, limit int64,
) ([]Scene, int64, error) {
	var rows []sceneRow
	sel := s.db.Read(ctx).NewSelect().Model(&rows).Where("s.tenant_id = ?", t).OrderExpr("s.folded_name, s.id")
	if search != "" {
		sel.Where(`s.folded_name LIKE ? ESCAPE '\'`, text.ContainsPattern(search))
	}
	var total int64
	var err error
	if limit > 0 {
		total, err = sel.Offset(offset).Limit(limit).ScanAndCount(ctx)
	} else {
		err = sel.Scan(ctx)
	}
	scenes := make([]Scene, 0, len(rows))
	for i := range rows {
		scenes = append(scenes, rows[i].scene())
	}
	return scenes, total, wrap("list scenes", err)
}

// Get finds a tenant's scene by id.
func (s *SceneStore) Get(ctx context.Context, t tenant.ID, id int64) (*Scene, error) {
	return s.getWhere(ctx, t, "s.id = ?", id)
}

// ByName finds a tenant's scene by name, in any case.
func (s *SceneStore) ByName(ctx context.Context, t tenant.ID, name string) (*Scene, error) {
	return s.getWhere(ctx, t, "s.folded_name = ?", text.Fold(name))
}

func (s *SceneStore) getWhere(ctx context.Context, t tenant.ID, where string, arg any) (*Scene, error) {
	var r sceneRow
	if err := s.db.Read(ctx).NewSelect().Model(&r).Where("s.tenant_id = ?", t).Where(where, arg).Scan(ctx); err != nil {
		return nil, wrap("get scene", asNotFound(err))
	}
	scene := r.scene()
	return &scene, nil
}

// Create makes a scene and returns its id. A name that the tenant has already is a duplicate
// (db.IsDuplicate).
func (s *SceneStore) Create(ctx context.Context, t tenant.ID, name string, status SceneStatus) (int64, error) {
	r := sceneRow{TenantID: t, Name: name, FoldedName: text.Fold(name), Status: status, CreateTime: s.now().UnixMilli()}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		s.db.AfterCommit(ctx, func() { s.Changed.Tell(SceneRef{t, r.ID}) })
		_, err := tx.NewInsert().Model(&r).Exec(ctx)
		return err
	})
	return r.ID, wrap("create scene", err)
}

// CreateValidated makes a scene as a person names it and returns its id. It refuses (601) an
// invalid or taken name, an invalid state, and a scene beyond MaxScenesPerTenant.
func (s *SceneStore) CreateValidated(
	ctx context.Context,
	t tenant.ID,
	name string,
	status SceneStatus,
) (id int64, err error) {
	if name, err = validateScene(name, status); err != nil {
		return 0, err
	}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		n, err := tx.NewSelect().Model((*sceneRow)(nil)).Where("s.tenant_id = ?", t).Count(ctx)
		if err != nil {
			return err
		}
		if n >= MaxScenesPerTenant {
			return errs.New(errs.Refused, "scene.tooMany", "limit", strconv.Itoa(MaxScenesPerTenant))
		}
		id, err = s.Create(ctx, t, name, status)
		return asNameTaken(err)
	})
	return id, wrap("create scene", err)
}

// Update changes the name and the state of a tenant's scene. It refuses the same names and states
// as CreateValidated.
func (s *SceneStore) Update(ctx context.Context, t tenant.ID, id int64, name string, status SceneStatus) error {
	name, err := validateScene(name, status)
	if err != nil {
		return err
	}
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		s.db.AfterCommit(ctx, func() { s.Changed.Tell(SceneRef{t, id}) })
		res, err := tx.NewUpdate().Model((*sceneRow)(nil)).
			Set("name = ?", name).Set("folded_name = ?", text.Fold(name)).Set("status = ?", status).
			Where("s.tenant_id = ? AND s.id = ?", t, id).Exec(ctx)
		if err != nil {
			return asNameTaken(err)
		}
		n, err := res.RowsAffected()
		if err == nil && n == 0 {
			return errs.Missing()
		}
		return err
	})
	return wrap("update scene", err)
}

func validateScene(name string, status SceneStatus) (string, error) {
	name, err := tenant.ParseName(name, "groupName", "scene.nameRequired")
	switch {
	case err != nil:
		return "", err
	case status == 0:
		return "", errs.New(errs.Refused, "scene.statusRequired")
	case status != SceneUsable && status != SceneForbidden:
		return "", errs.New(errs.Refused, "invalid.choice").WithField("groupStatus")
	}
	return name, nil
}

func asNameTaken(err error) error {
	if db.IsDuplicate(err) {
		return errs.New(errs.Refused, "scene.nameTaken").WithField("groupName").WithCause(err)
	}
	return err
}

// Delete removes a tenant's scene; its devices move to the default group. The default group cannot
// be deleted.
func (s *SceneStore) Delete(ctx context.Context, t tenant.ID, id int64) error {
	if id == DefaultScene {
		return errs.New(errs.Refused, "scene.defaultStays")
	}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		res, err := tx.NewDelete().Model((*sceneRow)(nil)).Where("s.tenant_id = ? AND s.id = ?", t, id).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err == nil && n == 0 {
			return errs.Missing()
		}
		s.db.AfterCommit(ctx, func() {
			s.Deleted.Tell(SceneRef{t, id})
			s.Changed.Tell(SceneRef{t, id})
		})
		return err
	})
	return wrap("delete scene", err)
}
