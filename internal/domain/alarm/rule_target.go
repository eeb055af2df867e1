package alarm

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// targetsAtMost is how many devices, scenes and products together a rule can name.
const targetsAtMost = 400

// Targets are what a rule names: devices, and scenes and products whose devices, now and later, are
// the rule's. Each list is in the order that the user gave.
type Targets struct {
	Devices  []device.ID
	Scenes   []int64 // device.DefaultScene: the devices of no scene
	Products []int64
}

// count is the number of targets.
func (t Targets) count() int { return len(t.Devices) + len(t.Scenes) + len(t.Products) }

// SingleDevice tells whether the only target is one device.
func (t Targets) SingleDevice() bool { return len(t.Devices) == 1 && t.count() == 1 }

// effectiveTargets are the rule's targets; of a rule without targets, its device.
func (r *Rule) effectiveTargets() Targets {
	if r.Targets.count() == 0 {
		return Targets{Devices: []device.ID{r.Device}}
	}
	return r.Targets
}

// targetRow is one target of a rule; a row without any id is the default scene.
type targetRow struct {
	bun.BaseModel `bun:"table:alarm_rule_targets,alias:x"`
	RuleID        RuleID
	Place         int
	DeviceID      *device.ID
	SceneID       *int64
	ProductID     *int64
}

// putTargets writes the targets of a new or emptied rule.
func putTargets(ctx context.Context, tx bun.IDB, id RuleID, t Targets) error {
	rows := make([]targetRow, 0, t.count())
	put := func(row targetRow) {
		row.RuleID, row.Place = id, len(rows)
		rows = append(rows, row)
	}
	for _, d := range t.Devices {
		put(targetRow{DeviceID: &d})
	}
	for _, s := range t.Scenes {
		if s == device.DefaultScene {
			put(targetRow{})
			continue
		}
		put(targetRow{SceneID: &s})
	}
	for _, p := range t.Products {
		put(targetRow{ProductID: &p})
	}
	_, err := tx.NewInsert().Model(&rows).Exec(ctx)
	return err
}

func (t *Targets) add(row *targetRow) {
	switch {
	case row.DeviceID != nil:
		t.Devices = append(t.Devices, *row.DeviceID)
	case row.SceneID != nil:
		t.Scenes = append(t.Scenes, *row.SceneID)
	case row.ProductID != nil:
		t.Products = append(t.Products, *row.ProductID)
	default:
		t.Scenes = append(t.Scenes, device.DefaultScene)
	}
}

// targetsOf reads the targets of a tenant's rules.
func (s *RuleStore) targetsOf(ctx context.Context, t tenant.ID, ids []RuleID) (map[RuleID]*Targets, error) {
	by := make(map[RuleID]*Targets, len(ids))
	var rows []targetRow
	err := s.db.Read(ctx).NewSelect().Model(&rows).Join("JOIN alarm_rules AS r ON r.id = x.rule_id").
		Where("r.tenant_id = ? AND x.rule_id IN (?)", t, bun.List(ids)).OrderExpr("x.rule_id, x.place").Scan(ctx)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		of := by[rows[i].RuleID]
		if of == nil {
			of = &Targets{}
			by[rows[i].RuleID] = of
		}
		of.add(&rows[i])
	}
	return by, nil
}

// UsageOfScene gives the names of a tenant's rules that name a scene, the newest first, at most
// names of them, and their total number.
func (s *RuleStore) UsageOfScene(ctx context.Context, t tenant.ID, scene int64, names int) (RuleUsage, error) {
	var usage RuleUsage
	n, err := s.db.Read(ctx).NewSelect().Model((*ruleRow)(nil)).Column("r.alarm_name").
		Where("r.tenant_id = ? AND r.id IN (SELECT x.rule_id FROM alarm_rule_targets AS x WHERE x.scene_id = ?)", t,
			scene).
		OrderExpr("r.create_time DESC, r.id DESC").Limit(int64(max(1, names))).ScanAndCount(ctx, &usage.Names)
	usage.Count = int(n)
	return usage, wrap("read rules of scene", err)
}

// ForgetDevice takes a tenant's device, which is about to be deleted, out of its rules. It deletes
// the rules that name no other target.
func (s *RuleStore) ForgetDevice(ctx context.Context, t tenant.ID, id device.ID) error {
	return wrap("remove device from rules", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*ruleRow)(nil)).Where("r.tenant_id = ?", t).
			Where("r.id IN (SELECT x.rule_id FROM alarm_rule_targets AS x WHERE x.device_id = ?)", id).
			Where(
				"NOT EXISTS (SELECT 1 FROM alarm_rule_targets AS o WHERE o.rule_id = r.id AND (o.device_id IS NULL OR o.device_id <> ?))",
				id,
			).
			Exec(ctx)
		return err
	}))
}

// Clear removes all rules of a tenant that is being removed.
func (s *RuleStore) Clear(ctx context.Context, t tenant.ID) error {
	return wrap("remove rules", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewDelete().Model((*ruleRow)(nil)).Where("r.tenant_id = ?", t).Exec(ctx)
		return err
	}))
}
