package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// ruledShare is the share of the devices that have a rule: one in so many.
	ruledShare = 5
	// filledMessages is how many messages each device has sent, one a minute. The rules look back for as
	// long.
	filledMessages = 10
	// ruleAge is how long the rules have been running.
	ruleAge = time.Hour
)

// fill makes what the first node of a cluster finds: its folder, and the database. One server alone
// registers the devices and takes their readings; then its database moves to PostgreSQL.
func (b *clusterBench) fill(ctx context.Context, dir, url string, tenant Tenant) (token string, err error) {
	data := filepath.Join(dir, "node1")
	s, err := Start(ctx, ServerOptions{
		Binary: b.Binary, Dir: data, Args: b.Args, Tenant: tenant, Apply: b.Apply, StartTimeout: fillStart,
	})
	if err != nil {
		return "", err
	}
	rule, err := b.fillRunning(ctx, s)
	if err := errors.Join(err, s.Stop()); err != nil {
		return "", err
	}
	// The first device has the rule itself.
	others := tenant.DeviceNames()[1:max(1, len(tenant.Devices)/ruledShare)]
	copies := RuleCopies{Tenant: tenant.Name, Rule: rule, Devices: others, Each: 1, Since: time.Now().Add(-ruleAge)}
	if err := b.CopyRules(ctx, data, []RuleCopies{copies}); err != nil {
		return "", err
	}
	return s.token, b.MoveDatabase(ctx, data, url)
}

// fillRunning lets all devices report, and makes a rule that runs.
func (b *clusterBench) fillRunning(ctx context.Context, s *Server) (rule int64, err error) {
	if err := reportAll(ctx, s.Target); err != nil {
		return 0, err
	}
	person, err := signIn(ctx, s.Console, s.Tenant)
	if err != nil {
		return 0, err
	}
	first := s.Tenant
	first.Devices = first.Devices[:1]
	rules, err := person.makeRules(ctx, first, 1, false)
	if err != nil {
		return 0, err
	}
	return rules[0], person.runRules(ctx, rules)
}

// reportAll lets each device send its newest messages.
func reportAll(ctx context.Context, t Target) error {
	first := time.Now().Add(-filledMessages * time.Minute).UnixMilli()
	var latency histogram // is not printed
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(parallelDials)
	for i, d := range t.Tenant.Devices {
		work.Go(func() error {
			c := &connection{
				protocol: 4,
				stream:   newMessageSource(i, first, t.Tenant.Properties),
				parts:    int(time.Minute / time.Millisecond), // so far apart are its messages
			}
			dialing, cancel := context.WithTimeout(ctx, dialTimeout)
			defer cancel()
			if err := c.dial(dialing, t.MQTT, d, filledMessages); err != nil {
				return fmt.Errorf("%s: %w", d.Name, err)
			}
			now := time.Now()
			c.run(now, now.Add(drainTime), &latency) // it sends what may be in flight, and no more
			if err := errors.Join(c.err, c.nc.Close()); err != nil {
				return fmt.Errorf("%s: %w", d.Name, err)
			}
			if c.ackCount != filledMessages {
				return fmt.Errorf("%s: %d of %d messages were acknowledged", d.Name, c.ackCount, filledMessages)
			}
			return nil
		})
	}
	return work.Wait()
}
