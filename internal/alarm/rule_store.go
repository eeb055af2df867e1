package alarm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/db"
	"tilth/internal/device"
	"tilth/internal/errs"
	"tilth/internal/tenant"
	"tilth/internal/text"
)

// RulesATenant is how many rules a tenant may have: twice what an installation
// is measured with (tilth bench alarm).
const RulesATenant = 20_000

// RulesADevice is how many rules of one device may be made: all of them judge
// each of its readings. Rules beyond, of an earlier version, stay and run.
const RulesADevice = 200

type ruleRow struct {
	bun.BaseModel `bun:"table:alarm_rules,alias:r"`
	ID            RuleID `bun:",pk,autoincrement"`
	TenantID      tenant.ID
	Revision      int64
	AlarmName     string
	FoldedName    string
	DeviceID      device.ID
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

// RuleStore keeps alarm rules. Changing one that runs, stopping and deleting
// it go through the engine, whose transaction the store's methods join.
type RuleStore struct {
	db    *db.DB
	now   func() time.Time
	older bool // a device may have any number of rules
}

// NewRuleStore makes a store; now is the server's clock.
func NewRuleStore(d *db.DB, now func() time.Time) *RuleStore { return &RuleStore{db: d, now: now} }

// NewOlderRuleStore makes a store that gives a device any number of rules, as
// those of earlier versions did: for folders that are measured as such a version
// has left them.
func NewOlderRuleStore(d *db.DB, now func() time.Time) *RuleStore {
	return &RuleStore{db: d, now: now, older: true}
}

// Create keeps a rule that was checked as a new one, which does not run, and
// answers its id. A tenant has at most RulesATenant, a device RulesADevice (601).
func (s *RuleStore) Create(ctx context.Context, t tenant.ID, r *Rule) (RuleID, error) {
	ids, err := s.create(ctx, t, []*Rule{r})
	if err != nil {
		return 0, err
	}
	return ids[0], nil
}

// Copy gives each device a rule like r, in their order; none of them runs or is
// muted. All or none.
func (s *RuleStore) Copy(ctx context.Context, t tenant.ID, r *Rule, devices []device.ID) ([]RuleID, error) {
	copies := make([]*Rule, len(devices))
	for i, d := range devices {
		one := *r
		one.Device = d
		copies[i] = &one
	}
	return s.create(ctx, t, copies)
}

func (s *RuleStore) create(ctx context.Context, t tenant.ID, rules []*Rule) (ids []RuleID, err error) {
	now := s.now().UnixMilli()
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		n, err := tx.NewSelect().Model((*ruleRow)(nil)).Where("r.tenant_id = ?", t).Count(ctx)
		if err != nil {
			return err
		}
		if int(n)+len(rules) > RulesATenant {
			return errs.New(errs.Refused, "rule.tooMany", "limit", strconv.Itoa(RulesATenant))
		}
		for _, r := range rules {
			if err := s.roomFor(ctx, tx, t, r); err != nil {
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
			if err := putChannels(ctx, tx, t, row.ID, r.Channels); err != nil {
				return err
			}
			ids = append(ids, row.ID)
		}
		return nil
	})
	return ids, err
}

// Update changes a tenant's rule of r's id to r, which was checked, as another
// revision, whatever changed, whom it tells and when included: a notice belongs
// to one wording of its rule. Whether it runs and since when, and until when it is muted, stay.
func (s *RuleStore) Update(ctx context.Context, t tenant.ID, r *Rule) error {
	row, err := rowOf(t, r)
	if err != nil {
		return err
	}
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if err := s.roomFor(ctx, tx, t, r); err != nil {
			return err
		}
		err := changedOne(tx.NewUpdate().Model(row).
			Column("alarm_name", "folded_name", "device_id", "trigger_type", "conditions", "hit_counts", "durations", "alarm_level", "period", "manual_release", "alarm_desc", "remind_every").
			Set("revision = revision + 1").Set("update_time = ?", s.now().UnixMilli()).
			Where("r.tenant_id = ? AND r.id = ?", t, r.ID).Exec(ctx))
		if err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model((*ruleChannelRow)(nil)).Where("c.rule_id = ?", r.ID).Exec(ctx); err != nil {
			return err
		}
		return putChannels(ctx, tx, t, r.ID, r.Channels)
	})
}

// Publish makes a tenant's rule run, as another revision; user is who does, as
// people call them. Of one that runs already nothing changes.
func (s *RuleStore) Publish(ctx context.Context, t tenant.ID, id RuleID, user string) error {
	return s.deploy(ctx, t, id, Running, user, "r.deploy_state <> ?", Running)
}

// Unpublish stops a tenant's rule; user is who does, as people call them. Of
// one that does not run nothing changes.
func (s *RuleStore) Unpublish(ctx context.Context, t tenant.ID, id RuleID, user string) error {
	return s.deploy(ctx, t, id, TakenDown, user, "r.deploy_state = ?", Running)
}

func (s *RuleStore) deploy(ctx context.Context, t tenant.ID, id RuleID, to DeployState, user, from string, state DeployState) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		if there, err := tx.NewSelect().Model((*ruleRow)(nil)).Where("r.tenant_id = ? AND r.id = ?", t, id).Exists(ctx); err != nil {
			return err
		} else if !there {
			return errs.Missing()
		}
		_, err := tx.NewUpdate().Model((*ruleRow)(nil)).
			Set("revision = revision + 1").Set("deploy_state = ?", to).Set("deploy_time = ?", s.now().UnixMilli()).Set("deploy_user = ?", user).
			Where("r.tenant_id = ? AND r.id = ?", t, id).Where(from, state).Exec(ctx)
		return err
	})
}

