package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
	"tilth/internal/server"
	"tilth/internal/settings"
	"tilth/workshop/bench"
)

const (
	// filledUserAge is the age of a filled tenant's users. A user sees only messages younger than the
	// user, so users must be older than oldMessageAge.
	filledUserAge = 3 * 365 * 24 * time.Hour
	// oldMessageAge is the age of the tenant's old messages, and rowsPerTransaction the number of
	// rows that one transaction writes.
	oldMessageAge      = 2 * 365 * 24 * time.Hour
	rowsPerTransaction = 50_000
)

// FillTenant fills a tenant in a data folder that no server has open. It writes rows of users,
// messages and notices directly, which no store offers.
func FillTenant(ctx context.Context, dir string, fill bench.TenantFill) (err error) {
	s, err := server.OpenStores(ctx, &settings.Server{DataDir: dir}, "", slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	owner, err := s.Tenants.ByName(ctx, fill.Tenant)
	if err != nil {
		return err
	}
	now := time.Now()
	// Old messages come first: ids must grow with create_time, since what a user has read is a
	// boundary of ids.
	old := now.Add(-oldMessageAge)
	if err := putMessages(ctx, s, owner.ID, fill.Old, old); err != nil {
		return err
	}
	if err := putMessages(ctx, s, owner.ID, fill.Unread, now.Add(-time.Hour)); err != nil {
		return err
	}
	return s.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		const age = "UPDATE users SET create_time = ? WHERE tenant_id = ?"
		if _, err := tx.NewRaw(age, now.Add(-filledUserAge).UnixMilli(), owner.ID).Exec(ctx); err != nil {
			return err
		}
		return putNotices(ctx, s, tx, owner.ID, fill, now)
	})
}

// putMessages writes messages of a tenant, each a millisecond after the one before.
func putMessages(ctx context.Context, s *server.Stores, t tenant.ID, many int, from time.Time) error {
	facts, err := json.Marshal(alertmsg.Alarm{
		Event:      alertmsg.Triggered,
		Notice:     1,
		Rule:       1,
		Title:      "crowded",
		Level:      1,
		DeviceID:   1,
		DeviceName: "crowd-0001",
		Product:    1,
		Window:     60_000,
		Hits:       1,
		Conditions: []alertmsg.Condition{{Join: "and", Property: "sensor01", Operator: ">", Value: 50}},
		Values:     map[string]any{"sensor01": 80},
		Start:      from.UnixMilli(),
	})
	if err != nil {
		return err
	}
	for done := 0; done < many; done += rowsPerTransaction {
		err := s.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
			_, err := tx.NewRaw(
				`WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
				INSERT INTO messages (tenant_id, event, facts, create_time) SELECT ?, ?, ?, ? + i FROM n`,
				min(rowsPerTransaction, many-done),
				t,
				alertmsg.Triggered,
				string(facts),
				from.UnixMilli()+int64(done),
			).Exec(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// putNotices copies and publishes a rule for a tenant's devices, and opens a notice of each. The
// rules are an hour old and the notices half an hour, each with a start of its own, so that lists
// have an order.
func putNotices(
	ctx context.Context,
	s *server.Stores,
	tx bun.IDB,
	t tenant.ID,
	fill bench.TenantFill,
	now time.Time,
) error {
	rules := alarm.NewRuleStore(s.DB, s.Catalog, func() time.Time { return now.Add(-time.Hour) })
	found, err := rules.Rules(ctx, t, []alarm.RuleID{alarm.RuleID(fill.Rule)})
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return fmt.Errorf("rule %d is not in the folder", fill.Rule)
	}
	var devices []device.ID
	for i, name := range fill.Devices {
		e := s.Registry.Find(t, name)
		if e == nil {
			return fmt.Errorf("%s is not in the folder", name)
		}
		for n := range fill.Each {
			if i+n > 0 { // the first device has the rule itself
				devices = append(devices, e.ID)
			}
		}
	}
	copies, err := rules.Copy(ctx, t, &found[0], devices)
	if err != nil {
		return err
	}
	for _, id := range append(copies, found[0].ID) {
		if err := rules.Publish(ctx, t, id, fill.Tenant); err != nil {
			return err
		}
	}
	ruleCopy, err := json.Marshal(alarm.NewRuleCopy(&found[0], "", 0, nil))
	if err != nil {
		return err
	}
	_, err = tx.NewRaw(
		`INSERT INTO notices (tenant_id, rule_id, rule_revision, device_id, device_name, title, folded_title, alarm_level,
			start_time, create_time, rule)
		SELECT r.tenant_id, r.id, r.revision, d.id, d.name, r.alarm_name, ?, r.alarm_level, ? + r.id, ? + r.id, ?
		FROM alarm_rules AS r JOIN alarm_rule_devices AS m ON m.rule_id = r.id JOIN devices AS d ON d.id = m.device_id
		WHERE r.tenant_id = ?`,
		text.Fold(found[0].Name),
		now.Add(-30*time.Minute).UnixMilli(),
		now.Add(-30*time.Minute).UnixMilli(),
		string(ruleCopy),
		t,
	).Exec(ctx)
	return err
}
