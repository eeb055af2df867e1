package alarm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// MaxRulesPerTenant is how many rules a tenant may have, each counted once for each of its devices:
// twice as many as the benchmark (workshop alarm) runs.
const MaxRulesPerTenant = 20_000

// MaxRulesPerDevice is how many rules one device may have: each of its readings is evaluated by all
// of them. Additional rules from an earlier version stay and run.
const MaxRulesPerDevice = 200

type ruleRow struct {
	bun.BaseModel `bun:"table:alarm_rules,alias:r"`
	ID            RuleID `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	Revision      int64
	AlarmName     string
	FoldedName    string
	TriggerType   Trigger
	Conditions    string // JSON of a list of Condition
	HitCounts     int
	Durations     int64 // ms
	AlarmLevel    Level
	Period        string // JSON of Period
	ManualRelease bool
	AlarmDesc     string
	DeployState   DeployState
	DeployTime    int64
	DeployUser    string
	MuteUntil     int64
	RemindEvery   int // minutes
	CreateTime    int64
	UpdateTime    int64
}

type ruleChannelRow struct {
	bun.BaseModel `bun:"table:alarm_rule_channels,alias:c"`
	RuleID        RuleID
	ChannelID     int64
}

// RuleStore keeps alarm rules. Changes of a running rule, stopping and deleting go through the
// engine, whose transaction the store's methods join.
type RuleStore struct {
	db      *db.DB
	catalog *device.Catalog
	now     func() time.Time
	legacy  bool // a device may have any number of rules
}

// NewRuleStore makes a store; now is the server's clock.
func NewRuleStore(d *db.DB, c *device.Catalog, now func() time.Time) *RuleStore {
	return &RuleStore{db: d, catalog: c, now: now}
}

// NewLegacyRuleStore makes a store that gives a device any number of rules, as earlier versions
// did. Benchmarks create data folders of such versions with it.
func NewLegacyRuleStore(d *db.DB, c *device.Catalog, now func() time.Time) *RuleStore {
	return &RuleStore{db: d, catalog: c, now: now, legacy: true}
}

// Create stores a checked rule as a new one, which does not run, and returns its id. It refuses
// (601) a rule beyond MaxRulesPerTenant, and one that names a device with MaxRulesPerDevice rules.
// It leaves out a device of a scene or product that has that many.
func (s *RuleStore) Create(ctx context.Context, t tenant.ID, r *Rule) (RuleID, error) {
	ids, err := s.create(ctx, t, []*Rule{r})
	if err != nil {
		return 0, err
	}
	return ids[0], nil
}

// Copy gives each device a copy of r, in their order. No copy runs or is muted. Copy makes all
// copies or none.
func (s *RuleStore) Copy(ctx context.Context, t tenant.ID, r *Rule, devices []device.ID) ([]RuleID, error) {
	copies := make([]*Rule, len(devices))
	for i, d := range devices {
		one := *r
		one.Device, one.Targets = d, Targets{Devices: []device.ID{d}}
		copies[i] = &one
	}
	return s.create(ctx, t, copies)
}

func (s *RuleStore) create(ctx context.Context, t tenant.ID, rules []*Rule) (ids []RuleID, err error) {
	now := s.now().UnixMilli()
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if err := s.checkTenantLimit(ctx, tx, t, rules); err != nil {
			return err
		}
		for _, r := range rules {
			if err := s.checkDeviceLimit(ctx, tx, t, 0, r.effectiveTargets()); err != nil {
				return err
			}
			row, err := rowOf(t, r)
			if err != nil {
				return err
			}
			row.Revision, row.CreateTime, row.UpdateTime = 1, now, now
			if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
				return err
			}
			if err := s.putParts(ctx, tx, t, row.ID, r); err != nil {
				return err
			}
			ids = append(ids, row.ID)
		}
		_, err := s.updateMembers(ctx, tx, t, ids, true)
		return err
	})
	return ids, wrap("create rules", err)
}

// Update changes a tenant's rule of r's id to r, which was checked, as another revision, even where
// only recipients or period changed: a notice belongs to one wording of its rule. The deploy state
// with its time and the mute time stay.
func (s *RuleStore) Update(ctx context.Context, t tenant.ID, r *Rule) error {
	row, err := rowOf(t, r)
	if err != nil {
		return err
	}
	return wrap("update rule", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if err := s.checkDeviceLimit(ctx, tx, t, r.ID, r.effectiveTargets()); err != nil {
			return err
		}
		err := requireOneRow(tx.NewUpdate().Model(row).
			Column("alarm_name", "folded_name", "trigger_type", "conditions", "hit_counts", "durations",
				"alarm_level", "period", "manual_release", "alarm_desc", "remind_every").
			Set("revision = revision + 1").Set("update_time = ?", s.now().UnixMilli()).
			Where("r.tenant_id = ? AND r.id = ?", t, r.ID).Exec(ctx))
		if err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model((*ruleChannelRow)(nil)).Where("c.rule_id = ?", r.ID).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model((*targetRow)(nil)).Where("x.rule_id = ?", r.ID).Exec(ctx); err != nil {
			return err
		}
		if err := s.putParts(ctx, tx, t, r.ID, r); err != nil {
			return err
		}
		_, err = s.updateMembers(ctx, tx, t, []RuleID{r.ID}, true)
		return err
	}))
}

// putParts writes the targets and channels of a new or emptied rule.
func (s *RuleStore) putParts(ctx context.Context, tx bun.IDB, t tenant.ID, id RuleID, r *Rule) error {
	if err := putChannels(ctx, tx, t, id, r.Channels); err != nil {
		return err
	}
	return putTargets(ctx, tx, id, r.effectiveTargets())
}

// Publish makes a tenant's rule run, as another revision; user is the acting user's display name. A
// rule that runs already does not change. Publish refuses (601) a rule that has no device on which
// it can be evaluated.
func (s *RuleStore) Publish(ctx context.Context, t tenant.ID, id RuleID, user string) error {
	return s.deploy(ctx, t, id, Running, user, "r.deploy_state <> ?", Running)
}

// Unpublish stops a tenant's rule; user is the acting user's display name. A rule that does not run
// does not change.
func (s *RuleStore) Unpublish(ctx context.Context, t tenant.ID, id RuleID, user string) error {
	return s.deploy(ctx, t, id, TakenDown, user, "r.deploy_state = ?", Running)
}

func (s *RuleStore) deploy(
	ctx context.Context,
	t tenant.ID,
	id RuleID,
	to DeployState,
	user, from string,
	state DeployState,
) error {
	return wrap("change deploy state", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if found, err := tx.NewSelect().Model((*ruleRow)(nil)).Where("r.tenant_id = ? AND r.id = ?", t, id).
			Exists(ctx); err != nil {
			return err
		} else if !found {
			return errs.Missing()
		}
		res, err := tx.NewUpdate().Model((*ruleRow)(nil)).
			Set("revision = revision + 1").Set("deploy_state = ?", to).Set("deploy_time = ?", s.now().UnixMilli()).
			Set("deploy_user = ?", user).
			Where("r.tenant_id = ? AND r.id = ?", t, id).Where(from, state).Exec(ctx)
		if err != nil || to != Running {
			return err
		}
		if changed, err := res.RowsAffected(); err != nil || changed == 0 {
			return err
		}
		if _, err = s.updateMembers(ctx, tx, t, []RuleID{id}, true); err != nil {
			return err
		}
		return s.checkRunnable(ctx, tx, t, id)
	}))
}

// checkRunnable refuses (601) a tenant's rule that cannot be evaluated on any device: it has none,
// or their products lack a property of the rule.
func (s *RuleStore) checkRunnable(ctx context.Context, tx bun.IDB, t tenant.ID, id RuleID) error {
	fits, err := tx.NewSelect().Model((*memberRow)(nil)).
		Where("+m.tenant_id = ? AND m.rule_id = ? AND m.state <> ?", t, id, Misfit).Exists(ctx)
	if err != nil || fits {
		return err
	}
	card, err := s.Get(ctx, t, id)
	if err != nil {
		return err
	}
	if p := s.catalog.Product(card.ProductID); p != nil {
		if gone := AttributesGone(&card.Rule, p); len(gone) > 0 {
			return errs.New(errs.Refused, "rule.attributeGone", "value", gone[0])
		}
	}
	return errs.New(errs.Refused, "rule.noDevice")
}

// Delete removes a tenant's rule; its notices stay.
func (s *RuleStore) Delete(ctx context.Context, t tenant.ID, id RuleID) error {
	return wrap("delete rule", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		return requireOneRow(tx.NewDelete().Model((*ruleRow)(nil)).Where("r.tenant_id = ? AND r.id = ?", t, id).
			Exec(ctx))
	}))
}

// Mute suppresses notifications of a tenant's rule until a time, epoch ms; 0 ends that. The
// evaluation does not change.
func (s *RuleStore) Mute(ctx context.Context, t tenant.ID, id RuleID, until int64) error {
	return wrap("mute rule", s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		return requireOneRow(tx.NewUpdate().Model((*ruleRow)(nil)).Set("mute_until = ?", until).
			Where("r.tenant_id = ? AND r.id = ?", t, id).Exec(ctx))
	}))
}

// MutedUntil is until when notifications of a tenant's rule are suppressed, epoch ms. It is 0 where
// the rule is not muted or does not exist.
func (s *RuleStore) MutedUntil(ctx context.Context, t tenant.ID, id RuleID) (until int64, err error) {
	err = s.db.Read(ctx).NewSelect().Model((*ruleRow)(nil)).Column("mute_until").
		Where("r.tenant_id = ? AND r.id = ?", t, id).Scan(ctx, &until)
	if db.IsMissing(err) {
		return 0, nil
	}
	return until, wrap("read mute time", err)
}

// owned refuses devices, scenes and products that are not the tenant's, or no longer exist.
func owned(ctx context.Context, tx bun.IDB, t tenant.ID, named Targets) error {
	for _, one := range []struct {
		field, table string
		ids          []int64
	}{{"device", "devices", int64s(named.Devices)}, {"groups", "scenes", scenesOf(named)}} {
		if len(one.ids) == 0 {
			continue
		}
		n, err := tx.NewSelect().Table(one.table).Where("tenant_id = ? AND id IN (?)", t, bun.List(one.ids)).Count(ctx)
		if err != nil {
			return err
		}
		if int(n) != len(one.ids) {
			return errs.Missing().WithField(one.field)
		}
	}
	return nil
}

// scenesOf are the named scenes, without the default one, which every tenant has.
func scenesOf(t Targets) []int64 {
	return slices.DeleteFunc(slices.Clone(t.Scenes), func(id int64) bool { return id == device.DefaultScene })
}

func int64s(ids []device.ID) []int64 {
	list := make([]int64, len(ids))
	for i, id := range ids {
		list[i] = int64(id)
	}
	return list
}

// checkTenantLimit refuses new rules that would exceed the tenant's limit, each counted once for
// each of its named devices.
func (s *RuleStore) checkTenantLimit(ctx context.Context, tx bun.IDB, t tenant.ID, fresh []*Rule) error {
	rules, err := tx.NewSelect().Model((*ruleRow)(nil)).Where("r.tenant_id = ?", t).Count(ctx)
	if err != nil {
		return err
	}
	pairs, err := tx.NewSelect().Model((*memberRow)(nil)).Where("m.tenant_id = ? AND m.state = ?", t, Member).Count(ctx)
	if err != nil {
		return err
	}
	for _, r := range fresh {
		rules++
		pairs += int64(max(1, len(r.effectiveTargets().Devices)))
	}
	if max(rules, pairs) > MaxRulesPerTenant {
		return errs.New(errs.Refused, "rule.tooMany", "limit", strconv.Itoa(MaxRulesPerTenant))
	}
	return nil
}

// checkDeviceLimit is owned for the targets of a rule, and refuses a named device that has the
// maximum of rules already. The rule itself, id, does not count.
func (s *RuleStore) checkDeviceLimit(ctx context.Context, tx bun.IDB, t tenant.ID, id RuleID, named Targets) error {
	if err := owned(ctx, tx, t, named); err != nil || s.legacy || len(named.Devices) == 0 {
		return err
	}
	var full []string
	err := tx.NewSelect().TableExpr("devices AS d").
		ColumnExpr("CASE WHEN d.note_name = '' THEN d.name ELSE d.note_name END").
		Where("d.tenant_id = ? AND d.id IN (?)", t, bun.List(named.Devices)).
		Where(`(SELECT COUNT(*) FROM alarm_rule_devices AS m
			WHERE m.device_id = d.id AND m.state = ? AND m.rule_id <> ?) >= ?`, Member, id, MaxRulesPerDevice).
		Where(`NOT EXISTS (SELECT 1 FROM alarm_rule_devices AS m
			WHERE m.device_id = d.id AND m.rule_id = ? AND m.state = ?)`, id, Member).
		OrderExpr("d.id").Limit(1).Scan(ctx, &full)
	if err != nil || len(full) == 0 {
		return err
	}
	return errs.New(errs.Refused, "rule.tooManyOfDevice", "device", full[0], "limit", strconv.Itoa(MaxRulesPerDevice))
}

func rowOf(t tenant.ID, r *Rule) (*ruleRow, error) {
	conditions, err := json.Marshal(append([]Condition{}, r.Conditions...))
	if err != nil {
		return nil, err
	}
	period, err := json.Marshal(r.Period)
	if err != nil {
		return nil, err
	}
	return &ruleRow{
		TenantID: t, AlarmName: r.Name, FoldedName: text.Fold(r.Name), TriggerType: r.Trigger,
		Conditions: string(conditions), HitCounts: r.Hits, Durations: r.Window.Milliseconds(), AlarmLevel: r.Level,
		Period: string(period), ManualRelease: r.ManualRelease, AlarmDesc: r.Description,
		RemindEvery: int(r.RemindEvery / time.Minute),
	}, nil
}

func (r *ruleRow) rule() (Rule, error) {
	rule := Rule{
		ID:            r.ID,
		Tenant:        r.TenantID,
		Revision:      r.Revision,
		Name:          r.AlarmName,
		Trigger:       r.TriggerType,
		Hits:          r.HitCounts,
		Window:        time.Duration(r.Durations) * time.Millisecond,
		Level:         r.AlarmLevel,
		ManualRelease: r.ManualRelease,
		Description:   r.AlarmDesc,
		Deploy:        r.DeployState,
		DeployTime:    r.DeployTime,
		DeployUser:    r.DeployUser,
		MuteUntil:     r.MuteUntil,
		RemindEvery:   time.Duration(r.RemindEvery) * time.Minute,
		CreateTime:    r.CreateTime,
		UpdateTime:    r.UpdateTime,
	}
	if err := json.Unmarshal([]byte(r.Conditions), &rule.Conditions); err != nil {
		return rule, fmt.Errorf("alarm: conditions of rule %d: %w", r.ID, err)
	}
	if err := json.Unmarshal([]byte(r.Period), &rule.Period); err != nil {
		return rule, fmt.Errorf("alarm: period of rule %d: %w", r.ID, err)
	}
	return rule, nil
}

// putChannels writes the channels of a new or emptied rule. It refuses (601) a channel that was
// deleted since the rule was checked.
func putChannels(ctx context.Context, tx bun.IDB, t tenant.ID, id RuleID, channels []int64) error {
	if len(channels) == 0 {
		return nil
	}
	var found []int64
	err := tx.NewSelect().TableExpr("channels").Column("id").
		Where("tenant_id = ? AND id IN (?)", t, bun.List(channels)).Scan(ctx, &found)
	if err != nil {
		return err
	}
	rows := make([]ruleChannelRow, len(channels))
	for i, c := range channels {
		if !slices.Contains(found, c) {
			return errNoChannel(c)
		}
		rows[i] = ruleChannelRow{RuleID: id, ChannelID: c}
	}
	_, err = tx.NewInsert().Model(&rows).Exec(ctx)
	return err
}

// markTakenDown writes that the server stopped a rule; no user did.
func markTakenDown(ctx context.Context, d *db.DB, t tenant.ID, id RuleID, now int64) error {
	return d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*ruleRow)(nil)).
			Set("revision = revision + 1, deploy_state = ?, deploy_time = ?, deploy_user = ''", TakenDown, now).
			Where("r.tenant_id = ? AND r.id = ?", t, id).Exec(ctx)
		return err
	})
}