// Delete removes a tenant's rule; its notices stay.
func (s *RuleStore) Delete(ctx context.Context, t tenant.ID, id RuleID) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		return changedOne(tx.NewDelete().Model((*ruleRow)(nil)).Where("r.tenant_id = ? AND r.id = ?", t, id).Exec(ctx))
	})
}

// Mute lets nobody be told of the notices of a tenant's rule until then, epoch
// ms; 0 ends it. What is judged stays the same.
func (s *RuleStore) Mute(ctx context.Context, t tenant.ID, id RuleID, until int64) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		return changedOne(tx.NewUpdate().Model((*ruleRow)(nil)).Set("mute_until = ?", until).
			Where("r.tenant_id = ? AND r.id = ?", t, id).Exec(ctx))
	})
}

// MutedUntil is until when nobody is told of the notices of a tenant's rule,
// epoch ms; 0 where it is not muted, or not there.
func (s *RuleStore) MutedUntil(ctx context.Context, t tenant.ID, id RuleID) (until int64, err error) {
	err = s.db.Read(ctx).NewSelect().Model((*ruleRow)(nil)).Column("mute_until").Where("r.tenant_id = ? AND r.id = ?", t, id).Scan(ctx, &until)
	if db.IsMissing(err) {
		return 0, nil
	}
	return until, err
}

// owned refuses a device that is not the tenant's, or not any more.
func owned(ctx context.Context, tx bun.IDB, t tenant.ID, id device.ID) error {
	ok, err := tx.NewSelect().TableExpr("devices").Where("tenant_id = ? AND id = ?", t, id).Exists(ctx)
	if err == nil && !ok {
		return errs.Missing().About("device")
	}
	return err
}

// roomFor is owned of a rule's device, which may also have as many rules already
// as it can get; the rule itself is none of them.
func (s *RuleStore) roomFor(ctx context.Context, tx bun.IDB, t tenant.ID, r *Rule) error {
	if err := owned(ctx, tx, t, r.Device); err != nil || s.older {
		return err
	}
	its, err := tx.NewSelect().Model((*ruleRow)(nil)).Column("id").Where("r.tenant_id = ? AND r.device_id = ? AND r.id = ?", t, r.Device, r.ID).Exists(ctx)
	if err != nil || its {
		return err
	}
	others, err := tx.NewSelect().Model((*ruleRow)(nil)).Where("r.tenant_id = ? AND r.device_id = ?", t, r.Device).Count(ctx)
	if err != nil || others < RulesADevice {
		return err
	}
	var title string
	err = tx.NewSelect().TableExpr("devices").ColumnExpr("CASE WHEN note_name = '' THEN name ELSE note_name END").
		Where("tenant_id = ? AND id = ?", t, r.Device).Scan(ctx, &title)
	if err != nil {
		return err
	}
	return errs.New(errs.Refused, "rule.tooManyOfDevice", "device", title, "limit", strconv.Itoa(RulesADevice))
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
		TenantID: t, AlarmName: r.Name, FoldedName: text.Fold(r.Name), DeviceID: r.Device, TriggerType: r.Trigger,
		Conditions: string(conditions), HitCounts: r.Hits, Durations: r.Window.Milliseconds(), AlarmLevel: r.Level,
		Period: string(period), ManualRelease: r.ByHand, AlarmDesc: r.Description,
		RemindEvery: int(r.RemindEvery / time.Minute),
	}, nil
}

func (r *ruleRow) rule() (Rule, error) {
	rule := Rule{
		ID: r.ID, Tenant: r.TenantID, Revision: r.Revision, Name: r.AlarmName, Device: r.DeviceID, Trigger: r.TriggerType,
		Hits: r.HitCounts, Window: time.Duration(r.Durations) * time.Millisecond, Level: r.AlarmLevel, ByHand: r.ManualRelease,
		Description: r.AlarmDesc, Deploy: r.DeployState, DeployTime: r.DeployTime, DeployUser: r.DeployUser, MuteUntil: r.MuteUntil,
		RemindEvery: time.Duration(r.RemindEvery) * time.Minute, CreateTime: r.CreateTime, UpdateTime: r.UpdateTime,
	}
	if err := json.Unmarshal([]byte(r.Conditions), &rule.Conditions); err != nil {
		return rule, fmt.Errorf("alarm: conditions of rule %d: %w", r.ID, err)
	}
	if err := json.Unmarshal([]byte(r.Period), &rule.Period); err != nil {
		return rule, fmt.Errorf("alarm: period of rule %d: %w", r.ID, err)
	}
	return rule, nil
}

// putChannels writes whom a new or emptied rule tells. A channel may have gone
// since the rule was checked (601).
func putChannels(ctx context.Context, tx bun.IDB, t tenant.ID, id RuleID, channels []int64) error {
	if len(channels) == 0 {
		return nil
	}
	var there []int64
	err := tx.NewSelect().TableExpr("channels").Column("id").Where("tenant_id = ? AND id IN (?)", t, bun.List(channels)).Scan(ctx, &there)
	if err != nil {
		return err
	}
	rows := make([]ruleChannelRow, len(channels))
	for i, c := range channels {
		if !slices.Contains(there, c) {
			return noChannel(c)
		}
		rows[i] = ruleChannelRow{RuleID: id, ChannelID: c}
	}
	_, err = tx.NewInsert().Model(&rows).Exec(ctx)
	return err
}
