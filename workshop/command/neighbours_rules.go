package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/server"
	"tilth/internal/settings"
	"tilth/workshop/bench"
)

// CopyRules writes running rules into a data folder that no server has open: any number for each
// device, as earlier versions allowed.
func CopyRules(ctx context.Context, dir string, copies []bench.RuleCopies) (err error) {
	s, err := server.OpenStores(ctx, &settings.Server{DataDir: dir}, "", slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		for _, g := range copies {
			if err := copyTenantRules(ctx, s, g); err != nil {
				return fmt.Errorf("rules of %s: %w", g.Tenant, err)
			}
		}
		return nil
	})
}

// copyTenantRules is CopyRules for one tenant.
func copyTenantRules(ctx context.Context, s *server.Stores, g bench.RuleCopies) error {
	owner, err := s.Tenants.ByName(ctx, g.Tenant)
	if err != nil {
		return err
	}
	rules := alarm.NewLegacyRuleStore(s.DB, s.Catalog, func() time.Time { return g.Since })
	found, err := rules.Rules(ctx, owner.ID, []alarm.RuleID{alarm.RuleID(g.Rule)})
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return fmt.Errorf("rule %d is not in the folder", g.Rule)
	}
	var devices []device.ID
	for _, name := range g.Devices {
		e := s.Registry.Find(owner.ID, name)
		if e == nil {
			return fmt.Errorf("%s is not in the folder", name)
		}
		for range g.Each {
			devices = append(devices, e.ID)
		}
	}
	copies, err := rules.Copy(ctx, owner.ID, &found[0], devices)
	if err != nil {
		return err
	}
	for _, id := range copies {
		if err := rules.Publish(ctx, owner.ID, id, g.Tenant); err != nil {
			return err
		}
	}
	return nil
}
