package alarm_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/comparator"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// newFullRule has everything that a rule can have, including two channels of its own.
func newFullRule(t testing.TB, s *testkit.Stores, d *device.Device) alarm.Rule {
	t.Helper()
	return alarm.Rule{
		Name:    "Zirai İlk Don",
		Device:  d.ID,
		Targets: alarm.Targets{Devices: []device.ID{d.ID}},
		Trigger: alarm.AttributeChange,
		Hits:    3,
		Window:  10 * time.Minute,
		Level:   alarm.LevelSerious,
		Conditions: []alarm.Condition{
			{
				Join:      "and",
				Attribute: "airTemperature",
				Operator:  comparator.Below,
				Value:     reading.Number(2),
				Recovery:  new(2.5),
			},
			{Join: "or", Attribute: "heating", Operator: comparator.NotEqual, Value: reading.Boolean(true)},
			{Join: "and", Attribute: "note", Operator: comparator.Equal, Value: reading.Text("\"wet\" = 1")},
		},
		Channels: []int64{
			s.Channel(t, d.Tenant, "Staff").ID,
			s.Channel(t, d.Tenant, "Owner").ID,
		},
		RemindEvery: 15 * time.Minute,
		Period: alertmsg.Period{
			Slots:    []int{0, 1, 47},
			Weekdays: []int{1, 7},
		},
		ManualRelease: true,
		Description:   "two\nlines",
	}
}

// kept is a rule as the store has it, without the fields that a list adds.
func kept(t *testing.T, s *testkit.Stores, owner tenant.ID, id alarm.RuleID) alarm.Rule {
	t.Helper()
	c, err := s.Rules.Get(t.Context(), owner, id)
	if err != nil {
		t.Fatal(err)
	}
	return c.Rule
}

func TestRuleComesBackAsItWas(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	ws := s.Device(t, field.ID, s.Station(t), "WS-1", func(d *device.Device) { d.NoteName = "Mast" })
	want := newFullRule(t, s, ws)
	made := s.Clock.Milli()
	id, err := s.Rules.Create(t.Context(), field.ID, &want)
	if err != nil {
		t.Fatal(err)
	}
	want.ID, want.Tenant, want.Revision, want.CreateTime, want.UpdateTime = id, field.ID, 1, made, made
	card, err := s.Rules.Get(t.Context(), field.ID, id)
	if err != nil || !reflect.DeepEqual(*card, alarm.RuleCard{Rule: want, DeviceName: "WS-1", NoteName: "Mast",
		ProductID: ws.ProductID, Named: []string{"WS-1"}, Members: 1}) {
		t.Errorf("%+v (%v)\nwant %+v", card, err, want)
	}
	if rules, err := s.Rules.Rules(t.Context(), field.ID, []alarm.RuleID{id, 99, id}); err != nil ||
		!reflect.DeepEqual(rules, []alarm.Rule{want}) {
		t.Errorf("%+v %v", rules, err)
	}

	// An update changes every field that people fill in, and makes a revision.
	s.Clock.Advance(time.Hour)
	next := alarm.Rule{
		ID:       id,
		Name:     "Gone",
		Device:   ws.ID,
		Targets:  want.Targets,
		Trigger:  alarm.DeviceOffline,
		Hits:     1,
		Window:   time.Minute,
		Channels: []int64{want.Channels[1], s.Channel(t, field.ID, "Vet").ID},
	}
	if err := s.Rules.Update(t.Context(), field.ID, &next); err != nil {
		t.Fatal(err)
	}
	next.Tenant, next.Revision, next.CreateTime, next.UpdateTime, next.Conditions = field.ID, 2, made,
		s.Clock.Milli(), []alarm.Condition{}
	if got := kept(t, s, field.ID, id); !reflect.DeepEqual(got, next) {
		t.Errorf("%+v\nwant %+v", got, next)
	}
	if err := s.Rules.Delete(t.Context(), field.ID, id); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Rules.Get(t.Context(), field.ID, id); !errs.Is(err, errs.NotFound) {
		t.Errorf("%v", err)
	}
	if n := count(t, s, "alarm_rule_channels"); n != 0 {
		t.Errorf("%d channels of a deleted rule", n)
	}
}

func count(t *testing.T, s *testkit.Stores, table string) (n int) {
	t.Helper()
	if err := s.DB.Read(t.Context()).NewRaw("SELECT COUNT(*) FROM ?", bun.Ident(table)).
		Scan(t.Context(), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Publishing twice equals publishing once. The rule says who did it last and when, and each real
// change makes a revision.
func TestDeploy(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	rule := newFullRule(t, s, s.Device(t, field.ID, s.Station(t), "WS-1"))
	id, err := s.Rules.Create(t.Context(), field.ID, &rule)
	if err != nil {
		t.Fatal(err)
	}
	step := func(do func(context.Context, tenant.ID, alarm.RuleID, string) error, user string) alarm.Rule {
		t.Helper()
		s.Clock.Advance(time.Minute)
		if err := do(t.Context(), field.ID, id, user); err != nil {
			t.Fatal(err)
		}
		return kept(t, s, field.ID, id)
	}
	type state struct {
		deploy   alarm.DeployState
		user     string
		revision int64
		ago      time.Duration
	}
	for i, c := range []struct {
		do   func(context.Context, tenant.ID, alarm.RuleID, string) error
		user string
		want state
	}{
		{s.Rules.Unpublish, "Ada", state{alarm.New, "", 1, -1}},
		{s.Rules.Publish, "Ada", state{alarm.Running, "Ada", 2, 0}},
		{s.Rules.Publish, "Bora", state{alarm.Running, "Ada", 2, time.Minute}},
		{s.Rules.Unpublish, "Bora", state{alarm.TakenDown, "Bora", 3, 0}},
		{s.Rules.Unpublish, "Ada", state{alarm.TakenDown, "Bora", 3, time.Minute}},
		{s.Rules.Publish, "Ada", state{alarm.Running, "Ada", 4, 0}},
	} {
		r := step(c.do, c.user)
		at := s.Clock.Milli() - c.want.ago.Milliseconds()
		if c.want.ago < 0 {
			at = 0
		}
		if r.Deploy != c.want.deploy || r.DeployUser != c.want.user || r.Revision != c.want.revision ||
			r.DeployTime != at {
			t.Errorf("%d: %+v, want %+v", i, r, c.want)
		}
	}
	// A changed rule that runs keeps running.
	rule.ID = id
	if err := s.Rules.Update(t.Context(), field.ID, &rule); err != nil {
		t.Fatal(err)
	}
	if r := kept(t, s, field.ID, id); r.Deploy != alarm.Running || r.DeployUser != "Ada" || r.Revision != 5 {
		t.Errorf("%+v", r)
	}
}

func TestMute(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	rule := newFullRule(t, s, s.Device(t, field.ID, s.Station(t), "WS-1"))
	id, err := s.Rules.Create(t.Context(), field.ID, &rule)
	if err != nil {
		t.Fatal(err)
	}
	for _, until := range []int64{s.Clock.Milli() + 5, 0} {
		if err := s.Rules.Mute(t.Context(), field.ID, id, until); err != nil {
			t.Fatal(err)
		}
		if r := kept(t, s, field.ID, id); r.MuteUntil != until || r.Revision != 1 {
			t.Errorf("%+v", r)
		}
		if got, err := s.Rules.MutedUntil(t.Context(), field.ID, id); err != nil || got != until {
			t.Errorf("muted until %d (%v), want %d", got, err, until)
		}
	}
	if err := s.Rules.Mute(t.Context(), field.ID, id, 7); err != nil {
		t.Fatal(err)
	}
	for owner, rule := range map[tenant.ID]alarm.RuleID{field.ID: id + 1, field.ID + 1: id} {
		if got, err := s.Rules.MutedUntil(t.Context(), owner, rule); err != nil || got != 0 {
			t.Errorf("a rule that is not the tenant's is muted until %d (%v)", got, err)
		}
	}
}

// A rule is deleted with its device. Copies neither run nor are muted.
func TestCopyAndForgetDevice(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station := s.Station(t)
	a, b, c := s.Device(t, field.ID, station, "A"), s.Device(t, field.ID, station, "B"),
		s.Device(t, field.ID, station, "C")
	rule := newFullRule(t, s, a)
	id, err := s.Rules.Create(t.Context(), field.ID, &rule)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Rules.Publish(t.Context(), field.ID, id, "Ada"),
		s.Rules.Mute(t.Context(), field.ID, id, s.Clock.Milli()+1)); err != nil {
		t.Fatal(err)
	}
	original := kept(t, s, field.ID, id)
	ids, err := s.Rules.Copy(t.Context(), field.ID, &original, []device.ID{c.ID, b.ID})
	if err != nil || len(ids) != 2 {
		t.Fatal(ids, err)
	}
	for i, d := range []*device.Device{c, b} {
		want := rule
		want.Targets = alarm.Targets{Devices: []device.ID{d.ID}}
		want.ID, want.Tenant, want.Device, want.Revision, want.CreateTime, want.UpdateTime = ids[i], field.ID, d.ID,
			1, s.Clock.Milli(), s.Clock.Milli()
		if got := kept(t, s, field.ID, ids[i]); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v\nwant %+v", got, want)
		}
	}
	if err := errors.Join(s.Rules.ForgetDevice(t.Context(), field.ID, b.ID),
		s.Devices.Delete(t.Context(), field.ID, b.ID)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Rules.Get(t.Context(), field.ID, ids[1]); !errs.Is(err, errs.NotFound) {
		t.Errorf("%v", err)
	}
	if n := count(t, s, "alarm_rule_channels"); n != 4 {
		t.Errorf("%d channels of two rules", n)
	}
	// All or none: the second device was deleted.
	if _, err := s.Rules.Copy(t.Context(), field.ID, &original, []device.ID{c.ID, b.ID}); !errs.Is(err, errs.NotFound) {
		t.Errorf("copied to a deleted device: %v", err)
	}
	if n := count(t, s, "alarm_rules"); n != 2 {
		t.Errorf("%d rules", n)
	}
}

// Running gives every tenant's rules; all other methods give one tenant's only.
func TestRuleTenantIsolation(t *testing.T) {
	s := testkit.NewStores(t)
	field, rival := s.Tenant(t, "field"), s.Tenant(t, "rival")
	station := s.Station(t)
	mine, theirs := newFullRule(t, s, s.Device(t, field.ID, station, "A")),
		newFullRule(t, s, s.Device(t, rival.ID, station, "B"))
	var ids [2]alarm.RuleID
	var err error
	for i, r := range []*alarm.Rule{&mine, &theirs} {
		owner := []tenant.ID{field.ID, rival.ID}[i]
		if ids[i], err = s.Rules.Create(t.Context(), owner, r); err != nil {
			t.Fatal(err)
		}
		if err := s.Rules.Publish(t.Context(), owner, ids[i], "Ada"); err != nil {
			t.Fatal(err)
		}
	}
	before := kept(t, s, rival.ID, ids[1])
	taken := mine
	taken.ID, taken.Name, mine.Targets = ids[1], "taken", theirs.Targets
	before.Targets = alarm.Targets{} // a pair has none
	for name, call := range map[string]func() error{
		"Get":       func() error { _, err := s.Rules.Get(t.Context(), field.ID, ids[1]); return err },
		"Update":    func() error { return s.Rules.Update(t.Context(), field.ID, &taken) },
		"Publish":   func() error { return s.Rules.Publish(t.Context(), field.ID, ids[1], "Ada") },
		"Unpublish": func() error { return s.Rules.Unpublish(t.Context(), field.ID, ids[1], "Ada") },
		"Create":    func() error { _, err := s.Rules.Create(t.Context(), field.ID, &mine); return err },
		"Mute":      func() error { return s.Rules.Mute(t.Context(), field.ID, ids[1], 5) },
		"Delete":    func() error { return s.Rules.Delete(t.Context(), field.ID, ids[1]) },
	} {
		if err := call(); !errs.Is(err, errs.NotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	after := kept(t, s, rival.ID, ids[1])
	if after.Targets = (alarm.Targets{}); !reflect.DeepEqual(after, before) {
		t.Errorf("%+v\nwas %+v", after, before)
	}
	for _, list := range [][]alarm.RuleID{ids[:], {ids[1]}} {
		rules, err := s.Rules.Rules(t.Context(), field.ID, list)
		if err != nil || len(rules) != len(list)-1 {
			t.Errorf("%+v %v", rules, err)
		}
	}
	running, err := s.Rules.Running(t.Context())
	if err != nil || len(running) != 2 || !reflect.DeepEqual(running[1], before) {
		t.Errorf("%+v %v", running, err)
	}
	if err := s.Rules.Unpublish(t.Context(), field.ID, ids[0], "Ada"); err != nil {
		t.Fatal(err)
	}
	if running, err := s.Rules.Running(t.Context()); err != nil || len(running) != 1 || running[0].ID != ids[1] {
		t.Errorf("%+v %v", running, err)
	}
}

// A tenant has a maximum of rules, and copies count.
func TestMaxRulesPerTenant(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station := s.Station(t)
	crowded, d := s.Device(t, field.ID, station, "A"), s.Device(t, field.ID, station, "B")
	manyRules(t, s, field.ID, []device.ID{crowded.ID}, alarm.MaxRulesPerTenant-1) // as an earlier version allowed
	rule := newFullRule(t, s, d)
	if _, err := s.Rules.Copy(t.Context(), field.ID, &rule, []device.ID{d.ID, d.ID}); !errs.Is(err, errs.Refused) ||
		errs.As(err).Key != "rule.tooMany" {
		t.Errorf("%v", err)
	}
	if _, err := s.Rules.Create(t.Context(), field.ID, &rule); err != nil {
		t.Error(err)
	}
	if _, err := s.Rules.Create(t.Context(), field.ID, &rule); !errs.Is(err, errs.Refused) || errs.As(err).
		Args["limit"] != "20000" {
		t.Errorf("%v", err)
	}
}

// A device has a maximum of rules: new ones, copies, and rules that are moved to it. Those of an
// earlier version stay, and can be changed.
func TestMaxRulesPerDevice(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	station := s.Station(t)
	full, other := s.Device(t, field.ID, station, "A"), s.Device(t, field.ID, station, "B")
	manyRules(t, s, field.ID, []device.ID{full.ID}, alarm.MaxRulesPerDevice+3)
	refused := func(what string, err error) {
		t.Helper()
		if e := errs.As(err); e == nil || e.Key != "rule.tooManyOfDevice" || e.Args["device"] != full.Title() ||
			e.Args["limit"] != "200" {
			t.Errorf("%s: %v", what, err)
		}
	}
	rule := newFullRule(t, s, full)
	_, err := s.Rules.Create(t.Context(), field.ID, &rule)
	refused("a new one", err)
	_, err = s.Rules.Copy(t.Context(), field.ID, &rule, []device.ID{other.ID, full.ID})
	refused("a copy", err)
	rule.Targets = alarm.Targets{Devices: []device.ID{other.ID}}
	id, err := s.Rules.Create(t.Context(), field.ID, &rule)
	if err != nil {
		t.Fatal(err)
	}
	rule.ID, rule.Targets = id, alarm.Targets{Devices: []device.ID{full.ID}}
	refused("one of another device", s.Rules.Update(t.Context(), field.ID, &rule))
	if n, err := s.DB.Read(t.Context()).NewSelect().TableExpr("alarm_rule_targets").
		Where("device_id = ?", other.ID).Count(t.Context()); err != nil || n != 1 {
		t.Errorf("%d rules of the other device, %v: a refused copy stayed", n, err)
	}
	// The owner can still change one of the surplus rules.
	var theirs alarm.RuleID
	if err := s.DB.Read(t.Context()).NewSelect().TableExpr("alarm_rule_targets").Column("rule_id").
		Where("device_id = ?", full.ID).OrderExpr("rule_id DESC").Limit(1).Scan(t.Context(), &theirs); err != nil {
		t.Fatal(err)
	}
	rule.ID = theirs
	if err := s.Rules.Update(t.Context(), field.ID, &rule); err != nil {
		t.Error(err)
	}
}

// The legacy store makes rules as earlier versions allowed; the current store refuses them.
func TestLegacyRuleStore(t *testing.T) {
	s := testkit.NewStores(t)
	field := s.Tenant(t, "field")
	full := s.Device(t, field.ID, s.Station(t), "A")
	rule := newFullRule(t, s, full)
	ran := time.UnixMilli(1_700_000_000_000)
	older := alarm.NewLegacyRuleStore(s.DB, s.Catalog, func() time.Time { return ran })
	ids, err := older.Copy(t.Context(), field.ID, &rule, slices.Repeat([]device.ID{full.ID}, alarm.MaxRulesPerDevice+1))
	if err != nil || len(ids) != alarm.MaxRulesPerDevice+1 {
		t.Fatalf("%d rules, %v", len(ids), err)
	}
	if err := older.Publish(t.Context(), field.ID, ids[0], "field"); err != nil {
		t.Fatal(err)
	}
	if made, err := s.Rules.Rules(t.Context(), field.ID, ids[:1]); err != nil || made[0].Deploy != alarm.Running ||
		made[0].DeployTime != ran.UnixMilli() {
		t.Errorf("%+v, %v", made, err)
	}
	if _, err := older.Copy(t.Context(), s.Tenant(t, "other").
		ID, &rule, []device.ID{full.ID}); !errs.Is(err, errs.NotFound) {
		t.Errorf("a rule for another tenant's device: %v", err)
	}
	if _, err := s.Rules.Copy(t.Context(), field.ID, &rule, []device.ID{full.ID}); !errs.Is(err, errs.Refused) {
		t.Errorf("the usual store: %v", err)
	}
}

// manyRules inserts rules without the store.
func manyRules(t testing.TB, s *testkit.Stores, owner tenant.ID, devices []device.ID, n int) {
	t.Helper()
	err := s.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(`WITH RECURSIVE k (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM k WHERE n + 1 < ?)
			INSERT INTO alarm_rules (tenant_id, alarm_name, folded_name, trigger_type, conditions, hit_counts,
				durations, alarm_level,
				period, manual_release, alarm_desc, deploy_state, create_time, update_time)
			SELECT ?, 'Rule ' || n, 'rule ' || n, 1, '[]', 1, 60000, n % 3, '{}', FALSE, '', n % 2, n,
				n FROM k`, n, owner).Exec(ctx)
		if err != nil {
			return err
		}
		const fresh = ` FROM alarm_rules AS r WHERE r.tenant_id = ? AND NOT EXISTS (SELECT 1 FROM alarm_rule_devices AS m WHERE m.rule_id = r.id)`
		if _, err = tx.NewRaw(
			`INSERT INTO alarm_rule_targets (rule_id, place, device_id) SELECT r.id, 0, ? + r.update_time % ?`+fresh,
			devices[0],
			len(devices),
			owner,
		).Exec(
			ctx,
		); err != nil {
			return err
		}
		_, err = tx.NewRaw(
			`INSERT INTO alarm_rule_devices (rule_id, device_id, tenant_id) SELECT r.id, ? + r.update_time % ?, r.tenant_id`+fresh,
			devices[0],
			len(devices),
			owner,
		).Exec(
			ctx,
		)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
